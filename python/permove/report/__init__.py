"""From frames to what people read: terminal tables, JSON, CSV, Markdown, pictures. Computes nothing."""

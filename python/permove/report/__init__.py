"""Output of frames: terminal tables, JSON, CSV, Markdown, pictures and pages. Computes nothing."""

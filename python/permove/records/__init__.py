"""Records: their columns, the settings that determine them, and traces."""

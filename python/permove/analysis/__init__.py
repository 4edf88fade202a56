"""Analysis of records: every function takes frames and returns frames, without agents, files or terminals."""

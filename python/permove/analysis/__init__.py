"""From records to answers: frames in, frames out. Knows nothing of agents, files or terminals."""

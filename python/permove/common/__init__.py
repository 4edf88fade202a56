"""Helpers that know nothing of agents, suites or runs: errors, files, units, names, checks, the terminal."""

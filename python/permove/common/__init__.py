"""Helpers without knowledge of agents, suites or runs: errors, files, units, names, checks, the terminal."""

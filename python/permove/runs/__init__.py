"""Runs: executing agents on a suite, and storing, merging, comparing and replaying the records."""

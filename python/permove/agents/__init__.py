"""Agents by spec: parsing and sweeps, the notation of per-map-selection-2016, and panels."""

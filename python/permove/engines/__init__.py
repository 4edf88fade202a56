"""Engines run agents on problems: on threads of this process, in worker processes, or on a dask cluster."""

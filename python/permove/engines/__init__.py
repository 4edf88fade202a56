"""Engines run agents on problems: on threads of this process, in worker processes, or on a dask cluster."""

LOCAL, DASK = "local", "dask"
NAMES = (LOCAL, DASK)

MEMORY_BYTES = 4 * 10**9
"""The default limit on the memory of a worker process for plug-ins."""

HANG_SECONDS = 10.0
"""The default limit on the time that a plug-in may plan one move before it counts as hung."""

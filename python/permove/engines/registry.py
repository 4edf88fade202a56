"""Engines by name. A new engine adds one branch here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from permove.agents.specs import AgentSpec
from permove.common.errors import InputError
from permove.common.extras import require
from permove.common.machine import machine
from permove.engines import DASK, LOCAL, NAMES, split
from permove.engines.interface import Engine


@contextmanager
def opened(
    name: str, specs: Sequence[AgentSpec], *, scheduler: str | None, jobs: int, same_processor: bool
) -> Iterator[Engine]:
    """Open the engine with this name for these agents; at the end, close everything that it started.

    `scheduler` is the address of a dask cluster; without one, a cluster of `jobs` processes is started. With
    `same_processor` only workers with the same processor are used.
    """
    if name not in NAMES:
        raise InputError(f"unknown engine '{name}'; choose {' or '.join(NAMES)}")
    if name == LOCAL:
        if scheduler is not None:
            raise InputError(f"--scheduler requires the engine {DASK}; add --engine {DASK}, or omit --scheduler")
        yield Engine(LOCAL, split.run, [machine()])
        return
    require("dask", "the engine dask")
    # Imported here, since only this engine needs dask, which is optional and slow to load.
    from permove.engines import cluster

    with cluster.connected(specs, address=scheduler, jobs=jobs, same_processor=same_processor) as engine:
        yield engine

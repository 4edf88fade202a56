"""Which engine a run walks with: one more is one more branch here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from permove.agents.specs import AgentSpec
from permove.common.errors import InputError
from permove.common.machine import machine
from permove.engines import DASK, LOCAL, NAMES, split
from permove.engines.work import Engine


@contextmanager
def opened(name: str, specs: Sequence[AgentSpec], *, scheduler: str | None, jobs: int, alike: bool) -> Iterator[Engine]:
    """The engine of a name, ready to let these agents walk; what it started is closed again at the end.

    `scheduler` is the address of a dask cluster; without one, a cluster of `jobs` processes is started. Machines that
    have to be `alike` have the same processor.
    """
    if name not in NAMES:
        raise InputError(f"there is no engine '{name}'; choose {' or '.join(NAMES)}")
    if name == LOCAL:
        if scheduler is not None:
            raise InputError(f"a scheduler is one of dask; add --engine {DASK}, or leave --scheduler out")
        yield Engine(LOCAL, split.walk, [machine()])
        return
    try:
        # Only who walks on a cluster needs dask, or waits until it is loaded.
        from permove.engines import cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise InputError(
            "the engine dask needs dask.distributed, which is not installed; `pip install permove[dask]` installs it"
        ) from None
    with cluster.connected(specs, address=scheduler, jobs=jobs, alike=alike) as engine:
        yield engine

"""The machine that a run was made on: times mean little without it."""

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import TypedDict


class Machine(TypedDict):
    """What a manifest says about a machine."""

    host: str
    cpu: str
    cores: int
    memory_bytes: int
    system: str
    python: str


@cache
def machine() -> Machine:
    """The machine that this process runs on."""
    return Machine(
        host=platform.node() or "unknown",
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
    )


def usable_cores() -> int:
    """How many cores this process may run on, which in a container can be fewer than there are."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _cpu() -> str:
    """The processor's name as its maker gives it, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, None) or platform.processor() or platform.machine() or "unknown"

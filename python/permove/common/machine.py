"""Description of the machine that executes a run, without which times mean little."""

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import TypedDict


class Machine(TypedDict):
    """Description of a machine in a manifest."""

    host: str
    cpu: str
    cores: int
    memory_bytes: int
    system: str
    python: str


@cache
def machine() -> Machine:
    """Return the description of this machine."""
    return Machine(
        host=platform.node() or "unknown",
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
    )


def usable_cores() -> int:
    """Return the number of cores that this process may use. In a container this can be fewer than all cores."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def load() -> float | None:
    """Return the mean number of running processes over the last minute, or `None` if the system does not count them."""
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return None


def governor() -> str | None:
    """Return the rule by which the system sets the frequency of the first core, or `None` if it is unknown."""
    try:
        return Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").read_text().strip()
    except OSError:
        return None


def _cpu() -> str:
    """Return the model name of the processor, or "unknown"."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, None) or platform.processor() or platform.machine() or "unknown"

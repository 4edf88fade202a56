"""Description of the machine that executes a run, without which times mean little."""

import os
import platform
from functools import cache
from pathlib import Path
from typing import TypedDict

from permove.common.system import memory_bytes, processor


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
        cpu=processor() or platform.processor() or platform.machine() or "unknown",
        cores=os.cpu_count() or 1,
        memory_bytes=memory_bytes(),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
    )


def usable_cores() -> int:
    """Return the number of cores that this process may use. In a container this can be fewer than all cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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

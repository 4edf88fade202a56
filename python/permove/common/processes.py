"""Child processes that run code of others: how they ended, and the end of everything that they have started."""

import os
import secrets
import signal
import time
from contextlib import suppress
from pathlib import Path

from permove.common.errors import InputError

VARIABLE = "PERMOVE_MARK"
"""The environment variable by which the processes that a child has started are found."""

KILL_SECONDS = 5.0
"""The maximum time to find and kill marked processes: some may start others faster than they are found."""


def require_fork() -> None:
    """Check that this system can run plug-ins."""
    if not hasattr(os, "fork"):
        raise InputError(
            "plug-ins run in forked processes, which this system does not have; run them on Linux or macOS, or in the "
            "Windows Subsystem for Linux"
        )


def cause(code: int) -> str:
    """Describe how a process ended."""
    if code >= 0:
        return f"exited with code {code}"
    number = -code
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"crashed with {name} ({(signal.strsignal(number) or 'unknown').lower()})"


def mark() -> dict[str, str]:
    """Return an environment variable for a child, by which `kill_marked` finds it and its descendants."""
    return {VARIABLE: secrets.token_hex(8)}


def kill_marked(marked: dict[str, str]) -> None:
    """Kill a child's remaining descendants, even if they have left its process group.

    A process that has replaced its environment is not found, nor is any on systems without `/proc`.
    """
    end = time.monotonic() + KILL_SECONDS
    while (found := _find(f"{VARIABLE}={marked[VARIABLE]}".encode())) and time.monotonic() < end:
        for number in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def _find(entry: bytes) -> list[int]:
    """Return the processes with an entry in their environment. Zombies have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if entry in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found

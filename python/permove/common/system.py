"""Services that operating systems offer in different ways: locks on files, processes, memory, the processor's name.

The module can be imported on every system. Where a service is missing, a function does without it, as it says.
"""

import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import ModuleType


def _module(name: str) -> ModuleType | None:
    """Return a module of the standard library, or `None` on systems without it."""
    try:
        return __import__(name)
    except ImportError:
        return None


_fcntl, _msvcrt = _module("fcntl"), _module("msvcrt")

_LOCKED_BYTE = 2**30
"""The byte that Windows locks. No file is so long, so all of a locked file can still be read."""


def lock(descriptor: int) -> bool:
    """Lock an open file until it is closed or the process ends; return whether no other process has locked it.

    On a file system without locks the result is true.
    """
    try:
        if _fcntl is not None:
            _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        elif _msvcrt is not None:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return True


def is_alive(process: int) -> bool:
    """Return whether a process exists; true if the system does not say."""
    if sys.platform == "win32":
        query_limited_information = 0x1000
        handle = ctypes.windll.kernel32.OpenProcess(query_limited_information, False, process)
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def memory_bytes() -> int:
    """Return the size of the machine's memory; 0 if it is unknown."""
    if sys.platform == "win32":
        # The structure MEMORYSTATUSEX: its size, the load in percent, and seven sizes, of which the first is the total.
        status = (ctypes.c_uint64 * 8)()
        status[0] = ctypes.sizeof(status)
        return status[1] if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def processor() -> str | None:
    """Return the model name of the processor, if the system has it in one of the known places."""
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stdout.strip() or None
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)

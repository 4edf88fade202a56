"""The program of a worker process, started with a socket and the descriptor of its heartbeat.

It forks, and the fork receives jobs of one plug-in and runs them. The parent, which never runs code of plug-ins, sends
the fork's own socket to the run, kills the fork when it is told to, and reports its end. Then it kills everything that
the plug-in has started, and forks again.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from permove import _core, plugins
from permove.common.errors import InputError
from permove.engines import messages
from permove.engines.messages import Found, Job, Kind

PIECE_SECONDS = 0.1
"""The time between two messages with records. Records that a crash loses are computed again."""

POLL_SECONDS = 0.05
"""The time between two checks of the fork, on systems that cannot wait for a process."""

SWEEP_SECONDS = 5.0
"""The time to kill the processes that a plug-in has started."""

NOTICE = struct.Struct("<ci")
"""A message of the parent: `FORKED` with the fork's socket, or `ENDED` with an exit code."""

FORKED, ENDED = b"F", b"E"
KILL = b"K"
"""The message to the parent: kill the fork."""


def serve(connection: socket.socket, heartbeat: str) -> None:
    """Receive jobs and run them until the connection is closed."""
    with contextlib.suppress(EOFError):
        while True:
            try:
                for found in run(*messages.receive_job(connection), heartbeat):
                    connection.sendall(messages.message(Kind.FOUND, messages.pack_found(found)))
            except (InputError, messages.BadMessageError) as error:
                connection.sendall(messages.message(Kind.FAILED, str(error).encode(errors="replace")))


def run(job: Job, problems: _core.PluginJob, heartbeat: str) -> Iterator[Found]:
    """Run a job piece by piece.

    Code of the plug-in can see the objects of Python, and none of them contains the map: only the core does.
    """
    plugin, first = plugins.load(job.spec)
    # As in `Spec::order` and `Spec::replica` of the core, which cannot see the parameters of a plug-in.
    first = (first + 2 * job.replica + job.replica // 4) % 8
    settings = replace(job.settings, seed=job.settings.seed + job.replica)
    problems.begin(plugin, job.spec, first, settings, heartbeat)
    while (found := problems.next(PIECE_SECONDS)) is not None:
        yield Found(*map(pl.DataFrame, found))


def main(descriptor: int, heartbeat: int, memory_limit: int) -> None:
    """Fork, report how the fork ends, and fork again; end when the run ends."""
    control = socket.socket(fileno=descriptor)
    import resource  # only on systems that can fork

    # Core dumps of crashed plug-ins would only fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _become_parent_of_orphans()
    # The fork is made before any library has started threads, and this process starts none.
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork")
    while True:
        own, remote = socket.socketpair()
        fork = os.fork()
        if fork == 0:
            control.close()
            remote.close()
            _limit(memory_limit)
            try:
                with contextlib.suppress(OSError):
                    serve(own, f"/dev/fd/{heartbeat}")
                os._exit(0)
            finally:
                os._exit(1)
        own.close()
        try:
            socket.send_fds(control, [NOTICE.pack(FORKED, 0)], [remote.fileno()])
            remote.close()
            code = _wait(fork, control)
            control.sendall(NOTICE.pack(ENDED, code))
        except OSError:
            _kill_children()
            return


def _wait(fork: int, control: socket.socket) -> int:
    """Return the exit code of the fork, after everything that it has started has ended. Kill it if the run says so."""
    ended = _descriptor_of(fork)
    try:
        while True:
            watched: list[socket.socket | int] = [control] if ended is None else [control, ended]
            ready, _, _ = select.select(watched, [], [], POLL_SECONDS if ended is None else None)
            if control in ready:
                if not control.recv(1):
                    raise ConnectionAbortedError("the run has ended")
                os.kill(fork, signal.SIGKILL)
            found, status = os.waitpid(fork, os.WNOHANG)
            if found:
                _kill_children()
                return os.waitstatus_to_exitcode(status)
    finally:
        if ended is not None:
            os.close(ended)


def _descriptor_of(process: int) -> int | None:
    """Return a descriptor that is readable when a process has ended, if the system supports it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return os.pidfd_open(process)
    return None


def _kill_children() -> None:
    """Kill all processes below this one. Children of killed processes become children of this one."""
    end = time.monotonic() + SWEEP_SECONDS
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            for child in _children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)


def _children() -> list[int]:
    try:
        return [int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def _limit(memory: int) -> None:
    """Limit the memory of the fork, which ends with its parent."""
    if memory:
        import resource

        # Not the address space: libraries reserve much more of it than they use.
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    _set_process_option(_DEATH_SIGNAL, signal.SIGKILL)


def _become_parent_of_orphans() -> None:
    """Become the parent of all descendants whose parents end, even if they have left the process group."""
    _set_process_option(_SUBREAPER, 1)


_DEATH_SIGNAL, _SUBREAPER = 1, 36
"""The numbers of two options of Linux: a signal when the parent ends, and the adoption of orphans."""


def _set_process_option(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)

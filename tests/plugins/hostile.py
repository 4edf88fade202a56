"""An agent that attacks the run at its fourth move and otherwise moves like LRTA*."""

import ctypes
import gc
import mmap
import os
import pickle
import signal
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from permove.plugins import World

What = Literal[
    "garbage",
    "long",
    "half",
    "pickle",
    "forge",
    "elsewhere",
    "failure",
    "escape",
    "heartbeat",
    "parent",
    "child",
    "close",
    "memory",
    "recursion",
    "thread",
    "stop",
    "print",
    "frames",
    "file",
    "overlong",
    "nothing",
    "twice",
    "truncated",
    "cheaper",
    "job",
    "escaped",
    "suspend",
    "suspended",
    "idle",
]


class Boom:
    """An object whose unpickling creates a file."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch executed",)


def connections() -> list[socket.socket]:
    """Return all sockets of the process."""
    found = []
    for number in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                found.append(socket.socket(fileno=number))
        except OSError:
            continue
    return found


def send(content: bytes) -> None:
    for connection in connections():
        connection.setblocking(True)
        connection.sendall(content)
        connection.detach()


def framed(payload: bytes, kind: int = 2) -> bytes:
    return struct.pack("<BQ", kind, len(payload)) + payload


def forged(problem: int) -> bytes:
    """Return the message of a record of a path that is half as long as the shortest one."""
    import polars as pl

    from permove import _core
    from permove.engines.messages import Found, pack_found

    records, trials = map(pl.DataFrame, _core.no_records())
    row = dict.fromkeys(records.columns, 0) | {"problem": problem, "status": "solved", "reason": None, "trials": 1}
    counts = {"cost": 5.0, "travel": 5.0, "moves": 5, "episodes": 5, "expanded": 5, "expanded_max": 1}
    row |= counts | {"suboptimality": 0.5, "expanded_max_move": 1, "touched": 5, "touched_max": 1}
    row = {name: None if "histogram" in name or name.startswith("time_max") else row[name] for name in row}
    return framed(pack_found(Found(pl.DataFrame([row], schema=records.schema), trials)))


def heartbeats() -> list[mmap.mmap]:
    """Return the mapped heartbeats of the process."""
    found = []
    for number in range(3, 64):
        try:
            if os.fstat(number).st_size == 32:
                found.append(mmap.mmap(number, 32))
        except (OSError, ValueError):
            continue
    return found


def swap_messages(change: "Callable[[bytes], bytes | None]") -> None:
    """Send other messages with records than those of the core."""
    from permove.engines import messages

    original = messages.pack_found
    # The map of the module is read each time, so this takes effect.
    messages.pack_found = lambda found: change(original(found))  # type: ignore[assignment, return-value]


def started_outside() -> None:
    """Start a process that leaves the group and the session, and wait until it has done that."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path(f"child-{os.getpid()}").touch()
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not list(Path().glob("child-*")):
        time.sleep(0.01)


def current_problem() -> int:
    return max(struct.unpack("=4Q", beat[:])[0] for beat in heartbeats()) - 1


def maps() -> list[str]:
    """Return the objects with a map that the process contains."""
    frame, found = sys._getframe(), []
    objects = gc.get_objects()
    while frame is not None:
        objects.extend(frame.f_locals.values())
        frame = frame.f_back
    for each in objects:
        if type(each).__name__ in ("Grid", "Cells", "Map") and not isinstance(each, type):
            found.append(type(each).__name__)
        if isinstance(each, bytes | bytearray) and len(each) >= 128 * 128 // 8 and type(each) is not memoryview:
            found.append("bytes")
    return found


AT_IMPORT = maps()
"""The maps that were visible when this file was loaded."""


class Hostile:
    """Attacks the run."""

    def __init__(self, what: What = "garbage", after: int = 3) -> None:
        self.what, self.left = what, after

    def plan(self, world: World) -> int | list[int]:
        self.left -= 1
        if self.left < 0:
            plan = getattr(self, self.what)(world)
            if plan is not None:
                return plan
        f, best = min((cost + h, state) for state, cost, h in world.expand(world.at))
        world.learn(world.at, f)
        return best

    def garbage(self, _: World) -> None:
        send(bytes(range(255, 0, -1)))

    def long(self, _: World) -> None:
        send(struct.pack("<BQ", 2, 2**60))

    def half(self, _: World) -> None:
        send(struct.pack("<BQ", 2, 2**27))

    def pickle(self, _: World) -> None:
        content = pickle.dumps(Boom())
        send(framed(content) + struct.pack("!i", len(content)) + content)

    def forge(self, _: World) -> None:
        send(forged(current_problem()))

    def elsewhere(self, _: World) -> None:
        send(forged(4_000_000_000))

    def overlong(self, _: World) -> None:
        send(framed(struct.pack("<I", 2**32 - 1)))

    def failure(self, _: World) -> None:
        send(framed(b"\x1b]0;title\x07\x1b[2Jcleared\xff", 3))

    def escape(self, _: World) -> None:
        raise ValueError("\x1b[31mred\x07 \u202eback")

    def heartbeat(self, _: World) -> None:
        for beat in heartbeats():
            beat[:] = b"\xff" * 32
        os._exit(9)

    def parent(self, _: World) -> None:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)

    def child(self, _: World) -> None:
        self.left = 10**9
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                Path(f"child-{os.getpid()}").touch()
                signal.pause()
            os._exit(0)

    def close(self, _: World) -> None:
        os.closerange(3, 1024)

    def memory(self, _: World) -> None:
        kept = []
        while True:
            kept.append(bytes(10**8))

    def recursion(self, world: World) -> None:
        self.recursion(world)

    def thread(self, _: World) -> None:
        threading.Thread(target=os._exit, args=(7,)).start()
        time.sleep(60)

    def stop(self, _: World) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def print(self, _: World) -> None:
        self.left = 10**9
        print("x" * 10**6)
        print("\x1b[2J\x1b]0;owned\x07", file=sys.stderr, flush=True)
        os.write(1, b"\xff\x9b2J without an end")

    def frames(self, _: World) -> None:
        raise ValueError(f"maps: {' '.join(sorted({*AT_IMPORT, *maps()})) or 'none'}")

    def job(self, _: World) -> None:
        """Try to use the job of the core, which has the map."""
        frame, jobs, errors = sys._getframe(), [], []
        while frame is not None:
            jobs += [value for value in frame.f_locals.values() if type(value).__name__ == "PluginJob"]
            frame = frame.f_back
        for use in (lambda job: job.next(1.0), lambda job: job.begin(None, "", 0, None, "")):
            try:
                errors.append(f"used: {use(jobs[0])}")
            except Exception as error:
                errors.append(type(error).__name__)
        raise ValueError(f"attempts: {' '.join(errors)}")

    def twice(self, _: World) -> None:
        self.left = 10**9
        swap_messages(lambda content: send(framed(content)) or content)

    def truncated(self, _: World) -> None:
        self.left = 10**9
        swap_messages(lambda content: send(framed(content)[: len(content) // 2]) or os._exit(8))

    def cheaper(self, _: World) -> None:
        """Divide each expanded state and touched one by two."""
        self.left = 10**9
        import polars as pl

        from permove.engines import messages

        original = messages.pack_found
        half = pl.col("expanded", "touched") // 2
        messages.pack_found = lambda found: original(found._replace(records=found.records.with_columns(half)))

    def escaped(self, _: World) -> None:
        started_outside()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)

    def suspend(self, _: World) -> None:
        self.left = 10**9
        os.kill(os.getppid(), signal.SIGSTOP)

    def suspended(self, world: World) -> None:
        started_outside()
        self.suspend(world)
        time.sleep(600)

    def idle(self, _: World) -> None:
        self.left = 10**9
        swap_messages(lambda _: time.sleep(600))

    def file(self, world: World) -> list[int]:
        """Follow the shortest path on the map's file, without expanding a state."""
        from permove import _core, data

        path = Path(data.__file__).parents[1] / "embedded" / "maps" / "rooms-128.map"
        grid = _core.Map.parse(path.read_bytes(), "map").grid("land", "strict")
        x, y = world.goal % world.width, world.goal // world.width
        distances = grid.distances(x, y).ravel()
        plan, at = [], world.at
        while at != world.goal:
            sides = [at + step for step in (-world.width, world.width, -1, 1)]
            corners = [
                at + up + side
                for up in (-world.width, world.width)
                for side in (-1, 1)
                if max(distances[at + up], distances[at + side]) < 1e9
            ]
            at = min([*sides, *corners], key=lambda to: distances[to] + (1 if to in sides else 2**0.5))
            plan.append(at)
        return plan

    def nothing(self, _: World) -> None:
        ctypes.string_at(0)

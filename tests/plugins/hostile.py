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
        if type(each).__name__ in ("Grid", "Cells") and not isinstance(each, type):
            found.append(type(each).__name__)
        if isinstance(each, bytes | bytearray) and len(each) >= 128 * 128 // 8 and type(each) is not memoryview:
            found.append("bytes")
    return found


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

    def frames(self, _: World) -> None:
        raise ValueError(f"maps: {' '.join(sorted(set(maps()))) or 'none'}")

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

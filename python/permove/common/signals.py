"""Stop requests by SIGINT (Ctrl-C) and SIGTERM, for work that saves or cleans up its results before it exits."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """State of a stop request.

    `threading.Event` does not work here: a handler that sets it deadlocks on the lock of the `wait` it interrupted.
    """

    requested = False


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Turn the first SIGINT or SIGTERM into a stop request; a second one raises `KeyboardInterrupt`.

    Signals are handled only in the main thread. In other threads the request is never set.
    """
    stop = Stop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

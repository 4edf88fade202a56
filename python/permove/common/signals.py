"""Being asked to stop: Ctrl-C and a polite kill, for work that keeps or clears away what it has before it ends."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Whether someone asked to stop.

    No `threading.Event`: a signal handler that sets one waits for ever for the lock of a `wait` that it interrupted.
    """

    asked = False


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Ctrl-C and a polite kill ask to stop; a second one is no longer polite and raises.

    Only the main thread may handle signals; elsewhere whoever owns it decides.
    """
    stop = Stop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

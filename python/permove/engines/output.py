"""The output of a worker process, which may contain anything: its printable lines are printed on the error stream."""

import codecs
import os
import sys

from permove.common.text import printable

MAX_LINE = 4096
"""The maximum length of a line; a longer one is printed in pieces."""

PIECE_BYTES = 1 << 16


class Output:
    """A pipe from a worker process."""

    def __init__(self) -> None:
        self.receiver, self.sender = os.pipe()
        os.set_blocking(self.receiver, False)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._line = ""

    def forward(self) -> bool:
        """Print the complete lines that have arrived, and return whether there was anything."""
        try:
            content = os.read(self.receiver, PIECE_BYTES)
        except BlockingIOError:
            return False
        *lines, self._line = (self._line + self._decoder.decode(content)).split("\n")
        if len(self._line) >= MAX_LINE:
            lines, self._line = [*lines, self._line], ""
        self._print(lines)
        return bool(content)

    def close(self) -> None:
        """Print the rest, and close the pipe."""
        os.close(self.sender)
        while self.forward():
            pass
        if self._line:
            self._print([self._line])
        os.close(self.receiver)

    def _print(self, lines: list[str]) -> None:
        if sys.stderr is not None:
            for line in lines:
                print(printable(line), file=sys.stderr)

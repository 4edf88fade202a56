"""The command line, started by `permove` and by `python -m permove`. It imports nothing before Ctrl-C is handled."""

import io
import signal
import sys


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback, even while modules are loaded."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Terminals and pipes may have an encoding without the characters of a table.
                stream.reconfigure(errors="replace")
        from permove.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("permove: interrupted", file=sys.stderr)
        return 130
    finally:
        # Another Ctrl-C must not interrupt the end of the interpreter.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())

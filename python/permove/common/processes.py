"""Child processes: how they ended."""

import signal


def cause(code: int) -> str:
    """Describe how a process ended."""
    if code >= 0:
        return f"exited with code {code}"
    number = -code
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"crashed with {name} ({(signal.strsignal(number) or 'unknown').lower()})"

"""The exception for invalid input: its message says what is wrong, where, and how to fix it."""

import os

from permove._core import InputError

__all__ = ["InputError", "input_error", "reason"]


def input_error(
    sentence: str,
    *,
    agent: str | None = None,
    param: str | None = None,
    file: str | None = None,
    line: int | None = None,
) -> InputError:
    """Return an error with the facts that are known, so that callers need not read its sentence."""
    error = InputError(sentence)
    error.agent, error.param, error.file, error.line = agent, param, file, line
    return error


def reason(error: OSError) -> str:
    """Return the system's description of an error."""
    return os.strerror(error.errno) if error.errno else str(error)

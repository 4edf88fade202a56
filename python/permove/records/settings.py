"""Settings: what determines a record besides its agent and its problem."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from permove.common.errors import InputError
from permove.common.options import number, option, read
from permove.common.units import parse_duration

ONCE, CONVERGE = "once", "converge"
"""The values of `trials`: one trial, or trials until one teaches the agent nothing new."""

MAX_TRIALS = 10_000
"""The default cap on the trials of a convergence process."""


@dataclass(frozen=True)
class Settings:
    """The part of a record's identity that all records of a run share."""

    cutoff: int | None = number(None, 1)
    time_limit_ns: int | None = option(None, parse_duration, name="time_limit")
    alpha: float | None = number(None, 1)
    sensor: str = "all"
    seed: int = number(0, 0)
    timed: bool = False
    trials: str = ONCE
    max_trials: int | None = number(None, 1, 2**32 - 1)
    """The cap on the trials of a convergence process; `None` for a single trial."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return settings from a user's options; a limit on time makes a run a timed one."""
        given = read(cls, options)
        if given.trials not in (ONCE, CONVERGE):
            raise InputError(f"trials '{given.trials}' is neither {ONCE} nor {CONVERGE}; choose one of them")
        if given.trials == ONCE and given.max_trials is not None:
            raise InputError(
                f"--max-trials {given.max_trials} caps a convergence process; add --trials {CONVERGE}, or omit it"
            )
        max_trials = (given.max_trials or MAX_TRIALS) if given.trials == CONVERGE else None
        return replace(given, timed=given.timed or given.time_limit_ns is not None, max_trials=max_trials)

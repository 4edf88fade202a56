"""Settings: everything that determines a record apart from its agent and its problem."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from permove.common.errors import InputError
from permove.common.option_fields import number, option, read
from permove.common.units import parse_duration

ONCE, CONVERGE = "once", "converge"
"""The values of `trials`: one trial, or trials until the agent learns nothing new in a trial."""

REPEATS = 5
"""The default number of repetitions of a timed trial."""

MAX_TRIALS = 10_000
"""The default limit on the trials of a convergence process."""


@dataclass(frozen=True)
class Settings:
    """The part of a record's identity that all records of a run share."""

    cutoff: int | None = number(None, 1)
    time_limit_ns: int | None = option(None, parse_duration, name="time_limit")
    alpha: float | None = number(None, 1)
    sensor: str = "all"
    seed: int = number(0, 0)
    timed: bool = False
    repeats: int = number(REPEATS, 1, 1000)
    """How often a timed trial is repeated, so that the time of a move is the minimum over all repetitions."""
    trials: str = ONCE
    max_trials: int | None = number(None, 1, 2**32 - 1)
    """The limit on the trials of a convergence process; `None` for a single trial."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the settings for a user's options. A time limit makes a run timed."""
        given = read(cls, options)
        if given.trials not in (ONCE, CONVERGE):
            raise InputError(f"invalid value '{given.trials}' for trials; choose {ONCE} or {CONVERGE}")
        if given.trials == ONCE and given.max_trials is not None:
            raise InputError(
                f"--max-trials {given.max_trials} requires --trials {CONVERGE}; add it, or omit --max-trials"
            )
        timed = given.timed or given.time_limit_ns is not None
        if not timed and given.repeats != REPEATS:
            raise InputError(f"--repeats {given.repeats} requires --timed or --time-limit; add one, or omit --repeats")
        max_trials = (given.max_trials or MAX_TRIALS) if given.trials == CONVERGE else None
        return replace(given, timed=timed, max_trials=max_trials)

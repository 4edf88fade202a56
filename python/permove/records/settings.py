"""Settings: everything that determines a record apart from its agent and its problem."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.option_fields import number, option, read
from permove.common.units import parse_duration

ONCE, CONVERGE = "once", "converge"
"""The values of `trials`: one trial, or trials until the agent learns nothing new in a trial."""

REPEATS = 5
"""The default number of repetitions of a timed trial."""

MAX_TRIALS = 10_000
"""The default limit on the trials of a convergence process."""

MAX_REPLICAS = 8
"""The number of tie orders: clockwise from each direction."""

ALPHA = 1000.0
"""The default limit on travel in multiples of the optimum, so that every run ends."""


def _alpha(value: float) -> float | None:
    return value if value == math.inf else in_range("alpha", float(value), 1)


@dataclass(frozen=True)
class Settings:
    """The part of a record's identity that all records of a run share."""

    cutoff: int | None = number(None, 1)
    time_limit_ns: int | None = option(None, parse_duration, name="time_limit")
    alpha: float | None = option(None, _alpha)
    """The limit on travel over all trials, in multiples of the optimum; `None` if travel is not limited."""
    cap_each_trial: bool = False
    """Whether `alpha` limits the travel of each trial instead."""
    sensor: str = "all"
    seed: int = number(0, 0)
    timed: bool = False
    repeats: int = number(REPEATS, 1, 1000)
    """How often a timed trial is repeated, so that the time of a move is the minimum over all repetitions."""
    trials: str = ONCE
    max_trials: int | None = number(None, 1, 2**32 - 1)
    """The limit on the trials of a convergence process; `None` for a single trial."""
    replicas: int = number(1, 1, MAX_REPLICAS)
    """The number of times that each problem is solved, with other tie orders or seeds."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the settings for a user's options.

        A time limit makes a run timed. By default, the travel of each trial is limited to `ALPHA` times the optimum; an
        alpha of infinity means no limit.
        """
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
        converging = given.trials == CONVERGE
        alpha = ALPHA if given.alpha is None else given.alpha
        return replace(
            given,
            timed=timed,
            max_trials=(given.max_trials or MAX_TRIALS) if converging else None,
            alpha=None if alpha == math.inf else alpha,
            cap_each_trial=given.alpha is None and converging,
        )

    @property
    def alpha_option(self) -> str:
        """The option of the command line that sets this limit on travel."""
        if self.cap_each_trial:
            return "no --alpha"
        return f"--alpha {math.inf if self.alpha is None else self.alpha:g}"

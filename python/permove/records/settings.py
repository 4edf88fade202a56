"""What decides a record besides its agent and its problem, and what values it may have."""

from dataclasses import dataclass
from typing import Self

from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.units import parse_duration

ONCE, CONVERGE = "once", "converge"
"""What trials may be: one from start to goal, or as many as it takes until one teaches nothing new."""

MAX_TRIALS = 10_000
"""How many trials a convergence process has where nobody says otherwise."""

MOST_TRIALS = 2**32 - 1
"""More trials than this the core does not count."""


@dataclass(frozen=True)
class Settings:
    """The part of a record's identity that all records of a run share."""

    cutoff: int | None = None
    time_limit_ns: int | None = None
    alpha: float | None = None
    sensor: str = "all"
    seed: int = 0
    timed: bool = False
    trials: str = ONCE
    max_trials: int | None = None
    """The cap on the trials of a convergence process; nothing where there is one trial anyway."""

    @classmethod
    def checked(
        cls,
        *,
        cutoff: int | None,
        time_limit: str | float | None,
        alpha: float | None,
        sensor: str,
        seed: int,
        timed: bool,
        trials: str = ONCE,
        max_trials: int | None = None,
    ) -> Self:
        """Settings as a user gives them; a limit on time makes a run a timed one."""
        if trials not in (ONCE, CONVERGE):
            raise InputError(f"trials '{trials}' is neither {ONCE} nor {CONVERGE}; choose one of them")
        if trials == ONCE and max_trials is not None:
            raise InputError(
                f"--max-trials {max_trials} caps a convergence process; add --trials {CONVERGE}, or leave it out"
            )
        return cls(
            cutoff=in_range("cutoff", cutoff, 1),
            time_limit_ns=None if time_limit is None else parse_duration(time_limit),
            alpha=in_range("alpha", alpha, 1),
            sensor=sensor,
            seed=in_range("seed", seed, 0) or 0,
            timed=timed or time_limit is not None,
            trials=trials,
            max_trials=(in_range("max-trials", max_trials, 1, MOST_TRIALS) or MAX_TRIALS)
            if trials == CONVERGE
            else None,
        )

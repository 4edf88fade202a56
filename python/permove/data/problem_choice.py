"""The choice of the problems of a suite that a run uses."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from permove.common.errors import InputError
from permove.common.option_fields import changed, number, option, read


@dataclass(frozen=True)
class Sample:
    """The problems `first` to `first + count - 1` of a suite in random order, regardless of their maps.

    After all problems, the order continues with another permutation. Consecutive samples therefore have no problem in
    common until all problems are used, and no sample contains a problem twice.
    """

    first: int
    count: int


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of the problems, numbered from 1; the parts are disjoint and together complete."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a shard such as `3/8`."""
        match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError(f"invalid shard '{text}'; use NUMBER/COUNT, for example 3/8 for the third of eight")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True)
class Choice:
    """The problems of a suite, and limits on them, applied in this order: maps, limit, sample, shard."""

    maps: Sequence[str] | None = option(None, list)
    limit: int | None = number(None, 1)
    sample: Sample | None = None
    shard: Shard | None = option(None, Shard.parse)
    problems: int | None = number(None, 1)
    """The number of problems to draw on each map, instead of those of the suite."""

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Return the choice that a manifest stores."""
        sample = facts.get("sample")
        return read(cls, {**facts, "sample": None if sample is None else Sample(*sample)})

    def facts(self) -> dict[str, Any]:
        """Return the limits that are set, as a manifest stores them."""
        facts = changed(self)
        if self.shard is not None:
            facts["shard"] = str(self.shard)
        if self.sample is not None:
            facts["sample"] = [self.sample.first, self.sample.count]
        return facts

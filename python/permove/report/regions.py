"""Regions of a map, such as the cells of each abstract state, as letters that `picture` draws in as many colours.

Regions that touch, were it at a corner, do not share a letter, unless so many touch each other that the alphabet ends
and begins anew. Few letters would do, but then many regions on the two sides of a wall would look like one; so the
common ones are dealt out evenly, and the others are for where those are taken.
"""

from collections import defaultdict
from itertools import count

import numpy as np
from numpy.typing import NDArray

from permove.report.picture import REGIONS, Letters

_COMMON = 6


def lettered(letters: Letters, regions: NDArray[np.int32]) -> Letters:
    """The letters of a map, but each cell of a region has that of its region; -1 is in none."""
    drawn, inside = letters.copy(), regions >= 0
    alphabet = np.frombuffer(REGIONS.encode(), np.uint8)
    drawn[inside] = alphabet[_numbered(regions)[regions[inside]] % len(alphabet)]
    return drawn


def _numbered(regions: NDArray[np.int32]) -> NDArray[np.int64]:
    """A small number for each region, another one than those of the regions that it touches."""
    touched = _touched(regions)
    numbers: list[int] = []
    times = [0] * _COMMON
    for region in range(regions.max(initial=-1) + 1):
        taken = {numbers[other] for other in touched[region]}
        if left := [number for number in range(_COMMON) if number not in taken]:
            number = min(left, key=times.__getitem__)
            times[number] += 1
        else:
            number = next(number for number in count(_COMMON) if number not in taken)
        numbers.append(number)
    return np.array(numbers, np.int64)


def _touched(regions: NDArray[np.int32]) -> dict[int, list[int]]:
    """For each region, those with smaller numbers that it touches."""
    sides = [
        (regions[:, 1:], regions[:, :-1]),
        (regions[1:], regions[:-1]),
        (regions[1:, 1:], regions[:-1, :-1]),
        (regions[1:, :-1], regions[:-1, 1:]),
    ]
    pairs = np.concatenate([np.stack([one.ravel(), other.ravel()], axis=1) for one, other in sides]).astype(np.int64)
    pairs = np.sort(pairs[(pairs[:, 0] != pairs[:, 1]) & (pairs >= 0).all(axis=1)], axis=1)
    count = np.int64(regions.max(initial=-1)) + 1
    larger, smaller = np.divmod(np.unique(pairs[:, 1] * count + pairs[:, 0]), count)
    touched: dict[int, list[int]] = defaultdict(list)
    for region, other in zip(larger.tolist(), smaller.tolist(), strict=True):
        touched[region].append(other)
    return touched

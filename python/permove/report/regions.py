"""Regions of a map, such as the cells of each abstract state, as letters that `picture` draws in different colours.

Regions that touch, even at a corner, have different letters, unless so many touch each other that letters repeat. With
the minimum number of letters, regions on two sides of a wall would often look like one. So a few common letters are
distributed evenly, and the other letters are used if all common ones are taken.
"""

from collections import defaultdict
from itertools import count

import numpy as np
from numpy.typing import NDArray

from permove.report.picture import REGIONS, Letters

_COMMON = 6


def lettered(letters: Letters, regions: NDArray[np.int32]) -> Letters:
    """Replace the letters of cells in a region by the letter of the region; -1 is outside all regions."""
    drawn, inside = letters.copy(), regions >= 0
    alphabet = np.frombuffer(REGIONS.encode(), np.uint8)
    drawn[inside] = alphabet[_numbered(regions)[regions[inside]] % len(alphabet)]
    return drawn


def _numbered(regions: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a small number for each region that differs from those of the regions that it touches."""
    touched = _touched(regions)
    numbers: list[int] = []
    times = [0] * _COMMON
    for region in range(regions.max(initial=-1) + 1):
        taken = {numbers[other] for other in touched[region]}
        if free := [number for number in range(_COMMON) if number not in taken]:
            number = min(free, key=times.__getitem__)
            times[number] += 1
        else:
            number = next(number for number in count(_COMMON) if number not in taken)
        numbers.append(number)
    return np.array(numbers, np.int64)


def _touched(regions: NDArray[np.int32]) -> dict[int, list[int]]:
    """Return for each region the touching regions with smaller numbers."""
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

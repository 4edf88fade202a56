"""Letters of MovingAI's maps, to which every format is converted, and the options of conversions."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from permove._core import Map
from permove.common.errors import InputError

Letters: TypeAlias = NDArray[np.uint8]
"""One letter per cell, as the bytes of a map file."""

LETTERS = ".G@OTSW"
FREE, WALL = ord("."), ord("@")

MAX_SIDE = 8192
"""The maximum number of columns and rows of a map in the core."""

THRESHOLD = 128


@dataclass(frozen=True)
class Reading:
    """Options for reading a map. Each applies to some formats."""

    threshold: int | None = None
    """Pixels with a lower brightness (0 to 255) are walls; by default `THRESHOLD`."""
    palette: Path | None = None
    """A TOML file that maps the colours of an image to letters."""
    cell: int | None = None
    """The pixels of an image along each side of a cell; by default 1."""
    layer: str | None = None
    """The layer of a Tiled map that has the walls."""
    property: str | None = None
    """The property of tiles that are walls."""

    def check(self, path: Path, kind: str, *used: str) -> None:
        """Raise an error if an option is set that the format of a file does not have."""
        for each in fields(self):
            if getattr(self, each.name) is not None and each.name not in used:
                raise InputError(f"{path}: --{each.name} does not apply to {kind}; omit it")


def of_walls(walls: ArrayLike) -> Letters:
    """Return letters for an array in which other values than 0 are walls."""
    return np.where(np.asarray(walls) != 0, WALL, FREE).astype(np.uint8)


def as_map(letters: Letters, source: str) -> Map:
    """Return letters as a map; errors contain `source`."""
    height, width = letters.shape
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise InputError(
            f"{source} has {width:,} × {height:,} cells; 1 to {MAX_SIDE} along each side are supported: crop or scale "
            "it"
        )
    return Map.parse(text_of(letters), source)


def text_of(letters: Letters) -> bytes:
    """Return letters as the content of a map file."""
    height, width = letters.shape
    head = f"type octile\nheight {height}\nwidth {width}\nmap\n".encode()
    return head + b"".join(row.tobytes() + b"\n" for row in letters)


def damaged(path: Path, what: str, error: Exception | str, remedy: str) -> InputError:
    """Return the error for a file that a library rejects; its first line is enough."""
    reason = next(iter(str(error).strip().splitlines()), "").rstrip(".") or type(error).__name__
    return InputError(f"{path} is not a valid {what} ({reason}); {remedy}")

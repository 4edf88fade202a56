"""Pictures of maps as PNG files and in the terminal, with a path, its ends, and expanded states on top.

`letters` are the letters of a map, height × width bytes, from `Map.letters()`, `regions.lettered` or `depths.shaded`;
cells are rows of x, y from the top left. `image` returns colours, `png` encodes them as a file, and `text` returns an
object that rich can print.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

Letters: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]
Image: TypeAlias = NDArray[np.uint8]
"""Colours: height × width × red, green, blue."""

_GROUND, _ROCK = (226, 221, 203), (44, 44, 52)
_TERRAIN = {
    ".": _GROUND,
    "G": _GROUND,
    "S": (176, 186, 150),
    "T": (62, 99, 66),
    "W": (88, 134, 178),
    "@": _ROCK,
    "O": _ROCK,
}
REGIONS = "abcdefghij"
"""Letters for regions, which no map has: each has its own light colour; the last ones are rarely used."""
_REGIONS = (
    (233, 196, 154),
    (160, 214, 226),
    (196, 214, 146),
    (222, 160, 160),
    (186, 168, 214),
    (240, 230, 170),
    (104, 180, 160),
    (230, 140, 200),
    (164, 160, 156),
    (252, 252, 250),
)
SHADES, WALL, UNREACHABLE = "123456789", "#", "x"
"""Symbols that no map has: shades from white to dark, black obstacles, and cells that cannot reach the goal."""
_SHADES = {
    **{symbol: (255 - 22 * number,) * 3 for number, symbol in enumerate(SHADES)},
    WALL: (0, 0, 0),
    UNREACHABLE: (88, 134, 178),
}
_UNKNOWN = (255, 0, 255)
_FOG = (96, 104, 120)
_COOL, _HOT = (244, 196, 108), (196, 48, 24)
_PATH, _START, _GOAL = (30, 64, 220), (20, 160, 60), (220, 20, 140)


_EAST, _SOUTH = 1 << 2, 1 << 4
"""The bits of moves in `Grid.cliffs`."""

PNG_PIXELS = 1024
"""Maximum size of a picture in a file, unless a cell would be smaller than one pixel."""


def png_scale(letters: Letters) -> int:
    """Return the number of pixels per cell in a file."""
    return max(1, PNG_PIXELS // int(max(letters.shape)))


def image(
    letters: Letters,
    path: ArrayLike | None = None,
    expanded: ArrayLike | None = None,
    scale: int = 1,
    goal: tuple[int, int] | None = None,
    seen: Mask | None = None,
    cliffs: NDArray[np.uint8] | None = None,
) -> Image:
    """Return the map in colours, with `scale` pixels per cell.

    `path` is the path of an agent from its start to `goal`, by default the last cell of the path. `expanded` are the
    expanded states; states that occur more often have hotter colours. Cells that are not `seen` are darker. `cliffs`,
    from `Grid.cliffs`, are dark lines between cells of at least three pixels.
    """
    colours = _colours(letters, expanded, seen).repeat(scale, axis=0).repeat(scale, axis=1)
    if cliffs is not None and scale >= 3:
        cells = np.arange(scale)
        east = (cliffs & _EAST != 0).repeat(scale, axis=0)[:, :, None] & (cells == scale - 1)
        south = (cliffs & _SOUTH != 0).repeat(scale, axis=1)[:, None, :] & (cells == scale - 1)[:, None]
        colours[east.reshape(colours.shape[:2]) | south.reshape(colours.shape[:2])] = _ROCK
    larger = scale * max(1, min(letters.shape) // 128)  # makes the ends of a path easy to see
    smaller = -(scale // 4)  # leaves the heat around a path visible
    for mark in _marks(path, goal):
        more = smaller if mark.symbol == "*" else larger
        left, top = max(0, mark.x * scale - more), max(0, mark.y * scale - more)
        colours[top : (mark.y + 1) * scale + more, left : (mark.x + 1) * scale + more] = mark.colour
    return colours


def png(image: Image) -> bytes:
    """Encode an image as a PNG file."""
    height, width, _ = image.shape
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # every line starts with its filter type, 0 for none
    lines[:, 1:] = image.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits each of red, green and blue
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def text(
    letters: Letters,
    path: ArrayLike | None = None,
    expanded: ArrayLike | None = None,
    width: int | None = None,
    goal: tuple[int, int] | None = None,
    seen: Mask | None = None,
) -> "Drawing":
    """Return the map for printing with rich, at most `width` characters wide, by default as wide as the console.

    Two pixels share a character if the console has colours. Otherwise characters are letters: those of the map, `+` for
    expanded states, `*` for the path, `A` and `B` for its ends.
    """
    return Drawing(letters, path, expanded, width, goal, seen)


@dataclass(frozen=True, eq=False)
class Drawing:
    """A map that rich can draw at any width."""

    letters: Letters
    path: ArrayLike | None = None
    expanded: ArrayLike | None = None
    width: int | None = None
    goal: tuple[int, int] | None = None
    seen: Mask | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(self.width or options.max_width, options.max_width)
        coloured = console.color_system is not None and not console.no_color and not options.ascii_only
        yield self.coloured(width) if coloured else self.plain(width)

    def coloured(self, width: int) -> Text:
        """Draw half blocks: the upper pixel is the foreground colour, the lower one the background."""
        step = self._step(width)
        if _is_region(self.letters).any():  # the mean of two regions' colours may be a third's
            expanded = None if self.expanded is None else _cells(self.expanded) // step
            pixels = _colours(_most_frequent(self.letters, step, step), expanded)
        else:
            pixels = _mean(_colours(self.letters, self.expanded, self.seen), step, step).astype(np.uint8)
        for mark in _marks(self.path, self.goal):
            pixels[mark.y // step, mark.x // step] = mark.colour
        lines = []
        for upper, lower in _pairs(pixels):
            line = Text(no_wrap=True, end="")
            for (colour, below), run in groupby(zip(upper, lower, strict=True)):
                style = Style(color=Color.from_rgb(*colour), bgcolor=Color.from_rgb(*below) if below else None)
                line.append("▀" * len(list(run)), style)
            lines.append(line)
        return Text("\n").join(lines)

    def plain(self, width: int) -> Text:
        """Draw letters: one per cell if the map fits, otherwise the most frequent letter of each block."""
        step = self._step(width)
        down = step if step == 1 else 2 * step  # characters are twice as high as wide
        drawn = _most_frequent(self.letters, down, step)
        if self.expanded is not None:
            cells = _cells(self.expanded)
            drawn[cells[:, 1] // down, cells[:, 0] // step] = ord("+")
        for mark in _marks(self.path, self.goal):
            drawn[mark.y // down, mark.x // step] = ord(mark.symbol)
        return Text("\n".join(row.tobytes().decode("ascii", "replace") for row in drawn), no_wrap=True)

    def _step(self, width: int) -> int:
        """Return the number of map columns per column of the drawing."""
        columns: int = self.letters.shape[1]
        return math.ceil(columns / max(1, width))


@dataclass(frozen=True)
class _Mark:
    x: int
    y: int
    symbol: str
    colour: tuple[int, int, int]


def _marks(path: ArrayLike | None, goal: tuple[int, int] | None) -> Iterator[_Mark]:
    """Yield the marks that are drawn over the map, the most important last."""
    cells: list[tuple[int, int]] = [] if path is None else [(x, y) for x, y in _cells(path).tolist()]
    ends = [(cells[0], "A", _START)] if cells else []
    if goal is not None or cells:
        ends.append((goal or cells[-1], "B", _GOAL))
    for (x, y), symbol, colour in [*((cell, "*", _PATH) for cell in cells), *ends]:
        yield _Mark(x, y, symbol, colour)


def _colours(letters: Letters, expanded: ArrayLike | None, seen: Mask | None = None) -> Image:
    """Return one pixel per cell: its terrain, darker if not seen, or how often it was expanded."""
    palette = np.full((256, 3), _UNKNOWN, np.uint8)
    for letter, colour in (*_TERRAIN.items(), *_SHADES.items(), *zip(REGIONS, _REGIONS, strict=True)):
        palette[ord(letter)] = colour
    colours: Image = palette[letters]
    if seen is not None:
        colours[~seen] = 0.4 * colours[~seen] + 0.6 * np.array(_FOG)
    if expanded is not None and (cells := _cells(expanded)).size:
        times = np.zeros(letters.shape, np.int64)
        np.add.at(times, (cells[:, 1], cells[:, 0]), 1)
        heat = np.sqrt(times[times > 0] / times.max())[:, None]
        colours[times > 0] = (1 - heat) * np.array(_COOL) + heat * np.array(_HOT)
    return colours


def _is_region(letters: Letters) -> NDArray[np.bool_]:
    return np.isin(letters, np.frombuffer(REGIONS.encode(), np.uint8))


def _most_frequent(letters: Letters, down: int, across: int) -> Letters:
    """Return the most frequent letter of every block; regions count together against all other cells."""
    kinds = np.unique(letters)
    kinds = kinds[np.argsort(~_is_region(kinds), kind="stable")]  # on ties, argmax returns the first
    shares = np.stack([_mean((letters == kind)[..., None], down, across)[..., 0] for kind in kinds])
    region_shares = shares[: np.count_nonzero(_is_region(kinds))]
    region_shares += region_shares.sum(axis=0) - region_shares.max(axis=0, initial=0)
    frequent: Letters = kinds[shares.argmax(axis=0)]
    return frequent


def _cells(cells: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(cells, np.int64).reshape(-1, 2)


def _mean(values: NDArray[np.generic], down: int, across: int) -> NDArray[np.float64]:
    """Return the mean of every block of `down` × `across` cells; blocks at the far edges may be smaller."""
    height, width, _ = values.shape
    rows, columns = np.arange(0, height, down), np.arange(0, width, across)
    sums = np.add.reduceat(np.add.reduceat(values.astype(np.float64), rows, axis=0), columns, axis=1)
    heights, widths = np.diff([*rows, height]), np.diff([*columns, width])
    return np.asarray(sums / (heights[:, None] * widths)[..., None], np.float64)


def _pairs(pixels: Image) -> Iterator[tuple[list[list[int]], list[list[int] | None]]]:
    """Yield pairs of rows; the last row may have none below it."""
    rows: list[list[list[int]]] = pixels.tolist()
    for at in range(0, len(rows), 2):
        yield rows[at], list(rows[at + 1]) if at + 1 < len(rows) else [None] * len(rows[at])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

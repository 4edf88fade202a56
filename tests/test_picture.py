"""Pictures of maps: colours, text and size."""

import struct
import zlib
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.console import Console
from rich.style import Style

from permove.report import picture

LETTERS = np.array([list(row.encode()) for row in ("....@", ".TT..", "W...S")], np.uint8)
PATH = [(0, 0), (0, 1), (1, 2), (2, 2)]


def printed(drawing: picture.Drawing, *, terminal: bool = False) -> str:
    file = StringIO()
    Console(file=file, width=40, force_terminal=terminal, color_system="truecolor" if terminal else None).print(drawing)
    return file.getvalue()


def read_png(data: bytes) -> picture.Image:
    """Check the checksums of a PNG file without filters, and return its pixels."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *layout = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert layout == [8, 2, 0, 0, 0]
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def test_png_has_the_pixels_of_its_image() -> None:
    image = picture.image(LETTERS, PATH, scale=3)
    assert image.shape == (9, 15, 3)
    assert np.array_equal(read_png(picture.png(image)), image)


def test_letters_have_distinct_colours_and_scale_enlarges_them() -> None:
    small, large = picture.image(LETTERS), picture.image(LETTERS, scale=4)
    assert np.array_equal(large[::4, ::4], small)
    assert np.array_equal(large[3::4, 3::4], small)
    colours = {chr(letter): tuple(small[np.equal(LETTERS, letter)][0]) for letter in np.unique(LETTERS)}
    assert len(set(colours.values())) == len(colours)


def test_unseen_cells_are_darker_and_distinguishable() -> None:
    seen = np.zeros(LETTERS.shape, bool)
    seen[:, :2] = True
    plain, foggy = picture.image(LETTERS), picture.image(LETTERS, seen=seen)
    assert np.array_equal(foggy[:, :2], plain[:, :2])
    free = np.equal(LETTERS, ord("."))
    assert (foggy[~seen & free] < plain[~seen & free]).all()
    assert len(np.unique(foggy[~seen], axis=0)) == len(np.unique(plain[~seen], axis=0))
    assert printed(picture.text(LETTERS, seen=seen), terminal=True) != printed(picture.text(LETTERS), terminal=True)
    assert printed(picture.text(LETTERS, seen=seen)) == printed(picture.text(LETTERS))


def test_path_hides_heat_and_heat_hides_the_map() -> None:
    wide = np.full((40, 40), ord("."), np.uint8)
    path = [(x, 20) for x in range(5, 35)]
    heat = [(10, 5), (10, 5), (10, 5), (10, 5), (20, 5), (15, 20)]
    bare, image = picture.image(wide), picture.image(wide, path, heat)
    changed = (image != bare).any(axis=2)
    assert changed[5].nonzero()[0].tolist() == [10, 20]
    assert tuple(image[5, 10]) != tuple(image[5, 20]), "a cell that was expanded more often is hotter"
    assert np.array_equal(image[20, 15], image[20, 25]), "the path hides expanded cells"
    assert not np.array_equal(image[20, 5], image[20, 25])
    assert not np.array_equal(image[20, 34], image[20, 5])
    missed = picture.image(wide, path, goal=(30, 30))
    assert np.array_equal(missed[30, 30], image[20, 34]), "a goal that was not reached has the same colour"


def test_without_colours_a_small_map_is_shown_cell_by_cell() -> None:
    assert printed(picture.text(LETTERS)) == "....@\n.TT..\nW...S\n"
    shown = printed(picture.text(LETTERS, PATH, [(3, 0), (1, 2)]))
    assert shown == "A..+@\n*TT..\nW*B.S\n"


def test_with_colours_two_pixels_share_a_character() -> None:
    shown = printed(picture.text(LETTERS), terminal=True)
    assert shown.count("▀") == 5 * 2
    assert "\x1b[38;2;226;221;203;48;2;62;99;66m" in shown, "ground above trees"


def test_regions_in_one_pixel_are_not_mixed_and_count_together() -> None:
    # In each block of two by two cells, obstacles are as frequent as any one region, or as all of them.
    letters = np.array([list(row.encode()) for row in ("a@bb@@", "b@ccaa")], np.uint8)
    drawing = picture.text(letters)
    assert drawing.plain(3).plain == "aba"
    colours = {chr(letter): picture.image(np.array([[letter]], np.uint8))[0, 0] for letter in b"abc@"}
    for letter, span in zip("aba", drawing.coloured(3).spans, strict=True):
        assert isinstance(span.style, Style)
        assert span.style.color == Color.from_rgb(*colours[letter])


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = printed(picture.text(LETTERS), terminal=True)
    assert "▀" not in shown
    assert "....@" in shown


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 120), st.booleans(), st.data())
def test_every_drawing_fits_the_width(height: int, across: int, width: int, colour: bool, data: st.DataObject) -> None:
    cell = st.tuples(st.integers(0, across - 1), st.integers(0, height - 1))
    path, expanded = data.draw(st.lists(cell)), data.draw(st.lists(cell))
    drawing = picture.text(np.full((height, across), ord("."), np.uint8), path, expanded)
    rows = (drawing.coloured(width) if colour else drawing.plain(width)).plain.split("\n")
    step = -(-across // width)
    assert {len(row) for row in rows} == {-(-across // step)}
    assert len(rows) == -(-height // (1 if step == 1 and not colour else 2 * step))
    assert not (path and not colour) or "B" in "".join(rows)

"""Maps as text: ASCII art with one character per cell, and CSV with one field per cell."""

import csv
from pathlib import Path

import numpy as np

from permove.common.errors import input_error
from permove.common.text import printable
from permove.data.map_formats.letters import LETTERS, Letters, Reading, damaged

ASCII = {letter: letter for letter in LETTERS} | dict.fromkeys(" _-0", ".") | dict.fromkeys("#XxO%1█", "@")
"""The letter of each character. Besides the letters of maps, common characters for free cells and walls are known."""

FIELDS = {**ASCII, "": "."}

ASCII_REMEDY = "use . or a space for free cells and # or @ for walls"
CSV_REMEDY = "use 0 for free cells and 1 for walls, or the letters of maps"


def read_ascii(path: Path, reading: Reading) -> Letters:
    """Return the letters of ASCII art. Empty lines before and after it are ignored."""
    reading.check(path, "ASCII maps")
    lines = _content(path, "ASCII map").splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled:
        raise _empty(path, ASCII_REMEDY)
    first, end = filled[0], filled[-1] + 1
    rows = [list(line) for line in lines[first:end]]
    return _letters(path, rows, [number + 1 for number in range(first, end)], ASCII, ASCII_REMEDY)


def read_csv(path: Path, reading: Reading) -> Letters:
    """Return the letters of CSV, whose fields are separated by commas, semicolons or tabs."""
    reading.check(path, "CSV maps")
    content = _content(path, "CSV map")
    first = content.partition("\n")[0]
    separator = next((each for each in ";\t" if each in first), ",")
    reader = csv.reader(content.splitlines(), delimiter=separator, strict=True)
    rows, numbers = [], []
    try:
        for row in reader:
            if row:
                rows.append([field.strip() for field in row])
                numbers.append(reader.line_num)
    except csv.Error as error:
        remedy = "correct the quotes"
        raise input_error(
            f"{path}:{reader.line_num}: {error}; {remedy}", file=str(path), line=reader.line_num
        ) from None
    if not rows:
        raise _empty(path, CSV_REMEDY)
    return _letters(path, rows, numbers, FIELDS, CSV_REMEDY)


def ascii_text(letters: Letters) -> str:
    """Return letters as ASCII art."""
    return "".join(row.tobytes().decode() + "\n" for row in letters)


def csv_text(letters: Letters) -> str:
    """Return letters as CSV: 0 and 1 if there are only ground and walls."""
    plain = {ord("."): "0", ord("@"): "1"}
    fields = plain if np.isin(letters, list(plain)).all() else {ord(letter): letter for letter in LETTERS}
    return "".join(",".join(fields[int(letter)] for letter in row) + "\n" for row in letters)


def _content(path: Path, kind: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise damaged(path, kind, f"byte {error.start + 1} is not text in UTF-8", "save it as text in UTF-8") from None


def _empty(path: Path, remedy: str) -> Exception:
    return input_error(f"{path}:1: the map is empty; {remedy}", file=str(path), line=1)


def _letters(path: Path, rows: list[list[str]], lines: list[int], known: dict[str, str], remedy: str) -> Letters:
    width = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise input_error(
                f"{path}:{line}: the row has {len(row)} cells, expected {width} as in line {lines[0]}; make all rows "
                "equally long",
                file=str(path),
                line=line,
            )
        if unknown := next((column for column, cell in enumerate(row, 1) if cell not in known), None):
            found = printable(row[unknown - 1])[:20]
            raise input_error(
                f"{path}:{line}: unknown cell '{found}' in column {unknown}; {remedy}", file=str(path), line=line
            )
    return np.array([[ord(known[cell]) for cell in row] for row in rows], np.uint8)

"""Text from files, plug-ins and users, made safe for terminals and spreadsheets."""

import re

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""Control characters (C0, C1), marks and overrides of the direction of text, separators of lines, and surrogates."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters that a spreadsheet takes for the beginning of a formula."""


def is_text(text: str) -> bool:
    """Return whether a name from the system is valid text. Bytes that are not UTF-8 become surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def printable(text: str) -> str:
    """Return a text in one line, with spaces instead of characters that control a terminal."""
    return _UNPRINTABLE.sub(" ", text)


def printable_lines(text: str) -> str:
    """Return a text of several lines, with spaces instead of other characters that control a terminal."""
    return "\n".join(map(printable, text.split("\n")))


def without_formula(text: str) -> str:
    """Return a text that a spreadsheet shows as it is, quoted if it would be a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text

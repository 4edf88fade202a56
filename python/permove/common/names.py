"""Suggestions for mistyped names."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a mistyped one, ignoring case; `None` if none is similar."""
    folded = {candidate.casefold(): candidate for candidate in known}
    return next((folded[match] for match in get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint in brackets that follows an unknown name: the closest known name, or the first known ones."""
    names = list(known)
    if match := closest(name, names):
        return f" (did you mean {match}?)"
    return f" (there is {', '.join(names[:8])}{', ...' if len(names) > 8 else ''})" if names else ""

"""Suggestions for mistyped names."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.5) -> str | None:
    """Return the known name that is most similar to a mistyped one, if need be in another case; `None` if none is."""
    folded = {candidate.casefold(): candidate for candidate in known}
    same_case = get_close_matches(name, folded.values(), n=1, cutoff=cutoff)
    any_case = [folded[match] for match in get_close_matches(name.casefold(), folded, n=1, cutoff=cutoff)]
    return next(iter([*same_case, *any_case]), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint in brackets that follows an unknown name: the closest known name, or the first known ones."""
    names = list(known)
    if match := closest(name, names):
        return f" (did you mean {match}?)"
    return f" (there is {', '.join(names[:8])}{', ...' if len(names) > 8 else ''})" if names else ""

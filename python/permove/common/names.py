"""Lists of names in sentences, and suggestions for mistyped names."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def listed(names: Sequence[str], max_named: int) -> str:
    """Return names as a list with commas, and only the number of those after the first ones."""
    left = len(names) - max_named
    return ", ".join(names[:max_named]) + (f" and {left:,} more" if left > 0 else "")


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.5) -> str | None:
    """Return the known name most similar to a mistyped one, ignoring case if necessary, or `None`."""
    folded = {candidate.casefold(): candidate for candidate in known}
    same_case = get_close_matches(name, folded.values(), n=1, cutoff=cutoff)
    any_case = [folded[match] for match in get_close_matches(name.casefold(), folded, n=1, cutoff=cutoff)]
    return next(iter([*same_case, *any_case]), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint in parentheses to print after an unknown name: the closest known name, or some known names."""
    names = list(known)
    if match := closest(name, names):
        return f" (did you mean {match}?)"
    return f" (known: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''})" if names else ""


def natural_order(name: str) -> tuple[object, ...]:
    """Return a sort key that puts table-9 before table-10, and subfolders last."""
    words = re.findall(r"\d+|\D+", name)
    return (name.count("/"), *(("", int(word)) if word.isdecimal() else (word, 0) for word in words))

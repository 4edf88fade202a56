"""Options that take several words: `-a lrta astar` means `-a lrta -a astar`.

The parser under typer gives an option one value each time it is named, so the words are dealt out before it sees them.
"""

from collections.abc import Iterable

SEVERAL = {"run": ("-a", "--agent", "--map", "--panel"), "train": ("--map", "--dmax")}
"""Which options of which command take every following word up to the next option."""


def deal_out(arguments: Iterable[str]) -> list[str]:
    """Name such an option again before each further word that belongs to it."""
    arguments = list(arguments)
    options = SEVERAL.get(arguments[0], ()) if arguments else ()
    dealt: list[str] = []
    option, fresh = None, False
    for at, word in enumerate(arguments):
        if word == "--":
            return dealt + arguments[at:]
        if word.startswith("-"):
            name = word.partition("=")[0]
            option = name if name in options else None
            fresh = "=" not in word
        elif option is not None:
            if not fresh:
                dealt.append(option)
            fresh = False
        dealt.append(word)
    return dealt

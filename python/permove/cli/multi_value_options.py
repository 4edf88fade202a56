"""Options that take several words: `-a lrta astar` means `-a lrta -a astar`.

Typer takes one value per option name, so the option name is repeated before each word.
"""

from collections.abc import Iterable

SEVERAL = {"run": ("-a", "--agent", "--map", "--panel"), "train": ("--map", "--dmax")}
"""The options of each command that take every following word up to the next option."""


def repeat_options(arguments: Iterable[str]) -> list[str]:
    """Repeat the name of such an option before each further word that belongs to it."""
    arguments = list(arguments)
    options = SEVERAL.get(arguments[0], ()) if arguments else ()
    repeated: list[str] = []
    option, fresh = None, False
    for at, word in enumerate(arguments):
        if word == "--":
            return repeated + arguments[at:]
        if word.startswith("-"):
            name = word.partition("=")[0]
            option = name if name in options else None
            fresh = "=" not in word
        elif option is not None:
            if not fresh:
                repeated.append(option)
            fresh = False
        repeated.append(word)
    return repeated

"""One agent of a plug-in: what it says of itself, its canonical spec, and the way to make one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from permove import _core
from permove.common.errors import input_error
from permove.plugins.parameters import TIES, Parameter, Value

COUNTS = "as the agent asks: each expansion of a state as expanded, each successor that it got as touched"


@dataclass(frozen=True)
class Plugin:
    """An agent of a plug-in, with the attributes of the catalogue's entries."""

    name: str
    """As specs name it, without the hash."""
    identity: str
    """As canonical specs name it, with a hash of the file."""
    title: str
    about: str
    own: tuple[Parameter, ...]
    """Its own parameters."""
    build: Callable[[dict[str, Value]], _core.Plugin]
    """What makes it, given a value for each of its own parameters."""
    paper: str = ""
    complete: bool = True
    """Whether it says that it reaches the goal of every solvable problem; nobody can check that."""
    optimal: bool = False
    learns: bool = True
    counts: str = COUNTS

    @property
    def params(self) -> list[Parameter]:
        """All its parameters: its own, and the one that every agent has, unless it has another of that name."""
        ties = Parameter("ties", "from which direction successors come, clockwise", str, "n", words=TIES)
        return [*self.own, *([] if any(own.name == "ties" for own in self.own) else [ties])]

    def values(self, params: Mapping[str, str]) -> dict[str, Value]:
        """The values of all its parameters, where a spec gives these."""
        values: dict[str, Value] = {}
        for parameter in self.params:
            text = params.get(parameter.name, parameter.default)
            try:
                values[parameter.name] = parameter.read(text)
            except (ValueError, KeyError, ZeroDivisionError):
                raise input_error(
                    f"{self.name}: {parameter.name}={text} is out of range; {parameter.name} is {parameter.range}",
                    agent=self.name,
                    param=parameter.name,
                ) from None
        return values

    def canonical(self, params: Mapping[str, str]) -> tuple[str, str]:
        """The canonical spec, with every default, and the label."""
        values = self.values(params)
        texts = {parameter.name: parameter.text(values[parameter.name]) for parameter in self.params}
        own = ", ".join(f"{parameter.name}={texts[parameter.name]}" for parameter in self.own)
        label = f"{self.title} ({own})" if own else self.title
        if not any(parameter.name == "ties" for parameter in self.own) and texts["ties"] != "n":
            label += f", ties {texts['ties']}"
        return f"{self.identity}({', '.join(f'{name}={text}' for name, text in texts.items())})", label

    def made(self, params: Mapping[str, str]) -> tuple[_core.Plugin, int]:
        """What the core takes: the way to make it, and the direction from which its successors come."""
        values = self.values(params)
        own = {parameter.name: values[parameter.name] for parameter in self.own}
        ties = values["ties"] if "ties" not in own else "n"
        return self.build(own), TIES.index(str(ties))


def is_plugin(spec: str) -> bool:
    """Whether a canonical spec is a plug-in's: only these have a hash in their name."""
    return "#" in spec.partition("(")[0]

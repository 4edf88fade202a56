"""An agent of a plug-in: its description, its canonical spec, and its construction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from permove import _core
from permove.common.errors import input_error
from permove.plugins.parameters import TIES, Parameter, Value

COUNTS = "expanded: states whose successors the agent requests; touched: successors that it receives"


@dataclass(frozen=True)
class Plugin:
    """An agent of a plug-in, with the attributes of built-in agents in the catalogue."""

    name: str
    """The name in specs, without the hash."""
    identity: str
    """The name in canonical specs, with a hash of the file."""
    title: str
    about: str
    own: tuple[Parameter, ...]
    """The parameters that the plug-in declares."""
    build: Callable[[dict[str, Value]], _core.Plugin] | None = None
    """A function that creates the agent from the values of its own parameters; `None` in a description."""
    paper: str = ""
    complete: bool = True
    """Whether the agent claims to reach the goal of every solvable problem, which cannot be checked."""
    optimal: bool = False
    learns: bool = True
    counts: str = COUNTS

    @property
    def params(self) -> list[Parameter]:
        """All parameters: its own, and `ties`, which every agent has, unless the plug-in declares that name."""
        ties = Parameter("ties", "how ties break: clockwise from a direction", str, "n", words=TIES)
        return [*self.own, *([] if any(own.name == "ties" for own in self.own) else [ties])]

    def values(self, params: Mapping[str, str]) -> dict[str, Value]:
        """Return the values of all parameters, given those in a spec."""
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
        """Return the canonical spec, with all defaults, and the label."""
        values = self.values(params)
        texts = {parameter.name: parameter.text(values[parameter.name]) for parameter in self.params}
        own = ", ".join(f"{parameter.name}={texts[parameter.name]}" for parameter in self.own)
        label = f"{self.title} ({own})" if own else self.title
        if not any(parameter.name == "ties" for parameter in self.own) and texts["ties"] != "n":
            label += f", ties {texts['ties']}"
        return f"{self.identity}({', '.join(f'{name}={text}' for name, text in texts.items())})", label

    def made(self, params: Mapping[str, str]) -> tuple[_core.Plugin, int]:
        """Return the agent for the core, and the index of the direction of its first successor."""
        values = self.values(params)
        own = {parameter.name: values[parameter.name] for parameter in self.own}
        ties = values["ties"] if "ties" not in own else "n"
        assert self.build is not None, "a description cannot be run"
        return self.build(own), TIES.index(str(ties))


def is_plugin(spec: str) -> bool:
    """Return whether a canonical spec names a plug-in: only plug-ins have a hash in their name."""
    return "#" in spec.partition("(")[0]

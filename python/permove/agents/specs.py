"""Agent specs, `name(param=value, ...)`: parsed, checked against the catalogue, and expanded if they are sweeps.

A value is a word or number (`5`, `0.4`, `1/15`, `inf`, `all`), a file (`../dt-20.tree`), a range of integers `1..10`
or a set of these, `{1..5, 10, inf}`. A spec with ranges or sets is a sweep over agents: the cartesian product of
its values, in which the last parameter changes fastest. The catalogue, not this module, checks values. Plug-ins are
named by their file or their entry point: see `permove.plugins`. Agents of per-map-selection-2016 may be written as in
the paper: see `permove.agents.notation`.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from permove import _core, plugins
from permove.agents import notation
from permove.common.errors import InputError, input_error
from permove.common.names import closest
from permove.common.terminal import note

MAX_AGENTS = 100_000
"""A sweep over more agents than this is rejected as a mistake."""

_TREE = re.compile(r"tree=([^\s(){}=,]+#[0-9a-f]{8})")
_TOKEN = re.compile(r"\s*(?:(?P<mark>[(){}=,])|(?P<word>[^\s(){}=,]+)|$)")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_LIKE_A_RANGE = re.compile(r"[^/\\]*(\d\.\.|\.\.[-\d.]*\d$)[^/\\]*")
"""Two dots next to a digit, in a word that is not a path."""


@dataclass(frozen=True, order=True)
class AgentSpec:
    """One agent: its canonical spec, which is its identity, and its label in the papers' notation."""

    spec: str
    label: str
    replica: int = 0
    """The number of the tie order or seed with which the agent is run; not part of its identity."""

    @property
    def is_plugin(self) -> bool:
        """Whether it is a plug-in rather than an agent of the core."""
        return plugins.is_plugin(self.spec)

    def __str__(self) -> str:
        return self.spec


def columns(specs: Sequence[AgentSpec]) -> pl.DataFrame:
    """Return the columns of records that come from the agent: agent, label and replica."""
    rows = [(each.spec, each.label, each.replica) for each in specs]
    return pl.DataFrame(rows, ["agent", "label", "replica"], orient="row")


def parse(text: str) -> AgentSpec:
    """Read the spec of a single agent."""
    agents = expand(text)
    if len(agents) != 1:
        raise InputError(f"'{text}' stands for {len(agents)} agents, expected one; give each parameter one value")
    return agents[0]


def expand(text: str) -> list[AgentSpec]:
    """Read a spec, which may be a sweep, and return each of its agents once, in the order of its values."""
    sweep = _sweep(text)
    _check_names(sweep)
    count = math.prod(parameter.count for parameter in sweep.parameters)
    if count > MAX_AGENTS:
        raise InputError(f"'{text}' stands for {count:,} agents, more than {MAX_AGENTS:,}; use smaller ranges")
    choices = itertools.product(*(parameter.values() for parameter in sweep.parameters))
    names = [parameter.name for parameter in sweep.parameters]
    return list(dict.fromkeys(_canonical(sweep, dict(zip(names, values, strict=True))) for values in choices))


def expand_all(texts: Iterable[str]) -> list[AgentSpec]:
    """Read several specs and return each of their agents once, in order of appearance."""
    return list(dict.fromkeys(agent for text in texts for agent in expand(text)))


def find(name: str) -> _core.AgentInfo | plugins.Plugin:
    """Return the entry of the catalogue or the plug-in with this name."""
    catalogue = {info.name: info for info in _core.catalogue()}
    if name in catalogue:
        return catalogue[name]
    known = [*catalogue, *plugins.offered()]
    if not plugins.is_in_file(name) and name.partition("#")[0] not in known:
        hint = _suggest(name, known, "`permove agents` lists all agents")
        raise input_error(f"unknown agent '{name}'; {hint}", agent=name)
    return plugins.find(name)


def check_bounds(specs: Iterable[AgentSpec], alpha: float | None) -> None:
    """Reject agents that may never reach the goal, unless their travel is bounded."""
    if alpha is not None:
        return
    for spec in specs:
        if not find(spec.spec.partition("(")[0]).complete:
            raise InputError(f"{spec.label} may never reach its goal; limit its travel: omit --alpha inf")


def note_unverified_trees(specs: Iterable[AgentSpec]) -> None:
    """Print a note for each decision tree without a checksum."""
    for path in dict.fromkeys(match[1] for spec in specs if (match := _TREE.search(spec.spec))):
        if not _core.DecisionTree.read(path).is_sealed:
            note(f"{path} has no checksum, since an older version of permove wrote it; damage to it may go unnoticed")


def learns(spec: str) -> bool:
    """Return whether the agent of a canonical spec learns heuristics."""
    # The plug-in of an old run may not exist any more, and most plug-ins learn.
    return plugins.is_plugin(spec) or find(spec.partition("(")[0]).learns


@dataclass(frozen=True)
class _Span:
    """The integers from `first` to `last`. Sweeps may be too long to list, so they are counted first."""

    first: int
    last: int


@dataclass(frozen=True)
class _Parameter:
    name: str
    position: int
    items: tuple[str | _Span, ...]

    @property
    def count(self) -> int:
        return sum(item.last - item.first + 1 if isinstance(item, _Span) else 1 for item in self.items)

    def values(self) -> Iterator[str]:
        for item in self.items:
            if isinstance(item, _Span):
                yield from map(str, range(item.first, item.last + 1))
            else:
                yield item


@dataclass(frozen=True)
class _Sweep:
    text: str
    name: str
    position: int
    parameters: tuple[_Parameter, ...]


@dataclass(frozen=True)
class _Token:
    text: str
    position: int
    is_word: bool

    def __str__(self) -> str:
        return f"'{self.text}'" if self.text else "the end"


class _Parser:
    """Recursive descent over the tokens of one spec."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            _Token(
                match["mark"] or match["word"] or "",
                match.start("mark" if match["mark"] else "word") if match["mark"] or match["word"] else len(text),
                match["word"] is not None,
            )
            for match in _TOKEN.finditer(text)
        ]
        self.at = 0

    def sweep(self) -> _Sweep:
        name = self.word("the name of an agent")
        parameters: list[_Parameter] = []
        if self.take("("):
            while not self.take(")"):
                if parameters:
                    self.expect(",", "',' or ')'")
                parameters.append(self.parameter({parameter.name for parameter in parameters}))
        if self.token.text:
            raise self.error(self.token, f"expected the end of the spec, found {self.token}; pass each spec separately")
        return _Sweep(self.text, name.text, name.position, tuple(parameters))

    def parameter(self, taken: set[str]) -> _Parameter:
        name = self.word("a parameter as name=value")
        if name.text in taken:
            raise self.error(name, f"'{name.text}' is given twice; give all its values in one set, as in {{1,2}}")
        if not self.take("="):
            raise self.error(name, f"'{name.text}' has no value; write parameters as name=value")
        if not self.take("{"):
            return _Parameter(name.text, name.position, (self.item(),))
        items = [self.item()]
        while not self.take("}"):
            self.expect(",", "',' or '}'")
            items.append(self.item())
        return _Parameter(name.text, name.position, tuple(items))

    def item(self) -> str | _Span:
        word = self.word("a value")
        if not (match := _RANGE.fullmatch(word.text)):
            if _LIKE_A_RANGE.fullmatch(word.text):
                raise self.error(word, f"{word} is not a range of integers such as 1..10; list other values in a set")
            return word.text
        span = _Span(int(match[1]), int(match[2]))
        if span.first > span.last:
            raise self.error(word, f"the range {word} is descending; write {span.last}..{span.first}")
        return span

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self, mark: str) -> bool:
        found = self.token.text == mark
        self.at += found
        return found

    def expect(self, mark: str, wanted: str) -> None:
        if not self.take(mark):
            raise self.error(self.token, f"expected {wanted}, found {self.token}")

    def word(self, wanted: str) -> _Token:
        token = self.token
        if not token.is_word:
            raise self.error(token, f"expected {wanted}, found {token}")
        self.at += 1
        return token

    def error(self, token: _Token, sentence: str) -> InputError:
        return _located(InputError(sentence), self.text, token.position)


def _sweep(text: str) -> _Sweep:
    """Parse a spec in either notation. Positions in errors are those of the text as it was typed."""
    formula = notation.read(text)
    if formula is None:
        return _Parser(text).sweep()
    parameters = (_Parameter(part.name, part.position, (part.value,)) for part in formula.parts)
    return _Sweep(text, formula.name, len(text) - len(text.lstrip()), tuple(parameters))


def _check_names(sweep: _Sweep) -> None:
    """Report unknown names here, since their positions are known."""
    try:
        info = find(sweep.name)
    except InputError as error:
        if sweep.text.strip() == sweep.name:
            raise
        raise _located(error, sweep.text, sweep.position) from None
    known = [parameter.name for parameter in info.params]
    for parameter in sweep.parameters:
        if parameter.name not in known:
            remedy = _suggest(parameter.name, known, f"`permove agents {sweep.name}` lists its parameters")
            sentence = f"{sweep.name} has no parameter '{parameter.name}'; {remedy}"
            unknown = input_error(sentence, agent=sweep.name, param=parameter.name)
            raise _located(unknown, sweep.text, parameter.position)


def canonical(name: str, params: dict[str, str]) -> AgentSpec:
    """Return the agent with this name and these parameters, and with defaults for the others."""
    info = find(name)
    if isinstance(info, plugins.Plugin):
        return AgentSpec(*info.canonical(params))
    return AgentSpec(*_core.canonical(name, params))


def _canonical(sweep: _Sweep, params: dict[str, str]) -> AgentSpec:
    try:
        return canonical(sweep.name, params)
    except InputError as error:
        positions = {parameter.name: parameter.position for parameter in sweep.parameters}
        # An error that is not about a single parameter is shown at the name of the agent.
        raise _located(error, sweep.text, positions.get(error.param or "", sweep.position)) from None


def _suggest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return the remedy for an unknown name: the closest known one, or `otherwise`."""
    names = list(known)
    prefixes = (candidate for candidate in names if name.casefold().startswith(candidate.casefold()))
    match = closest(name, names) or next(prefixes, None)
    return f"did you mean '{match}'?" if match else otherwise


def _located(error: InputError, text: str, position: int) -> InputError:
    """Return the same error with its position in a spec."""
    sentence = f"in the spec '{text}', character {position + 1}: {error}"
    return input_error(sentence, agent=error.agent, param=error.param, file=error.file, line=error.line)

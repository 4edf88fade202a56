"""Papers, the items of a paper that can be reproduced, and the experiments that measure them.

The file `paper.toml` in the folder of a paper has the words of its reports and its published values. Wide tables are
text with a header line, so that they can be compared with the paper line by line.
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from permove.agents.specs import expand_all
from permove.data import Choice, Sample, Suite
from permove.data.catalogue import imported_map
from permove.data.collection import MapSource
from permove.data.random_suites import resized
from permove.papers.claims import Claim, NotMeasuredError, join
from permove.papers.outcome import NO_TOLERANCE, Outcome, Shown, Tolerance
from permove.records.settings import Settings
from permove.runs.execute import execute
from permove.runs.execution_options import Execution
from permove.runs.manifest import Start
from permove.runs.run import Run

ALL_CLAIMS = "claims"
"""Name of the item that judges every claim of a paper."""

MapName = tuple[str, str] | tuple[str, str, int]
"""Set and name of a map, and the side to which it is scaled down if it stands in for another one."""


@dataclass(frozen=True)
class Option:
    """An integer option of an item."""

    name: str
    default: int
    minimum: int
    maximum: int
    about: str


@dataclass(frozen=True)
class Experiment(Execution):
    """How an item runs agents: in ordinary runs, which resume.

    Items that use the same problems share a folder, so that no record is computed twice.
    """

    def run(self, suite: Suite, agents: Sequence[str], *, sample: Sample | None = None, **settings: Any) -> Run:
        """Run agents on the problems of a suite. The run may also contain records of other agents.

        Travel is not limited unless `settings` contain an alpha.
        """
        shared, given = replace(self, common=True), Settings.of({"alpha": math.inf} | settings)
        return execute(suite, expand_all(agents), given, Choice(sample=sample), shared)


@dataclass(frozen=True)
class Measured:
    """The evidence that an experiment collected, how it was collected, and the folder of the records."""

    evidence: Any
    facts: Mapping[str, str]
    folder: Path | None = None


@dataclass(frozen=True)
class Item:
    """A table, a figure or another result of a paper."""

    name: str
    about: str
    """A noun phrase: "Table 1 of the paper shows ..."."""
    measure: Callable[..., Measured]
    """Takes the item, an `Experiment` and the options by name."""
    show: Callable[[Any], Shown] = lambda _: Shown()
    options: tuple[Option, ...] = ()
    needs: Mapping[str, tuple[Any, ...]] | None = None
    """The algorithms that it needs, by suite."""
    claims: Sequence[Claim[Any]] | None = None
    """Its claims; by default those of the paper that name it."""
    published: str = ""
    """A sentence about what the paper measured, if the one from `about` does not fit."""
    setup: str = ""
    """A sentence about what permove measured, if it differs from the rest of the paper."""
    tolerance: Tolerance = NO_TOLERANCE

    @property
    def label(self) -> str:
        """Its name in the paper."""
        return self.name.capitalize().replace("-", " ")

    @property
    def sentence(self) -> str:
        """A sentence about what the paper measured."""
        if self.name == ALL_CLAIMS:
            return f"The paper draws conclusions from its experiments; this report checks {self.about}."
        return self.published or f"{self.label} of the paper shows {self.about}."


@dataclass(frozen=True)
class Paper:
    """A paper with the items that can be reproduced."""

    key: str
    title: str
    """Authors, title, venue and year."""
    items: tuple[Item, ...]
    claims: Sequence[Claim[Any]] = ()
    setup: str = ""
    """The default of `Outcome.setup`."""
    reproduced: str = ""
    """The reproduced results, for visitors."""
    differences: str = ""
    """The results that were not reproduced, and why."""

    @property
    def name(self) -> str:
        """The title alone."""
        return self.title.partition(": ")[2].rsplit(", ", 2)[0] or self.title

    def judge(self, item: Item, evidence: object, facts: Mapping[str, str]) -> Outcome:
        """Show an item and judge the claims that belong to it. Claims that need more than was measured are counted."""
        claims = item.claims
        if claims is None:
            claims = [each for each in self.claims if item.name == ALL_CLAIMS or item.name in each.items]
        shown, statements, missing = item.show(evidence), [], []
        for claim in claims:
            try:
                statements.append(claim.judge(evidence))
            except NotMeasuredError as error:
                missing.append(str(error))
        unchecked = [join([f"Claims that are not checked: {len(missing)}.", *missing])] if missing else []
        return Outcome(
            **vars(shown) | {"notes": [*shown.notes, *unchecked]},
            item=f"{self.key}/{item.name}",
            title=f"{self.name}, {item.label}: {item.about}",
            statements=statements,
            facts=facts,
            published=item.sentence,
            setup=item.setup or self.setup,
            tolerance=item.tolerance,
        )


class PaperFile(dict[str, Any]):
    """The content of the file of a package."""

    def __init__(self, package: str) -> None:
        super().__init__(tomllib.loads(files(package).joinpath("paper.toml").read_text(encoding="utf-8")))

    def words(self, item: str) -> dict[str, Any]:
        """Return the words of an item: what it shows, or several sentences by the fields of `Item`."""
        words = self["items"][item]
        return {"about": words} if isinstance(words, str) else words

    def item(
        self,
        name: str,
        measure: Callable[..., Measured],
        show: Callable[[Any], Shown] = lambda _: Shown(),
        options: tuple[Option, ...] = (),
        **further: Any,
    ) -> Item:
        """Return an item with its words."""
        return Item(name, measure=measure, show=show, options=options, **self.words(name), **further)

    def paper(self, items: Sequence[Item], claims: Sequence[Claim[Any]] = ()) -> Paper:
        """Return the paper with its items and claims."""
        texts = {name: text for name, text in self.items() if isinstance(text, str)}
        return Paper(items=tuple(items), claims=claims, **texts)


def rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table by column. The first line names the columns; `-` stands for no value."""
    header, *lines = map(str.split, table.strip().splitlines())
    return [{name: word for name, word in zip(header, line, strict=True) if word != "-"} for line in lines]


STAND_INS = Option("standins", 0, 0, 1, "1: other maps of about the same size, in place of the maps of the paper")


def sources(chosen: Iterable[MapName]) -> list[MapSource]:
    """Return the largest connected parts of imported maps."""
    found = [(imported_map(folder, name), side) for folder, name, *side in chosen]
    return [resized(source, *(side * 2 or (source.width, source.height))) for source, side in found]


def made_by(run: Run) -> dict[str, str]:
    """Revision and machine that made the records of a run."""
    return _made(run.manifest.permove, run.manifest.starts[-1])


def made_here(jobs: int) -> dict[str, str]:
    """This program on this machine, for items without a run."""
    return _made(version("permove"), Start.now([], [], Choice(), jobs=jobs))


def _made(permove: str, start: Start) -> dict[str, str]:
    machine = start.machine
    return {
        "permove": f"{permove}, revision {start.revision}",
        "processor": f"{machine['cpu']}, {start.jobs} thread{'s' * (start.jobs != 1)} on {machine['cores']} cores",
        "system": f"{machine['system']}, Python {machine['python']}",
        "date": start.at[:10],
    }

"""Four algorithms on every problem of the benchmark, with a travel cap of 10⁵ (Sections 5 and 6).

In the reading of Algorithm 1 that fits the paper's figures, and to the letter: that one on a sample, since most of its
agents wander for long.
"""

import tempfile
import time
from dataclasses import dataclass

import numpy as np

from permove.agents.specs import parse
from permove.common.terminal import Bar
from permove.data import Sample, Suite, load
from permove.papers.item import Lab, made_by
from permove.papers.outcome import Column, Figure, Outcome, Statement
from permove.runs.execute import run as walk
from permove.select.scores import scores

SUITE = "movingai/all@free"
ALPHA = 1e5
NEAR = 0.05
"""How far off, as a share, a mean may be."""

PROBLEMS, MAPS = 493_298, 342

CLOCKED = 5000
"""On how many problems the time of an algorithm is taken."""


@dataclass(frozen=True)
class Known:
    """An algorithm of the paper with its mean over the whole set."""

    name: str
    published: float
    quote: str
    section: str

    @property
    def fitted(self) -> str:
        """The agent in the reading that fits."""
        return parse(self.name).spec

    @property
    def printed(self) -> str:
        """The agent to the letter."""
        return self.fitted.replace("reading=fitted", "reading=printed")


KNOWN = (
    Known(
        "median(7·c+h)+E",
        19.3,
        "Bulitko (2016b) found several algorithms with the suboptimality of around 20, such as median(7 · c+h)+E, mean "
        "suboptimality of 19.3.",
        "5",
    ),
    Known("daLRTA*+E", 31.8, "daLRTA*+E, mean suboptimality of 31.8", "5"),
    Known("7-daLRTA*", 30.6, "7-daLRTA* with the mean suboptimality of 30.6", "5"),
    Known(
        "2.654·median_0.153(2.486·c+h)+da+E",
        19.8,
        "Evaluating the algorithm on all MovingAI problems with αmax = 10⁵ gives the mean suboptimality of 19.8.",
        "6, footnote",
    ),
)


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error."""

    value: float
    error: float
    count: int


def reproduce(lab: Lab, *, literal: int, seed: int) -> Outcome:
    """Let the four walk all problems, and as many as `literal` to the letter."""
    with Bar(f"loading {SUITE}", None, shown=lab.shown) as bar:
        suite = load(SUITE, bar.advance)
    run = lab.run(suite, [known.fitted for known in KNOWN], sensor="all", seed=seed, alpha=ALPHA)
    lab.run(
        suite,
        [known.printed for known in KNOWN],
        sensor="all",
        seed=seed,
        alpha=ALPHA,
        sample=Sample(0, literal),
    )
    found = scores([run], only=[spec for known in KNOWN for spec in (known.fitted, known.printed)])
    values = {spec: found.frame.filter(agent=number)["value"].to_numpy() for number, spec in enumerate(found.agents)}
    means = {
        spec: Mean(float(np.mean(each)), float(np.std(each, ddof=1)) / len(each) ** 0.5, len(each))
        for spec, each in values.items()
    }
    figures = [
        Figure(known.name, column, known.published, None, means[spec].value, means[spec].error, False, False)
        for known in KNOWN
        for column, spec in (("fitted", known.fitted), ("printed", known.printed))
    ]
    problems = suite.problems
    maps = problems.select("set", "map").unique().height
    return Outcome(
        item="per-map-selection-2016/whole-set",
        title="Per-Map Algorithm Selection in Real-Time Heuristic Search: four algorithms on all problems",
        columns=(
            Column("fitted", "mean suboptimality on all problems, in the reading that fits"),
            Column("printed", f"Algorithm 1 to the letter, on {literal:,} problems drawn from all"),
        ),
        tables=(("fitted",), ("printed",)),
        figures=figures,
        statements=[
            _size(problems.height, maps),
            *(_near(known, means[known.fitted]) for known in KNOWN),
            _ratio(means),
        ],
        facts={"problems": f"{problems.height:,} on {maps} maps, travel up to 10⁵ times the optimum", **made_by(run)},
        notes=[
            "To the letter, depression avoidance restricts what is learned as well as the move, ⌊b·|N|⌋ neighbours "
            "teach, "
            "and neighbours that touch at a corner reach each other, so that more states are expendable.",
            _times(lab, suite, seed),
        ],
    ).kept_in(run.folder)


def _times(lab: Lab, suite: Suite, seed: int) -> str:
    """What all problems take each of the four, by the processor time of a sample: other programs do not change that."""
    minutes = []
    for known in KNOWN:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            sample = Sample(0, CLOCKED)
            walk(suite, known.fitted, alpha=ALPHA, sample=sample, seed=seed, out=folder, jobs=lab.jobs, progress=False)
            took = time.process_time() - begun
        share = min(CLOCKED, suite.problems.height) / suite.problems.height
        minutes.append(f"{known.name} {took / share / 60:.1f}")
    return (
        "Minutes of one processor for all problems, by the processor time that a sample of "
        f"{min(CLOCKED, suite.problems.height):,} takes, everything included: {', '.join(minutes)}; on two cores half "
        "of that."
    )


def _size(problems: int, maps: int) -> Statement:
    return Statement(
        "This resulted in 493298 problems situated on 342 maps.",
        "4",
        (problems, maps) == (PROBLEMS, MAPS),
        f"{problems:,} problems on {maps} maps.",
        predicate="As many, where diagonal moves are always legal.",
    )


def _near(known: Known, mean: Mean) -> Statement:
    off = mean.value / known.published - 1
    return Statement(
        known.quote,
        known.section,
        mean.count == PROBLEMS and abs(off) <= NEAR,
        f"{known.name}: {mean.value:.2f} ± {mean.error:.2f} on {mean.count:,} problems, {off:+.1%}.",
        predicate=f"Our mean over all problems is within {NEAR:.0%} of it.",
    )


def _ratio(means: dict[str, Mean]) -> Statement:
    found, known, weighted = (means[KNOWN[at].fitted].value for at in (0, 1, 2))
    ratio = min(known, weighted) / found
    return Statement(
        "This is about 1.5 times better than the best tried human-designed algorithms which struggled to reach 30",
        "5",
        1.4 <= ratio <= 1.7,
        f"The better of daLRTA*+E and 7-daLRTA* over median(7·c+h)+E: {ratio:.2f}.",
        predicate="The ratio is between 1.4 and 1.7.",
    )

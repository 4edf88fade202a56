"""Four algorithms on every problem of the benchmark, with a travel cap of 10⁵ (Sections 5 and 6).

They run in the reading of Algorithm 1 that fits the published values. The literal reading runs on a sample, since most
of its agents wander for long.
"""

import tempfile
import time
from functools import partial
from typing import NamedTuple

from permove.agents.specs import parse
from permove.analysis.statistics import standard_error
from permove.common.files import PREFIX
from permove.common.terminal import Bar
from permove.data import Sample, Suite, load
from permove.papers import claims as c
from permove.papers.item import Experiment, Item, Measured, PaperFile, made_by
from permove.papers.outcome import Column, Shown
from permove.runs.execute import run as run_agents
from permove.select.scores import scores

SUITE = "movingai/all@free"
ALPHA = 1e5
PROBLEMS, MAPS = 493_298, 342
NEAR = 0.05
"""Maximum relative difference of a mean."""

CLOCKED = 5000
"""Number of problems on which the time of an algorithm is measured."""

FILE = PaperFile(__package__)
KNOWN: dict[str, tuple[float, str]] = FILE["whole-set"]
"""The algorithms with their published means and sections."""


def agent(name: str, reading: str = "fitted") -> str:
    """Return the agent of an algorithm in a reading: the one that fits, or the literal one, "printed"."""
    return parse(name).spec.replace("reading=fitted", f"reading={reading}")


class Evidence(NamedTuple):
    """The mean, its standard error and the number of problems of each agent by spec, and the size of the suite."""

    means: dict[str, tuple[float, float, int]]
    problems: int
    maps: int
    literal: int
    times: str


def measure(_: Item, experiment: Experiment, *, literal: int, seed: int) -> Measured:
    """Run the four algorithms on all problems, and in the literal reading on a sample."""
    with Bar(f"loading {SUITE}", None, shown=experiment.shown) as bar:
        suite = load(SUITE, bar.advance)
    readings = [[agent(name, reading) for name in KNOWN] for reading in ("fitted", "printed")]
    run = experiment.run(suite, readings[0], sensor="all", seed=seed, alpha=ALPHA)
    experiment.run(suite, readings[1], sensor="all", seed=seed, alpha=ALPHA, sample=Sample(0, literal))
    found = scores([run], only=[spec for pair in zip(*readings, strict=True) for spec in pair])
    values = [found.frame.filter(agent=number)["value"].to_numpy() for number in range(len(found.agents))]
    means = [(float(some.mean()), standard_error(some), len(some)) for some in values]
    maps, problems = suite.problems.select("set", "map").unique().height, suite.problems.height
    facts = {"problems": f"{problems:,} on {maps} maps, travel up to 10⁵ times the optimum", **made_by(run)}
    by_spec = dict(zip(found.agents, means, strict=True))
    return Measured(Evidence(by_spec, problems, maps, literal, _times(experiment, suite, seed)), facts, run.folder)


def _times(experiment: Experiment, suite: Suite, seed: int) -> str:
    """The processor time for all problems, estimated from a sample; other programs do not change it."""
    minutes, total, count = [], suite.problems.height, min(CLOCKED, suite.problems.height)
    sample, jobs = Sample(0, CLOCKED), experiment.jobs
    run = partial(run_agents, suite, alpha=ALPHA, sample=sample, seed=seed, jobs=jobs, progress=False)
    for name in KNOWN:
        with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
            start = time.process_time()
            run(agent(name), out=folder)
            minutes.append(f"{name} {(time.process_time() - start) * total / count / 60:.1f}")
    return (
        f"Minutes of one processor for all problems, by the processor time that a sample of {count:,} takes, "
        f"everything included: {', '.join(minutes)}; on two cores half of that."
    )


def show(found: Evidence) -> Shown:
    """Published next to measured means."""
    columns = (
        Column("fitted", "mean suboptimality on all problems, in the reading that fits"),
        Column("printed", f"the literal Algorithm 1, on {found.literal:,} problems drawn from all"),
    )
    figures = [
        column.figure(name, published, found.means[agent(name, column.key)][:2])
        for name, (published, _) in KNOWN.items()
        for column in columns
    ]
    return Shown(columns, figures=figures, notes=[FILE["notes"]["literal"], found.times])


@c.predicates(
    f"the mean suboptimality of {{name}} over all problems is within {NEAR:.0%} of the published one"
    " (in the paper, {published})"
)
def _near(found: Evidence, name: str, published: float) -> c.Finding:
    mean, error, count = found.means[agent(name)]
    off = mean / published - 1
    text = f"{name}: {mean:.2f} ± {error:.2f} on {count:,} problems, {off:+.1%}."
    return count == PROBLEMS and abs(off) <= NEAR, text


@c.predicate(f"the four sets have {PROBLEMS:,} problems on {MAPS} maps", "diagonal moves are always legal")
def _size(found: Evidence) -> c.Finding:
    return (found.problems, found.maps) == (PROBLEMS, MAPS), f"{found.problems:,} problems on {found.maps} maps."


def _ratio(found: Evidence) -> float:
    best, *known = (found.means[agent(name)][0] for name in list(KNOWN)[:3])
    return min(known) / best


ratio = c.Number("the ratio of the better of daLRTA*+E and 7-daLRTA* to median(7·c+h)+E", _ratio, ".2f")
CLAIMS = (
    *c.claims("4", "", _size),
    *(claim for name, (mean, section) in KNOWN.items() for claim in c.claims(section, "", _near(name, mean))),
    *c.claims("5", "", ratio.between(1.4, 1.7, "about 1.5")),
)

"""Decision trees on unseen maps: trained on two of the three maps, run on the third.

The performance of an agent with a tree depends far more on the training problems than on the test problems. Trees of
the same accuracy disagree on one move in five, above all in leaves in which as many moves ask for depth 1 as for d_max.
On 500 problems of one map, three trees for d_max = 20 from 900 problems of each other map had suboptimalities of 2.1,
3.1 and 2.8; three trees from 3600 problems and 400,000 moves with equal pruning had 2.5, 2.6 and 2.5. Therefore trees
are trained on as many problems here, and on twice as many moves as in the conference paper. Trees that are compared
have equally many moves and the pruning that cross-validation chooses for the tree from all maps. Several trees of each
kind are trained on different problems, and their means are compared; `--trainings 1` compares one tree with one tree.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import polars as pl

from permove.analysis.statistics import Resamples, Values
from permove.papers.claims import Finding, claims, predicate
from permove.papers.dynamic_control import experiment as ex
from permove.papers.dynamic_control.algorithms import DMAX, DT_G
from permove.papers.dynamic_control.experiment import SEED, original, trained
from permove.papers.dynamic_control_2008.tables import FILE
from permove.papers.item import STAND_INS, Experiment, Item, Measured, Option, made_by
from permove.papers.outcome import Shown
from permove.report.plot import Data

MARGIN = 0.15
"""How far suboptimality and planning may be from those of a tree that was trained on all maps."""

PROBLEMS = Option("problems", 1000, 1, 100_000, "number of test problems on each of the three maps")
TRAINING = Option("training", 3600, 1, 100_000, "number of training problems on each map")
TRAININGS = Option("trainings", 5, 1, 1000, "number of trainings, each on different problems")

HOW = ex.Training("2008", leaf=100, moves=2 * ex.MOVES)


def rotate(
    _: Item, experiment: Experiment, *, problems: int, seed: int, training: int, trainings: int, standins: int
) -> Measured:
    """Train on two maps and on three, and compare on the third."""
    suite = original(problems, seed, standins)
    maps = [source.name for source in suite.maps.values()]
    suites = [original(training, seed + ex.TRAINING_SEED + number, standins) for number in range(trainings)]
    # The specs by excluded map and d_max, one spec per training.
    specs: dict[tuple[str | None, int], list[str]] = {}
    for others in suites:
        from_all = trained(experiment, others, HOW, DMAX)
        for excluded in (None, *maps):
            rest = [name for name in maps if name != excluded]
            trees = from_all if excluded is None else trained(experiment, others, HOW, DMAX, rest, pruned_as=from_all)
            for dmax, tree in trees.items():
                specs.setdefault((excluded, dmax), []).append(DT_G(dmax).spec({dmax: tree.path}))
    agents = [spec for group in specs.values() for spec in group]
    run = ex.within(experiment, suite.name).run(suite, agents, sensor="all", seed=seed)
    rows = [
        {"map": name, "dmax": dmax, **compared(run.records.filter(map=name), specs[None, dmax], specs[name, dmax])}
        for name, dmax in product(maps, DMAX)
    ]
    facts = {
        "problems": f"{problems} on each of {', '.join(maps)}, seed {seed}",
        "trees from all maps, the first training": ex.training_text(
            trained(experiment, suites[0], HOW, DMAX), training
        ),
        "trainings": "1" if trainings == 1 else f"{trainings}, each on different problems",
        **made_by(run),
    }
    return Measured(pl.DataFrame(rows), facts, run.folder)


def compared(records: pl.DataFrame, whole: Sequence[str], part: Sequence[str]) -> dict[str, float]:
    """Compare trees from all maps and from the others on the same problems: means over trainings, and their ratios.

    `.._se` is the standard error of a ratio by a paired bootstrap over problems. If there are several trainings,
    `.._sd` is the standard deviation of their ratios, and `within` the number of ratios within the margin.
    """
    resamples = Resamples(records.filter(agent=whole[0]).height)
    found: dict[str, float] = {}
    near = np.ones(len(whole), bool)
    for name, over, under in (("suboptimality", "suboptimality", "problems"), ("planning", "expanded", "moves")):
        totals = [[_values(records, specs, column) for column in (over, under)] for specs in (whole, part)]
        of_all, of_others = (over.sum(axis=1) / under.sum(axis=1) for over, under in totals)
        drawn_all, drawn_others = (resamples.ratios(over, under).mean(axis=1) for over, under in totals)
        ratios = of_others / of_all
        found |= {
            f"{name}_all": float(of_all.mean()),
            f"{name}_others": float(of_others.mean()),
            f"{name}_ratio": float(of_others.mean() / of_all.mean()),
            f"{name}_ratio_se": float(np.std(drawn_others / drawn_all, ddof=1)),
        }
        near &= abs(ratios - 1) <= MARGIN
        if len(ratios) > 1:
            found[f"{name}_ratio_sd"] = float(ratios.std(ddof=1))
    return found | ({"trainings": len(near), "within": int(near.sum())} if len(near) > 1 else {})


def _values(records: pl.DataFrame, specs: Sequence[str], column: str) -> Values:
    """The values of a column, agent by agent (row) and problem by problem; `problems` counts each problem as one."""
    frames = (records.with_columns(problems=1).filter(agent=spec).sort("problem") for spec in specs)
    return np.stack([frame[column].cast(pl.Float64).to_numpy() for frame in frames])


@predicate(
    "decision trees also work on unseen maps that are similar to the training maps",
    f"on each map, LRTA* (DT, G) with a tree from the other two maps is within {MARGIN:.0%} of the one with a tree "
    "from all three in suboptimality and in states per move, as means over the trainings",
)
def _works_on_unseen_maps(frame: pl.DataFrame) -> Finding:
    far = [
        f"{row['map']}, dmax = {row['dmax']} ({row['suboptimality_ratio']:.2f}, {row['planning_ratio']:.2f})"
        for row in frame.iter_rows(named=True)
        if max(abs(row["suboptimality_ratio"] - 1), abs(row["planning_ratio"] - 1)) > MARGIN
    ]
    ratios = frame.select(pl.col("suboptimality_ratio", "planning_ratio")).to_numpy()
    found = (
        f"{frame.height - len(far)} of {frame.height} are; ratios of suboptimality {ratios[:, 0].min():.3f} to "
        f"{ratios[:, 0].max():.3f}, of planning {ratios[:, 1].min():.3f} to {ratios[:, 1].max():.3f}."
    )
    if "within" in frame.columns:
        found += f" Of single trainings {frame['within'].sum()} of {frame['trainings'].sum()} are."
    return not far, found + (f" Beyond {MARGIN:.0%}: {'; '.join(far)}." if far else "")


def show(frame: pl.DataFrame) -> Shown:
    """The ratios of each map and d_max."""
    note = "`se` is the standard error of a ratio over problems, by a paired bootstrap."
    if "within" in frame.columns:
        note = (
            f"Means over trainings. {note} `sd` is the standard deviation of the ratios of single trainings, `within` "
            f"the number of trainings within {MARGIN:.0%} in both."
        )
    about = "Trees from all maps, and from the others, on the problems of each map"
    return Shown(data=Data(about, frame), notes=[note])


ROTATIONS = FILE.item(
    "rotations",
    rotate,
    show,
    (PROBLEMS, SEED, TRAINING, TRAININGS, STAND_INS),
    claims=claims("5.3", "", _works_on_unseen_maps.because(FILE["notes"]["unstable"])),
)

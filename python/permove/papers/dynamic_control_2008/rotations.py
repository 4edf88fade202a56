"""Decision trees on unseen maps: trained on two of the three maps, run on the third.

The performance of an agent with a tree depends far more on the training problems than on the test problems. Trees of
the same accuracy disagree on one move in five, above all in leaves in which as many moves ask for depth 1 as for d_max:
a few moves decide such a vote between one state and a thousand. On 500 problems of one map, three trees for d_max = 20
from 900 problems of each other map had suboptimalities of 2.1, 3.1 and 2.8; three trees from 3600 problems and 400,000
moves with equal pruning had 2.5, 2.6 and 2.5. Therefore trees are trained on as many problems here, and on twice as
many moves as in the conference paper. Trees that are compared have equally many moves and the pruning that
cross-validation chooses for the tree from all maps: if it chose for each, it took a `ccp_alpha` of 0.0003 on one side
and of 0.0001 on the other. Several trees of each kind are trained on different problems, and their means are compared;
the report also says how many single trees are within the margin. `--trainings 1` compares one tree with one tree.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.papers.claims import Finding, claims, predicate
from permove.papers.dynamic_control.algorithms import DMAX, DT_G
from permove.papers.dynamic_control.experiment import SEED, within
from permove.papers.dynamic_control.offline import MOVES, Training, trained, training_text
from permove.papers.dynamic_control.problems import TRAINING_SEED, original
from permove.papers.dynamic_control_2008.tables import FILE
from permove.papers.item import Experiment, Item, Measured, Option, made_by
from permove.papers.outcome import Shown
from permove.report.plot import Data

MARGIN = 0.15
"""How far suboptimality and planning may be from those of a tree that was trained on all maps."""

PROBLEMS = Option("problems", 1000, 1, 100_000, "number of test problems on each of the three maps")
TRAINING = Option("training", 3600, 1, 100_000, "number of training problems on each map")
TRAININGS = Option("trainings", 5, 1, 1000, "number of trainings, each on different problems")

HOW = Training("2008", leaf=100, moves=2 * MOVES)
RESAMPLES = 1000


def rotate(_: Item, experiment: Experiment, *, problems: int, seed: int, training: int, trainings: int) -> Measured:
    """Train on two maps and on three, and compare on the third."""
    suite = original(problems, seed)
    maps = [source.name for source in suite.maps.values()]
    suites = [original(training, seed + TRAINING_SEED + number) for number in range(trainings)]
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
    run = within(experiment, suite.name).run(suite, agents, sensor="all", seed=seed)
    frame = pl.DataFrame(
        [
            {"map": name, "dmax": dmax, **compared(run.records.filter(map=name), specs[None, dmax], specs[name, dmax])}
            for name in maps
            for dmax in DMAX
        ]
    )
    facts = {
        "problems": f"{problems} on each of {', '.join(maps)}, seed {seed}",
        "trees from all maps, the first training": training_text(trained(experiment, suites[0], HOW, DMAX), training),
        "trainings": "1" if trainings == 1 else f"{trainings}, each on different problems",
        **made_by(run),
    }
    return Measured(frame, facts, run.folder)


def compared(records: pl.DataFrame, whole: Sequence[str], part: Sequence[str]) -> dict[str, float]:
    """Compare trees from all maps and from the others on the same problems: means over trainings, and their ratios.

    `.._se` is the standard error of a ratio by a paired bootstrap over problems. If there are several trainings,
    `.._sd` is the standard deviation of their ratios, and `within` the number of ratios within the margin.
    """
    values = np.stack([[_values(records, spec) for spec in specs] for specs in (whole, part)])
    every = np.arange(values.shape[2])
    random = np.random.default_rng(0)
    drawn = [_measures(values[:, :, random.choice(every, len(every))]) for _ in range(RESAMPLES)]
    single = _measures(values)
    found: dict[str, float] = {}
    near = np.ones(len(whole), bool)
    for number, name in enumerate(("suboptimality", "planning")):
        of_all, of_others = single[number].mean(axis=1)
        resampled = [measures[number].mean(axis=1) for measures in drawn]
        ratios = single[number][1] / single[number][0]
        found |= {
            f"{name}_all": float(of_all),
            f"{name}_others": float(of_others),
            f"{name}_ratio": float(of_others / of_all),
            f"{name}_ratio_se": float(np.std([over / under for under, over in resampled], ddof=1)),
        }
        near &= abs(ratios - 1) <= MARGIN
        if len(ratios) > 1:
            found[f"{name}_ratio_sd"] = float(ratios.std(ddof=1))
    return found | ({"trainings": len(near), "within": int(near.sum())} if len(near) > 1 else {})


def _values(records: pl.DataFrame, spec: str) -> NDArray[np.float64]:
    """Suboptimality, expanded states and moves, problem by problem."""
    own = records.filter(agent=spec).sort("problem")
    return own.select("suboptimality", "expanded", "moves").cast(pl.Float64).to_numpy()


def _measures(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean suboptimality and pooled planning, for trees from all maps and from the others, by training."""
    totals = values.sum(axis=2)
    return totals[..., 0] / values.shape[2], totals[..., 1] / totals[..., 2]


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
    (PROBLEMS, SEED, TRAINING, TRAININGS),
    claims=claims("5.3", "", _works_on_unseen_maps.because(FILE["notes"]["unstable"])),
)

"""Trees on maps that they have never seen: trained on two of the three maps, walked on the third.

What an agent with a tree does depends on the problems that the tree happened to be trained on far more than on those
that it walks. Trees of the same accuracy disagree on one move in five, above all in leaves where as many moves ask for
depth 1 as for d_max: a few moves decide such a vote between one state and a thousand. On 500 problems of one map, three
trees for d_max = 20 from 900 problems of each of the others had suboptimalities of 2.1, 3.1 and 2.8; three from 3600
problems and 400,000 moves, pruned alike, 2.5, 2.6 and 2.5. So trees are trained on as many problems here, and on twice
as many moves as the conference paper had; trees that are compared are from equally many moves and pruned alike, as
cross-validation chooses for the tree from all maps: left to choose for each, it took a `ccp_alpha` of 0.0003 on one
side and of 0.0001 on the other. And several are trained of each, on other problems each time: what is compared is their
means, and the outcome tells how many of the single ones would do. `--trainings 1` compares one tree with one tree.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from permove.papers.dynamic_control.algorithms import DMAX, DT_G
from permove.papers.dynamic_control.exhibit import SEED, schooling, within
from permove.papers.dynamic_control.problems import TRAINING_SEED, original
from permove.papers.dynamic_control.trees import MOVES, School, trained
from permove.papers.item import Lab, Option, legacy_item, made_by
from permove.papers.outcome import Outcome, Statement
from permove.report.plot import Data

MARGIN = 0.15
"""How far suboptimality and planning may be from those of a tree that was trained on all maps."""

PROBLEMS = Option("problems", 1000, 1, 100_000, "how many fresh problems on each of the three maps")
TRAINING = Option("training", 3600, 1, 100_000, "how many other problems on each map trees are trained on")
TRAININGS = Option("trainings", 5, 1, 1000, "how often trees are trained, on other problems each time")

SCHOOL = School("2008", leaf=100, moves=2 * MOVES)
QUOTE = (
    "As long as the training maps used to collect the features and build the decision tree are representative of "
    "run-time maps, this approach can run on never-before-seen maps (e.g., user-created maps in a computer game)."
)
PREDICATE = (
    "On fresh problems of each map, LRTA* (DT, G) with a tree from the other two maps is within 15% of the one with a "
    "tree from all three, in suboptimality and in states per move{means}."
)
SHIFT = (
    "Trees of the same accuracy disagree on one move in five, above all in leaves where about as many moves ask for "
    "depth 1 as for dmax: few moves, and so the maps that they are from, decide there between one state and the "
    "largest lookahead."
)
RESAMPLES = 1000


def rotate(lab: Lab, *, problems: int, seed: int, training: int, trainings: int) -> Outcome:
    """Train on two maps and on three, and compare on the third."""
    suite = original(problems, seed)
    maps = [source.name for source in suite.maps.values()]
    schools = [original(training, seed + TRAINING_SEED + number) for number in range(trainings)]
    # The specs by the map that was left out, by d_max, a spec for each training.
    specs: dict[tuple[str | None, int], list[str]] = {}
    for school in schools:
        whole = trained(lab, school, SCHOOL, DMAX)
        for left_out in (None, *maps):
            others = [name for name in maps if name != left_out]
            trees = whole if left_out is None else trained(lab, school, SCHOOL, DMAX, others, pruned_as=whole)
            for dmax, tree in trees.items():
                specs.setdefault((left_out, dmax), []).append(DT_G(dmax).spec({dmax: tree.path}))
    agents = [spec for group in specs.values() for spec in group]
    run = within(lab, suite.name).run(suite, agents, sensor="all", seed=seed)
    frame = pl.DataFrame(
        [
            {"map": name, "dmax": dmax, **compared(run.records.filter(map=name), specs[None, dmax], specs[name, dmax])}
            for name in maps
            for dmax in DMAX
        ]
    )
    facts = {
        "problems": f"{problems} on each of {', '.join(maps)}, seed {seed}",
        "trees from all maps, the first training": schooling(trained(lab, schools[0], SCHOOL, DMAX), training),
        "trainings": "1" if trainings == 1 else f"{trainings}, on other problems each time",
        **made_by(run),
    }
    return judge(frame, facts).kept_in(run.folder)


def compared(records: pl.DataFrame, whole: Sequence[str], part: Sequence[str]) -> dict[str, float]:
    """Trees from all maps and from the others on the same problems: means over trainings, and their ratios.

    `.._se` is the standard error of a ratio by a paired bootstrap over problems. Where there are several trainings,
    `.._sd` is the standard deviation of their ratios, and `within` how many of them are within the margin.
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
    """Suboptimality, states expanded and moves of each problem."""
    own = records.filter(agent=spec).sort("problem")
    return own.select("suboptimality", "expanded", "moves").cast(pl.Float64).to_numpy()


def _measures(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean suboptimality and pooled planning, for trees from all maps and from the others, training by training."""
    totals = values.sum(axis=2)
    return totals[..., 0] / values.shape[2], totals[..., 1] / totals[..., 2]


def judge(frame: pl.DataFrame, facts: dict[str, str]) -> Outcome:
    """The outcome of a frame with both ratios of each rotation."""
    far = [
        f"{row['map']}, dmax = {row['dmax']} ({row['suboptimality_ratio']:.2f}, {row['planning_ratio']:.2f})"
        for row in frame.iter_rows(named=True)
        if max(abs(row["suboptimality_ratio"] - 1), abs(row["planning_ratio"] - 1)) > MARGIN
    ]
    several = "within" in frame.columns
    ratios = frame.select(pl.col("suboptimality_ratio", "planning_ratio")).to_numpy()
    found = (
        f"{frame.height - len(far)} of {frame.height} are; ratios of suboptimality {ratios[:, 0].min():.3f} to "
        f"{ratios[:, 0].max():.3f}, of planning {ratios[:, 1].min():.3f} to {ratios[:, 1].max():.3f}."
    )
    if several:
        found = f"{found} Of single trainings {frame['within'].sum()} of {frame['trainings'].sum()} are."
    if far:
        found = f"{found} Beyond 15%: {'; '.join(far)}. {SHIFT}"
    predicate = PREDICATE.format(means=", in the mean of the trainings" if several else "")
    notes = ["`se` is the standard error of a ratio over problems, by a paired bootstrap."]
    if several:
        notes = [
            f"Means over trainings. {notes[0]} `sd` is the standard deviation of the ratios of single trainings, "
            "`within` how many of these are within 15% in both."
        ]
    return Outcome(
        item="dynamic-control-2008/rotations",
        title="Dynamic Control in Real-Time Heuristic Search: decision trees on maps that they have never seen",
        statements=[Statement(QUOTE, "5.3", not far, found, predicate=predicate)],
        facts=facts,
        data=Data("Trees from all maps, and from the others, on the problems of each map", frame),
        notes=notes,
    )


ROTATIONS = legacy_item(
    "rotations", "decision trees on maps that they have never seen", rotate, (PROBLEMS, SEED, TRAINING, TRAININGS)
)

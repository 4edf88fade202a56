"""Trees on maps that they have never seen: trained on two of the three maps, walked on the third."""

import polars as pl

from permove.analysis.tradeoff import tradeoff
from permove.papers.dynamic_control.algorithms import DMAX, DT_G
from permove.papers.dynamic_control.exhibit import PROBLEMS, SEED, TRAINING, schooling, within
from permove.papers.dynamic_control.problems import TRAINING_SEED, original
from permove.papers.dynamic_control.trees import School, trained
from permove.papers.item import Item, Lab, made_by
from permove.papers.outcome import Data, Outcome, Statement

MARGIN = 0.15
"""How far suboptimality and planning may be from those of a tree that was trained on all maps."""

SCHOOL = School("2008", leaf=100)
QUOTE = (
    "As long as the training maps used to collect the features and build the decision tree are representative of "
    "run-time maps, this approach can run on never-before-seen maps (e.g., user-created maps in a computer game)."
)
PREDICATE = (
    "On fresh problems of each map, LRTA* (DT, G) with a tree from the other two maps is within 15% of the one with a "
    "tree from all three, in suboptimality and in states per move."
)


def rotate(lab: Lab, *, problems: int, seed: int, training: int) -> Outcome:
    """Train on two maps and on three, and compare on the third."""
    school, suite = original(training, seed + TRAINING_SEED), original(problems, seed)
    maps = [source.name for source in suite.maps.values()]
    all_three = trained(lab, school, SCHOOL, DMAX)
    others = {name: trained(lab, school, SCHOOL, DMAX, [each for each in maps if each != name]) for name in maps}
    specs = {dmax: DT_G(dmax).spec({dmax: tree.path}) for dmax, tree in all_three.items()}
    other_specs = {
        (name, dmax): DT_G(dmax).spec({dmax: tree.path})
        for name, trees in others.items()
        for dmax, tree in trees.items()
    }
    run = within(lab, suite.name).run(suite, [*specs.values(), *other_specs.values()], sensor="all", seed=seed)
    rows = []
    for name in maps:
        means = tradeoff(run.records.filter(pl.col("map") == name))
        found = {row["agent"]: row for row in means.iter_rows(named=True)}
        for dmax in DMAX:
            whole, part = found[specs[dmax]], found[other_specs[name, dmax]]
            rows.append(
                {
                    "map": name,
                    "dmax": dmax,
                    "suboptimality_all": whole["suboptimality"],
                    "suboptimality_others": part["suboptimality"],
                    "suboptimality_ratio": part["suboptimality"] / whole["suboptimality"],
                    "planning_all": whole["expanded_per_move"],
                    "planning_others": part["expanded_per_move"],
                    "planning_ratio": part["expanded_per_move"] / whole["expanded_per_move"],
                }
            )
    frame = pl.DataFrame(rows)
    facts = {
        "problems": f"{problems} on each of {', '.join(maps)}, seed {seed}",
        "trees from all maps": schooling(all_three, training),
        **made_by(run),
    }
    return judge(frame, facts).kept_in(run.folder)


def judge(frame: pl.DataFrame, facts: dict[str, str]) -> Outcome:
    """The outcome of a frame with both ratios of each rotation."""
    far = [
        f"{row['map']}, dmax = {row['dmax']} ({row['suboptimality_ratio']:.2f}, {row['planning_ratio']:.2f})"
        for row in frame.iter_rows(named=True)
        if max(abs(row["suboptimality_ratio"] - 1), abs(row["planning_ratio"] - 1)) > MARGIN
    ]
    ratios = frame.select(pl.col("suboptimality_ratio", "planning_ratio")).to_numpy()
    found = (
        f"Ratios of suboptimality {ratios[:, 0].min():.3f} to {ratios[:, 0].max():.3f}, of planning "
        f"{ratios[:, 1].min():.3f} to {ratios[:, 1].max():.3f}."
    )
    statement = Statement(
        QUOTE, "5.3", not far, found + (f" Beyond 15%: {'; '.join(far)}." if far else ""), predicate=PREDICATE
    )
    return Outcome(
        item="dynamic-control-2008/rotations",
        title="Dynamic Control in Real-Time Heuristic Search: decision trees on maps that they have never seen",
        statements=[statement],
        facts=facts,
        data=Data("A tree from all maps, and one from the others, on the problems of each map", frame),
    )


ROTATIONS = Item("rotations", "decision trees on maps that they have never seen", rotate, (PROBLEMS, SEED, TRAINING))

"""Beyond the paper: the practical method that it asks for in Section 7, on maps that were never seen."""

from permove.papers.item import Lab
from permove.papers.outcome import Column, Figure, Outcome, Statement
from permove.papers.per_map_selection_2016.selecting import PER_PROBLEM, facts, full_matrix
from permove.report.plot import Data
from permove.select.practical import OTHER_WAYS, WAY, practical


def reproduce(lab: Lab, *, algorithms: int, problems: int, trials: int, seed: int) -> Outcome:
    """Choose per problem by features alone, and tell where that lands between prior and exhaustive."""
    exploration, suite, matrix = full_matrix(lab, algorithms, problems, seed)
    found = practical(matrix, suite, trials, seed, others=OTHER_WAYS, progress=lab.progress)
    means = {row["method"]: row for row in found.frame.iter_rows(named=True)}
    published = {"exhaustive": PER_PROBLEM.exhaustive, "prior": PER_PROBLEM.prior}
    figures = [
        Figure(name, "suboptimality", *published[name], means[name]["mean"], means[name]["se"], False, False)
        for name in ("exhaustive", "prior")
    ]
    way = (means["prior"]["mean"] - means["practical"]["mean"]) / (means["prior"]["mean"] - means["exhaustive"]["mean"])
    holds = found.gain > 2 * found.gain_se
    choice = (found.look_ns + found.choose_ns) / 1e3
    return Outcome(
        item="per-map-selection-2016/practical",
        title="Per-Map Algorithm Selection in Real-Time Heuristic Search, Section 7: a practical choice per problem",
        columns=(Column("suboptimality", "mean suboptimality on the problems of new maps"),),
        tables=(("suboptimality",),),
        figures=figures,
        statements=[
            Statement(
                "A practical method for per-problem algorithm selection will use attributes of the problem to select a "
                "suitable algorithm, without running any algorithms prior to running the selected one.",
                "6.2",
                holds,
                f"Practical is better than prior by {found.gain:.2f} ± {found.gain_se:.2f}, each of {found.problems:,} "
                f"problems chosen for once, with its map never seen; over {found.trials} splits practical "
                f"{means['practical']['mean']:.2f} ± {means['practical']['se']:.2f}, prior "
                f"{means['prior']['mean']:.2f} ± "
                f"{means['prior']['se']:.2f}, exhaustive {means['exhaustive']['mean']:.2f}: {way:.0%} of the way.",
                predicate="On new maps it is better than prior by more than twice the standard error, with maps drawn.",
            ),
        ],
        facts=facts(exploration, matrix, trials),
        data=Data("Mean suboptimality on new maps", found.frame),
        notes=[
            f"A choice takes {choice:,.0f} µs: {found.look_ns / 1e3:.1f} µs for the features of a problem and "
            f"{found.choose_ns / 1e3:,.1f} µs for the forest, many problems at a time. A map is prepared once, in "
            f"{found.prepare_ns / 1e6:.1f} ms with its hierarchy.",
            f"The forest chooses among the {WAY.portfolio} best algorithms on old maps (“portfolio” is the best of "
            "these for each problem). What decides most: " + ", ".join(found.importances["feature"][:8]) + ".",
            "Why there is so little to gain: the best algorithm on half of the problems of a map, with every "
            "algorithm run on "
            f"them, is better than prior by {found.carried:.2f} ± {found.carried_se:.2f} on the other half of the "
            "same map, and "
            f"{found.between:.1%} of the variance of the difference between the two best algorithms lies between "
            "maps. What "
            "“sample” and “exhaustive” gain is mostly luck of single walks, which are chosen by their own outcome; a "
            "feature "
            "of map or problem cannot foresee it.",
            "Tried beside it, on the same problems, forests that predict "
            + "; ".join(f"{way}: {gain:.2f} ± {error:.2f}" for way, gain, error in found.tried.iter_rows())
            + ". The settings kept were chosen earlier, on the first 100 algorithms.",
        ],
    ).kept_in(exploration.folder)

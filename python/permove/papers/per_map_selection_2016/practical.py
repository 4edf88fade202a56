"""Beyond the paper: a selection per problem from features alone, on unseen maps (proposed in Sections 6.2 and 7)."""

from permove.papers.claims import Finding, claims, predicate
from permove.papers.item import Experiment, Item, Measured, Option
from permove.papers.outcome import Column, Shown
from permove.papers.per_map_selection_2016.selecting import PER_PROBLEM, facts, full_matrix
from permove.report.plot import Data
from permove.select.practical import METHOD, OTHER_METHODS, Practice, practical

TRIALS = Option("trials", 20, 2, 1000, "number of random splits into old and new maps")


def measure(_: Item, experiment: Experiment, *, algorithms: int, problems: int, trials: int, seed: int) -> Measured:
    """Choose an algorithm per problem by features alone."""
    exploration, suite, matrix = full_matrix(experiment, algorithms, problems, seed)
    found = practical(matrix, suite, trials, seed, others=OTHER_METHODS, progress=experiment.progress)
    return Measured(found, facts(exploration, matrix, trials), exploration.folder)


def _rows(found: Practice) -> dict[str, dict[str, float]]:
    return {row["method"]: row for row in found.frame.iter_rows(named=True)}


def show(found: Practice) -> Shown:
    """Published and measured means, and what the choice depends on."""
    column = Column("suboptimality", "mean suboptimality on the problems of new maps")
    published = {"exhaustive": PER_PROBLEM.exhaustive, "prior": PER_PROBLEM.prior}
    rows = _rows(found)
    figures = [column.figure(name, pair, (rows[name]["mean"], rows[name]["se"])) for name, pair in published.items()]
    tried = "; ".join(f"{method}: {gain:.2f} ± {error:.2f}" for method, gain, error in found.tried.iter_rows())
    notes = [
        f"A choice takes {(found.look_ns + found.choose_ns) / 1e3:,.0f} µs: {found.look_ns / 1e3:.1f} µs for the "
        f"features of a problem and {found.choose_ns / 1e3:,.1f} µs for the forest, many problems at a time. A map is "
        f"prepared once, in {found.prepare_ns / 1e6:.1f} ms with its hierarchy.",
        f"The forest chooses among the {METHOD.portfolio} best algorithms on old maps (“portfolio” is the best of "
        f"these for each problem). The most important features: {', '.join(found.importances['feature'][:8])}.",
        "Why there is little to gain: the best algorithm on half of the problems of a map, with every algorithm run "
        f"on them, is better than prior by {found.carried:.2f} ± {found.carried_se:.2f} on the other half of the same "
        f"map, and {found.between:.1%} of the variance of the difference between the two best algorithms lies between "
        "maps. The gains of “sample” and “exhaustive” are mostly luck of single runs, which are chosen by their own "
        "outcome; a feature of map or problem cannot predict it.",
        f"Also tried on the same problems, forests that predict {tried}. The settings were chosen earlier, on the "
        "first 100 algorithms.",
    ]
    data = Data("Mean suboptimality on new maps", found.frame)
    return Shown((column,), figures=figures, data=data, notes=notes)


@predicate(
    "a choice per problem from features alone, without running any algorithm, is better than “prior” on unseen maps",
    "by more than two standard errors, with maps drawn at random",
)
def _better_than_prior(found: Practice) -> Finding:
    rows = _rows(found)
    own, prior, exhaustive = (rows[name] for name in ("practical", "prior", "exhaustive"))
    part = (prior["mean"] - own["mean"]) / (prior["mean"] - exhaustive["mean"])
    return found.gain > 2 * found.gain_se, (
        f"Practical is better than prior by {found.gain:.2f} ± {found.gain_se:.2f}, each of {found.problems:,} "
        f"problems chosen for once, with its map never seen; over {found.trials} splits practical {own['mean']:.2f} ± "
        f"{own['se']:.2f}, prior {prior['mean']:.2f} ± {prior['se']:.2f}, exhaustive {exhaustive['mean']:.2f}: "
        f"{part:.0%} of the difference."
    )


CLAIMS = claims("6.2", "", _better_than_prior)

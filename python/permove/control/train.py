"""Training of tree files from a suite: collect trials guided by an oracle, fit one tree per d_max, write each tree."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from permove import _core, data
from permove.common.checks import in_range
from permove.common.errors import InputError
from permove.common.extras import require
from permove.common.files import write_atomic
from permove.common.machine import usable_cores
from permove.common.terminal import Bar
from permove.control.fit import FOLDS, Fitted, fit
from permove.control.training_data import Recipe, collect

FORMAT, VERSION = "permove-tree", 2
MAX_DEPTH, MAX_HISTORY, MAX_JOBS = 1000, 100_000, 4096


@dataclass(frozen=True)
class Defaults:
    """Values used in a paper: moves of history, minimum number of samples per leaf, depth of the pre-search."""

    n: int
    leaf: int
    presearch: int


FEATURES = {"2008": Defaults(n=60, leaf=100, presearch=1), "2007": Defaults(n=20, leaf=200, presearch=0)}
"""The sets of features: f1 to f11 of dynamic-control-2008, and the four of dynamic-control-2007."""


@dataclass(frozen=True)
class Trained:
    """A tree file and the properties of its tree.

    Typical use:

        trained = pm.train("embedded", "depth.tree", dmax=10, limit=100)[0]
        trained.file, trained.accuracy, trained.leaves
    """

    dmax: int
    problems: int
    moves: int
    accuracy: float | None
    """`None` if `ccp_alpha` was given, since cross-validation is then skipped."""
    accuracy_se: float | None
    majority: float
    leaves: int
    levels: int
    ccp_alpha: float
    file: str


def train(
    suite: str | data.Suite,
    output: Path | str,
    *,
    dmax: int | Sequence[int] = 20,
    features: str = "2008",
    n: int | None = None,
    presearch: int | None = None,
    leaf: int | None = None,
    maps: Sequence[str] | None = None,
    limit: int | None = None,
    moves: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    alpha: float | None = None,
    ccp_alpha: float | None = None,
    progress: bool | None = None,
) -> list[Trained]:
    """Train decision trees that choose the depth of LRTA*, one for each `dmax`, and write each to a file.

    With several `dmax`, each file name has its d_max before the suffix of `output`. `features` is "2008" or "2007", the
    paper that defines the features and the defaults of `n` (moves of history), `leaf` (minimum samples per leaf) and
    `presearch` (depth of the pre-search). `limit` draws a sample of the suite's problems, and `maps` selects maps.
    `alpha` ends a trial when travel exceeds that multiple of the optimum. `moves` limits the training data to a random
    sample of moves, since fitting takes far longer than collecting. `ccp_alpha` sets the pruning; by default it is
    chosen by cross-validation, which also estimates the accuracy. The agent `lrta(d=dt, tree=FILE)` uses a file.

        pm.train("embedded", "depth.tree", dmax=10, limit=100)
        pm.run("embedded", "lrta(d=dt, tree=depth.tree)", limit=32)
    """
    require("training", "training a tree")
    if features not in FEATURES:
        raise InputError(f"unknown features '{features}'; choose one of {', '.join(FEATURES)}")
    defaults = FEATURES[features]
    depths = list(dict.fromkeys([dmax] if isinstance(dmax, int) else dmax))
    if not depths:
        raise InputError("no maximum depth is given; give at least one, for example --dmax 20")
    for depth in depths:
        in_range("dmax", depth, 1, MAX_DEPTH)
    n = in_range("n", n, 1, MAX_HISTORY) or defaults.n
    leaf = in_range("leaf", leaf, 1) or defaults.leaf
    presearch = _presearch(features, defaults.presearch if presearch is None else presearch, min(depths))
    jobs = in_range("jobs", jobs, 1, MAX_JOBS) or usable_cores()
    limit, seed = in_range("limit", limit, 1), in_range("seed", seed, 0) or 0
    moves = in_range("moves", moves, 1)
    alpha = in_range("alpha", alpha, 1)
    ccp_alpha = in_range("ccp_alpha", ccp_alpha, 0)
    paths = _paths(Path(output), depths)
    shown = sys.stderr.isatty() if progress is None else progress
    chosen = data.open_suite(suite, shown=shown)
    selection = chosen.select(data.Choice(maps, limit), seed)
    problems = selection.problems.height
    if problems == 0:
        raise InputError(f"--map and --limit select no problems of the suite {chosen.name}; select more")
    source = {
        "suite": chosen.name,
        "fingerprint": chosen.fingerprint,
        "maps": None if maps is None else list(maps),
        "limit": limit,
        "seed": seed,
        "alpha": alpha,
        "problems": problems,
    }
    trained = []
    for depth, path in zip(depths, paths, strict=True):
        recipe = Recipe(features, n, presearch, depth)
        with Bar(f"d_max {depth}: trials", problems, shown=shown) as bar:
            samples = collect(selection, recipe, jobs=jobs, alpha=alpha, update=bar.update)
        if moves is not None:
            samples = samples.sample(moves, seed)
        learned = len(samples.labels)
        with Bar(f"d_max {depth}: fitting", None, shown=shown):
            fitted = fit(samples, leaf=leaf, seed=seed, jobs=jobs, ccp_alpha=ccp_alpha)
        write_atomic(path, _content(recipe, fitted, {**source, "moves": learned, "leaf": leaf}))
        facts = (fitted.accuracy, fitted.accuracy_se, fitted.majority, fitted.leaves, fitted.levels, fitted.ccp_alpha)
        trained.append(Trained(depth, problems, learned, *facts, str(path)))
    return trained


def _presearch(features: str, presearch: int, maximum: int) -> int:
    if features == "2007":
        if presearch != 0:
            raise InputError(f"presearch {presearch} requires the features 2008; the features 2007 have no pre-search")
        return presearch
    in_range("presearch", presearch, 1, maximum)
    return presearch


def _paths(output: Path, depths: Sequence[int]) -> list[Path]:
    """Return one path per depth. They are checked before hours of training."""
    if not output.parent.is_dir():
        raise InputError(f"the folder {output.parent} does not exist; create it first")
    if output.is_dir():
        raise InputError(f"{output} is a folder; specify a file for the tree, such as {output / 'dt.tree'}")
    if set(str(output)) & set(" \t\n(){}=,"):
        raise InputError(f"a spec cannot contain the path '{output}'; avoid whitespace, commas, brackets and =")
    if len(depths) == 1:
        return [output]
    return [output.with_name(f"{output.stem}-{depth}{output.suffix}") for depth in depths]


def _content(recipe: Recipe, fitted: Fitted, training: dict[str, object]) -> bytes:
    """Return the content of a tree file: the tree and facts about its training. Equal trainings give equal bytes."""
    head: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "features": recipe.features,
        "n": recipe.n,
        "presearch": recipe.presearch,
        "dmax": recipe.dmax,
        "names": _core.feature_names(recipe.features),
        "training": {
            **training,
            "criterion": "entropy",
            "ccp_alpha": fitted.ccp_alpha,
            "accuracy": fitted.accuracy,
            "accuracy_se": fitted.accuracy_se,
            "folds": None if fitted.accuracy is None else FOLDS,
            "majority": fitted.majority,
            "permove": version("permove"),
            "scikit-learn": version("scikit-learn"),
        },
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in head.items()]
    nodes = ",\n".join(f"  {json.dumps(node)}" for node in fitted.nodes)
    return _core.seal_json("\n".join(["{", *lines, ' "nodes": [', nodes, " ]", "}"])).encode()

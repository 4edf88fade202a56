"""Algorithm-selection scenarios in the format of ASlib, version 2: one folder per scenario.

The instances are the problems of a run, the algorithms its agents, and the features those of `permove select
practical`. A performance that an agent did not reach is imputed, as the format requires, and `readme.txt` says how.
"""

import json
import math
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from permove import _core
from permove.analysis.compatibility import PROBLEM
from permove.analysis.measures import find
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.common.random_numbers import draw
from permove.common.terminal import Bar
from permove.data.problems import CELLS
from permove.runs.run import Run

FOLDS = 10
STEP = "survey"
"""The name of the only step that computes features."""

PENALTY = 10
"""Performance of unsolved runs without another bound, in multiples of the largest measured value."""

STATUS = {"solved": "ok", "cutoff": "timeout", "travel-cap": "timeout", "trial-cap": "timeout", "hung": "timeout"}
"""The run status of ASlib for each status of a record. All others are "crash", or "other" if the agent was stuck."""

RUN_STATUS = "{ok, timeout, memout, not_applicable, crash, other}"
FEATURE_STATUS = "{ok, timeout, memout, presolved, crash, other}"


def write(run: Run, folder: Path, measure: str, seed: int) -> list[Path]:
    """Write the scenario of a run to a folder, which must be empty or new; return the files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} already exists; choose a new folder with -o")
    features, costs = _survey(run)
    worst = _imputed(run, measure)
    name = re.sub(r"[^A-Za-z0-9.]+", "-", f"permove-{run.manifest.suite.name}-{measure}").strip("-")
    instances = features["instance_id"].to_list()
    agents = run.records["agent"].unique(maintain_order=True).to_list()
    files = {
        "description.txt": _description(name, measure, worst, agents),
        "algorithm_runs.arff": _arff(name, _runs(run, measure, worst), runstatus=RUN_STATUS),
        "feature_values.arff": _arff(name, features),
        "feature_runstatus.arff": _arff(
            name, features.select(*_KEY, pl.lit("ok").alias(STEP)), **{STEP: FEATURE_STATUS}
        ),
        "feature_costs.arff": _arff(name, costs),
        "ground_truth.arff": _arff(name, _instances(run).select("instance_id", "optimal")),
        "cv.arff": _arff(name, _folds(run, instances, seed)),
        "readme.txt": _readme(run, measure, worst),
        "citation.bib": run.citations,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        write_atomic(folder / file, text.encode("ascii", "backslashreplace"))
    return [folder / file for file in files]


_KEY = ("instance_id", "repetition")


def _instance() -> pl.Expr:
    return pl.format("{}/{}/{}", *PROBLEM)


def _instances(run: Run) -> pl.DataFrame:
    """Return the problems of a run with their names."""
    found = run.records.select(*PROBLEM, "optimal").unique(PROBLEM).sort(PROBLEM)
    return found.with_columns(instance_id=_instance())


def _runs(run: Run, measure: str, worst: float) -> pl.DataFrame:
    default = pl.when(pl.col("status") == "stuck").then(pl.lit("other")).otherwise(pl.lit("crash"))
    status = pl.col("status").replace_strict(STATUS, default=default, return_dtype=pl.String)
    value = pl.when(pl.col("status") == "solved").then(pl.col(measure).cast(pl.Float64))
    return run.records.select(
        instance_id=_instance(),
        repetition=pl.col("replica") + 1,
        algorithm="agent",
        **{measure: value.fill_null(worst)},
        runstatus=status,
    )


def _imputed(run: Run, measure: str) -> float:
    """Return the value for unsolved problems, which is at least as bad as any measured one."""
    if find(measure).column == "suboptimality" and run.settings.alpha is not None:
        return run.settings.alpha
    worst: Any = run.records.filter(pl.col("status") == "solved")[measure].max()
    return math.inf if worst is None else PENALTY * float(worst)


def _survey(run: Run) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the features of all problems, and the seconds that computing them took."""
    suite, names = run.suite(), _core.survey_features()
    problems = _instances(run).join(
        suite.problems.select(*PROBLEM, *CELLS), on=PROBLEM, how="left", maintain_order="left"
    )
    features, costs = [], []
    groups = problems.partition_by("set", "map", as_dict=True, maintain_order=True)
    with Bar("surveying maps", len(groups), shown=sys.stderr.isatty()) as bar:
        for (set_name, map_name), group in groups.items():
            hierarchy = _core.Hierarchy(suite.grid(f"{set_name}/{map_name}"))
            values, prepare_ns, look_ns = hierarchy.survey(group.select(CELLS).cast(pl.UInt32).to_numpy())
            key = group.select("instance_id", repetition=pl.lit(1))
            features.append(pl.concat([key, pl.DataFrame(np.asarray(values), schema=names)], how="horizontal"))
            seconds = (hierarchy.build_ns + prepare_ns + look_ns / group.height) / 1e9
            costs.append(key.with_columns(pl.lit(seconds).alias(STEP)))
            bar.advance(1)
    return pl.concat(features), pl.concat(costs)


def _folds(run: Run, instances: Sequence[str], seed: int) -> pl.DataFrame:
    """Return the folds: all problems of a map are in one fold, unless there is only one map."""
    place = {name: name.rpartition("/")[0] for name in instances}
    groups = sorted(set(place.values()))
    if len(groups) == 1:
        place, groups = {name: name for name in instances}, list(instances)
    if len(groups) < 2:
        raise InputError(f"{run.folder} has one problem, too few for folds; export a run with at least two")
    order = sorted(groups, key=lambda group: draw(seed, f"fold {group}"))
    fold = {group: number % FOLDS + 1 for number, group in enumerate(order)}
    rows = [(name, 1, fold[place[name]]) for name in instances]
    return pl.DataFrame(rows, [*_KEY, "fold"], orient="row")


def _description(name: str, measure: str, worst: float, agents: Sequence[str]) -> str:
    """Return the description in YAML; values are JSON, which is a part of YAML."""
    is_time = measure.endswith("_ns")
    features = _core.survey_features()
    is_bounded = math.isfinite(worst)
    content = {
        "scenario_id": name,
        "performance_measures": [measure],
        "maximize": [False],
        "performance_type": ["runtime" if is_time else "solution_quality"],
        # Readers compare performance with this limit, so it is in the unit of the measure.
        "algorithm_cutoff_time": (int(worst) if worst == int(worst) else worst) if is_bounded else "?",
        "algorithm_cutoff_memory": "?",
        "features_cutoff_time": "?",
        "features_cutoff_memory": "?",
        "number_of_feature_steps": 1,
        "default_steps": [STEP],
        "feature_steps": {STEP: {"provides": features}},
        "features_deterministic": features,
        "features_stochastic": [],
        "algorithms_deterministic": list(agents),
        "algorithms_stochastic": [],
        "metainfo_algorithms": {agent: {"configuration": agent, "deterministic": True} for agent in agents},
    }
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in content.items())


def _readme(run: Run, measure: str, worst: float) -> str:
    manifest, start = run.manifest, run.manifest.starts[0]
    labels = run.records.select("agent", "label").unique(maintain_order=True)
    is_cap = worst == run.settings.alpha
    imputed = "the cap on travel" if is_cap else f"{PENALTY} times the largest value of a solved run"
    paragraphs = (
        f"An algorithm-selection scenario for real-time heuristic search, exported by permove {manifest.permove}.",
        f"Instances are pathfinding problems on grid maps, named SET/MAP/PROBLEM. The run: {run.title}. Suite: "
        f"{manifest.suite.name}, fingerprint {manifest.suite.fingerprint}. Algorithms are agents of permove, named by "
        f"their specs. Records have version {manifest.records} and were made on {start.machine['cpu']}.",
        f"Performance is the {find(measure).about}, column {measure}; smaller is better. Runs that did not reach the "
        f"goal have the value {worst:g}, {imputed}. algorithm_cutoff_time is this value, in the unit of the measure.",
        'The status is "timeout" if the agent exceeded the limit on planning for a single move, the cap on travel, or '
        'the time to plan a move; "crash" if it failed or returned an invalid move; "other" if it found no move.',
        "Repetitions are replicas: the same problem with another order of ties or another seed.",
        "The features describe distances, walls and narrow places around and between start and goal, and a path on the "
        "clique abstraction of the map. feature_costs.arff has the measured seconds of preparing the map and surveying "
        "one problem. No feature value is missing. All problems of one map are in the same fold of cv.arff, unless "
        "there is only one map.",
    )
    agents = "\n".join(f"- {agent}: {label}" for agent, label in labels.iter_rows())
    return "\n\n".join([*(textwrap.fill(text, 100) for text in paragraphs), f"Algorithms:\n{agents}"]) + "\n"


def _arff(name: str, frame: pl.DataFrame, **kinds: str) -> str:
    """Return a frame as ARFF; the relation is named after the file's content and the scenario."""
    relation = {"fold": "CV", "runstatus": "ALGORITHM_RUNS", "optimal": "GROUND_TRUTH"}
    what = next((relation[column] for column in frame.columns if column in relation), None) or (
        "FEATURE_VALUES" if STEP not in frame.columns else "FEATURE_RUNSTATUS" if kinds else "FEATURE_COSTS"
    )
    lines = [f"@RELATION {what}_{name}", ""]
    for column, dtype in frame.schema.items():
        lines.append(f"@ATTRIBUTE {column} {kinds.get(column, 'STRING' if dtype == pl.String else 'NUMERIC')}")
    lines += ["", "@DATA", *(",".join(map(_value, row)) for row in frame.iter_rows())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace("'", "\\'")
        return value if re.fullmatch(r"[\w./-]+", value, re.ASCII) else f"'{quoted}'"
    return repr(value)

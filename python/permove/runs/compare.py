"""Comparing agents, paired over problems, in one run or in two runs that differ only in their seed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from permove.agents.specs import expand
from permove.analysis import comparison as analysis
from permove.analysis.comparison import GROUPS
from permove.analysis.measures import find
from permove.analysis.pareto import pareto
from permove.analysis.scores import MEAN, find_score
from permove.analysis.unsolved import Unsolved, coverage
from permove.common.errors import InputError
from permove.common.names import closest
from permove.plugins.classes import spec_of
from permove.runs.run import Run
from permove.views.comparison import Comparison

ALL = "all"
"""The name that means all other agents of the run."""


def compare(
    run: Run | Path | str,
    one: str | type[Any],
    others: str | type[Any] | Sequence[str | type[Any]] = ALL,
    *,
    with_run: Run | Path | str | None = None,
    measure: str = "suboptimality",
    against: str = "expanded_per_move",
    score: str = MEAN.name,
    unsolved: str | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare an agent with others of the same run, or with `all` of them; agents are named by spec, label or class.

    With `with_run` the others come from another run, which may differ only in its seed. `measure` is the measure to
    compare, `against` the other axis of the trade-off, `score` how values become one number (`mean`, `median`, `gmean`,
    `iqm` or `p95`), and `seed` the seed of the bootstrap. `unsolved` is the rule for unsolved problems: `exclude`
    compares the problems that all compared agents solved, `cap` counts unsolved trials as the run's cap on travel, and
    is the default if there is one.

        pm.compare("first", "rtaa(k=100)", "lrta(d=3)").show()
        pm.compare("first", "rtaa(k=100)").pairs
    """
    first = run if isinstance(run, Run) else Run(run)
    second = with_run if isinstance(with_run, Run) or with_run is None else Run(with_run)
    agent = _named(first, spec_of(one))
    records = first.by_problem
    if second is None:
        names = [name for name in _agents(first) if name != agent]
        rivals = names if others == ALL else [_named(first, other) for other in _several(others)]
        if agent in rivals:
            raise InputError(f"{one} is compared with itself; specify another agent, or another run with --with")
    else:
        _check_comparable(first, second)
        names = list(_agents(second)) if others == ALL else [_named(second, other) for other in _several(others)]
        # An agent of both runs gets a second name.
        mark = f" of {second.folder}"
        renamed = [pl.col(name) + mark for name in ("agent", "label")]
        added = second.by_problem.filter(pl.col("agent").is_in(names)).with_columns(
            *renamed, seed=pl.lit(first.manifest.settings.seed, pl.UInt64)
        )
        records = pl.concat([records.filter(pl.col("agent") == agent), added])
        rivals = [name + mark for name in names]
    if not rivals:
        raise InputError(f"{first.folder} has no other agent than {one}; run others, for example --panel real-time")
    measured, traded, scored = find(measure), find(against), find_score(score)
    rule = Unsolved.of(unsolved, first.settings)
    compared = records.filter(pl.col("agent").is_in([agent, *rivals]))
    pairs = analysis.comparison(
        compared, agent, rivals, measure=measured, against=traded, rule=rule, score=scored, seed=seed
    )
    places = {
        by: analysis.places(compared, agent, rivals[0], measure=measured, by=by, rule=rule, score=scored, seed=seed)
        for by in GROUPS
        if len(rivals) == 1
    }
    return Comparison(
        first.title,
        agent,
        _agents(first)[agent],
        measured,
        traded,
        scored,
        rule,
        coverage(compared, rule),
        pairs,
        places,
        pareto(records, traded, measured, rule=rule, score=scored, seed=seed),
        rule.counted(compared),
    )


def _several(others: str | type[Any] | Sequence[str | type[Any]]) -> list[str]:
    return list(dict.fromkeys(map(spec_of, [others] if isinstance(others, str | type) else others)))


def _agents(run: Run) -> dict[str, str]:
    """Return the agents of a run with their labels."""
    return dict(run.records.select("agent", "label").unique(maintain_order=True).iter_rows())


def _named(run: Run, text: str) -> str:
    """Return the agent of a run for a spec, canonical or not, or a label."""
    agents = _agents(run)
    if text in agents:
        return text
    labelled = [agent for agent, label in agents.items() if label == text]
    if len(labelled) == 1:
        return labelled[0]
    try:
        specs = [agent.spec for agent in expand(text)]
    except InputError:
        specs = []
    if len(specs) > 1:
        raise InputError(f"'{text}' stands for {len(specs)} agents, expected one; give each parameter one value")
    if specs and specs[0] in agents:
        return specs[0]
    # Agents of an older run lack parameters that were added later.
    parameters = [set(_parameters(spec)) for spec in specs]
    older = [agent for agent in agents for known in parameters if known > set(_parameters(agent))]
    if len(older) == 1:
        return older[0]
    known = [*agents, *agents.values()]
    raise InputError(
        f"{run.folder} has no records of '{text}'; did you mean '{closest(text, known, cutoff=0.4) or known[0]}'? "
        f"`permove report {run.folder}` lists its agents"
    )


def _parameters(spec: str) -> list[str]:
    """Return the name and the parameters with values of a canonical spec."""
    return spec.rstrip(")").replace("(", ", ", 1).split(", ")


def _check_comparable(first: Run, second: Run) -> None:
    """Reject two runs that differ in more than their seed."""
    seed = first.manifest.settings.seed
    other = replace(second.manifest, settings=replace(second.manifest.settings, seed=seed))
    if differences := first.manifest.differences(other):
        raise InputError(
            f"{first.folder} and {second.folder} cannot be compared: the first was made with "
            f"{', with '.join(differences)}; compare runs of the same suite and settings"
        )

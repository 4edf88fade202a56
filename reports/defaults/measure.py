"""Measure abstractions, paths and ties on several map sets, and print the tables of the report next to this file.

Usage: python measure.py FOLDER [SET ...]. The runs are stored in the folder, and running it again resumes.
"""

import sys
from itertools import product
from pathlib import Path

import polars as pl

import permove as pm
from permove.agents.specs import parse
from permove.data import load
from permove.papers.dynamic_control.experiment import upscaled

PAPERS = "papers"
SETS = (PAPERS, "embedded", "movingai/wc3maps512", "movingai/bg512", "movingai/dao")
MAPS, PROBLEMS, ALPHA = 4, 120, 100
"""Numbers of maps of each set, spread over the names, and of problems, and the limit on travel as a multiple of the
optimum, which counts as the suboptimality of unsolved problems. Every other map is for choosing."""

SEEDS = range(8)
"""Seeds of the problems on the maps of dynamic-control-2008, of which the first two are for choosing."""

BEFORE = ("free", "diagonal", "n")
TIES = tuple(product(("aligned",), ("diagonal", "cardinal"), ("n", "diagonal", "cardinal")))
WITH_GOALS = {
    "LRTA* (F, PDB), d = 1": "lrta(d=1, goal=pdb, l=3",
    "LRTA* (PDB, PDB), c = 20": "lrta(d=pdb, goal=pdb, l=3",
}
WITH_ABSTRACTION = {
    **WITH_GOALS,
    "LRTA* (PDB, G), c = 20, ℓ = 5": "lrta(d=pdb, l=5",
    "PR LRTS(3, 0.8, ∞), ℓ = 2": "pr-lrts(l=2, d=3, gamma=0.8",
    "PR LRTA* (F, G), d = 5, ℓ = 3": "pr-lrta(l=3, d=5",
    "PR LRTA* (F, PDB), d = 1, ℓ = 1, 3": "pr-lrta(l=1, l2=3, goal=pdb",
    "PRA*": "pra(l=auto",
}


def spec(agent: str, abstraction: str, path: str, ties: str) -> str:
    """Return a spec; agents without intermediate goals have no path."""
    rule = f", path={path}" if "goal=" in agent else ""
    return f"{agent}, abstraction={abstraction}{rule}, ties={ties})"


AGENTS = {spec(agent, *rules): (name, rules) for name, agent in WITH_GOALS.items() for rules in (BEFORE, *TIES)}
AGENTS |= {
    spec(agent, kind, *BEFORE[1:]): (name, (kind, *BEFORE[1:]))
    for name, agent in WITH_ABSTRACTION.items()
    for kind in ("free", "aligned")
}


def measured(name: str, folder: Path) -> pl.DataFrame:
    """Run all agents on a set and return the records, with the use of each map."""
    if name == PAPERS:
        names = [agent for agent, (kind, _) in AGENTS.items() if kind in WITH_GOALS]
        suites = [upscaled(100, seed) for seed in SEEDS]
        chosen = [source.name for source in suites[0].maps.values()][:2]
        runs = [pm.run(suite, names, out=folder / f"{name}-{at}", jobs=1) for at, suite in enumerate(suites)]
    else:
        known = sorted({key.partition("/")[2] for key in load(name).maps})
        maps = [known[at * len(known) // MAPS] for at in range(MAPS)]
        chosen = maps[::2]
        runs = [pm.run(name, list(AGENTS), maps=maps, limit=PROBLEMS, alpha=ALPHA, out=folder / name, jobs=1)]
    rows = [(parse(text).spec, kind, *rules) for text, (kind, rules) in AGENTS.items()]
    table = pl.DataFrame(rows, ["agent", "name", "abstraction", "path", "ties"], orient="row")
    use = pl.when(pl.col("map").is_in(chosen)).then(pl.lit("choose")).otherwise(pl.lit("report"))
    records = pl.concat([run.records for run in runs], how="diagonal_relaxed")
    return records.join(table, on="agent").with_columns(suite=pl.lit(name), use=use)


def summary(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Return means per group: suboptimality, states per move, and the share of problems that re-visit a state."""
    ratio = pl.col("expanded") / pl.col("moves")
    capped = pl.col("suboptimality").fill_null(ALPHA)
    return frame.group_by(by, maintain_order=True).agg(
        problems=pl.len(),
        solved=(pl.col("status") == "solved").sum(),
        suboptimality=capped.mean().round(4),
        median=capped.median().round(4),
        se=(capped.std() / pl.len().sqrt()).round(4),
        states=ratio.mean().round(3),
        revisit=(pl.col("visits_max") > 1).mean().round(3),
        twice=(capped > 2).sum(),
    )


def main() -> None:
    """Measure, and print both tables."""
    folder, *sets = sys.argv[1:]
    records = pl.concat([measured(name, Path(folder)) for name in sets or SETS], how="diagonal_relaxed")
    rules = ("abstraction", "path", "ties")
    with pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=80, tbl_formatting="ASCII_MARKDOWN", tbl_width_chars=240):
        print(summary(records.filter(pl.col("name").is_in(list(WITH_GOALS))), "suite", "use", "name", *rules))
        both = records.filter(path=BEFORE[1], ties=BEFORE[2])
        print(summary(both, "name", "suite", "abstraction"))


if __name__ == "__main__":
    main()

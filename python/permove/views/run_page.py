"""The page of a run: computes every frame of the analysis that the page needs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from permove.analysis.dominance import contests
from permove.analysis.guide import TIME, TIMES, Terms, guide
from permove.analysis.measures import MEASURES
from permove.analysis.pareto import pairs_along, pareto
from permove.analysis.scores import MEAN, Score
from permove.analysis.slices import convergence_measures, tradeoff_measures, views
from permove.analysis.unsolved import Unsolved, coverage
from permove.records.columns import REPEATED
from permove.records.settings import CONVERGE
from permove.report import run_page as html
from permove.views.unsolved import unsolved_note
from permove.views.view import RunLike


def run_page(
    run: RunLike,
    manifest: Mapping[str, Any],
    means: pl.DataFrame,
    *,
    rule: Unsolved | None = None,
    score: Score = MEAN,
) -> str:
    """Return the page of a run; `means` is the frame of `tradeoff` or, for a run to convergence, of `convergence`."""
    settings, records = run.settings, run.by_problem
    rule = rule or Unsolved.of(None, settings)
    if manifest["records"] < REPEATED:
        records = records.with_columns(pl.lit(None).alias(column) for column in TIMES.values())
    timed = [quantile for quantile, column in TIMES.items() if records[column].is_not_null().any()]
    common = Terms(cutoff=settings.cutoff, score=score, unsolved=rule)
    by_time = [replace(common, by=TIME, quantile=quantile, cutoff=settings.time_limit_ns) for quantile in timed]
    guides = {terms.column: guide(records, terms) for terms in (common, *by_time)}
    converging = settings.trials == CONVERGE
    measures = html.measures_of(converging, score.name)
    y, x = measures[0].key, measures[1].key
    front = pareto(records, MEASURES[x], MEASURES[y], rule=rule, score=score)
    return html.run_page(
        run.title,
        settings,
        manifest,
        means,
        views(records, (convergence_measures if converging else tradeoff_measures)(score), rule),
        guides,
        front,
        contests(rule.counted(records), pairs_along(front, html.MAX_CONTESTANTS), x, y),
        measures=measures,
        note=unsolved_note(rule, coverage(records, rule)),
    )

"""Replays of recorded trials from trace files, or from run folders by agent and problem."""

import re
from enum import StrEnum
from pathlib import Path

import polars as pl

from permove.agents.specs import parse
from permove.common.errors import InputError
from permove.common.files import write_atomic
from permove.records import traces
from permove.records.columns import IDENTITY
from permove.records.traces import Trace
from permove.report import posthoc
from permove.report.replay_page import replay_page
from permove.runs import record_traces, store


class ReplayFormat(StrEnum):
    """The formats of a replay."""

    HTML = "html"
    POSTHOC = "posthoc"


def replay(
    trace: Path | str,
    output: Path | str,
    *,
    agent: str | None = None,
    problem: str | None = None,
    against: str | None = None,
    format: ReplayFormat | str = ReplayFormat.HTML,
) -> list[Trace]:
    """Write the replay of a recorded trial: a page, or a search trace for the Posthoc visualiser.

    `trace` is a trace file or a run folder, in which `agent` and `problem`, as in "caves-512:17", choose the trial.
    `against` is another agent of that run, or a trace file, to show next to it.

        pm.solve("maps/caves-128.map", (3, 4), (100, 90), "rtaa(k=10)").save_trace("trial.npz")
        pm.replay("trial.npz", "trial.html")
    """
    place, output = Path(trace), Path(output)
    trials = [find(place, agent, problem)]
    if against is not None:
        trials.append(find(place, against, problem, other=trials[0]))
    is_page = ReplayFormat(format) is ReplayFormat.HTML
    write_atomic(output, (replay_page(trials) if is_page else _search_trace(trials, output)).encode())
    return trials


def find(place: Path, agent: str | None, problem: str | None, other: Trace | None = None) -> Trace:
    """Return the trial in a file or of a run, by agent and problem; by default the first one.

    If `other` is a trial to show this one with, `agent` may also be a file, and the problem is the same.
    """
    if other is not None and agent is not None and Path(agent).is_file():
        found = traces.read(Path(agent))
    elif place.is_dir():
        found = _of_run(place, agent, problem, other)
    elif other is not None:
        raise InputError(
            f"the trace {agent} does not exist, and {place} contains only one trial; specify a trace, or a run folder"
        )
    elif agent is not None or problem is not None:
        raise InputError(f"{place} is not a run folder; omit --agent and --problem, or specify a run folder")
    else:
        found = traces.read(place)
    if other is not None and not found.is_same_problem(other):
        raise InputError(
            f"{found.facts.label} solved another problem, on {found.facts.map}, than {other.facts.label} on "
            f"{other.facts.map}; specify two trials with the same map, start and goal"
        )
    return found


def _of_run(folder: Path, agent: str | None, problem: str | None, other: Trace | None) -> Trace:
    manifest = store.read_manifest(folder)
    store.note_unverified(folder)
    records = store.read_records(folder)
    chosen = records
    if agent is not None:
        spec = parse(agent)
        chosen = chosen.filter(pl.col("agent") == spec.spec)
        if chosen.is_empty():
            raise InputError(f"{folder} has no records of {spec.spec}; `permove report {folder}` lists its agents")
    if other is not None:
        facts = other.facts
        chosen = chosen.filter(set=facts.set, map=facts.map, problem=facts.problem)
    elif problem is not None:
        chosen = _on(chosen, problem, folder)
    paths = [record_traces.path_of(folder, *row) for row in chosen.select(IDENTITY[:4]).iter_rows()]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        trial = "no trial" if agent is None and problem is None else "no such trial"
        raise InputError(f"{trial} of {folder} was recorded; {manifest.again(folder, 'trace')} records them")
    return traces.read(found)


def _on(records: pl.DataFrame, problem: str, folder: Path) -> pl.DataFrame:
    """Return the records on a problem, MAP:N or SET/MAP:N."""
    match = re.fullmatch(r"(?:(?P<set>.+)/)?(?P<map>[^/]+):(?P<number>\d+)", problem)
    if not match:
        raise InputError(f"invalid problem '{problem}'; use map and number, for example caves-512:17")
    is_meant = (pl.col("map") == match["map"].removesuffix(".map")) & (pl.col("problem") == int(match["number"]))
    if match["set"]:
        is_meant &= pl.col("set") == match["set"]
    chosen = records.filter(is_meant)
    if chosen.is_empty():
        existing = records.select(pl.concat_str("map", pl.lit(":"), "problem")).to_series().unique(maintain_order=True)
        raise InputError(
            f"{folder} has no records on {problem}; it has some on {', '.join(existing[:3])}{_more(existing)}"
        )
    return chosen


def _more(names: pl.Series) -> str:
    return f" and {len(names) - 3:,} more" if len(names) > 3 else ""


def _search_trace(trials: list[Trace], output: Path) -> str:
    if len(trials) > 1:
        raise InputError("a search trace has one agent; omit --against, and write one file for each")
    if not output.name.endswith(posthoc.SUFFIXES):
        raise InputError(
            f"the Posthoc visualiser takes files that end in {' or '.join(posthoc.SUFFIXES)}; "
            f"use {output.name.partition('.')[0]}{posthoc.SUFFIXES[0]}"
        )
    return posthoc.search_trace(trials[0])

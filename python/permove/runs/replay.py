"""Replays of recorded walks, which are found in files, and in the folders of runs by agent and problem."""

import re
import shlex
from enum import StrEnum
from pathlib import Path

import polars as pl

from permove.agents.specs import parse
from permove.common.errors import InputError
from permove.common.files import write_whole
from permove.records import traces
from permove.records.columns import IDENTITY
from permove.records.traces import Trace
from permove.report import posthoc
from permove.report.replay import replay_page
from permove.runs import recording, store
from permove.runs.manifest import Manifest


class ReplayFormat(StrEnum):
    """What a replay is written for."""

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
    """Write the replay of a recorded walk: a page that plays it, or a search trace for the Posthoc visualiser.

    `trace` is the file of a trace or the folder of a run, of which `agent` and `problem`, as in "caves-512:17", choose
    the walk; `against` is another agent of that run, or a file, to be shown beside it.
    """
    place, output = Path(trace), Path(output)
    walks = [find(place, agent, problem)]
    if against is not None:
        walks.append(find(place, against, problem, beside=walks[0]))
    is_page = ReplayFormat(format) is ReplayFormat.HTML
    write_whole(output, (replay_page(walks) if is_page else _search_trace(walks, output)).encode())
    return walks


def find(place: Path, agent: str | None, problem: str | None, beside: Trace | None = None) -> Trace:
    """The walk in a file or of a run, by agent and problem: the first that is there, where they do not say.

    `beside` is a walk that this one is to be shown with: `agent` may then be a file as well, and the problem is the
    same.
    """
    if beside is not None and agent is not None and Path(agent).is_file():
        found = traces.read(Path(agent))
    elif place.is_dir():
        found = _of_run(place, agent, problem, beside)
    elif beside is not None:
        raise InputError(
            f"{agent} is no trace that is there, and {place} has one walk only; give a trace, or the folder of a run"
        )
    elif agent is not None or problem is not None:
        raise InputError(f"{place} is not the folder of a run; leave out --agent and --problem, or give a folder")
    else:
        found = traces.read(place)
    if beside is not None and not found.is_same_problem(beside):
        raise InputError(
            f"{found.facts.label} walked another problem, on {found.facts.map}, than {beside.facts.label} on "
            f"{beside.facts.map}; give two walks with the same map, start and goal"
        )
    return found


def _of_run(folder: Path, agent: str | None, problem: str | None, beside: Trace | None) -> Trace:
    manifest = store.read_manifest(folder)
    records = store.read_records(folder)
    chosen = records
    if agent is not None:
        spec = parse(agent)
        chosen = chosen.filter(pl.col("agent") == spec.spec)
        if chosen.is_empty():
            raise InputError(f"{folder} has no records of {spec.spec}; `permove report {folder}` lists its agents")
    if beside is not None:
        facts = beside.facts
        chosen = chosen.filter(set=facts.set, map=facts.map, problem=facts.problem)
    elif problem is not None:
        chosen = _on(chosen, problem, folder)
    paths = [recording.path_of(folder, *row) for row in chosen.select(IDENTITY).iter_rows()]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        walk = "no walk" if agent is None and problem is None else "no such walk"
        raise InputError(f"{walk} of {folder} was recorded; {_remedy(manifest, folder)} records them")
    return traces.read(found)


def _on(records: pl.DataFrame, problem: str, folder: Path) -> pl.DataFrame:
    """The records on a problem: MAP:N, where the map may have its set before it."""
    match = re.fullmatch(r"(?:(?P<set>.+)/)?(?P<map>[^/]+):(?P<number>\d+)", problem)
    if not match:
        raise InputError(f"'{problem}' is no problem; write map and number, as in caves-512:17")
    is_meant = (pl.col("map") == match["map"].removesuffix(".map")) & (pl.col("problem") == int(match["number"]))
    if match["set"]:
        is_meant &= pl.col("set") == match["set"]
    chosen = records.filter(is_meant)
    if chosen.is_empty():
        there = records.select(pl.concat_str("map", pl.lit(":"), "problem")).to_series().unique(maintain_order=True)
        raise InputError(f"{folder} has no records on {problem}; it has some on {', '.join(there[:3])}{_more(there)}")
    return chosen


def _more(names: pl.Series) -> str:
    return f" and {len(names) - 3:,} more" if len(names) > 3 else ""


def _remedy(manifest: Manifest, folder: Path) -> str:
    """The command that made the run, with what it lacks."""
    command = manifest.starts[-1].command
    words = command[1:]
    if words[:1] != ["run"]:
        return f"pm.run(..., out={str(folder)!r}, trace=True) with the same settings"
    out = [] if any(word.split("=")[0] == "--out" for word in words) else ["--out", str(folder)]
    return f"`{shlex.join(['permove', *words, *out, '--trace'])}`"


def _search_trace(walks: list[Trace], output: Path) -> str:
    if len(walks) > 1:
        raise InputError("a search trace has one agent; leave out --against, and write one file for each")
    if not output.name.endswith(posthoc.SUFFIXES):
        raise InputError(
            f"the Posthoc visualiser takes files that end in {' or '.join(posthoc.SUFFIXES)}; "
            f"name it {output.name.partition('.')[0]}{posthoc.SUFFIXES[0]}"
        )
    return posthoc.search_trace(walks[0])

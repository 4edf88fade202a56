"""Experiments: TOML files with the suites, agents, seeds and options of runs."""

import tomllib
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.runs.execute import run
from permove.runs.run import Run

SUFFIX = ".toml"

OWN = ("suites", "agents", "panel", "seeds")
"""The keys of lists; all others are options of `permove run`."""

OPTIONS = [name for name in signature(run).parameters if name not in ("suite", "agents", "panel", "command", "common")]


def run_experiment(path: Path | str, **options: Any) -> list[Run]:
    """Run the agents of an experiment on its suites, once for each of its seeds, and return the runs.

    The file has the keys `suites`, `agents`, `panel` and `seeds`, which are lists, and the options of `permove run`,
    such as `cutoff = 1000` or `time-limit = "1ms"`. Paths are relative to the working folder. With several seeds, the
    runs are in subfolders `seed-N` of `out`. `options` replace those of the file.

        pm.run_experiment("experiment.toml", cutoff=500)
    """
    path = Path(path)
    content = _read(path)
    lists = {name: _texts(path, name, content.get(name, [])) for name in ("suites", "agents", "panel")}
    given = {name: value for name, value in content.items() if name not in OWN} | options
    if "seeds" in content and "seed" in given:
        raise InputError(f"{path} is combined with one seed, but has seeds; omit one of them")
    seeds = content.get("seeds", [given.pop("seed", 0)])
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        raise InputError(f"{path}: seeds must be a list of integers, such as seeds = [0, 1, 2]")
    out, found = given.pop("out", None), []
    for seed in dict.fromkeys(seeds):
        folder = Path(out) / f"seed-{seed}" if out is not None and len(seeds) > 1 else out
        suites = lists["suites"] or ["embedded"]
        found.append(run(suites, lists["agents"], panel=lists["panel"], seed=seed, out=folder, **given))
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        content: Mapping[str, Any] = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise InputError(f"the file {path} does not exist; check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a valid experiment ({error}); correct it, see `permove run --help`") from None
    named = {name.replace("-", "_"): value for name, value in content.items()}
    known = [*OWN, *OPTIONS]
    for name in named:
        if name not in known:
            raise InputError(f"{path}: unknown key '{name}'{suggestion(name, known)}; remove or correct it")
    return named


def _texts(path: Path, name: str, value: object) -> list[str]:
    texts: Iterable[object] = [value] if isinstance(value, str) else value if isinstance(value, list) else [None]
    found = [text for text in texts if isinstance(text, str)]
    if len(found) < len(list(texts)):
        raise InputError(f'{path}: {name} must be a list of texts, such as {name} = ["astar"]')
    return found

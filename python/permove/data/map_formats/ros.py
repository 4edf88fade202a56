"""Occupancy grids of ROS: an image and a YAML file with the thresholds. Unknown cells are walls."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from permove.common.errors import InputError, input_error
from permove.data.map_formats import images
from permove.data.map_formats.letters import Letters, Reading, damaged, of_walls

SUFFIXES = (".yaml", ".yml")

FREE_THRESHOLD = 0.196
"""The default of ROS: cells with a lower probability of being occupied are free."""

MODES = ("trinary", "scale", "raw")


def facts_beside(image: Path) -> Path | None:
    """Return the YAML file of an image with the same name, if there is one."""
    return next((path for suffix in SUFFIXES if (path := image.with_suffix(suffix)).is_file()), None)


def read(path: Path, reading: Reading) -> Letters:
    """Return the letters of an occupancy grid, named by its YAML file."""
    reading.check(path, "occupancy grids")
    facts = _facts(path)
    picture = facts.get("image")
    if not isinstance(picture, str):
        raise InputError(f"{path} does not name an image; add a line such as image: {path.stem}.pgm")
    mode = facts.get("mode", MODES[0])
    if mode not in MODES:
        raise InputError(f"{path}: unknown mode '{mode}'; use one of {', '.join(MODES)}")
    free = _number(path, facts, "free_thresh", FREE_THRESHOLD)
    image = images.opened(path.parent / picture)
    opaque = np.asarray(image.convert("RGBA"))[:, :, 3] == 255
    values = images.brightness(images.colours(path.parent / picture)).astype(np.float64)
    if mode == "raw":
        occupied = values / 100
    else:
        occupied = values / 255 if _number(path, facts, "negate", 0) else 1 - values / 255
    return of_walls(~(opaque & (occupied < free)))


def _facts(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise input_error(
            f"{path}:{line}: {error.problem} in column {column}; correct the line, as in image: {path.stem}.pgm",
            file=str(path),
            line=line,
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise damaged(path, "YAML file", error, "save the map again with map_saver") from None
    if not isinstance(content, dict):
        raise input_error(
            f"{path}:1: expected names with values; add lines such as image: {path.stem}.pgm", file=str(path), line=1
        )
    return content


def _number(path: Path, facts: dict[str, Any], name: str, default: float) -> float:
    value = facts.get(name, default)
    if not isinstance(value, int | float):
        raise InputError(f"{path}: {name} is '{value}', expected a number; correct the line")
    return float(value)

"""Tiled maps (`.tmx`, `.tmj`): the tiles of a layer are walls, or the tiles with a property."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import ParseError

import numpy as np
import pytiled_parser
from numpy.typing import NDArray
from pytiled_parser.layer import Layer, LayerGroup, TileLayer
from pytiled_parser.tiled_map import TiledMap

from permove.common.errors import InputError, input_error
from permove.common.names import suggestion
from permove.data.map_formats.letters import MAX_SIDE, Letters, Reading, damaged, of_walls

WALLS = ("wall", "walls", "collision", "collisions", "collides", "solid", "obstacle", "obstacles", "blocked")
"""Names of layers and of properties that mean walls, if neither is specified."""

TILE = 0x1FFFFFFF
"""The bits of a tile's number; the others say how the tile is flipped."""

REMEDY = "open it in Tiled and save it again"


def read(path: Path, reading: Reading) -> Letters:
    """Return the letters of a Tiled map."""
    reading.check(path, "Tiled maps", "layer", "property")
    tiled = _parsed(path)
    if tiled.orientation == "hexagonal":
        raise InputError(f"{path} is a hexagonal map; permove supports maps of square cells: change its orientation")
    layers = {layer.name: layer for layer in _tile_layers(tiled.layers)}
    if not layers:
        raise InputError(f"{path} has no tile layer; add one with a tile on every wall")
    name = reading.layer
    if name is not None and name not in layers:
        raise InputError(f"{path} has no tile layer '{name}'{suggestion(name, layers)}; choose another --layer")
    properties = _properties(tiled)
    tag = reading.property
    if tag is not None and tag not in properties:
        raise InputError(f"{path} has no tile with the property '{tag}'{suggestion(tag, properties)}; choose another")
    if name is None and tag is None:
        name, tag = _default(path, list(layers), list(properties))
    chosen = layers.values() if name is None else [layers[name]]
    tiles = np.stack(_grids(path, tiled, list(chosen)))
    return of_walls((tiles > 0 if tag is None else np.isin(tiles, list(properties[tag]))).any(axis=0))


def _parsed(path: Path) -> TiledMap:
    try:
        if path.suffix.lower() == ".tmj":
            json.loads(path.read_bytes())  # the library does not say where a damaged file is damaged
        return pytiled_parser.parse_map(path)
    except ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise input_error(
            f"{path}:{line}: {reason} in column {column + 1}; {REMEDY}", file=str(path), line=line
        ) from None
    except json.JSONDecodeError as error:
        raise input_error(
            f"{path}:{error.lineno}: {error.msg} in column {error.colno}; {REMEDY}", file=str(path), line=error.lineno
        ) from None
    except FileNotFoundError as error:
        if Path(str(error.filename)) == path:
            raise InputError(f"{path} does not exist; check the path") from None
        raise InputError(f"{path}: its tileset {error.filename} does not exist; copy it next to the map") from None
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if isinstance(error, KeyError | AttributeError) else error
        raise damaged(path, "Tiled map", str(what), REMEDY) from error


def _tile_layers(layers: Sequence[Layer]) -> Iterator[TileLayer]:
    for layer in layers:
        if isinstance(layer, TileLayer):
            yield layer
        elif isinstance(layer, LayerGroup):
            yield from _tile_layers(layer.layers or [])


def _properties(tiled: TiledMap) -> dict[str, set[int]]:
    """Return the numbers of the tiles for which each property is set."""
    found: dict[str, set[int]] = {}
    for first, tileset in tiled.tilesets.items():
        for number, tile in (tileset.tiles or {}).items():
            for name, value in (tile.properties or {}).items():
                if str(value).lower() not in ("", "0", "false", "no"):
                    found.setdefault(name, set()).add(first + number)
    return found


def _default(path: Path, layers: list[str], properties: list[str]) -> tuple[str | None, str | None]:
    """Return the layer or the property that means walls."""
    for name in layers:
        if name.lower() in WALLS:
            return name, None
    for name in properties:
        if name.lower() in WALLS:
            return None, name
    if len(layers) == 1:
        return layers[0], None
    listed = ", ".join(f"'{name}'" for name in layers)
    raise InputError(
        f"{path} has {len(layers)} tile layers ({listed}) and none is named after walls; name one with --layer of "
        f"`permove maps convert`, or call it '{WALLS[1]}'"
    )


def _grids(path: Path, tiled: TiledMap, layers: list[TileLayer]) -> list[NDArray[np.int64]]:
    """Return the numbers of the tiles of layers, all of the same size. Layers of infinite maps consist of chunks."""
    pieces = [
        (
            layer.name,
            [(int(each.coordinates.x), int(each.coordinates.y), each.data) for each in layer.chunks or []]
            if layer.data is None
            else [(0, 0, layer.data)],
        )
        for layer in layers
    ]
    infinite = any(layer.data is None for layer in layers)
    places = [(x, y, len(data[0]), len(data)) for _, parts in pieces for x, y, data in parts if data and data[0]]
    if not places:
        raise InputError(f"{path} has no tiles; draw the walls of the map")
    left, top = min(x for x, *_ in places), min(y for _, y, *_ in places)
    width = max(x + columns for x, _, columns, _ in places) - left
    height = max(y + rows for _, y, _, rows in places) - top
    if not infinite:
        width, height = int(tiled.map_size.width), int(tiled.map_size.height)
    if max(width, height) > MAX_SIDE:
        raise InputError(
            f"{path} has {width:,} × {height:,} cells; at most {MAX_SIDE} × {MAX_SIDE} are supported: crop it"
        )
    grids = []
    for name, parts in pieces:
        grid = np.zeros((height, width), np.int64)
        for x, y, data in parts:
            ragged = next((number for number, row in enumerate(data, 1) if len(row) != len(data[0])), None)
            if ragged or (not infinite and (len(data), len(data[0])) != (height, width)):
                raise InputError(
                    f"{path}: row {ragged or len(data)} of the layer '{name}' does not fit a map of {width} × {height} "
                    f"cells; {REMEDY}"
                )
            grid[y - top : y - top + len(data), x - left : x - left + len(data[0])] = np.array(data, np.int64) & TILE
        grids.append(grid)
    return grids

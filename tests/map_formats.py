"""The same map in every format, for tests."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

ROOMS = (
    "@@@@@@@@@@@@",
    "@....@.....@",
    "@....@.....@",
    "@..........@",
    "@....@.....@",
    "@@@.@@@@.@@@",
    "@....@.....@",
    "@....@.....@",
    "@..........@",
    "@@@@@@@@@@@@",
)
"""Four rooms with doors."""


def walls(rows: Sequence[str] = ROOMS) -> np.ndarray:
    return np.array([[letter == "@" for letter in row] for row in rows])


def write_map(path: Path) -> None:
    path.write_text(f"type octile\nheight {len(ROOMS)}\nwidth {len(ROOMS[0])}\nmap\n" + "\n".join(ROOMS) + "\n")


def write_image(path: Path) -> None:
    Image.fromarray(np.where(walls(), 30, 220).astype(np.uint8)).save(path)


def write_ascii(path: Path) -> None:
    path.write_text("\n" + "\n".join(ROOMS).replace("@", "#").replace(".", " ") + "\n\n")


def write_csv(path: Path) -> None:
    path.write_text("".join(";".join(str(int(wall)) for wall in row) + "\r\n" for row in walls()))


TILESET = {
    "firstgid": 1,
    "name": "tiles",
    "tilewidth": 16,
    "tileheight": 16,
    "tilecount": 3,
    "columns": 3,
    "image": "tiles.png",
    "imagewidth": 48,
    "imageheight": 16,
    "margin": 0,
    "spacing": 0,
}


def write_tmx(path: Path) -> None:
    """Write a map with a layer of the floor and a layer of the walls, one of whose tiles is flipped."""
    height, width = walls().shape
    tiles = np.where(walls(), 2, 0).astype(np.int64)
    tiles[0, 0] |= 0x80000000
    rows = ",\n".join(",".join(map(str, row)) for row in tiles)
    floor = ",\n".join(",".join(["1"] * width) for _ in range(height))
    layers = "".join(
        f'<layer id="{number}" name="{name}" width="{width}" height="{height}">'
        f'<data encoding="csv">{data}</data></layer>'
        for number, (name, data) in enumerate({"floor": floor, "Walls": rows}.items(), 1)
    )
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.10" tiledversion="1.11.0" orientation="orthogonal" '
        f'renderorder="right-down" width="{width}" height="{height}" tilewidth="16" tileheight="16" infinite="0" '
        'nextlayerid="3" nextobjectid="1">\n<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" '
        'tilecount="3" columns="3"><image source="tiles.png" width="48" height="16"/></tileset>\n'
        f"{layers}\n</map>\n"
    )


def write_tmj(path: Path) -> None:
    """Write an infinite map whose walls are tiles with a property."""
    height, width = walls().shape
    tiles = np.where(walls(), 3, 1)
    chunks = [
        {
            "x": x - 4,
            "y": -6,
            "width": width // 2,
            "height": height,
            "data": tiles[:, x : x + width // 2].ravel().tolist(),
        }
        for x in (0, width // 2)
    ]
    layer = {
        "id": 1,
        "name": "ground",
        "type": "tilelayer",
        "chunks": chunks,
        "x": 0,
        "y": 0,
        "startx": -4,
        "starty": -6,
        "width": width,
        "height": height,
        "opacity": 1,
        "visible": True,
    }
    solid = {"id": 2, "properties": [{"name": "solid", "type": "bool", "value": True}]}
    content = {
        "type": "map",
        "version": "1.10",
        "tiledversion": "1.11.0",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "infinite": True,
        "width": width,
        "height": height,
        "tilewidth": 16,
        "tileheight": 16,
        "nextlayerid": 2,
        "nextobjectid": 1,
        "layers": [layer, {**layer, "id": 2, "name": "second"}],
        "tilesets": [{**TILESET, "tiles": [solid]}],
    }
    path.write_text(json.dumps(content))


def write_ros(path: Path) -> None:
    """Write an occupancy grid in which unknown cells (205) count as walls."""
    pixels = np.where(walls(), 0, 254).astype(np.uint8)
    pixels[0, :] = 205
    image = path.with_suffix(".pgm")
    Image.fromarray(pixels).save(image)
    path.write_text(
        f"image: {image.name}\nresolution: 0.05\norigin: [0.0, 0.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\n"
        "free_thresh: 0.196\n"
    )


def write_npy(path: Path) -> None:
    np.save(path, walls())


WRITERS: dict[str, Callable[[Path], None]] = {
    ".map": write_map,
    ".png": write_image,
    ".bmp": write_image,
    ".tif": write_image,
    ".txt": write_ascii,
    ".csv": write_csv,
    ".tmx": write_tmx,
    ".tmj": write_tmj,
    ".yaml": write_ros,
    ".npy": write_npy,
}
"""Writes the map in the format of each suffix."""

"""Small maps and scenarios for the tests of the data layer, as text, in folders and in zips."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOM = (".....", ".@@@.", "...@.", ".....")
"""The shortest path from (0, 0) to (4, 3) has five cardinal moves and a diagonal one, around the wall on the left."""


def map_text(rows: Sequence[str] = ROOM) -> bytes:
    return f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n".encode() + "\n".join(rows).encode() + b"\n"


def scen_text(*lines: str) -> bytes:
    """Return scenarios from lines of nine words."""
    return ("version 1\n" + "".join("\t".join(line.split()) + "\n" for line in lines)).encode()


# The second length is wrong: the path has 5 + √2.
ROOM_SCEN = scen_text(
    "0 maps/demo/room.map 5 4 0 0 4 0 4",
    "1 maps/demo/room.map 5 4 0 0 4 3 7",
    "0 maps/demo/room.map 5 4 2 2 0 3 2.41421",
)


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def write_zip(path: Path, files: Mapping[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def demo_zips(folder: Path) -> Path:
    """Write the set `demo` as two zips, like those of the site."""
    write_zip(folder / "demo-map.zip", {"room.map": map_text()})
    write_zip(folder / "demo-scen.zip", {"room.map.scen": ROOM_SCEN})
    return folder

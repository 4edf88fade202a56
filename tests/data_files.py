"""Maps and scenarios for tests: small ones as text, in folders and in zips, and parts of MovingAI's collections."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from permove.data import import_sets
from permove.data.folder import VARIABLE

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


SOME_MAPS = {
    "sc1": ("Sandstorm", "IceFloes", "NovaStation"),
    "dao": ("lak105d", "lak107d", "den201d"),
    "bg512": ("AR0418SR", "AR0517SR", "AR0506SR"),
    "wc3maps512": ("heart2heart", "theglaive", "gnollwood", "stromguarde", "plainsofsnow", "divideandconquer"),
}
"""A few maps of each set with problems; those of `wc3maps512` are the maps of the papers."""


def some_zips(source: Path, folder: Path, maps: Mapping[str, tuple[str, ...]]) -> Path:
    """Copy MovingAI's zips with only these maps of each set that is named."""
    for path in source.glob("*.zip"):
        names = maps.get(path.name.partition("-")[0], ("",))
        with zipfile.ZipFile(path) as archive:
            chosen = [name for name in archive.namelist() if name.startswith(names)]
            write_zip(folder / path.name, {name: archive.read(name) for name in chosen})
    return folder


def imported(source: Path, folder: Path) -> Path:
    """Import all sets into a data folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        import_sets([source])
    return folder

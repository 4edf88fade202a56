"""Maps in other formats than MovingAI's: images, ASCII, CSV, Tiled, ROS and numpy.

Every format becomes a rectangle of the letters of MovingAI's maps, so that the core reads only these. The format of a
file follows from its suffix. The libraries that read it are loaded when they are needed.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path

import numpy as np

from permove._core import Map
from permove.common.errors import InputError
from permove.common.extras import require
from permove.data.map_formats.letters import Letters, Reading, as_map

MAP = ".map"
IMAGES = (".png", ".gif", ".bmp", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".pgm", ".pbm", ".ppm")
LOSSY = (".jpg", ".jpeg", ".pbm", ".webp")

_READERS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(IMAGES, ("images", "read")),
    ".txt": ("text", "read_ascii"),
    ".csv": ("text", "read_csv"),
    ".tsv": ("text", "read_csv"),
    **dict.fromkeys((".tmx", ".tmj"), ("tiled", "read")),
    **dict.fromkeys((".yaml", ".yml"), ("ros", "read")),
    ".npy": ("arrays", "read"),
}
"""The module and the function that read the files of each suffix."""

SUFFIXES = (MAP, *_READERS)

NEEDS_EXTRA = ("images", "tiled", "ros")
"""The modules that need the libraries of the extra `maps`."""

COLOURS = {
    ".": (255, 255, 255),
    "G": (226, 221, 203),
    "S": (176, 186, 150),
    "T": (62, 99, 66),
    "W": (48, 94, 138),
    "@": (0, 0, 0),
    "O": (44, 44, 52),
}
"""The colours of letters in images that `write_map` makes: free cells are light, and all others dark."""


def is_map(path: Path) -> bool:
    """Return whether a file has the suffix of a format of maps."""
    return path.suffix.lower() in SUFFIXES


def read_map(path: Path, reading: Reading = Reading()) -> Map:
    """Read a map in any format."""
    suffix = path.suffix.lower()
    if suffix in _READERS:
        if not path.is_file():
            raise InputError(f"the file {path} does not exist; check the path")
        module, function = _READERS[suffix]
        if module in NEEDS_EXTRA:
            require("maps", f"reading {path}")
        if suffix in IMAGES and suffix == ".pgm" and reading == Reading():
            ros = import_module(f"{__name__}.ros")
            if (facts := ros.facts_beside(path)) is not None:
                return as_map(ros.read(facts, reading), str(facts))
        letters: Letters = getattr(import_module(f"{__name__}.{module}"), function)(path, reading)
        return as_map(letters, str(path))
    reading.check(path, "MovingAI's maps")
    return Map.parse(path.read_bytes(), str(path))


def map_text(path: Path) -> bytes:
    """Return the content of a file, or the content of the map file to which it is converted."""
    return path.read_bytes() if path.suffix.lower() not in _READERS else read_map(path).text()


def _npy(letters: Letters) -> bytes:
    content = BytesIO()
    np.save(content, np.isin(letters, np.frombuffer(b"@OTW", np.uint8)))
    return content.getvalue()


def _image(path: Path, letters: Letters) -> bytes:
    require("maps", f"writing {path}")
    images = import_module(f"{__name__}.images")
    content = BytesIO()
    image = images.save(path, letters, COLOURS)
    image.save(
        content, format={".pgm": "PPM"}.get(path.suffix.lower()) or path.suffix[1:].upper().replace("TIF", "TIFF")
    )
    return content.getvalue()


def write_map(made: Map, path: Path) -> bytes:
    """Return a map as the content of a file; the suffix of the path is the format."""
    letters = made.letters()
    text = import_module(f"{__name__}.text")
    writers: dict[str, Callable[[], bytes]] = {
        MAP: made.text,
        ".txt": lambda: text.ascii_text(letters).encode(),
        ".csv": lambda: text.csv_text(letters).encode(),
        ".npy": partial(_npy, letters),
        **{suffix: partial(_image, path, letters) for suffix in IMAGES if suffix not in LOSSY},
    }
    suffix = path.suffix.lower()
    if suffix not in writers:
        raise InputError(f"cannot write maps as '{suffix}' files; use one of {', '.join(writers)}")
    return writers[suffix]()

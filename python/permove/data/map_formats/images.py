"""Images as maps: dark pixels are walls, or a palette file gives the letter of each colour."""

import tomllib
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from permove.common.errors import InputError
from permove.data.map_formats.letters import LETTERS, MAX_SIDE, THRESHOLD, Letters, Reading, damaged, of_walls

SUFFIXES = (".png", ".gif", ".bmp", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".pgm", ".pbm", ".ppm")
FORMATS = ("PNG", "GIF", "BMP", "JPEG", "WEBP", "TIFF", "PPM")
"""The formats of these suffixes. Pillow would try all that it knows."""


def read(path: Path, reading: Reading) -> Letters:
    """Return the letters of an image."""
    reading.check(path, "images", "threshold", "palette", "cell")
    if reading.palette is not None and reading.threshold is not None:
        raise InputError("--threshold and --palette cannot be combined; omit one of them")
    pixels = _of_cells(path, colours(path), reading.cell or 1)
    if reading.palette is not None:
        return _by_palette(path, pixels, _palette(reading.palette))
    threshold = THRESHOLD if reading.threshold is None else reading.threshold
    return of_walls(brightness(pixels) < threshold)


def colours(path: Path) -> NDArray[np.uint8]:
    """Return the colours of an image: red, green, blue. Transparent pixels are drawn on white."""
    image = opened(path)
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(_of_8_bits(image).convert("RGBA"))
    return np.asarray(ground.convert("RGB"))


def brightness(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the brightness of colours."""
    return np.asarray(Image.fromarray(pixels).convert("L"))


def opened(path: Path) -> Image.Image:
    """Return an image with its pixels loaded; its size is checked before."""
    content, remedy = BytesIO(), "open it in an image editor and save it again"
    try:
        content = BytesIO(path.read_bytes())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image: Image.Image = Image.open(content, formats=FORMATS)
            if max(image.size) > 16 * MAX_SIDE or image.size[0] * image.size[1] > MAX_SIDE**2:
                raise InputError(
                    f"{path} has {image.size[0]:,} × {image.size[1]:,} pixels; at most {MAX_SIDE} × {MAX_SIDE} are "
                    "supported: scale it to one pixel per cell"
                )
            image.load()
    except UnidentifiedImageError:
        raise InputError(f"{path} is not a valid image (its first bytes are of no known format); {remedy}") from None
    except InputError:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path} does not exist; check the path") from None
        raise damaged(path, "image", f"{error}, near byte {content.tell():,}", remedy) from error
    return image


def save(path: Path, letters: Letters, colours_of: dict[str, tuple[int, int, int]]) -> Image.Image:
    """Return letters as an image of one pixel per cell, with a colour for each letter."""
    table = np.zeros((256, 3), np.uint8)
    for letter, colour in colours_of.items():
        table[ord(letter)] = colour
    image = Image.fromarray(table[letters])
    return image.convert("L") if path.suffix.lower() in (".pgm", ".pbm") else image


def _of_8_bits(image: Image.Image) -> Image.Image:
    """Return an image with 8 bits per channel; Pillow would cut off brighter values of 16 bits."""
    if image.mode not in ("I", "F") and not image.mode.startswith("I;16"):
        return image
    values = np.asarray(image).astype(np.float64)
    return Image.fromarray(np.clip(values / (257 if values.max(initial=0) > 255 else 1), 0, 255).astype(np.uint8))


def _of_cells(path: Path, pixels: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the pixel in the middle of each cell."""
    height, width, _ = pixels.shape
    if side < 1 or width % side or height % side:
        raise InputError(
            f"{path}: {width} × {height} pixels cannot be divided into cells of {side} × {side}; choose another "
            "--cell, or crop the image"
        )
    return pixels[side // 2 :: side, side // 2 :: side]


def _palette(path: Path) -> dict[int, str]:
    """Read a palette: a TOML file with lines such as `"#202020" = "@"`."""
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f'{path} is not a valid palette ({error}); use lines such as "#202020" = "@"') from None
    letters = {}
    for colour, letter in content.items():
        try:
            number = int(colour.removeprefix("#"), 16) if len(colour.removeprefix("#")) == 6 else -1
        except ValueError:
            number = -1
        if number < 0:
            raise InputError(f"{path}: '{colour}' is not a colour; use six hexadecimal digits, such as #202020")
        if not isinstance(letter, str) or len(letter) != 1 or letter not in LETTERS:
            raise InputError(f"{path}: '{letter}' for {colour} is not a letter of maps; use one of {' '.join(LETTERS)}")
        letters[number] = letter
    return letters


def _by_palette(path: Path, pixels: NDArray[np.uint8], palette: dict[int, str]) -> Letters:
    numbers = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    known = np.isin(numbers, list(palette))
    if not known.all():
        y, x = np.argwhere(~known)[0]
        raise InputError(
            f"{path}: the pixel of cell {x},{y} has the colour #{numbers[y, x]:06x}, which the palette lacks; add a "
            f'line such as "#{numbers[y, x]:06x}" = "@"'
        )
    letters = np.zeros(numbers.shape, np.uint8)
    for number, letter in palette.items():
        letters[numbers == number] = ord(letter)
    return letters

"""Arrays as maps: other numbers than 0 are walls, and single characters are the letters of maps."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from permove.common.errors import InputError
from permove.data.map_formats.letters import LETTERS, Letters, Reading, damaged, of_walls


def read(path: Path, reading: Reading) -> Letters:
    """Return the letters of an array in a `.npy` file."""
    reading.check(path, "arrays")
    try:
        array: NDArray[Any] = np.load(BytesIO(path.read_bytes()), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path} does not exist; check the path") from None
        raise damaged(path, "array", error, "write it again with numpy.save") from error
    return of_array(array, str(path))


def of_array(array: ArrayLike, source: str) -> Letters:
    """Return the letters of an array with one row per row of the map. 0 and False are free, other numbers are walls."""
    values = np.asarray(array)
    if values.ndim != 2:
        raise InputError(f"{source} has {values.ndim} dimensions, expected 2: one row per row of the map")
    if values.dtype.kind in "US":
        letters = values.astype("U1")
        unknown = np.argwhere(~np.isin(letters, list(LETTERS)))
        if len(unknown):
            row, column = unknown[0]
            raise InputError(
                f"{source}: unknown letter '{letters[row, column]}' in row {row}, column {column}; use one of "
                f"{' '.join(LETTERS)}"
            )
        return letters.view(np.uint32).reshape(letters.shape).astype(np.uint8)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{source} has values of type {values.dtype}; use numbers, in which 0 is free")
    if values.dtype.kind == "f" and np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise InputError(f"{source}: row {row}, column {column} is not a number; use 0 for free cells and 1 for walls")
    return of_walls(values)

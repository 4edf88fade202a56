"""The data folder: `PERMOVE_DATA` if it is set, otherwise the user's data folder of the system."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_data_path

from permove.common.errors import InputError, reason

VARIABLE = "PERMOVE_DATA"


def data_folder() -> Path:
    """Return the folder of all imported data, which may not exist yet."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else user_data_path("permove", appauthor=False)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Convert an `OSError` while writing to `folder` (permissions, disk space) to an `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({reason(error)}); free disk space, fix the permissions, or set {VARIABLE} "
            "to another folder"
        ) from error

"""Where data lives: the folder in `PERMOVE_DATA`, or else the user's data folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_data_path

from permove.common.errors import InputError, reason

VARIABLE = "PERMOVE_DATA"


def data_folder() -> Path:
    """The folder of everything that was imported; it need not exist yet."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else user_data_path("permove", appauthor=False)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Tell in one sentence why something could not be written into `folder`: no permission, no space, no folder."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{folder}: the data cannot be written ({reason(error)}); make room or give permission there, or let "
            f"{VARIABLE} name another folder"
        ) from error

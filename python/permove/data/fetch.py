"""Download of MovingAI's sets: `SET-map.zip` and `SET-scen.zip`, resumed after an interruption.

The received bytes are kept in `downloads` of the data folder, in a `.part` file with a note about the version of the
remote file. A later call requests only the rest of that version. If the server has a different version or does not
support ranges, the download restarts. Nothing is imported until both archives are complete.
"""

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from permove.common.errors import InputError
from permove.common.names import suggestion
from permove.data import archive
from permove.data.folder import data_folder, writing
from permove.data.movingai import KNOWN, ImportProgress, Index, import_sets, no_progress

BASE_URL = "https://movingai.com/benchmarks"
"""The archives are at BASE_URL/SET/SET-map.zip."""

VARIABLE = "PERMOVE_MOVINGAI_URL"
TIMEOUT = 60
PIECE = 1 << 16

Progress = Callable[[str, int, int | None], None]
"""Called after each received piece with the file name, the bytes received so far, and the total if it is known."""


@dataclass(frozen=True)
class Version:
    """The version of a remote file: its URL and the validator that the server sent for it."""

    url: str
    mark: str | None


def fetch_sets(
    set_name: str,
    base_url: str | None = None,
    progress: Progress = lambda _name, _done, _size: None,
    import_progress: ImportProgress = no_progress,
) -> Index:
    """Download a set and import it. An interrupted download is resumed."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", set_name):
        raise InputError(f"invalid set name '{set_name}'; known sets are {', '.join(KNOWN[:4])}, ...")
    base = (base_url or os.environ.get(VARIABLE) or BASE_URL).rstrip("/")
    if urlsplit(base).scheme not in ("http", "https"):
        raise InputError(f"invalid URL {base}; use one that starts with https://")
    folder = data_folder() / "downloads"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        maps = _download(f"{base}/{set_name}/{set_name}-map.zip", folder, progress)
        if maps is None:
            hint = suggestion(set_name, [name for name in KNOWN if name != set_name])
            raise InputError(f"{base} has no set {set_name}{hint}; check the name, or use another --base-url")
        # Some collections have no scenarios.
        scenarios = _download(f"{base}/{set_name}/{set_name}-scen.zip", folder, progress)
    archives = [path for path in (maps, scenarios) if path is not None]
    (index,) = import_sets(archives, import_progress)
    for path in archives:
        path.unlink()
    return index


def _download(url: str, folder: Path, progress: Progress) -> Path | None:
    """Download a file and return its path, or `None` if the server does not have it."""
    target = folder / url.rpartition("/")[2]
    if target.exists():
        return target
    part, note = target.with_name(f"{target.name}.part"), target.with_name(f"{target.name}.part.json")
    try:
        response = _request(url, part, note)
        if response is None:
            return None
        with response:
            _receive(url, response, part, note, progress)
    except urllib.error.HTTPError as error:
        raise InputError(f"{url}: HTTP status {error.code} ({error.reason}); try again later") from error
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        raise _interrupted(url, part, getattr(error, "reason", error)) from error
    try:
        archive.check(part)
    except InputError:
        part.unlink()
        note.unlink(missing_ok=True)
        raise InputError(f"{url} is not a valid zip file; check the URL, or run this again to restart") from None
    part.replace(target)
    note.unlink(missing_ok=True)
    return target


def _request(url: str, part: Path, note: Path) -> http.client.HTTPResponse | None:
    """Request the missing part of a file, or all of it if its version changed; `None` if the file does not exist."""
    done, version = _state(url, part, note)
    headers = {"User-Agent": "permove"}
    if done and version.mark is not None:
        headers |= {"Range": f"bytes={done}-", "If-Range": version.mark}
    try:
        response: http.client.HTTPResponse = urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=TIMEOUT
        )
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.NOT_FOUND:
            return None
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and "Range" in headers:
            part.unlink()
            return _request(url, part, note)
        raise
    return response


def _receive(url: str, response: http.client.HTTPResponse, part: Path, note: Path, progress: Progress) -> None:
    name, done = part.name.removesuffix(".part"), part.stat().st_size if part.exists() else 0
    if response.status != http.HTTPStatus.PARTIAL_CONTENT or _first_byte(response) != done:
        done = 0
        part.unlink(missing_ok=True)
        note.write_text(json.dumps(asdict(Version(url, _validator(response)))))
    length = response.headers.get("Content-Length")
    size = done + int(length) if length is not None else None
    progress(name, done, size)
    with part.open("ab") as file:
        while piece := response.read(PIECE):
            file.write(piece)
            done += len(piece)
            progress(name, done, size)
    if size is not None and done < size:
        raise _interrupted(url, part, f"{size - done:,} bytes are missing")


def _state(url: str, part: Path, note: Path) -> tuple[int, Version]:
    """Return the number of bytes received earlier, and their version."""
    try:
        version = Version(**json.loads(note.read_text()))
        if version.url == url:
            return part.stat().st_size, version
    except (FileNotFoundError, ValueError, TypeError):
        pass
    return 0, Version(url, None)


def _validator(response: http.client.HTTPResponse) -> str | None:
    """Return the strong ETag or the modification time. Weak ETags do not guarantee equal bytes."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _first_byte(response: http.client.HTTPResponse) -> int | None:
    match = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _interrupted(url: str, part: Path, reason: object) -> InputError:
    done = part.stat().st_size if part.exists() else 0
    return InputError(
        f"the download of {url} was interrupted after {done:,} bytes ({reason}); run the same command again to resume"
    )

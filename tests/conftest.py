"""Fixtures that several test files share."""

import fcntl
import os
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import browser
from permove.data import import_sets
from permove.data.folder import VARIABLE

LONGEST = (
    "test_readme.py",
    "test_cluster.py",
    "test_plugins.py",
    "test_reproduce_control.py",
    "test_reproduce_abstraction.py",
    "test_pdb.py",
    "test_train.py",
    "test_compare.py",
)
"""The files that take longest begin, so that processes that share the tests file by file end at about the same time."""


def pytest_configure() -> None:
    """Let Ctrl-C through: a shell that starts the tests in the background has it ignored, by all their processes."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in order; those of a file stay together, as they stand in it."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session", autouse=True)
def nobodys_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data folder of the user who runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        # Runs ask git for the revision, and a run that a test kills must not leave a locked index behind.
        patch.setenv("GIT_OPTIONAL_LOCKS", "0")
        yield


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the test's own."""
    folder = tmp_path / "data-home"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def all_movingai_zips() -> Path:
    """The folder with MovingAI's zips."""
    source = os.environ.get("PERMOVE_TEST_MOVINGAI")
    if not source:
        pytest.skip("PERMOVE_TEST_MOVINGAI does not name a folder with MovingAI's zips")
    return Path(source)


@pytest.fixture(scope="session")
def movingai_zips(all_movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MovingAI's zips with three maps of StarCraft: all 75 take a minute to solve, the other sets some seconds."""
    folder = tmp_path_factory.mktemp("zips")
    for path in all_movingai_zips.glob("*.zip"):
        if not path.name.startswith("sc1-"):
            (folder / path.name).symlink_to(path.resolve())
            continue
        with zipfile.ZipFile(path) as whole, zipfile.ZipFile(folder / path.name, "w") as part:
            for name in whole.namelist():
                if name.startswith(("Sandstorm", "IceFloes", "NovaStation")):
                    part.writestr(name, whole.read(name))
    return folder


@pytest.fixture(scope="session")
def movingai_data(movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sets of `movingai_zips`; a test that uses it lets `PERMOVE_DATA` name it.

    The sets are imported once, however many processes share the tests. Each of these has a copy, since tests look at
    what is in the folder before and after, and must not see what others have put there meanwhile.
    """
    folder = tmp_path_factory.mktemp("movingai") / "data"
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return imported(movingai_zips, folder)
    shared = tmp_path_factory.getbasetemp().parent / "movingai"
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            imported(movingai_zips, shared)
    return shutil.copytree(shared, folder)


@pytest.fixture
def movingai_home(movingai_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the data folder with MovingAI's sets."""
    monkeypatch.setenv(VARIABLE, str(movingai_data))


@pytest.fixture(scope="session")
def all_movingai_data(all_movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with all sets, for slow tests."""
    return imported(all_movingai_zips, tmp_path_factory.mktemp("all") / "data")


def imported(source: Path, folder: Path) -> Path:
    """Import all sets into a folder that is there only when everything is in it."""
    half = folder.with_name(f"{folder.name}-half")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(half))
        import_sets([source])
    return half.rename(folder)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser for all pages, started once."""
    with browser.chromium() as program:
        yield program


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[browser.Open]:
    """Opens the page in a file; the test fails where it complains of anything or asks for anything beside itself."""
    with browser.reader(chromium) as open_page:
        yield open_page

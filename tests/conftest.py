"""Fixtures that several test files share."""

import fcntl
import os
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
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
"""The slowest files, which start first so that the processes of pytest finish at about the same time."""


def pytest_configure() -> None:
    """Enable Ctrl-C, which is ignored in all processes below a shell that runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Any example can take long on a busy machine.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files; the order within a file stays."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session", autouse=True)
def separate_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests away from the data folder of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        # Runs ask git for the revision, and a run that a test kills must not leave a locked index behind.
        patch.setenv("GIT_OPTIONAL_LOCKS", "0")
        yield


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every test in its own folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of one test, which does not exist yet."""
    folder = tmp_path_factory.mktemp("home") / "data-home"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def all_movingai_zips() -> Path:
    source = os.environ.get("PERMOVE_TEST_MOVINGAI")
    if not source:
        pytest.skip("PERMOVE_TEST_MOVINGAI does not name a folder with MovingAI's zips")
    return Path(source)


@pytest.fixture(scope="session")
def movingai_zips(all_movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MovingAI's zips with only three maps of StarCraft, since solving all 75 takes a minute."""
    folder = tmp_path_factory.mktemp("zips")
    for path in all_movingai_zips.glob("*.zip"):
        if not path.name.startswith("sc1-"):
            (folder / path.name).symlink_to(path.resolve())
            continue
        with zipfile.ZipFile(path) as complete, zipfile.ZipFile(folder / path.name, "w") as part:
            for name in complete.namelist():
                if name.startswith(("Sandstorm", "IceFloes", "NovaStation")):
                    part.writestr(name, complete.read(name))
    return folder


@pytest.fixture(scope="session")
def movingai_data(movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sets of `movingai_zips`, which one process imports for all processes of pytest.

    Each process has its own copy, since tests compare the folder before and after a command.
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
    """Import all sets into a folder, which gets its name when it is complete."""
    partial = folder.with_name(f"{folder.name}-partial")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(partial))
        import_sets([source])
    return partial.rename(folder)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as program:
        yield program


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[browser.Open]:
    """A function that opens a page; the test fails if the page logs an error or loads any other file."""
    with browser.reader(chromium) as open_page:
        yield open_page

"""Fixtures that several test files share."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser

import browser
from data_files import SOME_MAPS, imported, some_zips
from permove.data.folder import VARIABLE

LONGEST = (
    "test_readme.py",
    "test_cluster.py",
    "test_plugins.py",
    "test_pdb.py",
    "test_movingai.py",
    "test_compare.py",
    "test_golden.py",
    "test_run.py",
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
    """MovingAI's zips with the maps of the papers and three maps of each other set."""
    return some_zips(all_movingai_zips, tmp_path_factory.mktemp("zips"), SOME_MAPS)


@pytest.fixture(scope="session")
def movingai_data(movingai_zips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sets of `movingai_zips`."""
    return imported(movingai_zips, tmp_path_factory.mktemp("movingai"))


@pytest.fixture
def movingai_home(movingai_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the data folder with MovingAI's sets."""
    monkeypatch.setenv(VARIABLE, str(movingai_data))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with browser.chromium() as program:
        yield program


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[browser.Open]:
    """A function that opens a page; the test fails if the page logs an error or loads any other file."""
    with browser.reader(chromium) as open_page:
        yield open_page

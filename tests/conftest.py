"""Fixtures that several test files share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import browser
from permove.data import import_sets
from permove.data.folder import VARIABLE


@pytest.fixture(scope="session", autouse=True)
def nobodys_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data folder of the user who runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the test's own."""
    folder = tmp_path / "data-home"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def movingai_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with MovingAI's sets, imported once; a test that uses it lets `PERMOVE_DATA` name it."""
    source = os.environ.get("PERMOVE_TEST_MOVINGAI")
    if not source:
        pytest.skip("PERMOVE_TEST_MOVINGAI does not name a folder with MovingAI's zips")
    folder = tmp_path_factory.mktemp("movingai")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        import_sets([Path(source)])
    return folder


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

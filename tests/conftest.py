"""Fixtures that several test files share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from permove.data.folder import VARIABLE


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of the test's own."""
    folder = tmp_path / "data-home"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def movingai_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with MovingAI's sets imported, for the whole session; `PERMOVE_DATA` names it meanwhile."""
    source = os.environ.get("PERMOVE_TEST_MOVINGAI")
    if not source:
        pytest.skip("PERMOVE_TEST_MOVINGAI does not name a folder with MovingAI's zips")
    from permove.data import import_sets

    folder = tmp_path_factory.mktemp("movingai")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        import_sets([Path(source)])
        yield folder

"""The browser that pages are tested with notices what it is there to notice."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import browser

PAGE = "<!doctype html><meta charset=utf-8><title>made by hand</title><p>text</p>"


def written(folder: Path, more: str = "") -> Path:
    file = folder / "page.html"
    file.write_text(PAGE + more)
    return file


def test_self_contained_page_passes(tmp_path: Path, open_page: browser.Open) -> None:
    page = open_page(written(tmp_path, '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'))
    assert page.title() == "made by hand"
    assert page.evaluate("navigator.onLine") is False


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("<script>console.error('so it goes')</script>", "error in the console: so it goes"),
        ("<script>throw new Error('so it goes')</script>", "an error that nobody caught: so it goes"),
        ("<script src='https://example.org/plot.js'></script>", "beside the page itself: https://example.org/plot.js"),
        ("<link rel=stylesheet href=beside.css>", "beside the page itself: file:"),
    ],
    ids=["console", "exception", "network", "file"],
)
def test_faulty_page_fails_the_test(tmp_path: Path, chromium: Browser, more: str, complaint: str) -> None:
    file = written(tmp_path, more)
    with pytest.raises(AssertionError, match=complaint), browser.reader(chromium) as open_page:
        open_page(file)


def test_missing_browser_skips_tests_or_fails_them_in_ci(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(shutil, "which", nothing)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="install chromium"), browser.chromium():
        pass
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="install chromium"), browser.chromium():
        pass

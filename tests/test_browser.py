"""The browser of the tests detects faulty pages."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import browser

PAGE = "<!doctype html><meta charset=utf-8><title>made by hand</title><p>text</p>"


def written(body: str) -> Path:
    file = Path("page.html")
    file.write_text(PAGE + body)
    return file


def test_self_contained_page_passes(open_page: browser.Open) -> None:
    page = open_page(written('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'))
    assert page.title() == "made by hand"
    assert page.evaluate("navigator.onLine") is False


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("<script>console.error('so it goes')</script>", "error in the console: so it goes"),
        ("<script>throw new Error('so it goes')</script>", "uncaught error: so it goes"),
        ("<script src='https://example.org/plot.js'></script>", "another file: https://example.org/plot.js"),
        ("<link rel=stylesheet href=other.css>", "another file: file:"),
    ],
    ids=["console", "exception", "network", "file"],
)
def test_faulty_page_fails_the_test(chromium: Browser, body: str, error: str) -> None:
    with pytest.raises(AssertionError, match=error), browser.reader(chromium) as open_page:
        open_page(written(body))


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_missing_browser_skips_tests_or_fails_them_in_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="install chromium"), browser.chromium():
        pass

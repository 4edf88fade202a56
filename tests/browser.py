"""A browser that opens pages as a reader without a network does: the system's Chromium, without a window.

A page has to be whole by itself. Whatever it asks for beside itself, and whatever it complains of in the console, fails
the test that opened it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""What the program is called on one system or another."""

WITHIN = ("data:", "blob:")
"""Addresses of what a page carries within itself."""

Open = Callable[..., Page]
"""Opens a file and gives the page; further arguments are those of Playwright's `new_context`."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's browser; without one the test is left out, or fails where `CI` says that there has to be one."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        sentence = f"pages are not tested without a browser: install {NAMES[0]}, so that it is on the PATH"
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@contextmanager
def reader(browser: Browser) -> Iterator[Open]:
    """Open pages in a while, at whose end nothing must have gone wrong in any of them."""
    complaints: list[str] = []
    contexts = []

    def open_page(file: Path, **how: Any) -> Page:
        address = file.resolve().as_uri()
        context = browser.new_context(offline=True, **how)
        contexts.append(context)
        page = context.new_page()

        def console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                complaints.append(f"{message.type} in the console: {message.text}")

        def request(request: Request) -> None:
            if request.url != address and not request.url.startswith(WITHIN):
                complaints.append(f"a request beside the page itself: {request.url}")

        def route(route: Route) -> None:
            if route.request.url.startswith("file:"):
                route.continue_()
            else:
                route.abort()

        page.on("console", console)
        page.on("pageerror", lambda error: complaints.append(f"an error that nobody caught: {error}"))
        page.on("request", request)
        context.route("**/*", route)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints, "; ".join(complaints)

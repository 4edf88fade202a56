"""The system's Chromium, which opens pages without a window and without a network.

A page has to be self-contained: a request for any other file, or an error in the console, fails the test.
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
"""Names of the program on different systems."""

WITHIN = ("data:", "blob:")
"""Addresses of content that is part of the page."""

Open = Callable[..., Page]
"""A function that opens a file and returns its page; further arguments are those of Playwright's `new_context`."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's browser; without one the test is skipped, or fails if `CI` is set."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        message = f"pages are not tested without a browser: install {NAMES[0]}, so that it is on the PATH"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@contextmanager
def reader(browser: Browser) -> Iterator[Open]:
    """Open pages, and fail at the end if any of them logged an error or loaded another file."""
    errors: list[str] = []
    contexts = []

    def open_page(file: Path, **options: Any) -> Page:
        address = file.resolve().as_uri()
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()

        def console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                errors.append(f"{message.type} in the console: {message.text}")

        def request(request: Request) -> None:
            if request.url != address and not request.url.startswith(WITHIN):
                errors.append(f"request for another file: {request.url}")

        def route(route: Route) -> None:
            if route.request.url.startswith("file:"):
                route.continue_()
            else:
                route.abort()

        page.on("console", console)
        page.on("pageerror", lambda error: errors.append(f"uncaught error: {error}"))
        page.on("request", request)
        context.route("**/*", route)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors, "; ".join(errors)

"""Pytest fixtures: `browser` (Chromium, one for each test module) and `page` (a fresh page that watches itself).

A page fails its test when a script throws, when the console reports an error, or when anything is asked of another
machine. Playwright's loop runs only inside a module that uses these fixtures, so tests elsewhere may run their own.
"""

import functools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browser import downloads

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--host-resolver-rules=MAP *.group.test 127.0.0.1",
]
NAVIGATION_ERRORS = (
    "ERR_ABORTED",
    "interrupted by another navigation",
    "Execution context was destroyed",
    "not attached to the DOM",
)
"""How Chromium says that a page went elsewhere while something was done to it."""
MAX_NAVIGATION_ATTEMPTS = 4
RETRIED_METHODS = ("evaluate", "goto", "reload", "wait_for_function")
"""Methods of a page that are safe to repeat where the page has loaded again meanwhile, as live pages do."""
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1", ""}
NO_NETWORK = {"file", "data", "blob", "about"}
UNREACHABLE_AREAS_SCRIPT = """() => [...document.querySelectorAll('body *:not(textarea, select, input, svg *)')]
    .filter(one => one.getClientRects().length && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)
                   && !(one.tabIndex >= 0 && (one.ariaLabel || one.getAttribute('aria-labelledby'))))
    .map(one => one.outerHTML.slice(0, 120))"""
OVERFLOW_SCRIPT = """() => [...document.querySelectorAll('body *')]
    .filter(one => one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1
                   && !one.closest('[data-scrolls]'))
    .map(one => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """A running Chromium. Names that end in .group.test lead to this machine and are no secure context."""
    from playwright.sync_api import Page, sync_playwright

    program, surroundings = downloads.install_chromium()
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        for name in RETRIED_METHODS:
            patch.setattr(Page, name, make_patient(getattr(Page, name)))
        running = playwright.chromium.launch(
            executable_path=program, args=CHROMIUM_ARGUMENTS, env={**os.environ, **surroundings}, timeout=120_000
        )
        yield running
        running.close()


def retry_navigation(step: Callable[[], Any]) -> Any:
    """Take a step and return what it gives; take it again where the page itself was on its way elsewhere."""
    from playwright.sync_api import Error

    for left in reversed(range(MAX_NAVIGATION_ATTEMPTS)):
        try:
            return step()
        except Error as error:
            if not left or not any(words in str(error) for words in NAVIGATION_ERRORS):
                raise
            time.sleep(0.5)
    raise AssertionError


def make_patient(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a page that is repeated where the page was on its way elsewhere."""

    @functools.wraps(method)
    def patient(*arguments: Any, **settings: Any) -> Any:
        return retry_navigation(lambda: method(*arguments, **settings))

    return patient


@pytest.fixture
def page(browser) -> Iterator:
    """A fresh page, 1280 × 800, with its own cookies; `page.set_viewport_size` makes it a phone."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    opened = context.new_page()
    faults = collect_page_errors(opened)
    yield opened
    context.close()
    assert not faults, "\n".join(faults)


def collect_page_errors(page) -> list[str]:
    """What goes wrong on a page from now on: errors thrown or printed, and requests to other machines."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"a script threw {error}"))
    page.on("console", lambda said: faults.append(f"the console says {said.text}") if said.type == "error" else None)
    page.on("request", lambda request: faults.extend(_outside(request.url)))
    return faults


def _outside(url: str) -> list[str]:
    parts = urlsplit(url)
    here = parts.scheme in NO_NETWORK or parts.hostname in LOCAL_HOSTS or str(parts.hostname).endswith(".group.test")
    return [] if here else [f"the page asked {parts.hostname} for {parts.path}"]


@pytest.fixture(scope="session")
def axe() -> Callable:
    """`axe(page)` lists what axe-core finds hard to use on a page, one sentence each; an empty list is a pass."""
    script = (downloads.install_package("axe-core") / "axe.min.js").read_text(encoding="utf-8")

    def run(page):
        page.evaluate(script)
        return page.evaluate("async () => (await axe.run()).violations")

    def complaints(page) -> list[str]:
        found = evaluate_when_stable(page, run) and evaluate_when_stable(
            page, run
        )  # what is wrong is so on a second look, too
        return [
            f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:160]})" for one in found
        ] + find_unreachable_scroll_areas(page)

    return complaints


def find_unreachable_scroll_areas(page) -> list[str]:
    """The areas that may scroll and that no key reaches, or that have no name: axe asks only where something overflows,
    which depends on the browser and its fonts."""
    found = evaluate_when_stable(page, lambda page: page.evaluate(UNREACHABLE_AREAS_SCRIPT))
    return [f"out of reach: an area that scrolls needs a name and a tabindex ({one})" for one in found]


def find_overflowing_elements(page) -> list[str]:
    """The elements that stick out of the page on the right: on a phone there must be none."""
    found = evaluate_when_stable(page, lambda page: page.evaluate(OVERFLOW_SCRIPT))
    return found and evaluate_when_stable(
        page, lambda page: page.evaluate(OVERFLOW_SCRIPT)
    )  # one that was on its way had no styles yet


def evaluate_when_stable(page, look: Callable) -> Any:
    """What a look at a page finds that has come whole, with its styles; it looks again where the page has shown itself
    anew meanwhile, as live ones do.
    """
    from playwright.sync_api import Error

    for left in reversed(range(5)):
        page.wait_for_load_state()
        try:
            return look(page)
        except Error as error:
            if not left or "Execution context was destroyed" not in str(error):
                raise
    raise AssertionError


def take_screenshot(page, name: str) -> None:
    """A full-page picture in out/browser/ for people to look at, where somebody wants pictures."""
    if os.environ.get("ISEGORIA_PICTURES"):
        page.screenshot(path=Path("out") / "browser" / f"{name}.png", full_page=True)

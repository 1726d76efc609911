"""Pytest fixtures: `browser` (Chromium, one for each test module) and `page` (a fresh page that watches itself).

A page fails its test when a script throws, when the console reports an error, or when anything is asked of another
machine. Playwright's loop runs only inside a module that uses these fixtures, so tests elsewhere may run their own.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browser import fetch

ARGUMENTS = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--host-resolver-rules=MAP *.group.test 127.0.0.1"]
HERE = {"localhost", "127.0.0.1", "::1", ""}
NO_NETWORK = {"file", "data", "blob", "about"}
OUT_OF_REACH = """() => [...document.querySelectorAll('body *:not(textarea, select, input, svg *)')]
    .filter(one => one.getClientRects().length && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)
                   && !(one.tabIndex >= 0 && (one.ariaLabel || one.getAttribute('aria-labelledby'))))
    .map(one => one.outerHTML.slice(0, 120))"""
TOO_WIDE = """() => [...document.querySelectorAll('body *')]
    .filter(one => one.getClientRects().length && one.getBoundingClientRect().right > innerWidth + 1
                   && !one.closest('[data-scrolls]'))
    .map(one => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """A running Chromium. Names that end in .group.test lead to this machine and are no secure context."""
    from playwright.sync_api import sync_playwright

    program, surroundings = fetch.chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=program, args=ARGUMENTS, env={**os.environ, **surroundings}, timeout=120_000
        )
        yield running
        running.close()


@pytest.fixture
def page(browser) -> Iterator:
    """A fresh page, 1280 × 800, with its own cookies; `page.set_viewport_size` makes it a phone."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    opened = context.new_page()
    faults = watch(opened)
    yield opened
    context.close()
    assert not faults, "\n".join(faults)


def watch(page) -> list[str]:
    """What goes wrong on a page from now on: errors thrown or printed, and requests to other machines."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"a script threw {error}"))
    page.on("console", lambda said: faults.append(f"the console says {said.text}") if said.type == "error" else None)
    page.on("request", lambda request: faults.extend(_outside(request.url)))
    return faults


def _outside(url: str) -> list[str]:
    parts = urlsplit(url)
    here = parts.scheme in NO_NETWORK or parts.hostname in HERE or str(parts.hostname).endswith(".group.test")
    return [] if here else [f"the page asked {parts.hostname} for {parts.path}"]


@pytest.fixture(scope="session")
def axe() -> Callable:
    """`axe(page)` lists what axe-core finds hard to use on a page, one sentence each; an empty list is a pass."""
    script = (fetch.package("axe-core") / "axe.min.js").read_text(encoding="utf-8")

    def run(page):
        page.evaluate(script)
        return page.evaluate("async () => (await axe.run()).violations")

    def complaints(page) -> list[str]:
        found = steadily(page, run) and steadily(page, run)  # what is wrong is so on a second look, too
        return [f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:160]})" for one in found] + out_of_reach(page)

    return complaints


def out_of_reach(page) -> list[str]:
    """The areas that may scroll and that no key reaches, or that have no name: axe asks only where something overflows,
    which depends on the browser and its fonts."""
    found = steadily(page, lambda page: page.evaluate(OUT_OF_REACH))
    return [f"out of reach: an area that scrolls needs a name and a tabindex ({one})" for one in found]


def too_wide(page) -> list[str]:
    """The elements that stick out of the page on the right: on a phone there must be none."""
    found = steadily(page, lambda page: page.evaluate(TOO_WIDE))
    return found and steadily(page, lambda page: page.evaluate(TOO_WIDE))  # one that was on its way had no styles yet


def steadily(page, look: Callable) -> Any:
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


def picture(page, name: str) -> None:
    """A full-page picture in out/browser/ for people to look at, where somebody wants pictures."""
    if os.environ.get("ISEGORIA_PICTURES"):
        page.screenshot(path=Path("out") / "browser" / f"{name}.png", full_page=True)

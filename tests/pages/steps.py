"""Steps that a page may cross by itself: one that shows what is new loads again, and the step is taken once more."""

import time
from collections.abc import Callable

from playwright.sync_api import Error

MET = ("ERR_ABORTED", "interrupted by another navigation", "Execution context was destroyed", "not attached to the DOM")
"""How Chromium says that two ways met."""
TRIES = 4
PATIENCE = 60.0
"""Seconds for what must come to pass, on a machine that has other things to do."""


def crossed(step: Callable[[], object]) -> None:
    """Take a step; again, where the page itself was on its way elsewhere."""
    for left in reversed(range(TRIES)):
        try:
            step()
            return
        except Error as error:
            if not left or not any(words in str(error) for words in MET):
                raise
            time.sleep(0.5)


def until(page, holds: Callable[[], object]) -> None:
    """Let a page go on until something is so."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        page.wait_for_timeout(50)


def quiet(page, milliseconds: int = 400) -> None:
    """Let a page go on until it has asked for nothing more for a while."""
    script = """(least) => {
        const asked = performance.getEntriesByType('resource').length, now = performance.now();
        if (asked !== window.asked) [window.asked, window.since] = [asked, now];
        return now - window.since > least;
    }"""
    page.wait_for_function(script, arg=milliseconds)


def likes(page, group, name: str, box: str) -> None:
    """Tap a box of somebody's page, which may show what others have answered at this very moment, until it is kept."""

    def kept() -> bool:
        crossed(lambda: page.check(box))
        arm = page.get_attribute(box, "data-arm")
        return bool(group.service.get(group.api, group.made["members"][name])["you"]["ratings"].get(arm))

    until(page, kept)

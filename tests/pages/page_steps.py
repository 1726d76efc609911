"""Steps that a page may cross by itself: one that shows what is new loads again, and the step is taken once more."""

import time
from collections.abc import Callable

from browser.fixtures import retry_navigation

__all__ = ["retry_navigation", "tap_favourite", "wait_for_idle_network", "wait_until"]
WAIT_TIMEOUT_SECONDS = 60.0
"""Seconds for what must come to pass, on a machine that has other things to do."""


def wait_until(page, holds: Callable[[], object]) -> None:
    """Let a page go on until something is so."""
    end = time.monotonic() + WAIT_TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        page.wait_for_timeout(50)


def wait_for_idle_network(page, milliseconds: int = 400) -> None:
    """Let a page go on until it has asked for nothing more for a while."""
    script = """(least) => {
        const asked = performance.getEntriesByType('resource').length, now = performance.now();
        if (asked !== window.asked) [window.asked, window.since] = [asked, now];
        return now - window.since > least;
    }"""
    page.wait_for_function(script, arg=milliseconds)


def tap_favourite(page, group, name: str, box: str) -> None:
    """Tap a box of somebody's page, which may show what others have answered at this very moment, until it is kept."""

    def kept() -> bool:
        retry_navigation(lambda: page.check(box))
        arm = page.get_attribute(box, "data-arm")
        return bool(group.service.get(group.api, group.made["members"][name])["you"]["ratings"].get(arm))

    wait_until(page, kept)

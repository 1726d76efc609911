"""Steps that a page may cross by itself: one that shows what is new loads again, and the step is taken once more."""

import time
from collections.abc import Callable

from playwright.sync_api import Error

MET = ("ERR_ABORTED", "interrupted by another navigation")  # how Chromium says that two ways met
TRIES = 4


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

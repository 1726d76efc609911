"""Which coalition blocks, if any does, by the method that suits the number of types and the time there is."""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria.solvers.coalition.blocking import Search
from isegoria.solvers.coalition.child import in_child
from isegoria.solvers.coalition.enumeration import MOST_TYPES, every_coalition
from isegoria.solvers.coalition.mixed_integer import by_program

MOST_ASKED = 5_000
"""Types that the mixed-integer program is asked about: of more it has never decided a case within a minute, and its
memory would outgrow that of the table."""

PROMPT = 20_000
"""Entries up to which HiGHS was seen to stop in time by itself; with more it gets a process that can be ended."""

GRACE = 0.5
"""Seconds that the process may need to say what it has found once its time is over."""


def search(rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float) -> Search | None:
    """A blocking coalition or a bound on the total gain of any, infinity where time ran out; None for too many types.

    `rows` (m, K) are scaled to a best of 1, `shares` (m,) sum to 1, `values` (m,) are what the types have now.
    """
    types, entries = len(values), rows.size if isinstance(rows, np.ndarray) else rows.nnz
    if types <= MOST_TYPES:
        return every_coalition(rows, shares, values, deadline)
    if types > MOST_ASKED:
        return None
    if entries <= PROMPT:
        return by_program(rows, shares, values, deadline)
    seconds = deadline - monotonic()
    found = in_child(by_program, (rows, shares, values, deadline), seconds + GRACE) if seconds > 0 else None
    return found or Search(None, None, np.inf)

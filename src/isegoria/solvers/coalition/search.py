"""Search for a blocking coalition by the method that suits the number of types and the time limit."""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from isegoria.solvers.coalition.blocking import CoalitionSearchResult
from isegoria.solvers.coalition.enumeration import MAX_ENUMERATED_TYPES, search_all_coalitions
from isegoria.solvers.coalition.mixed_integer import search_by_milp
from isegoria.solvers.coalition.timed_process import run_with_timeout

MAX_MILP_TYPES = 5_000
"""The mixed-integer program is tried up to this many types. With more, it has never decided a case within a minute, and
it would need more memory than the table."""

MAX_IN_PROCESS_ENTRIES = 20_000
"""Up to this many entries, HiGHS was observed to respect its time limit; with more, it runs in a process that can be
terminated."""

EXIT_GRACE_SECONDS = 0.5
"""Extra time for the process to report its result after its time limit."""


def search_blocking_coalition(
    rows: Any, shares: np.ndarray, values: np.ndarray, deadline: float
) -> CoalitionSearchResult | None:
    """Return a blocking coalition or a bound on the total gain of any (infinity on timeout); None for too many types.

    `rows` (m, K) are scaled to a best of 1, `shares` (m,) sum to 1, `values` (m,) are what the types have now.
    """
    types, entries = len(values), rows.size if isinstance(rows, np.ndarray) else rows.nnz
    if types <= MAX_ENUMERATED_TYPES:
        return search_all_coalitions(rows, shares, values, deadline)
    if types > MAX_MILP_TYPES:
        return None
    if entries <= MAX_IN_PROCESS_ENTRIES:
        return search_by_milp(rows, shares, values, deadline)
    seconds = deadline - monotonic()
    found = (
        run_with_timeout(search_by_milp, (rows, shares, values, deadline), seconds + EXIT_GRACE_SECONDS)
        if seconds > 0
        else None
    )
    return found or CoalitionSearchResult(None, None, np.inf)

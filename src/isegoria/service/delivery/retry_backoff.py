"""Retry with exponential backoff: how long to wait before something that has failed is tried again."""

from __future__ import annotations

FIRST_RETRY_SECONDS = 10
"""Seconds until the second try; each later wait is twice as long."""
MAX_BACKOFF_SECONDS = 3600
MAX_DOUBLINGS = 12


def compute_backoff_seconds(doublings: int) -> int:
    """Return the wait after so many doublings of the first one, at most `MAX_BACKOFF_SECONDS`.

    >>> [compute_backoff_seconds(doublings) for doublings in (-3, 0, 1, 2, 50)]
    [10, 10, 20, 40, 3600]
    """
    return min(MAX_BACKOFF_SECONDS, FIRST_RETRY_SECONDS * 2 ** max(0, min(doublings, MAX_DOUBLINGS)))

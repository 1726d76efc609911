"""What the agents of a read table stated: who abstained, who stated nothing, and which ratings are unknown."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

MissingChoice = Literal["refuse", "lowest", "drop", "abstain", "unknown"]
"""What a gap in a table of ratings may be."""


class StatedRatings(NamedTuple):
    """What was stated in a table with gaps.

    Attributes
    ----------
    abstentions : tuple of str
        The agents who stated nothing and are left out (`missing="abstain"`).
    abstaining_weight : int
        How many agents they are.
    silent : numpy.ndarray or None
        (N,) The agents of the instance who stated nothing, but are counted as indifferent.
    stated : numpy.ndarray, sparse array or None
        (N, K) Which ratings were stated, if the others are unknown (`missing="unknown"`).
    """

    abstentions: tuple[str, ...] = ()
    abstaining_weight: int = 0
    silent: np.ndarray | None = None
    stated: Any = None

"""Find which end of a list of categories is the best: as the user says, or as the file orders them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from isegoria.errors import BallotWarning, InputError, unknown_name_error

_NEGATIVE_WORDS = (
    r"dis\w*|not?|non|against|oppos\w*|reject\w*|bad|poor|worst|never|nay|veto\w*|refus\w*|den(y|ied)|un\w+"
)
_POSITIVE_WORDS = r"approv\w*|yes|yea|for|favou?r\w*|support\w*|accept\w*|good|excellent|best|like\w*|agree\w*|want\w*"


def is_worst_first(names: Sequence[str], best: str | None, where: str) -> bool:
    """Check whether the categories `names`, in the order of the file, run from worst to best.

    `best` names the best category, in any case; it must be the first or the last. With None the first is the best, and
    a `BallotWarning` is issued if the names suggest otherwise.

    >>> is_worst_first(["Disapproved", "Neutral", "Approved"], "approved", "votes.cat")
    True
    """
    if best is None:
        if len(names) > 1 and _matches_words(names[0], _NEGATIVE_WORDS) and _matches_words(names[-1], _POSITIVE_WORDS):
            warnings.warn(
                f"{where}: the first category is {names[0]!r} and the last {names[-1]!r}; the first is taken as the "
                f"best. If it is the last, say --best-category {names[-1]!r} (best_category= in Python).",
                BallotWarning,
                stacklevel=6,
            )
        return False
    if not names:
        raise InputError(f"best_category is {best!r}, and {where} does not name its categories; leave it out.")
    known = {name.casefold(): place for place, name in enumerate(names)}
    place = known.get(str(best).strip().casefold())
    if place is None:
        raise unknown_name_error("category", best, names)
    if place not in (0, len(names) - 1):
        raise InputError(
            f"best_category is {best!r}, which stands between others ({', '.join(names)}); expected the first or the "
            "last, since the others follow in their order. Put the categories of the file in order first."
        )
    return place > 0


def _matches_words(name: str, words: str) -> bool:
    return re.match(rf"({words})\b", name.strip().casefold()) is not None

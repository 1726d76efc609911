"""Which end of a list of categories is the best: as it is said, or as the file has it; a note where names disagree."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from isegoria.errors import BallotWarning, InputError, unknown

_AGAINST = r"dis\w*|not?|non|against|oppos\w*|reject\w*|bad|poor|worst|never|nay|veto\w*|refus\w*|den(y|ied)|un\w+"
_FOR = r"approv\w*|yes|yea|for|favou?r\w*|support\w*|accept\w*|good|excellent|best|like\w*|agree\w*|want\w*"


def reversed_order(names: Sequence[str], best: str | None, where: str) -> bool:
    """Whether the categories `names`, in the order of the file, run from the worst to the best.

    `best` names the best one, or is None: then it is the first, and a `BallotWarning` says so if the names sound
    otherwise.

    >>> reversed_order(["Disapproved", "Neutral", "Approved"], "approved", "votes.cat")
    True
    """
    if best is None:
        if len(names) > 1 and _sounds(names[0], _AGAINST) and _sounds(names[-1], _FOR):
            warnings.warn(
                f"{where}: the first category is {names[0]!r} and the last {names[-1]!r}; the first is taken as the "
                f"best. If it is the last, say --best-category {names[-1]!r} (best_category= in Python).",
                BallotWarning,
                stacklevel=5,
            )
        return False
    if not names:
        raise InputError(f"best_category is {best!r}, and {where} does not name its categories; leave it out.")
    known = {name.casefold(): place for place, name in enumerate(names)}
    place = known.get(str(best).strip().casefold())
    if place is None:
        raise unknown("category", best, names)
    if place not in (0, len(names) - 1):
        raise InputError(
            f"best_category is {best!r}, which stands between others ({', '.join(names)}); expected the first or the "
            "last, since the others follow in their order. Put the categories of the file in order first."
        )
    return place > 0


def _sounds(name: str, words: str) -> bool:
    return re.match(rf"({words})\b", name.strip().casefold()) is not None

"""Turns in a record: what each pseudonym is owed follows from the pages and draws before, and decides the next draw.

Nothing of it is written on a line of its own. In a record with turns a member has one pseudonym in every round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.record.format.stream import Stream
from isegoria.record.turns.ledger import Ballots, Debt, charged, owed_table, scores
from isegoria.record.turns.settled import ball_among, settled_scores, tied_at_the_top
from isegoria.record.turns.worlds import exchanged, laid_out

Said = Mapping[str, Any]
Debts = dict[str, Debt]  # by pseudonym, as digits


def ballots_on(page: Said) -> Ballots:
    """The ballots of a freeze line, over the arms on offer: each pseudonym with her weight and her set."""
    offered = {arm: place for place, arm in enumerate(page["available"])}
    names = [(name, kind) for kind in page["types"] for name in kind["who"]]
    wants = np.zeros((len(names), len(offered)), dtype=bool)
    for row, (_, kind) in enumerate(names):
        wants[row, [offered[arm] for arm in kind["set"]]] = True
    return Ballots(
        tuple(name for name, _ in names),
        np.array([kind["weight"] for _, kind in names], dtype=np.int64),
        wants,
        np.array([page["voices"][arm] for arm in page["available"]], dtype=np.int64),
    )


def turn_balls(turns: Said, page: Said, debts: Debts, stream: Stream) -> list[int]:
    """The ball of each world, the real one first, that `stream` draws from a page when so much is owed before it."""
    ballots, worlds = ballots_on(page), turns["worlds"]
    owed = owed_table(debts, ballots.members, worlds)
    if turns["mode"] == "settled":
        waited = [debts[name].waited if name in debts else 0 for name in ballots.members]
        tied = tied_at_the_top(ballots, settled_scores(ballots, owed, waited))
        return [ball_among(stream, ballots.voices, tied)]
    balls, order = laid_out(stream, sum(page["voices"]), worlds)
    ends = np.cumsum(ballots.voices)
    arms = np.searchsorted(ends, np.array(balls, dtype=np.int64), side="right").tolist()
    return exchanged(balls, arms, order, scores(ballots, owed))


def carried(page: Said, debts: Debts, arms: Sequence[int] | None) -> Debts:
    """What is owed after a round in which world m played `arms[m]`; the same as before if nothing was played.

    An arm that was put in though it was not on offer is nobody's favourite.
    """
    if arms is None:
        return debts
    offered = {arm: place for place, arm in enumerate(page["available"])}
    return charged(debts, ballots_on(page), [offered.get(arm) for arm in arms])

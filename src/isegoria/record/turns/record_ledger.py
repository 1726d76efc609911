"""The ledger of a record with turns: debts follow from earlier pages and draws, and decide the next draw.

Debts are not written on any line. In a record with turns, a member has the same pseudonym in every round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.record.format.draw_stream import DrawStream
from isegoria.record.turns.deterministic import draw_among_tied, find_top_options, score_deterministic
from isegoria.record.turns.ledger import Ballots, LedgerEntry, build_debt_table, charge_ledger, score_options
from isegoria.record.turns.lottery import deal_balls, exchange_balls

LinePayload = Mapping[str, Any]
Ledger = dict[str, LedgerEntry]  # by pseudonym, in hexadecimal


def ballots_from_page(page: LinePayload) -> Ballots:
    """Return the ballots of a freeze line over the arms on offer: each pseudonym with its weight and favourites."""
    offered = {arm: place for place, arm in enumerate(page["available"])}
    names = [(name, kind) for kind in page["types"] for name in kind["pseudonyms"]]
    wants = np.zeros((len(names), len(offered)), dtype=bool)
    for row, (_, kind) in enumerate(names):
        wants[row, [offered[arm] for arm in kind["candidates"]]] = True
    return Ballots(
        tuple(name for name, _ in names),
        np.array([kind["weight"] for _, kind in names], dtype=np.int64),
        wants,
        np.array([page["arm_units"][arm] for arm in page["available"]], dtype=np.int64),
    )


def draw_turn_balls(turns: LinePayload, page: LinePayload, debts: Ledger, stream: DrawStream) -> list[int]:
    """Return the ball of each world, the real one first, that `stream` draws from a page given the debts before it."""
    ballots, worlds = ballots_from_page(page), turns["worlds"]
    owed = build_debt_table(debts, ballots.members, worlds)
    if turns["mode"] == "deterministic":
        waited = [debts[name].waited if name in debts else 0 for name in ballots.members]
        tied = find_top_options(ballots, score_deterministic(ballots, owed, waited))
        return [draw_among_tied(stream, ballots.voices, tied)]
    balls, order = deal_balls(stream, sum(page["arm_units"]), worlds)
    ends = np.cumsum(ballots.voices)
    arms = np.searchsorted(ends, np.array(balls, dtype=np.int64), side="right").tolist()
    return exchange_balls(balls, arms, order, score_options(ballots, owed))


def carry_debts(page: LinePayload, debts: Ledger, arms: Sequence[int] | None) -> Ledger:
    """Return the debts after a round in which world m played `arms[m]`; None for `arms` changes nothing.

    An arm that was played although it was not on offer is nobody's favourite.
    """
    if arms is None:
        return debts
    offered = {arm: place for place, arm in enumerate(page["available"])}
    return charge_ledger(debts, ballots_from_page(page), [offered.get(arm) for arm in arms])

"""Our own rules over many histories: the fair lottery without memory, drawn turns, settled turns, debts alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isegoria.instance import Instance
from isegoria.record.turns.ledger import Ballots, Debt, charged, owed_table, scores
from isegoria.record.turns.modes import Mode
from isegoria.record.turns.turns import Turns, ballots_of

Player = Callable[[np.ndarray, int, np.ndarray | None], np.ndarray]


def table_of(ballots: np.ndarray, there: np.ndarray | None = None) -> Instance:
    """The `Instance` of one round, members by number; who is not `there` is left out."""
    rows = np.arange(len(ballots)) if there is None else np.flatnonzero(there)
    return Instance(ballots[rows].astype(float), agents=[str(row) for row in rows])


def with_turns(mode: Mode, worlds: int | None = None) -> Player:
    """The player (history (T, N, K), its number, who is there) → (T,) options, by `Turns` themselves."""

    def play(history: np.ndarray, number: int, there: np.ndarray | None = None) -> np.ndarray:
        turns = Turns(mode, worlds)
        played = []
        for t, ballots in enumerate(history):
            proposal = turns.propose(table_of(ballots, None if there is None else there[t]))
            turn = turns.draw(proposal, f"{number} {t}")
            played.append(proposal.options.index(turn.option))
        return np.array(played)

    return play


def debts_only(history: np.ndarray, number: int, there: np.ndarray | None = None) -> np.ndarray:
    """The option whose supporters are owed most, nothing else counted; the lowest index between equal ones."""
    entries: dict[str, Debt] = {}
    played = []
    for t, round in enumerate(history):
        ballots = ballots_of(table_of(round, None if there is None else there[t]))[0]
        arm = most_owed(ballots, entries)
        entries = charged(entries, ballots, [arm])
        played.append(arm)
    return np.array(played)


def most_owed(ballots: Ballots, entries: dict[str, Debt]) -> int:
    """The option of the largest debt among those with a voice on them."""
    claims = scores(ballots, owed_table(entries, ballots.members, 1))[0]
    return max(np.flatnonzero(ballots.voices).tolist(), key=lambda arm: (int(claims[arm]), -arm))


OURS: dict[str, tuple[str, Player]] = {
    "lottery": ("independent fair lottery", with_turns("drawn", 1)),
    "drawn-4": ("drawn, 4 worlds", with_turns("drawn", 4)),
    "drawn-8": ("drawn, 8 worlds", with_turns("drawn", 8)),
    "debts": ("settled, debts only", debts_only),
    "settled": ("settled", with_turns("settled")),
}

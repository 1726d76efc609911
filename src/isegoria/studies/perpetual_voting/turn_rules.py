"""Our rules over many histories: the fair lottery without memory, drawn turns, deterministic turns, and debts alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isegoria.profiles import Instance
from isegoria.record.turns.ledger import Ballots, LedgerEntry, build_debt_table, charge_ledger, score_options
from isegoria.record.turns.modes import Mode
from isegoria.record.turns.perpetual import Turns, build_ballots

TurnPlayer = Callable[[np.ndarray, int, np.ndarray | None], np.ndarray]


def to_instance(ballots: np.ndarray, there: np.ndarray | None = None) -> Instance:
    """Return the `Instance` of one round, with members by number; absent members are left out."""
    rows = np.arange(len(ballots)) if there is None else np.flatnonzero(there)
    return Instance(ballots[rows].astype(float), agents=[str(row) for row in rows])


def make_turns_player(mode: Mode, worlds: int | None = None) -> TurnPlayer:
    """Return a player that maps (history (T, N, K), its number, participation) to (T,) options by `Turns`."""

    def play(history: np.ndarray, number: int, there: np.ndarray | None = None) -> np.ndarray:
        turns = Turns(mode, worlds)
        played = []
        for t, ballots in enumerate(history):
            proposal = turns.propose(to_instance(ballots, None if there is None else there[t]))
            turn = turns.draw(proposal, f"{number} {t}")
            played.append(proposal.options.index(turn.option))
        return np.array(played)

    return play


def play_by_debts(history: np.ndarray, number: int, there: np.ndarray | None = None) -> np.ndarray:
    """Play the option whose supporters are owed the largest debt; ties go to the lowest index."""
    entries: dict[str, LedgerEntry] = {}
    played = []
    for t, round in enumerate(history):
        ballots = build_ballots(to_instance(round, None if there is None else there[t]))[0]
        arm = largest_debt_option(ballots, entries)
        entries = charge_ledger(entries, ballots, [arm])
        played.append(arm)
    return np.array(played)


def largest_debt_option(ballots: Ballots, entries: dict[str, LedgerEntry]) -> int:
    """Return the option of the largest debt among those with a positive voice."""
    claims = score_options(ballots, build_debt_table(entries, ballots.members, 1))[0]
    return max(np.flatnonzero(ballots.voices).tolist(), key=lambda arm: (int(claims[arm]), -arm))


TURN_RULES: dict[str, tuple[str, TurnPlayer]] = {
    "lottery": ("independent fair lottery", make_turns_player("lottery", 1)),
    "drawn-4": ("drawn, 4 worlds", make_turns_player("lottery", 4)),
    "drawn-8": ("drawn, 8 worlds", make_turns_player("lottery", 8)),
    "debts": ("settled, debts only", play_by_debts),
    "deterministic": ("deterministic", make_turns_player("deterministic")),
}

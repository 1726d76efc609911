"""What turns must withstand, at any size: an opponent who sees the debts, and tables for which plans are made."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

import isegoria as iso
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.ledger import LedgerEntry, build_debt_table, charge_ledger, score_options
from isegoria.record.turns.perpetual import build_ballots
from turns.enumeration import random_group

MEMBERS, OPTIONS = 8, 4


def play_adaptive_adversary(rounds: int, ballots: int, seed: int = 8) -> Iterator[float]:
    """Debts alone (Theorem 3), while an opponent takes the worst of so many random ballots in each round.

    After each round Σ owed² as a share of its bound, the weights of all rounds together.
    """
    rng = np.random.default_rng(seed)
    entries: dict[str, LedgerEntry] = {}
    for number in range(1, rounds + 1):
        size, entries = max(
            (_played(entries, random_group(rng, MEMBERS, OPTIONS)) for _ in range(ballots)), key=lambda one: one[0]
        )
        yield size / UNITS_PER_VOICE**2 / (number * MEMBERS)


def _played(entries: dict[str, LedgerEntry], instance: iso.Instance) -> tuple[int, dict[str, LedgerEntry]]:
    """Σ owed² in squared units, and the entries, after the option whose friends are owed most was played."""
    asked, _ = build_ballots(instance)
    claims = score_options(asked, build_debt_table(entries, asked.members, 1))[0]
    arm = max(np.flatnonzero(asked.voices).tolist(), key=lambda k: claims[k])
    after = charge_ledger(entries, asked, [arm])
    return sum(entry.owed[0] ** 2 for entry in after.values()), after


def find_worse_plans(seeds: Iterable[int], rounds: int = 8) -> list[int]:
    """The tables for which a plan leaves more owed, added up over its rounds, than debts alone from round to round."""
    return [seed for seed in seeds if _plan_and_debts_alone(seed, rounds) > 0]


def _plan_and_debts_alone(seed: int, rounds: int) -> Fraction:
    group = random_group(np.random.default_rng([10, seed]), 6, 3)
    plan, alone, entries = iso.Turns("deterministic").plan(group, rounds=rounds), 0, {}
    for _ in range(rounds):
        size, entries = _played(entries, group)
        alone += size
    return plan.total - Fraction(alone, UNITS_PER_VOICE**2)

"""The ledger of turns: what luck gave or took from each member, in units of which `UNITS` are one decision.

After option k is played a member who asked is owed her `credit` more, the chance that her favourites had in that
round, and one decision less if k is a favourite of hers. Under the round's own lottery that is 0 on average, whatever
she reports. Whoever does not ask (absent, or every option is a favourite) is neither promised nor charged anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isegoria.record.format.units import UNITS

LARGEST = 2**62
"""Sums that may pass this are taken in Python's own whole numbers."""


@dataclass(frozen=True)
class Debt:
    """What a member is owed in each world, in units; `waited`: rounds she asked in since a favourite was played.

    World 0 is the real one; the others are computed beside it (`worlds`).
    """

    owed: tuple[int, ...]
    waited: int = 0


@dataclass(frozen=True, eq=False)
class Ballots:
    """The reports of one round as the ledger needs them.

    - `members` (n,) names, `weights` (n,), `wants` (n, K) booleans: the favourites among the options on offer.
    - `voices` (K,) the units of all voices on each option, W·U in all.
    """

    members: tuple[str, ...]
    weights: np.ndarray
    wants: np.ndarray
    voices: np.ndarray

    @cached_property
    def asking(self) -> np.ndarray:
        """(n,) booleans: those who want some option and not every one."""
        liked = self.wants.sum(axis=1)
        return np.asarray((liked > 0) & (liked < self.wants.shape[1]))

    @cached_property
    def credit(self) -> np.ndarray:
        """(n,) the units that the round's lottery promises each member: the chance of her favourites, rounded down."""
        return np.asarray((self.wants @ self.voices) // int(self.weights.sum()))


def scores(ballots: Ballots, owed: np.ndarray) -> np.ndarray:
    """(M, K) what the supporters of each option are owed in each world, this round's promise included.

    `owed` (n, M) is what each member of the ballots is owed; who does not ask brings nothing.
    """
    asking, weights = ballots.asking, ballots.weights
    promised = owed[asking] + ballots.credit[asking, None]
    if promised.dtype != object and promised.size and float(np.abs(promised).max()) * float(weights.max()) >= LARGEST:
        promised = promised.astype(object)
    claims = promised * weights[asking, None]
    return exact_product(claims.T, ballots.wants[asking])


def exact_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """`left` @ `right` (booleans) in whole numbers of any size."""
    if left.dtype != object and left.size and float(np.abs(left).max()) * left.shape[1] >= LARGEST:
        left = left.astype(object)
    return np.asarray(left @ right.astype(left.dtype))


def owed_table(entries: Mapping[str, Debt], members: Sequence[str], worlds: int) -> np.ndarray:
    """(n, M) what each of `members` is owed in each world; 0 for who has no entry yet."""
    nothing = Debt((0,) * worlds)
    rows = [entries.get(name, nothing).owed for name in members]
    small = all(min(row) > -(2**53) and max(row) < 2**53 for row in rows)
    return np.array(rows, dtype=np.int64 if small else object).reshape(len(members), worlds)


def charged(entries: Mapping[str, Debt], ballots: Ballots, arms: Sequence[int | None]) -> dict[str, Debt]:
    """The ledger after world m has played option `arms[m]`, None for one that was not on offer.

    Nobody's entry changes who did not ask.
    """
    after = dict(entries)
    nothing = Debt((0,) * len(arms))
    asking, credit, wants = ballots.asking.tolist(), ballots.credit.tolist(), ballots.wants.tolist()
    for name, asks, due, wanted in zip(ballots.members, asking, credit, wants, strict=True):
        if asks:
            entry = after.get(name, nothing)
            lost, won = due, due - UNITS
            had = [arm is not None and wanted[arm] for arm in arms]
            owed = tuple([was + (won if got else lost) for was, got in zip(entry.owed, had, strict=True)])
            after[name] = Debt(owed, 0 if had[0] else entry.waited + 1)
    return after

"""The ledger of turns: what luck gave to or took from each member, in units; `UNITS_PER_VOICE` units are one decision.

After option k is played, a participating member is owed their `credit` more, the chance that their favourites had in
that round, and one decision less if k is one of their favourites. Under the round's lottery this is 0 on average,
whatever they report. Members who do not participate (absent, or every option is a favourite) are neither promised
nor charged anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isegoria.record.format.voice_units import UNITS_PER_VOICE

INT64_SAFE_LIMIT = 2**62
"""Sums that may exceed this limit are computed with Python integers."""


@dataclass(frozen=True)
class LedgerEntry:
    """What a member is owed in each world, in units; `waited`: rounds they asked in since a favourite was last played.

    World 0 is the real one; the others are computed in parallel (`worlds`).
    """

    owed: tuple[int, ...]
    waited: int = 0


@dataclass(frozen=True, eq=False)
class Ballots:
    """The reports of one round, as the ledger needs them.

    - `members` (n,) names, `weights` (n,), `wants` (n, K) booleans: the favourites among the options on offer.
    - `voices` (K,) the units of all voices on each option, W·U in total.
    """

    members: tuple[str, ...]
    weights: np.ndarray
    wants: np.ndarray
    voices: np.ndarray

    @cached_property
    def asking(self) -> np.ndarray:
        """(n,) booleans: the members who participate, because they want some options and not all."""
        liked = self.wants.sum(axis=1)
        return np.asarray((liked > 0) & (liked < self.wants.shape[1]))

    @cached_property
    def credit(self) -> np.ndarray:
        """(n,) the units that the round's lottery promises each member: the chance of their favourites, floored."""
        return np.asarray((self.wants @ self.voices) // int(self.weights.sum()))


def score_options(ballots: Ballots, owed: np.ndarray) -> np.ndarray:
    """Return (M, K): what the supporters of each option are owed in each world, including this round's credit.

    `owed` (n, M) is what each member of the ballots is owed. Members who do not participate contribute nothing.
    """
    asking, weights = ballots.asking, ballots.weights
    promised = owed[asking] + ballots.credit[asking, None]
    if (
        promised.dtype != object
        and promised.size
        and float(np.abs(promised).max()) * float(weights.max()) >= INT64_SAFE_LIMIT
    ):
        promised = promised.astype(object)
    claims = promised * weights[asking, None]
    return multiply_exactly(claims.T, ballots.wants[asking])


def multiply_exactly(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return `left` @ `right` (booleans) in whole numbers of any size."""
    if left.dtype != object and left.size and float(np.abs(left).max()) * left.shape[1] >= INT64_SAFE_LIMIT:
        left = left.astype(object)
    return np.asarray(left @ right.astype(left.dtype))


def build_debt_table(entries: Mapping[str, LedgerEntry], members: Sequence[str], worlds: int) -> np.ndarray:
    """Return (n, M): what each of `members` is owed in each world, 0 if they have no entry yet."""
    nothing = LedgerEntry((0,) * worlds)
    rows = [entries.get(name, nothing).owed for name in members]
    small = all(min(row) > -(2**53) and max(row) < 2**53 for row in rows)
    return np.array(rows, dtype=np.int64 if small else object).reshape(len(members), worlds)


def charge_ledger(
    entries: Mapping[str, LedgerEntry], ballots: Ballots, arms: Sequence[int | None]
) -> dict[str, LedgerEntry]:
    """Return the ledger after a round.

    `arms[m]` is the option played in world m, or None if it was not available. Members who did not participate keep
    their entry.
    """
    after = dict(entries)
    nothing = LedgerEntry((0,) * len(arms))
    asking, credit, wants = ballots.asking.tolist(), ballots.credit.tolist(), ballots.wants.tolist()
    for name, asks, due, wanted in zip(ballots.members, asking, credit, wants, strict=True):
        if asks:
            entry = after.get(name, nothing)
            lost, won = due, due - UNITS_PER_VOICE
            had = [arm is not None and wanted[arm] for arm in arms]
            owed = tuple([was + (won if got else lost) for was, got in zip(entry.owed, had, strict=True)])
            after[name] = LedgerEntry(owed, 0 if had[0] else entry.waited + 1)
    return after

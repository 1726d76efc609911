"""Plan turns for options that are known in advance, with small debts over all rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.ledger import Ballots, LedgerEntry, build_debt_table, score_options


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan: `options` (T,) in order; `owed` {name: (T,) decisions owed after each round}; `total`, its objective.

    `total` is Σ_t Σ_i w_i owed_i(t)² in decisions. The plan is a local minimum: no change of one round's option and no
    exchange of two rounds lowers it.
    """

    options: tuple[str, ...]
    owed: Mapping[str, tuple[Fraction, ...]] = field(repr=False)
    total: Fraction = field(repr=False)


@dataclass(frozen=True, eq=False)
class PlannedRound:
    """One round of a plan: its ballots, and the names of its options."""

    ballots: Ballots
    options: tuple[str, ...]

    @property
    def choices(self) -> list[int]:
        """The options that some voice is spent on and that may be played, lowest index first."""
        return np.flatnonzero(self.ballots.voices).tolist()


def build_plan(rounds: Sequence[PlannedRound], entries: Mapping[str, LedgerEntry]) -> Plan:
    """Compute a plan: greedy by debts, round by round, then improved until no single change or exchange helps."""
    members = tuple(dict.fromkeys(name for each in rounds for name in each.ballots.members))
    debts = _PlanLedger(rounds, members, entries)
    chosen = debts.greedy()
    best = debts.total(chosen)
    improved = True
    while improved:
        improved = False
        for other in _iter_neighbours(rounds, chosen):
            total = debts.total(other)
            if total < best:
                chosen, best, improved = other, total, True
                break
    paths = debts.paths(chosen)
    return Plan(
        tuple(each.options[arm] for each, arm in zip(rounds, chosen, strict=True)),
        {name: tuple(Fraction(row[i], UNITS_PER_VOICE) for row in paths) for i, name in enumerate(members)},
        Fraction(best, UNITS_PER_VOICE**2),
    )


def _iter_neighbours(rounds: Sequence[PlannedRound], chosen: list[int]) -> Iterator[list[int]]:
    """Yield every plan that differs in one round's option, then every one with the options of two rounds exchanged."""
    for t, each in enumerate(rounds):
        for arm in each.choices:
            if arm != chosen[t]:
                yield [*chosen[:t], arm, *chosen[t + 1 :]]
    named = [each.options[arm] for each, arm in zip(rounds, chosen, strict=True)]
    places = [{each.options[arm]: arm for arm in each.choices} for each in rounds]
    for s in range(len(rounds)):
        for t in range(s + 1, len(rounds)):
            if named[s] != named[t] and named[t] in places[s] and named[s] in places[t]:
                other = list(chosen)
                other[s], other[t] = places[s][named[t]], places[t][named[s]]
                yield other


class _PlanLedger:
    """The debts that a plan leaves, in whole numbers: the sum of the steps of every round and option."""

    def __init__(
        self, rounds: Sequence[PlannedRound], members: tuple[str, ...], entries: Mapping[str, LedgerEntry]
    ) -> None:
        self._rounds, self._entries = rounds, entries
        self._start = [entries[name].owed[0] if name in entries else 0 for name in members]
        place = {name: i for i, name in enumerate(members)}
        self._steps = [self._of_round(each.ballots, place) for each in rounds]
        self._weights = [self._of_weights(each.ballots, place) for each in rounds]

    @staticmethod
    def _of_round(ballots: Ballots, place: Mapping[str, int]) -> list[list[int]]:
        """Return (K, n): how each option changes what each member is owed."""
        steps = [[0] * len(place) for _ in range(len(ballots.voices))]
        rows = zip(
            ballots.members, ballots.asking.tolist(), ballots.credit.tolist(), ballots.wants.tolist(), strict=True
        )
        for name, asks, credit, wanted in rows:
            if asks:
                for arm, liked in enumerate(wanted):
                    steps[arm][place[name]] = credit - UNITS_PER_VOICE * liked
        return steps

    @staticmethod
    def _of_weights(ballots: Ballots, place: Mapping[str, int]) -> list[int]:
        weights = [1] * len(place)
        for name, weight in zip(ballots.members, ballots.weights.tolist(), strict=True):
            weights[place[name]] = weight
        return weights

    def paths(self, chosen: Sequence[int]) -> list[list[int]]:
        """Return (T, n): what each member is owed after each round."""
        owed, rows = self._start, []
        for steps, arm in zip(self._steps, chosen, strict=True):
            owed = [was + step for was, step in zip(owed, steps[arm], strict=True)]
            rows.append(owed)
        return rows

    def total(self, chosen: Sequence[int]) -> int:
        """Return Σ_t Σ_i w_i owed_i(t)²."""
        paths = zip(self.paths(chosen), self._weights, strict=True)
        return sum(
            weight * number * number for row, weights in paths for number, weight in zip(row, weights, strict=True)
        )

    def greedy(self) -> list[int]:
        """Return the options that debts alone choose, round by round; the lowest index on ties."""
        from isegoria.record.turns.ledger import charge_ledger

        entries = {name: LedgerEntry(entry.owed[:1], entry.waited) for name, entry in self._entries.items()}
        chosen: list[int] = []
        for each in self._rounds:
            claims = score_options(each.ballots, build_debt_table(entries, each.ballots.members, 1))[0]
            arm = max(each.choices, key=lambda k: (int(claims[k]), -k))
            entries = charge_ledger(entries, each.ballots, [arm])
            chosen.append(arm)
        return chosen

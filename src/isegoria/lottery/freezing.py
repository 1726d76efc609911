"""What a freeze shows: everyone's voice in exact units, and the roots of what stays private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.lottery.favourites import favourite_sets
from isegoria.lottery.leaves import Ratings, in_order, known_leaves, tally_leaves
from isegoria.lottery.merkle import root
from isegoria.lottery.people import Person
from isegoria.lottery.record import Record
from isegoria.lottery.units import LARGEST, LONGEST_BLOCK, checked_total
from isegoria.lottery.voices import Voices, exact_voices, exploration, members_of
from isegoria.objectives import solve
from isegoria.voice import attributed


@dataclass(frozen=True)
class Frozen:
    """The part of a fair freeze that follows from the members: everything but the round's place and source.

    `leaves` are (member number, leaf) in the order of the tree, for receipts; they are not in the record.
    """

    available: list[int]
    block: int
    voices: Voices = field(repr=False)
    types: list[dict] = field(repr=False)
    tally_root: bytes
    leaves: list[tuple[int, bytes]] = field(repr=False)

    def keys(self) -> dict:
        """The keys of the freeze line that are decided here."""
        return {
            "available": self.available,
            "block": self.block,
            "voices": self.voices.voices.tolist(),
            "explore": self.voices.explore.tolist(),
            "types": self.types,
            "tally_root": self.tally_root.hex(),
            "answered": len(self.leaves),
        }


def known(
    record: Record, people: Sequence[Person], ratings: Mapping[int, Ratings], available: Sequence[int] | None = None
) -> Frozen:
    """The next freeze from known ratings: {member number: a decimal or None for each arm}.

    `people` are all members of the roster. Who has no ratings has all available arms as favourites.
    """
    available = checked_available(record, available)
    people = checked_people(record, people)
    arms, group, round_ = record.terms["arms"], record.group, record.next_round
    ordered = in_order(group, round_, people)
    rows = [ratings.get(person.number) for _, person in ordered]
    sets = favourite_sets(rows, len(arms), available, record.charter["scale"])
    leaves = known_leaves(group, round_, ordered, rows, len(arms))
    voices = voices_of_sets(sets, [person.weight for _, person in ordered], record)
    block = record.terms["block"] or min(len(people), LONGEST_BLOCK)
    return frozen(available, block, voices, [name for name, _ in ordered], leaves)


def learned(
    record: Record,
    people: Sequence[Person],
    sets: Mapping[int, Sequence[bool]],
    told: Mapping[int, Sequence[Ratings]],
    *,
    rate=0,
    doubtful: Sequence[int] = (),
    block: int | None = None,
    available: Sequence[int] | None = None,
) -> Frozen:
    """The next freeze from what a learner holds possible: {member number: her set (K,) of possible favourites}.

    `told` are all ratings of each member so far, whose sums go under the root. `rate` of exploration, if any, is spread
    over the arms `doubtful`, those of the running sweep that were not yet pulled in it.
    """
    available = checked_available(record, available)
    people = checked_people(record, people)
    arms, group, round_ = record.terms["arms"], record.group, record.next_round
    ordered = in_order(group, round_, people)
    leaves = tally_leaves(group, round_, ordered, told, len(arms))
    block = record.terms["block"] or block or 1
    table = np.array([sets[person.number] for _, person in ordered], dtype=bool)
    total = sum(person.weight for person in people) * record.charter["units"]
    allowed = min(Fraction(rate), Fraction(record.terms["explore_max"]))
    explore = exploration(len(arms), total, allowed, doubtful, block)
    voices = voices_of_sets(table, [person.weight for _, person in ordered], record, explore)
    return frozen(available, block, voices, [name for name, _ in ordered], leaves)


def voices_of_sets(sets: np.ndarray, weights: Sequence[int], record: Record, explore=None) -> Voices:
    """Exact voices of the fair policy for members with these sets (N, K) and weights."""
    units, arms = record.charter["units"], record.terms["arms"]
    weights = np.array(weights, dtype=np.int64)
    checked_total(int(weights.sum()), units)
    instance = Instance(sets.astype(float), arms=arms, weights=weights)
    policy = solve(instance, "procedural", tie_break=record.charter["rules"]["tie"]).policy
    types = instance.favourite_types
    shares = attributed(instance, policy).by_type
    names = range(len(weights))
    return exact_voices(types.rows, shares, types.member, weights, units, explore, arms=arms, agents=names)


def frozen(available, block: int, voices: Voices, names: Sequence[bytes], leaves) -> Frozen:
    """`Frozen` of voices whose members stand in the order of their pseudonyms."""
    if voices.total >= LARGEST:
        raise InputError("with exploration this drum is too large for exact numbers; amend explore_max.")
    if voices.total % block:
        raise InputError(
            f"a block of {block} does not divide the {voices.total:,} units of this drum; amend the block, or begin "
            "a record with the usual units."
        )
    order = np.argsort(voices.member, kind="stable").tolist()
    hexed = [name.hex() for name in names]
    types, start = [], 0
    for row, held, weight, count in zip(
        voices.rows.tolist(), members_of(voices.sets), voices.weights.tolist(), voices.counts.tolist(), strict=True
    ):
        who = [hexed[i] for i in order[start : start + count]]
        types.append({"set": held, "weight": weight, "units": row, "who": who})
        start += count
    return Frozen(list(available), block, voices, types, root([leaf for _, leaf in leaves]), leaves)


def checked_available(record: Record, available: Sequence[int] | None) -> list[int]:
    """The available arms in order; all if none are named."""
    arms = len(record.terms["arms"])
    chosen = list(range(arms)) if available is None else sorted(set(available))
    if not chosen or chosen[0] < 0 or chosen[-1] >= arms:
        raise InputError(f"available arms are {chosen}; expected one or more of 0 to {arms - 1}.")
    return chosen


def checked_people(record: Record, people: Sequence[Person]) -> list[Person]:
    """`people`, if they are those of the roster with its weights."""
    people = sorted(people, key=lambda person: person.number)
    expected = [(n, entry["weight"]) for n, entry in record.members.items()]
    if [(person.number, person.weight) for person in people] != expected:
        raise InputError("the people given are not the members of the latest roster, with their weights.")
    return people

"""What a freeze fixes: everyone's voice in exact units, and the roots of what stays private, as lines to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.objectives import solve
from isegoria.record.changes import NewEvent
from isegoria.record.favourites import favourite_sets
from isegoria.record.format import lines
from isegoria.record.format.lines import Said
from isegoria.record.format.merkle import leaf_hash, root
from isegoria.record.format.people import (
    Leaves,
    Person,
    Ratings,
    in_order,
    known_leaves,
    pseudonym,
    ratings_leaf,
    tally_leaves,
)
from isegoria.record.format.units import LARGEST, LONGEST_BLOCK, checked_total
from isegoria.record.group import Closing, Group
from isegoria.record.replay import Replay, Saved, check_policy
from isegoria.record.voices import Voices, exact_voices, exploration, members_of
from isegoria.voice import attributed


@dataclass(frozen=True)
class Frozen:
    """The part of a fair freeze that follows from the members: everything but the round's place and source.

    `leaves` are (member number, leaf) in the order of the tree, for receipts; they are not in the group.
    """

    available: list[int]
    block: int
    voices: Voices = field(repr=False)
    types: list[Said] = field(repr=False)
    tally_root: bytes
    leaves: Leaves = field(repr=False)

    def keys(self) -> Said:
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


class Fixed(NamedTuple):
    """The events of a freeze: ratings that became final, and the page itself; with the learner that proposed it."""

    events: list[NewEvent]
    replay: Replay | None


def fix(
    group: Group, closing: Closing, people: Mapping[int, Person], *, occasion: int | None = None,
    event: str | None = None, form: list[int] | None = None, saved: Saved | None = None,
) -> Fixed:  # fmt: skip
    """What the freeze of a closing writes. `people` is everybody, `saved` may shorten the way to the learner."""
    here = [people[number] for number in group.members]
    said: dict[str, Any] = {"occasion": occasion, "event": event, "form": form}
    if not group.learns:
        frozen = known(group, here, known_rows(closing, len(group.arms)), group.available)
        return Fixed([_freeze(group, lines.freeze(group, frozen, **said), frozen.leaves)], None)
    events = []
    for number, leaves in rating_leaves(group, unwritten(group, closing), people).items():
        line = lines.ratings(group, number, [leaf for _, leaf in leaves])
        events.append(NewEvent(f"ratings:{number}:{group.next_round}", "ratings", tree(leaves), line))
        group = group.behind(line)
    replay = Replay.at(group, group.next_round, saved, closing)
    proposal = replay.learner.propose(group.available)
    if proposal.forced:
        lines.check_source(group, occasion)
        line = lines.trial(group, available=group.available, occasion=occasion)
        return Fixed([*events, _freeze(group, line, [])], replay)
    told = told_rows(group, group.next_round, closing)
    frozen = learned(group, here, told=told, available=group.available, **replay.terms(proposal))
    check_policy(group.charter["learner"], proposal, np.array([float(share) for share in frozen.voices.policy]))
    return Fixed([*events, _freeze(group, lines.freeze(group, frozen, **said), frozen.leaves)], replay)


def _freeze(group: Group, line: lines.NewLine, leaves: Leaves) -> NewEvent:
    return NewEvent(f"freeze:{group.next_round}", "freeze", tree(leaves), line)


def tree(leaves: Leaves) -> Said:
    """What is kept of the leaves under a root: whose each is, and its hash, which tells nothing once she is erased."""
    return {"tree": [[number, leaf_hash(leaf).hex()] for number, leaf in leaves]}


def known_rows(closing: Closing, arms: int) -> dict[int, Ratings]:
    """The ratings that a closing counted, a row for each member who gave any."""
    return {member: [values.get(arm) for arm in range(arms)] for member, values in closing.counted.items()}


def told_rows(group: Group, number: int, closing: Closing) -> dict[int, list[Ratings]]:
    """Everything that each member had told by the closing of round `number`, one row for each rating."""
    rows: dict[int, list[Ratings]] = {}
    for one in [*(round_.closing for round_ in group.rounds[: number - 1]), closing]:
        for _, _, member, arm, value in one.told:
            rows.setdefault(member, []).append([None] * arm + [value])
    return rows


Told = tuple[int, int, int, int, str]


def unwritten(group: Group, closing: Closing) -> list[Told]:
    """What a closing made final and no ratings line holds yet: all, unless a freeze was interrupted."""
    return [one for one in closing.told if not group.rounds[one[0] - 1].rooted.get((one[1], one[2]))]


def rating_leaves(group: Group, told: Iterable[Told], people: Mapping[int, Person]) -> dict[int, Leaves]:
    """The leaves of what was told, by round, each with its owner, in the order of their tree."""
    ordered: dict[int, list[tuple[bytes, int, int, bytes]]] = {}
    for number, slot, member, arm, value in told:
        person, row = people[member], group.rounds[number - 1].row(arm, value)
        leaf = ratings_leaf(group.id, person, number, slot, row)
        ordered.setdefault(number, []).append((pseudonym(person.secret, group.id, number, member), slot, member, leaf))
    return {number: [(member, leaf) for _, _, member, leaf in sorted(ordered[number])] for number in sorted(ordered)}


def known(
    group: Group, people: Sequence[Person], ratings: Mapping[int, Ratings], available: Sequence[int] | None = None
) -> Frozen:
    """The next freeze from known ratings: {member number: a decimal or None for each arm}.

    `people` are all members of the roster. Who has no ratings has all available arms as favourites.
    """
    available = group.checked_available(available)
    people = checked_people(group, people)
    arms, id, round_ = group.arms, group.id, group.next_round
    ordered = in_order(id, round_, people)
    rows = [ratings.get(person.number) for _, person in ordered]
    sets = favourite_sets(rows, len(arms), available, group.charter["scale"])
    leaves = known_leaves(id, round_, ordered, rows, len(arms))
    voices = voices_of_sets(sets, [person.weight for _, person in ordered], group)
    block = group.terms["block"] or min(len(people), LONGEST_BLOCK)
    return frozen(available, block, voices, [name for name, _ in ordered], leaves)


def learned(
    group: Group,
    people: Sequence[Person],
    sets: Mapping[int, Sequence[bool]],
    told: Mapping[int, Sequence[Ratings]],
    *,
    rate: float = 0,
    doubtful: Sequence[int] = (),
    block: int | None = None,
    available: Sequence[int] | None = None,
) -> Frozen:
    """The next freeze from what a learner holds possible: {member number: her set (K,) of possible favourites}.

    `told` are all ratings of each member so far, whose sums go under the root. `rate` of exploration, if any, is spread
    over the arms `doubtful`, those of the running sweep that were not yet pulled in it.
    """
    available = group.checked_available(available)
    people = checked_people(group, people)
    arms, id, round_ = group.arms, group.id, group.next_round
    ordered = in_order(id, round_, people)
    leaves = tally_leaves(id, round_, ordered, told, len(arms))
    block = group.terms["block"] or block or 1
    table = np.array([sets[person.number] for _, person in ordered], dtype=bool)
    total = sum(person.weight for person in people) * group.charter["units"]
    allowed = min(Fraction(rate), Fraction(group.terms["explore_max"]))
    explore = exploration(len(arms), total, allowed, doubtful, block)
    voices = voices_of_sets(table, [person.weight for _, person in ordered], group, explore)
    return frozen(available, block, voices, [name for name, _ in ordered], leaves)


def voices_of_sets(
    sets: np.ndarray, weights: Sequence[int], group: Group, explore: Sequence[int] | None = None
) -> Voices:
    """Exact voices of the fair policy for members with these sets (N, K) and weights."""
    units, arms = group.charter["units"], group.terms["arms"]
    held = np.array(weights, dtype=np.int64)
    checked_total(int(held.sum()), units)
    instance = Instance(sets.astype(float), arms=arms, weights=held)
    policy = solve(instance, "procedural", tie_break=group.charter["rules"]["tie"]).policy
    types = instance.favourite_types
    shares = attributed(instance, policy).by_type
    names = range(len(weights))
    return exact_voices(types.rows, shares, types.member, held, units, explore, arms=arms, agents=names)


def frozen(available: Sequence[int], block: int, voices: Voices, names: Sequence[bytes], leaves: Leaves) -> Frozen:
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


def checked_people(group: Group, people: Sequence[Person]) -> list[Person]:
    """`people`, if they are those of the roster with its weights."""
    people = sorted(people, key=lambda person: person.number)
    expected = [(n, entry["weight"]) for n, entry in group.members.items()]
    if [(person.number, person.weight) for person in people] != expected:
        raise InputError("the people given are not the members of the latest roster, with their weights.")
    return people

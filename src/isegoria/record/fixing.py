"""What a freeze fixes: everyone's voice in exact units, and the roots of what stays private, as lines to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.record.changes import NewEvent
from isegoria.record.format import lines, order
from isegoria.record.format.canonical import exact, leaf_hash, root
from isegoria.record.format.lines import NewLine, Said
from isegoria.record.format.people import (
    Leaves,
    Ordered,
    Person,
    Told,
    in_order,
    pseudonym,
    ratings_leaf,
)
from isegoria.record.format.units import (
    LONGEST_BLOCK,
    checked_total,
    doubters_row,
    favourite_sets,
    finest_units,
    rounded_rows,
)
from isegoria.record.group import Group
from isegoria.record.minds import Minds, SavedMinds
from isegoria.record.round import Answer, Closing
from isegoria.rules import solve
from isegoria.voice import attributed

MOST_EXCESS = Fraction(1, 10**5)
"""δ of the certificate: a page above it is false, and not written."""

PROPOSED = "proposed for this round"
"""Why arms are added at a freeze."""

FINENESS = 128  # quotients are rounded down to so many bits, as every verifier does
Shown = tuple[tuple[int, ...], int | None]  # a member's set and, in doubt, her leader


@dataclass(frozen=True)
class Frozen:
    """The part of a fair freeze that follows from the members: everything but the round's place and source.

    `leaves` are (member number, leaf) in the order of the tree, for receipts; they are not in the group.
    """

    available: list[int]
    block: int
    units: int
    voices: list[int]
    types: list[Said] = field(repr=False)
    leaves: Leaves = field(repr=False)

    def keys(self) -> Said:
        """The keys of the freeze line that are decided here."""
        return {
            "available": self.available,
            "block": self.block,
            "units": self.units,
            "voices": self.voices,
            "types": self.types,
            "root": root([leaf for _, leaf in self.leaves]).hex(),
            "count": len(self.leaves),
        }


class PageTerms(NamedTuple):
    """What a keeper says of a page: when, what is decided, and the source's part; the rest follows from the members."""

    at: int
    event: str
    occasion: int | None = None
    form: Said | None = None


class Fixed(NamedTuple):
    """The events of a freeze: who takes part, ratings that became final, and the page; with the learner behind it."""

    events: list[NewEvent]
    minds: Minds | None


def fix(
    group: Group, closing: Closing, people: Mapping[int, Person], page: PageTerms, saved: SavedMinds | None = None
) -> Fixed:
    """What the freeze of a closing writes. `people` is everybody, `saved` may shorten the way to the learner."""
    events = begin(group, closing.entries)
    twin = group.after(events)
    added = proposed(twin)
    events, twin = [*events, *added], twin.after(added)
    here = [people[number] for number, entry in enumerate(closing.entries) if entry is not None]
    if not group.learns:
        frozen = known(twin, here, closing.counted, closing.available)
        return Fixed([*events, _freeze(twin, frozen, page)], None)
    for number, leaves in rating_leaves(twin, unwritten(group, closing), people, twin.roster).items():
        line = lines.ratings(twin, number, [leaf for _, leaf in leaves])
        events.append(NewEvent(f"ratings:{number}:{group.next_round}", "ratings", tree(leaves), line))
        twin = twin.behind(line)
    minds = Minds.at(group, closing, saved)
    if order.untried(twin, closing.available) is not None:
        line = lines.trial(twin, available=closing.available, occasion=page.occasion)
        return Fixed([*events, NewEvent(f"freeze:{group.next_round}", "trial", tree([]), line)], minds)
    frozen = learned(twin, here, minds, closing.available)
    return Fixed([*events, _freeze(twin, frozen, page)], minds)


def begin(group: Group, entries: Sequence[Said | None]) -> list[NewEvent]:
    """What has to be written before a page: charter and roster of a new record, or a roster with what was gathered."""
    events: list[NewEvent] = []
    twin = group
    if not group.lines:
        names = ("title", "arms", "source", "privacy", "block", "learner", "settings", "scale", "tie", "turns")
        line = lines.charter(group, group_id=group.terms["group"], **{name: group.terms[name] for name in names})
        events.append(NewEvent("charter", "charter", {}, line))
        twin = group.after(events)
    if not twin.rosters or twin.roster["members"] != list(entries):
        line = lines.roster(twin, entries)
        events.append(NewEvent(f"roster:{line.said['version']}", "roster", {}, line))
    return events


def proposed(group: Group) -> list[NewEvent]:
    """The line that makes arms of what was proposed since the last freeze, if anything was."""
    if not group.proposals:
        return []
    line = lines.amend(group, "arms", group.options, PROPOSED)
    return [NewEvent(f"amend:{group.next_round}:arms", "amend", {}, line)]


def _freeze(group: Group, frozen: Frozen, page: PageTerms) -> NewEvent:
    line: NewLine = lines.freeze(group, frozen, at=page.at, event=page.event, occasion=page.occasion, form=page.form)
    return NewEvent(f"freeze:{group.next_round}", "freeze", tree(frozen.leaves), line)


def tree(leaves: Leaves) -> Said:
    """What is kept of the leaves under a root: whose each is, and its hash, which tells nothing once she is erased."""
    return {"tree": [[number, leaf_hash(leaf).hex()] for number, leaf in leaves]}


def unwritten(group: Group, closing: Closing) -> list[Answer]:
    """What a closing made final and no ratings line holds yet: all, unless a freeze was interrupted."""
    return [one for one in closing.told if not group.rounds[one[0] - 1].rooted.get((one[1], one[2]))]


def key_of(roster: Said, number: int) -> str | None:
    """The key that a roster has for a member, if any."""
    entry = roster["members"][number] if number < len(roster["members"]) else None
    return entry["key"] if entry else None


def rating_leaves(
    group: Group, told: Iterable[Answer], people: Mapping[int, Person], roster: Said
) -> dict[int, Leaves]:
    """The leaves of what was told, by round, each with its owner, in the order of their tree.

    `roster` is the latest before their line: a signature by a key that is not on it is left out.
    """
    ordered: dict[int, list[tuple[bytes, int, int, bytes]]] = {}
    for number, slot, member, _, said in told:
        person = people[member]
        leaf = ratings_leaf(group.id, person, number, slot, said.under(key_of(roster, member)))
        ordered.setdefault(number, []).append((pseudonym(person.secret, group.id, number, member), slot, member, leaf))
    return {number: [(member, leaf) for _, _, member, leaf in sorted(ordered[number])] for number in sorted(ordered)}


def option_leaves(group_id: bytes, round_: int, ordered: Ordered, counted: Mapping[int, Told], roster: Said) -> Leaves:
    """(member number, leaf) under the root of a freeze from known ratings, of those who gave any."""
    return [
        (person.number, ratings_leaf(group_id, person, round_, None, told.under(key_of(roster, person.number))))
        for _, person in ordered
        if (told := counted.get(person.number))
    ]


def known(
    group: Group, people: Sequence[Person], counted: Mapping[int, Told], available: Sequence[int] | None = None
) -> Frozen:
    """The next freeze from known ratings, by member number.

    `people` are all members of the roster. Who has no ratings has all available arms as favourites.
    """
    available = group.checked_available(available)
    ordered = in_order(group.id, group.naming(group.next_round), checked_people(group, people))
    rows = [counted[person.number].values if person.number in counted else None for _, person in ordered]
    table = favourite_sets(rows, len(group.arms), available, group.charter["scale"])
    sets: list[Shown] = [(tuple(np.flatnonzero(row).tolist()), None) for row in table]
    leaves = option_leaves(group.id, group.next_round, ordered, counted, group.roster)
    usual = min(len(people), LONGEST_BLOCK) if group.turns is None else group.turns["worlds"]
    return frozen(group, ordered, sets, available, group.terms["block"] or usual, leaves)


def learned(group: Group, people: Sequence[Person], minds: Minds, available: Sequence[int] | None = None) -> Frozen:
    """The next freeze from what each member's own answers say: resolved, or in doubt with a leader."""
    available = group.checked_available(available)
    ordered = in_order(group.id, group.naming(group.next_round), checked_people(group, people))
    shown = [minds.minds[person.number].page(available) for _, person in ordered]
    sets: list[Shown] = [(tuple(held), leader) for held, leader in shown]
    doubted = any(leader is not None for _, leader in sets)
    block = group.terms["block"] or (1 if doubted else min(len(people), LONGEST_BLOCK))
    return frozen(group, ordered, sets, available, block, [])


def frozen(
    group: Group, ordered: Ordered, sets: Sequence[Shown], available: list[int], block: int, leaves: Leaves
) -> Frozen:
    """`Frozen` of members in the order of their pseudonyms, each with her set and, in doubt, her leader."""
    weight = sum(person.weight for _, person in ordered)
    units = finest_units(weight) if group.turns is None else checked_total(weight) // weight
    who: dict[tuple[tuple[int, ...], int, int], list[str]] = {}
    for (name, person), (held, leader) in zip(ordered, sets, strict=True):
        who.setdefault((held, -1 if leader is None else leader, person.weight), []).append(name.hex())
    kinds = sorted(who)
    rows = _rows(group, kinds, [len(who[kind]) for kind in kinds], units)
    types: list[Said] = [
        {"set": list(held), "leader": None if leader < 0 else leader, "weight": weight, "units": row, "who": who[kind]}
        for kind, row in zip(kinds, rows, strict=True)
        for held, leader, weight in [kind]
    ]
    if excess(types, units) > MOST_EXCESS:
        raise InputError(
            "the voices of this page are not those of a largest product, to 1/100,000; nothing was written."
        )
    voices = [sum(len(one["who"]) * one["units"][arm] for one in types) for arm in range(len(group.arms))]
    if sum(voices) % block:
        raise InputError(f"a block of {block} does not divide the drum; amend the block.")
    return Frozen(list(available), block, units, voices, types, leaves)


def _rows(
    group: Group, kinds: Sequence[tuple[tuple[int, ...], int, int]], counts: Sequence[int], units: int
) -> list[list[int]]:
    """One member's row for each kind: by the rule of doubt, or by the fair policy of those who are resolved."""
    arms, fair = len(group.arms), [i for i, kind in enumerate(kinds) if kind[1] < 0]
    found: dict[int, list[int]] = {}
    if fair:
        table = np.zeros((len(fair), arms))
        for place, i in enumerate(fair):
            table[place, list(kinds[i][0])] = 1.0
        held = np.array([kinds[i][2] for i in fair], dtype=np.int64)
        instance = Instance(table, arms=group.arms, weights=held * np.array([counts[i] for i in fair], dtype=np.int64))
        policy = solve(instance, "procedural", tie_break=group.charter["tie"]).policy
        types = instance.favourite_types
        shares = attributed(instance, policy).by_type[types.member]
        found = dict(zip(fair, rounded_rows(shares, held * units).tolist(), strict=True))
    explore = exact(group.charter["settings"].get("explore", "0"))
    for i, (own, leader, weight) in enumerate(kinds):
        if leader >= 0:
            found[i] = doubters_row(arms, own, leader, weight * units, explore)
    return [found[i] for i in range(len(kinds))]


def excess(types: Sequence[Said], units: int) -> Fraction:
    """δ: how far the resolved members' voices are from the largest product; 0 where nobody is resolved."""
    fair = [one for one in types if one["leader"] is None]
    if not fair:
        return Fraction(0)
    arms = len(fair[0]["units"])
    total = [sum(len(one["who"]) * one["units"][arm] for one in fair) for arm in range(arms)]
    asked = [0] * arms
    for one in fair:
        quotient = (len(one["who"]) * one["weight"] * units << FINENESS) // sum(total[arm] for arm in one["set"])
        for arm in one["set"]:
            asked[arm] += quotient
    return max(Fraction(max(asked), 1 << FINENESS) - 1, Fraction(0))


def checked_people(group: Group, people: Sequence[Person]) -> list[Person]:
    """`people`, if they are those of the roster with its weights."""
    people = sorted(people, key=lambda person: person.number)
    entries = group.roster["members"]
    expected = [(n, entry["weight"]) for n, entry in enumerate(entries) if entry is not None]
    if [(person.number, person.weight) for person in people] != expected:
        raise InputError("the people given are not the members of the latest roster, with their weights.")
    return people

"""Build a freeze: everyone's voice in exact units and the Merkle roots of private data, as lines to be written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from isegoria.analysis.attribution import attribute_valid_policy
from isegoria.errors import InputError
from isegoria.profiles import Instance
from isegoria.record.actions.action import NewEvent
from isegoria.record.format import line_order, lines
from isegoria.record.format.canonical_json import parse_decimal
from isegoria.record.format.identities import (
    MemberIdentity,
    OwnedLeaves,
    PseudonymOrder,
    SignedRatings,
    derive_pseudonym,
    encode_ratings_leaf,
    sort_by_pseudonym,
)
from isegoria.record.format.lines import SealedLine
from isegoria.record.format.merkle import hash_leaf, merkle_root
from isegoria.record.format.record_view import LinePayload
from isegoria.record.format.voice_units import (
    MAX_BLOCK_DRAWS,
    build_exploring_row,
    compute_favourite_sets,
    compute_total_units,
    compute_units_per_voice,
    round_rows,
)
from isegoria.record.group_learner import GroupLearner, LearnerSnapshot
from isegoria.record.state.group import Group
from isegoria.record.state.round import Cutoff, SlotRating
from isegoria.rules import solve
from isegoria.utils.messages import Message

MAX_CERTIFICATE_GAP = Fraction(1, 10**5)
"""δ of the certificate: a freeze page with a larger gap is invalid and is not written."""

PROPOSAL_REASON = "proposed for this round"
"""The reason that is given when arms are added at a freeze."""

QUOTIENT_BITS = 128  # quotients are rounded down to this many bits, as in every verifier
CandidateSet = tuple[tuple[int, ...], int | None]  # a member's set and, in doubt, their leader


@dataclass(frozen=True)
class FreezePage:
    """The part of a fair freeze page that follows from the members: everything except the round's place and source.

    `leaves` are (member number, leaf) in the order of the tree, for receipts; they are not part of the group.
    """

    available: list[int]
    block: int
    units: int
    voices: list[int]
    types: list[LinePayload] = field(repr=False)
    absent: list[LinePayload] = field(repr=False)
    leaves: OwnedLeaves = field(repr=False)

    def keys(self) -> LinePayload:
        """Return the keys of the freeze line that are decided here."""
        return {
            "available": self.available,
            "block": self.block,
            "units": self.units,
            "arm_units": self.voices,
            "types": self.types,
            "absent": self.absent,
            "root": merkle_root([leaf for _, leaf in self.leaves]).hex(),
            "leaf_count": len(self.leaves),
        }


class FreezeTerms(NamedTuple):
    """What the organiser specifies of a page: its time, what is decided, and what the source needs."""

    at: int
    title: str
    occurrence: int | None = None
    form: LinePayload | None = None


class FreezeResult(NamedTuple):
    """The events of a freeze (who takes part, ratings that became final, the page), and the learner behind it."""

    events: list[NewEvent]
    minds: GroupLearner | None


def build_freeze(
    group: Group,
    closing: Cutoff,
    people: Mapping[int, MemberIdentity],
    page: FreezeTerms,
    saved: LearnerSnapshot | None = None,
) -> FreezeResult:
    """Build the events of the freeze that follows a cutoff.

    `people` is everybody. A `saved` learner makes it unnecessary to replay all rounds.
    """
    events = build_roster_events(group, closing.entries)
    twin = group.after(events)
    added = build_proposal_events(twin)
    events, twin = [*events, *added], twin.after(added)
    here = [people[number] for number, entry in enumerate(closing.entries) if entry is not None]
    if not group.learns:
        frozen = page_from_ratings(twin, here, closing.counted, closing.available, closing.absent)
        return FreezeResult([*events, _build_freeze_event(twin, frozen, page)], None)
    for number, leaves in build_rating_leaves(twin, select_unwritten(group, closing), people, twin.roster).items():
        line = lines.build_ratings_line(twin, number, [leaf for _, leaf in leaves])
        events.append(NewEvent(f"ratings:{number}:{group.next_round}", "ratings", dump_tree(leaves), line))
        twin = twin.behind(line)
    minds = GroupLearner.at(group, closing, saved)
    if line_order.find_untried_arm(twin, closing.available) is not None:
        line = lines.build_trial_line(twin, available=closing.available, occurrence=page.occurrence)
        return FreezeResult([*events, NewEvent(f"freeze:{group.next_round}", "trial", dump_tree([]), line)], minds)
    frozen = page_from_learner(twin, here, minds, closing.available, closing.absent)
    return FreezeResult([*events, _build_freeze_event(twin, frozen, page)], minds)


def build_roster_events(group: Group, entries: Sequence[LinePayload | None]) -> list[NewEvent]:
    """Build what must precede a page: charter and roster of a new record, or a roster if the entries have changed."""
    events: list[NewEvent] = []
    twin = group
    if not group.lines:
        names = (
            "title",
            "arms",
            "source",
            "privacy",
            "block",
            "learner",
            "settings",
            "scale",
            "tie_break",
            "turns",
            "resting",
        )
        line = lines.build_charter_line(
            group, group_id=group.terms["group"], **{name: group.terms[name] for name in names}
        )
        events.append(NewEvent("charter", "charter", {}, line))
        twin = group.after(events)
    if not twin.rosters or twin.roster["members"] != list(entries):
        line = lines.build_roster_line(twin, entries)
        events.append(NewEvent(f"roster:{line.said['version']}", "roster", {}, line))
    return events


def build_proposal_events(group: Group) -> list[NewEvent]:
    """Build the amendment that adds the options proposed since the last freeze, if there are any."""
    if not group.proposals:
        return []
    line = lines.build_amendment_line(group, "arms", group.options, PROPOSAL_REASON)
    return [NewEvent(f"amend:{group.next_round}:arms", "amend", {}, line)]


def _build_freeze_event(group: Group, frozen: FreezePage, page: FreezeTerms) -> NewEvent:
    line: SealedLine = lines.build_freeze_line(
        group, frozen, at=page.at, title=page.title, occurrence=page.occurrence, form=page.form
    )
    return NewEvent(f"freeze:{group.next_round}", "freeze", dump_tree(frozen.leaves), line)


def dump_tree(leaves: OwnedLeaves) -> LinePayload:
    """Return what is stored of the leaves under a root: the owner and the hash of each.

    The hash reveals nothing once its owner is erased.
    """
    return {"tree": [[number, hash_leaf(leaf).hex()] for number, leaf in leaves]}


def select_unwritten(group: Group, closing: Cutoff) -> list[SlotRating]:
    """Return the ratings that a cutoff made final and no line holds yet: all, unless a freeze was interrupted."""
    return [one for one in closing.told if not group.rounds[one[0] - 1].rooted.get((one[1], one[2]))]


def find_key(roster: LinePayload, number: int) -> str | None:
    """Return the key that a roster has for a member, or None."""
    entry = roster["members"][number] if number < len(roster["members"]) else None
    return entry["key"] if entry else None


def build_rating_leaves(
    group: Group, told: Iterable[SlotRating], people: Mapping[int, MemberIdentity], roster: LinePayload
) -> dict[int, OwnedLeaves]:
    """Return the leaves of ratings by round, each with its owner, in the order of their tree.

    `roster` is the latest one before their line: a signature by a key that is not on it is left out.
    """
    ordered: dict[int, list[tuple[bytes, int, int, bytes]]] = {}
    for number, slot, member, _, said in told:
        person = people[member]
        leaf = encode_ratings_leaf(group.id, person, number, slot, said.under(find_key(roster, member)))
        ordered.setdefault(number, []).append(
            (derive_pseudonym(person.secret, group.id, number, member), slot, member, leaf)
        )
    return {number: [(member, leaf) for _, _, member, leaf in sorted(ordered[number])] for number in sorted(ordered)}


def build_option_leaves(
    group_id: bytes, round_: int, ordered: PseudonymOrder, counted: Mapping[int, SignedRatings], roster: LinePayload
) -> OwnedLeaves:
    """Return (member number, leaf) under the root of a freeze from known ratings, for the members who gave any."""
    return [
        (
            person.number,
            encode_ratings_leaf(group_id, person, round_, None, told.under(find_key(roster, person.number))),
        )
        for _, person in ordered
        if (told := counted.get(person.number))
    ]


def page_from_ratings(
    group: Group,
    people: Sequence[MemberIdentity],
    counted: Mapping[int, SignedRatings],
    available: Sequence[int] | None = None,
    absent: Collection[int] = (),
) -> FreezePage:
    """Compute the next freeze from known ratings, by member number.

    `people` are all members of the roster, and `absent` the numbers of those who take no part. Members without ratings
    have all available arms as favourites.
    """
    available = group.checked_available(available)
    ordered, away = _order_participants(group, people, absent)
    rows = [counted[person.number].values if person.number in counted else None for _, person in ordered]
    table = compute_favourite_sets(rows, len(group.arms), available, group.charter["scale"])
    sets: list[CandidateSet] = [(tuple(np.flatnonzero(row).tolist()), None) for row in table]
    leaves = build_option_leaves(group.id, group.next_round, ordered, counted, group.roster)
    usual = min(len(ordered), MAX_BLOCK_DRAWS) if group.turns is None else group.turns["worlds"]
    return build_page(group, ordered, sets, available, group.terms["block"] or usual, away, leaves)


def _order_participants(
    group: Group, people: Sequence[MemberIdentity], absent: Collection[int]
) -> tuple[PseudonymOrder, list[LinePayload]]:
    """Return who takes part in the next round, ascending by pseudonym, and the rows of those who are absent."""
    everyone = sort_by_pseudonym(group.id, group.naming(group.next_round), require_roster_members(group, people))
    rows: dict[int, list[str]] = {}
    for name, person in everyone:
        if person.number in absent:
            rows.setdefault(person.weight, []).append(name.hex())
    ordered = [pair for pair in everyone if pair[1].number not in absent]
    if not ordered:
        raise InputError(Message("nobody_takes_part", next_round=group.next_round))
    return ordered, [{"weight": weight, "pseudonyms": rows[weight]} for weight in sorted(rows)]


def page_from_learner(
    group: Group,
    people: Sequence[MemberIdentity],
    minds: GroupLearner,
    available: Sequence[int] | None = None,
    absent: Collection[int] = (),
) -> FreezePage:
    """Compute the next freeze from each member's learner: they are resolved, or in doubt with a leader."""
    available = group.checked_available(available)
    ordered, away = _order_participants(group, people, absent)
    shown = [minds.minds[person.number].page(available) for _, person in ordered]
    sets: list[CandidateSet] = [(tuple(held), leader) for held, leader in shown]
    doubted = any(leader is not None for _, leader in sets)
    block = group.terms["block"] or (1 if doubted else min(len(ordered), MAX_BLOCK_DRAWS))
    return build_page(group, ordered, sets, available, block, away, [])


def build_page(
    group: Group,
    ordered: PseudonymOrder,
    sets: Sequence[CandidateSet],
    available: list[int],
    block: int,
    absent: list[LinePayload],
    leaves: OwnedLeaves,
) -> FreezePage:
    """Compute the `FreezePage` of members ordered by pseudonym, each with their set and, in doubt, their leader."""
    weight = sum(person.weight for _, person in ordered)
    units = compute_units_per_voice(weight) if group.turns is None else compute_total_units(weight) // weight
    who: dict[tuple[tuple[int, ...], int, int], list[str]] = {}
    for (name, person), (held, leader) in zip(ordered, sets, strict=True):
        who.setdefault((held, -1 if leader is None else leader, person.weight), []).append(name.hex())
    kinds = sorted(who)
    rows = _compute_rows(group, kinds, [len(who[kind]) for kind in kinds], units)
    types: list[LinePayload] = [
        {
            "candidates": list(held),
            "leader": None if leader < 0 else leader,
            "weight": weight,
            "units": row,
            "pseudonyms": who[kind],
        }
        for kind, row in zip(kinds, rows, strict=True)
        for held, leader, weight in [kind]
    ]
    if compute_gap(types, units) > MAX_CERTIFICATE_GAP:
        raise InputError(Message("voices_page_not_those_largest_product"))
    voices = [sum(len(one["pseudonyms"]) * one["units"][arm] for one in types) for arm in range(len(group.arms))]
    if sum(voices) % block:
        raise InputError(Message("block_not_divide_drum", block=block))
    return FreezePage(list(available), block, units, voices, types, absent, leaves)


def _compute_rows(
    group: Group, kinds: Sequence[tuple[tuple[int, ...], int, int]], counts: Sequence[int], units: int
) -> list[list[int]]:
    """Return one member's row for each type: by the rule of doubt, or by the fair policy of the resolved members."""
    arms, fair = len(group.arms), [i for i, kind in enumerate(kinds) if kind[1] < 0]
    found: dict[int, list[int]] = {}
    if fair:
        table = np.zeros((len(fair), arms))
        for place, i in enumerate(fair):
            table[place, list(kinds[i][0])] = 1.0
        held = np.array([kinds[i][2] for i in fair], dtype=np.int64)
        instance = Instance(table, arms=group.arms, weights=held * np.array([counts[i] for i in fair], dtype=np.int64))
        policy = solve(instance, "procedural", tie_break=group.charter["tie_break"]).policy
        types = instance.favourite_types
        shares = attribute_valid_policy(instance, policy).by_type[types.member]
        found = dict(zip(fair, round_rows(shares, held * units).tolist(), strict=True))
    explore = parse_decimal(group.charter["settings"].get("explore", "0"))
    for i, (own, leader, weight) in enumerate(kinds):
        if leader >= 0:
            found[i] = build_exploring_row(arms, own, leader, weight * units, explore)
    return [found[i] for i in range(len(kinds))]


def compute_gap(types: Sequence[LinePayload], units: int) -> Fraction:
    """Return δ: how far the resolved members' voices are from the largest product, or 0 if nobody is resolved."""
    fair = [one for one in types if one["leader"] is None]
    if not fair:
        return Fraction(0)
    arms = len(fair[0]["units"])
    total = [sum(len(one["pseudonyms"]) * one["units"][arm] for one in fair) for arm in range(arms)]
    asked = [0] * arms
    for one in fair:
        quotient = (len(one["pseudonyms"]) * one["weight"] * units << QUOTIENT_BITS) // sum(
            total[arm] for arm in one["candidates"]
        )
        for arm in one["candidates"]:
            asked[arm] += quotient
    return max(Fraction(max(asked), 1 << QUOTIENT_BITS) - 1, Fraction(0))


def require_roster_members(group: Group, people: Sequence[MemberIdentity]) -> list[MemberIdentity]:
    """Return `people` by number. Raise `InputError` unless they are the latest roster's members with its weights."""
    people = sorted(people, key=lambda person: person.number)
    entries = group.roster["members"]
    expected = [(n, entry["weight"]) for n, entry in enumerate(entries) if entry is not None]
    if [(person.number, person.weight) for person in people] != expected:
        raise InputError(Message("people_given_not_members_latest_roster"))
    return people

"""The organiser's check: rebuild every freeze page of a record from the ratings behind it, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from isegoria.record.format.identities import MemberIdentity, compute_commitment
from isegoria.record.format.lines import parse_line
from isegoria.record.format.merkle import merkle_root
from isegoria.record.format.record_view import LinePayload
from isegoria.record.freeze import FreezeTerms, build_freeze, build_rating_leaves
from isegoria.record.receipts import collect_own_leaves
from isegoria.record.state.group import Group

IdentityLookup = Callable[[Group], Mapping[int, MemberIdentity]]
StoredEvent = tuple[str, Mapping[str, Any], bytes | None, int]  # kind, private body, line, time


@dataclass(frozen=True)
class ReplayResult:
    """The result of a replay: `sentence`, and `exit_code` 0 if all pages follow, 1 at the first line that does not.

    `pages` counts the pages that were rebuilt. A page cannot be rebuilt if a member's secret of that time is gone, by
    erasure.
    """

    sentence: str
    exit_code: int
    pages: int


def replay(events: Iterable[StoredEvent], people: IdentityLookup) -> ReplayResult:
    """Rebuild every page from the events before it, and compare."""
    group, pages, passed = Group(), 0, 0
    for kind, body, line, at in events:
        if kind in ("freeze", "trial", "ratings") and line is not None:
            said, everyone = parse_line(group, line).said, people(group)
            whole = _has_matching_secrets(group.roster, everyone)
            fault = _find_mismatch(group, said, everyone) if whole else None
            if fault is not None:
                return ReplayResult(
                    f"Line {len(group.lines) + 1} ({kind}) does not follow from what was told: {fault}", 1, pages
                )
            pages, passed = pages + (whole and kind != "ratings"), passed + (not whole and kind != "ratings")
        group.apply(kind, body, line, at)
    told, signed = count_leaves(group, people(group)) if group.begun else (0, 0)
    gone = f" {passed} could not be made again: secrets of then are erased." if passed else ""
    follow = "The page follows" if pages == 1 else f"All {pages} pages follow"
    return ReplayResult(
        f"{follow} from what was told; {signed} of {told} ratings are signed by their members' devices.{gone}", 0, pages
    )


def _has_matching_secrets(roster: LinePayload, people: Mapping[int, MemberIdentity]) -> bool:
    """Return whether the secrets of all members open the commitments of a roster."""
    entries = {number: one for number, one in enumerate(roster["members"]) if one is not None}
    return all(
        n in people
        and compute_commitment(people[n].salt, n, people[n].secret, people[n].name).hex() == one["commitment"]
        for n, one in entries.items()
    )


def _find_mismatch(group: Group, said: LinePayload, people: Mapping[int, MemberIdentity]) -> str | None:
    """Return why a line differs from the one that follows from the events, or None if it does not."""
    closing = group.closing or group.coming(said.get("occurrence"))
    if said["line"] == "ratings":
        told = [one for one in closing.told if one[0] == said["round"]]
        leaves = build_rating_leaves(group, told, people, group.roster).get(said["round"], [])
        fits = merkle_root([leaf for _, leaf in leaves]).hex() == said["root"] and len(leaves) == said["leaf_count"]
        return None if fits else "its ratings are others."
    page = FreezeTerms(said.get("at", 0), said.get("title", ""), said["occurrence"], said.get("dice_form"))
    made = build_freeze(group.snapshot(), closing, people, page).events[-1].line
    assert made is not None
    if made.said == said:
        return None
    return _find_changed_member(group, said, made.said, people) or _find_changed_key(said, made.said)


def _find_changed_member(
    group: Group, said: LinePayload, made: LinePayload, people: Mapping[int, MemberIdentity]
) -> str | None:
    if "types" not in said or "types" not in made:
        return None
    theirs, ours = _collect_sets(said), _collect_sets(made)
    for number, person in sorted(people.items()):
        name = group.alias(person, said["round"])
        if theirs.get(name) != ours.get(name):
            return f"the set of member {number} is another one."
    return None


def _collect_sets(freeze: LinePayload) -> dict[str, tuple[list[int], int | None]]:
    return {name: (one["candidates"], one["leader"]) for one in freeze["types"] for name in one["pseudonyms"]}


def _find_changed_key(said: LinePayload, made: LinePayload) -> str:
    keys = [key for key in sorted(said) if said[key] != made.get(key)]
    return f'"{keys[0]}" is another one.' if keys else "it is another line."


def count_leaves(group: Group, people: Mapping[int, MemberIdentity]) -> tuple[int, int]:
    """Return the number of leaves in the whole record, and how many of them are signed."""
    leaves = [leaf for person in people.values() for _, found in collect_own_leaves(group, person) for leaf in found]
    return len(leaves), sum(b'"signature":null' not in leaf for leaf in leaves)

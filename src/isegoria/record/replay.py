"""The organiser's own test: every page of a record made again from what was told, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from isegoria.record.fixing import PageTerms, fix, rating_leaves
from isegoria.record.format.canonical import root
from isegoria.record.format.lines import Said, read
from isegoria.record.format.people import Person, commitment
from isegoria.record.group import Group
from isegoria.record.receipts import own_ratings

People = Callable[[Group], Mapping[int, Person]]
Event = tuple[str, Mapping[str, Any], bytes | None, int]  # kind, private body, line, time


@dataclass(frozen=True)
class Replayed:
    """What came of it: `sentence`, and `exit_code` 0 where all pages follow, 1 at the first line that does not.

    `pages` are those that were made again; whose secrets are gone, by erasure or a link issued again, cannot be.
    """

    sentence: str
    exit_code: int
    pages: int


def replay(events: Iterable[Event], people: People) -> Replayed:
    """Make every page again from the events before it."""
    group, pages, passed = Group(), 0, 0
    for kind, body, line, at in events:
        if kind in ("freeze", "trial", "ratings") and line is not None:
            said, everyone = read(group, line).said, people(group)
            whole = _opens(group.roster, everyone)
            fault = _fault(group, said, everyone) if whole else None
            if fault is not None:
                return Replayed(
                    f"Line {len(group.lines) + 1} ({kind}) does not follow from what was told: {fault}", 1, pages
                )
            pages, passed = pages + (whole and kind != "ratings"), passed + (not whole and kind != "ratings")
        group.apply(kind, body, line, at)
    told, signed = counted(group, people(group)) if group.begun else (0, 0)
    gone = f" {passed} could not be made again: secrets of then are erased, or were renewed." if passed else ""
    follow = "The page follows" if pages == 1 else f"All {pages} pages follow"
    return Replayed(
        f"{follow} from what was told; {signed} of {told} ratings are signed by their members' devices.{gone}", 0, pages
    )


def _opens(roster: Said, people: Mapping[int, Person]) -> bool:
    """Whether everybody's secrets are those that a roster was made with."""
    entries = {number: one for number, one in enumerate(roster["members"]) if one is not None}
    return all(
        n in people and commitment(people[n].salt, n, people[n].secret, people[n].name).hex() == one["commitment"]
        for n, one in entries.items()
    )


def _fault(group: Group, said: Said, people: Mapping[int, Person]) -> str | None:
    """Why a line is not the one that follows; None where it is."""
    closing = group.closing or group.coming(said.get("occasion"))
    if said["line"] == "ratings":
        told = [one for one in closing.told if one[0] == said["round"]]
        leaves = rating_leaves(group, told, people, group.roster).get(said["round"], [])
        fits = root([leaf for _, leaf in leaves]).hex() == said["root"] and len(leaves) == said["count"]
        return None if fits else "its ratings are others."
    page = PageTerms(said.get("at", 0), said.get("event", ""), said["occasion"], said.get("form"))
    made = fix(group.snapshot(), closing, people, page).events[-1].line
    assert made is not None
    if made.said == said:
        return None
    return _first_member(group, said, made.said, people) or _first_key(said, made.said)


def _first_member(group: Group, said: Said, made: Said, people: Mapping[int, Person]) -> str | None:
    if "types" not in said or "types" not in made:
        return None
    theirs, ours = _sets(said), _sets(made)
    for number, person in sorted(people.items()):
        name = group.alias(person, said["round"])
        if theirs.get(name) != ours.get(name):
            return f"the set of member {number} is another one."
    return None


def _sets(freeze: Said) -> dict[str, tuple[list[int], int | None]]:
    return {name: (one["set"], one["leader"]) for one in freeze["types"] for name in one["who"]}


def _first_key(said: Said, made: Said) -> str:
    keys = [key for key in sorted(said) if said[key] != made.get(key)]
    return f'"{keys[0]}" is another one.' if keys else "it is another line."


def counted(group: Group, people: Mapping[int, Person]) -> tuple[int, int]:
    """(leaves, those with a signature) in the whole record."""
    leaves = [leaf for person in people.values() for _, found in own_ratings(group, person) for leaf in found]
    return len(leaves), sum(b'"signature":null' not in leaf for leaf in leaves)

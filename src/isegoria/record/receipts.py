"""A receipt: what one member needs to find herself in a record, and nobody else should have; and the file of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from isegoria.record.fixing import known_rows, rating_leaves, told_rows
from isegoria.record.format.canonical import canonical, parsed
from isegoria.record.format.merkle import leaf_hash, path_of_hashes
from isegoria.record.format.people import (
    Leaves,
    Person,
    in_order,
    known_leaves,
    ratings_leaf,
    tally,
    tally_leaf,
    tally_leaves,
)
from isegoria.record.group import Group


class Tree(NamedTuple):
    """What lies under the root on one line: whose each leaf is, and the hash of each."""

    owners: Sequence[int]
    hashes: Sequence[bytes]

    @classmethod
    def over(cls, leaves: Leaves) -> Tree:
        """The tree over these leaves."""
        return cls([owner for owner, _ in leaves], [leaf_hash(leaf) for _, leaf in leaves])

    def proofs(self, line: int, member: int, leaves: Iterable[bytes]) -> Iterable[dict[str, Any]]:
        """The leaves of one member, each with the path that leads to the root on a line (counted from 1)."""
        places = [index for index, owner in enumerate(self.owners) if owner == member]
        for index, leaf in zip(places, leaves, strict=True):
            hashes = [node.hex() for node in path_of_hashes(self.hashes, index)]
            yield {"line": line, "leaf": parsed(leaf), "index": index, "path": hashes}


def receipt(group: Group, person: Person, tree_on: Callable[[int], Tree]) -> bytes:
    """The receipt of a member, with all her leaves; `tree_on` gives the tree under the root on a line.

    It holds her secret, so it is hers alone.
    """
    ratings = [proof for line, leaves in own_ratings(group, person) for proof in _proofs(tree_on, line, person, leaves)]
    tallies = [proof for line, leaf in own_tallies(group, person) for proof in _proofs(tree_on, line, person, [leaf])]
    return written(group, person, ratings, tallies)


def _proofs(tree_on: Callable[[int], Tree], line: int, person: Person, leaves: list[bytes]) -> Iterable[dict[str, Any]]:
    return tree_on(line).proofs(line, person.number, leaves)


def own_ratings(group: Group, person: Person) -> list[tuple[int, list[bytes]]]:
    """The leaves of what a member told, by the line that they are under."""
    found: dict[int, list[bytes]] = {}
    for round_ in group.rounds:
        if person.number in round_.closing.counted and round_.has(person.number):
            row = known_rows(round_.closing, len(round_.arms))[person.number]
            found[round_.line] = [ratings_leaf(group.id, person, round_.number, None, row)]
        for slot, said in sorted(round_.answers.items()):
            line = round_.rooted.get((slot, person.number))
            if person.number in said and line:
                row = round_.row(*said[person.number])
                found.setdefault(line, []).append(ratings_leaf(group.id, person, round_.number, slot, row))
    return sorted(found.items())


def own_tallies(group: Group, person: Person) -> list[tuple[int, bytes]]:
    """The leaf of a member's sums under each freeze of a learner that had any."""
    found = []
    for round_ in group.rounds if group.learns else []:
        rows = told_rows(group, round_.number, round_.closing).get(person.number)
        if round_.fair and rows and round_.has(person.number):
            leaf = tally_leaf(group.id, person, round_.number, *tally(rows, len(round_.arms)))
            found.append((round_.line, leaf))
    return found


def tree_again(group: Group, people: Mapping[int, Person], line: int) -> Tree:
    """The tree on a line, made again by whoever still has everybody's secrets."""
    said = group.parsed[line - 1]
    if said["line"] == "ratings":
        round_ = group.rounds[said["round"] - 1]
        told = [
            (round_.number, slot, member, *round_.answers[slot][member])
            for (slot, member), place in round_.rooted.items()
            if place == line
        ]
        return Tree.over(rating_leaves(group, told, people)[round_.number])
    round_ = group.rounds[said["round"] - 1]
    here = [people[number] for number, entry in enumerate(round_.roster["members"]) if entry]
    ordered, arms = in_order(group.id, round_.number, here), len(round_.arms)
    if group.learns:
        told_by = told_rows(group, round_.number, round_.closing)
        return Tree.over(tally_leaves(group.id, round_.number, ordered, told_by, arms))
    rows = known_rows(round_.closing, arms)
    listed = [rows.get(person.number) for _, person in ordered]
    return Tree.over(known_leaves(group.id, round_.number, ordered, listed, arms))


def written(
    group: Group, person: Person, ratings: Iterable[dict[str, Any]] = (), tallies: Iterable[dict[str, Any]] = ()
) -> bytes:
    """A receipt with these proofs, one canonical line with its newline."""
    said = {
        "format": "isegoria receipt",
        "version": 1,
        "group": group.charter["group"],
        "charter": group.charter_hash.hex(),
        "head": group.head.hex(),
        "member": person.number,
        "name": person.name,
        "salt": person.salt.hex(),
        "secret": person.secret.hex(),
        "ratings": sorted(ratings, key=_place),
        "tallies": sorted(tallies, key=_place),
    }
    return canonical(said) + b"\n"


def _place(proof: dict[str, Any]) -> tuple[int, int]:
    slot = proof["leaf"].get("slot")
    return proof["line"], -1 if slot is None else slot


def names_file(group: Group, people: Mapping[int, Person]) -> bytes:
    """The names of a group that is open: who is who, by number; None for those who left or were erased."""
    here = [people.get(number) if entry else None for number, entry in enumerate(group.roster["members"])]
    listed = [
        person and {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex()} for person in here
    ]
    said = {"format": "isegoria names", "version": 1, "group": group.charter["group"], "members": listed}
    return canonical(said) + b"\n"

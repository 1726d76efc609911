"""A receipt: what one member needs to find herself in a record, and nobody else should have; and the file of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from isegoria.record.fixing import known_rows, rating_leaves, told_rows
from isegoria.record.format.canonical import canonical, parsed
from isegoria.record.format.merkle import leaf_hash, path_of_hashes
from isegoria.record.format.people import Leaves, Person, in_order, known_leaves, tally_leaves
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
    proofs: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    for line, said in enumerate(group.parsed, start=1):
        if own := [leaf for _, leaf in leaves_on(group, {person.number: person}, line)]:
            tallied = group.learns and said["line"] == "freeze"
            proofs[tallied] += tree_on(line).proofs(line, person.number, own)
    return written(group, person, proofs[False], proofs[True])


def leaves_on(group: Group, people: Mapping[int, Person], line: int) -> Leaves:
    """The leaves that these people have under the root on a line (counted from 1), in the order of their tree."""
    said = group.parsed[line - 1]
    if said["line"] not in ("ratings", "freeze"):
        return []
    round_ = group.rounds[said["round"] - 1]
    if said["line"] == "ratings":
        told = [
            (round_.number, slot, member, *round_.answers[slot][member])
            for (slot, member), place in round_.rooted.items()
            if place == line and member in people
        ]
        return rating_leaves(group, told, people).get(round_.number, [])
    here = [person for number, person in people.items() if round_.has(number)]
    ordered, arms = in_order(group.id, round_.number, here), len(round_.arms)
    if group.learns:
        rows = told_rows(group, round_.number, round_.closing) if round_.fair else {}
        return tally_leaves(group.id, round_.number, ordered, rows, arms)
    known = known_rows(round_.closing, arms)
    return known_leaves(group.id, round_.number, ordered, [known.get(one.number) for _, one in ordered], arms)


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

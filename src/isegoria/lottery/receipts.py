"""A receipt: what one member needs to find herself in a record, and nobody else should have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isegoria.lottery.canonical import canonical, parsed
from isegoria.lottery.merkle import path
from isegoria.lottery.people import Person
from isegoria.lottery.record import Record


@dataclass(frozen=True)
class Tree:
    """All leaves under the root on one line of the record (lines count from 1), and whose each is."""

    line: int
    owners: Sequence[int]
    leaves: Sequence[bytes]

    def proofs(self, member: int) -> Iterable[dict]:
        """The leaves of one member, each with the path that leads to the root."""
        for index, (owner, leaf) in enumerate(zip(self.owners, self.leaves, strict=True)):
            if owner == member:
                hashes = [node.hex() for node in path(self.leaves, index)]
                yield {"line": self.line, "leaf": parsed(leaf), "index": index, "path": hashes}


def receipt(record: Record, person: Person, ratings: Iterable[Tree] = (), tallies: Iterable[Tree] = ()) -> bytes:
    """The receipt of a member, one canonical line with its newline; it holds her secret, so it is hers alone.

    `ratings` and `tallies` are the trees in which she may have leaves.
    """
    return (
        canonical(
            {
                "format": "isegoria receipt",
                "version": 1,
                "group": record.charter["group"],
                "charter": record.charter_hash.hex(),
                "head": record.head.hex(),
                "member": person.number,
                "name": person.name,
                "salt": person.salt.hex(),
                "secret": person.secret.hex(),
                "ratings": _ordered(ratings, person.number),
                "tallies": _ordered(tallies, person.number),
            }
        )
        + b"\n"
    )


def names_file(record: Record, people: Sequence[Person | None]) -> bytes:
    """`RECORD.names` of a group that is open: who is who, by number; None for those who left or were erased."""
    listed = [
        person and {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex()} for person in people
    ]
    said = {"format": "isegoria names", "version": 1, "group": record.charter["group"], "members": listed}
    return canonical(said) + b"\n"


def _ordered(trees: Iterable[Tree], member: int) -> list[dict]:
    proofs = [proof for tree in trees for proof in tree.proofs(member)]
    return sorted(proofs, key=lambda proof: (proof["line"], _slot(proof["leaf"])))


def _slot(leaf: dict) -> int:
    slot = leaf.get("slot")
    return -1 if slot is None else slot

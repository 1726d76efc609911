"""Receipts: the private proofs with which one member finds their data in a record; and the file of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from isegoria.record.format.canonical_json import dump_canonical, parse_canonical
from isegoria.record.format.identities import (
    MemberIdentity,
    OwnedLeaves,
    compute_commitment,
    encode_ratings_leaf,
    sort_by_pseudonym,
)
from isegoria.record.format.merkle import audit_path, hash_leaf, merkle_root_of_hashes
from isegoria.record.freeze import build_option_leaves, build_rating_leaves, find_key
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round, SlotRating


class LeafTree(NamedTuple):
    """The Merkle tree under the root on one line: the owner and the hash of each leaf."""

    owners: Sequence[int]
    hashes: Sequence[bytes]

    @classmethod
    def over(cls, leaves: OwnedLeaves) -> LeafTree:
        """Return the tree over these leaves."""
        return cls([owner for owner, _ in leaves], [hash_leaf(leaf) for _, leaf in leaves])

    def proofs(self, line: int, member: int, leaves: Iterable[bytes]) -> Iterable[dict[str, Any]]:
        """Yield the leaves of one member, each with its path to the root on a line (counted from 1)."""
        places = [index for index, owner in enumerate(self.owners) if owner == member]
        for index, leaf in zip(places, leaves, strict=True):
            hashes = [node.hex() for node in audit_path(self.hashes, index)]
            yield {"line": line, "leaf": parse_canonical(leaf), "index": index, "path": hashes}


def build_receipt(group: Group, person: MemberIdentity, tree_on: Callable[[int], LeafTree], now: int = 0) -> bytes:
    """Return the receipt of a member, with all their leaves; `tree_on` returns the tree under the root on a line.

    It contains the member's secret, so only they may have it.
    """
    return b"".join(iter_receipt(group, person, tree_on, now))


def iter_receipt(
    group: Group,
    person: MemberIdentity,
    tree_on: Callable[[int], LeafTree | None],
    now: int,
    last: int | None = None,
) -> Iterator[bytes]:
    """Yield the receipt in parts, computing each proof on demand; with `last`, only the last so many rounds.

    Lines whose tree is not known (None) are left out. `now` is the time at which the member's state is told.
    """
    head, tail = _build_frame(group, person, now)
    yield head
    between = b""
    for line, leaves in collect_own_leaves(group, person, last):
        tree = tree_on(line)
        if tree is not None:
            for proof in tree.proofs(line, person.number, leaves):
                yield between + dump_canonical(proof)
                between = b","
    yield tail


def _build_frame(group: Group, person: MemberIdentity, now: int) -> tuple[bytes, bytes]:
    """Return the bytes before and after the proofs of a receipt."""
    state, round_, until = group.member_state(person.number, now)
    said = {
        "format": "isegoria receipt",
        "version": 3,
        "group": group.charter["group"],
        "record": group.record.hex(),
        "head": group.head.hex(),
        "member": person.number,
        "state": state,
        "round": round_,
        "until": until,
        "name": person.name,
        "salt": person.salt.hex(),
        "secret": person.secret.hex(),
        "ratings": [],
    }
    bare = dump_canonical(said) + b"\n"
    mark = b'"ratings":[],"record":'
    cut = bare.index(mark) + len(b'"ratings":[')  # a quotation mark in a name is escaped, so no name has this mark
    return bare[:cut], bare[cut:]


def collect_own_leaves(group: Group, person: MemberIdentity, last: int | None = None) -> list[tuple[int, list[bytes]]]:
    """Return the leaves of a member's ratings by the line of their root; with `last`, of the last so many rounds."""
    found: dict[int, list[bytes]] = {}
    for round_ in group.rounds if last is None else group.rounds[-last:]:
        if person.number in round_.closing.counted and round_.has(person.number) and round_.fair:
            told = round_.closing.counted[person.number].under(find_key(round_.roster, person.number))
            found[round_.line] = [encode_ratings_leaf(group.id, person, round_.number, None, told)]
        for slot, said in sorted(round_.answers.items()):
            line = round_.rooted.get((slot, person.number))
            if person.number in said and line:
                told = round_.told[slot, person.number].under(find_key(group.roster_at(line), person.number))
                found.setdefault(line, []).append(encode_ratings_leaf(group.id, person, round_.number, slot, told))
    return sorted(found.items())


def rebuild_tree(group: Group, people: Mapping[int, MemberIdentity], line: int) -> LeafTree:
    """Rebuild the tree on a line; this needs the secrets of all members in it."""
    said = group.parsed[line - 1]
    round_ = group.rounds[said["round"] - 1]
    if said["line"] == "ratings":
        told = _collect_ratings_on(round_, line)
        return LeafTree.over(build_rating_leaves(group, told, people, group.roster_at(line))[round_.number])
    here = [people[number] for number, entry in enumerate(round_.roster["members"]) if entry]
    ordered = sort_by_pseudonym(group.id, group.naming(round_.number), here)
    return LeafTree.over(build_option_leaves(group.id, round_.number, ordered, round_.closing.counted, round_.roster))


def _collect_ratings_on(round_: Round, line: int) -> list[SlotRating]:
    return [
        (round_.number, slot, member, round_.answers[slot][member][0], round_.told[slot, member])
        for (slot, member), place in round_.rooted.items()
        if place == line
    ]


def find_data_fault(
    group: Group, people: Mapping[int, MemberIdentity], trees: Mapping[int, Sequence[tuple[int, str]]]
) -> str | None:
    """Return which private data does not follow from the commitments and roots on record, or None if all does.

    `trees` has the owner and the hash of each leaf, by the line of their root."""
    for line, tree in trees.items():
        if merkle_root_of_hashes([bytes.fromhex(digest) for _, digest in tree]).hex() != group.parsed[line - 1]["root"]:
            return f"the leaves of line {line} are not those under its root"
    for number, person in people.items():
        entry = group.members.get(number)
        sealed = compute_commitment(person.salt, number, person.secret, person.name).hex()
        if entry is not None and sealed != entry["commitment"]:
            return f"the name or the secret of member {number} is not the one of their commitment"
        for line, leaves in collect_own_leaves(group, person):
            own = [digest for owner, digest in trees.get(line, ()) if owner == number]
            if own and own != [hash_leaf(leaf).hex() for leaf in leaves]:
                return f"a rating of member {number} is not the one under the root of line {line}"
    return None


def build_names_file(group: Group, people: Mapping[int, MemberIdentity]) -> bytes:
    """Serialise the names of an open group by number; None for those who left or were erased."""
    here = [people.get(number) if entry else None for number, entry in enumerate(group.roster["members"])]
    listed = [
        person and {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex()} for person in here
    ]
    said = {"format": "isegoria names", "version": 3, "group": group.charter["group"], "members": listed}
    return dump_canonical(said) + b"\n"

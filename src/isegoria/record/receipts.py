"""A receipt: what one member needs to find herself in a record, and nobody else should have; and the file of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from isegoria.record.fixing import key_of, option_leaves, rating_leaves
from isegoria.record.format.canonical import canonical, leaf_hash, parsed, path_to_root
from isegoria.record.format.people import Leaves, Person, in_order, ratings_leaf
from isegoria.record.group import Group
from isegoria.record.round import Answer, Round


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
            hashes = [node.hex() for node in path_to_root(self.hashes, index)]
            yield {"line": line, "leaf": parsed(leaf), "index": index, "path": hashes}


def receipt(group: Group, person: Person, tree_on: Callable[[int], Tree]) -> bytes:
    """The receipt of a member, with all her leaves; `tree_on` gives the tree under the root on a line.

    It holds her secret, so it is hers alone. It begins with the roster from which her commitment holds: a link that was
    issued again opens nothing of before.
    """
    return b"".join(receipt_parts(group, person, tree_on))


def receipt_parts(
    group: Group, person: Person, tree_on: Callable[[int], Tree | None], last: int | None = None
) -> Iterator[bytes]:
    """The same in parts, each proof made when the one before was taken; with `last`, of so many rounds only.

    A line whose tree is not known (None) is left out.
    """
    since = since_roster(group, person.number)
    head, tail = _frame(group, person, since)
    yield head
    between = b""
    for line, leaves in own_ratings(group, person, last):
        tree = tree_on(line) if group.roster_at(line)["version"] >= since else None
        if tree is not None:
            for proof in tree.proofs(line, person.number, leaves):
                yield between + canonical(proof)
                between = b","
    yield tail


def _frame(group: Group, person: Person, since: int) -> tuple[bytes, bytes]:
    """What stands before the proofs of a receipt, and what behind them."""
    said = {
        "format": "isegoria receipt",
        "version": 2,
        "group": group.charter["group"],
        "record": group.record.hex(),
        "roster": since,
        "head": group.head.hex(),
        "member": person.number,
        "name": person.name,
        "salt": person.salt.hex(),
        "secret": person.secret.hex(),
        "ratings": [],
    }
    bare = canonical(said) + b"\n"
    mark = b'"ratings":['
    cut = bare.rindex(mark) + len(mark)  # behind it are only numbers and hexadecimal digits
    return bare[:cut], bare[cut:]


def since_roster(group: Group, number: int) -> int:
    """The version of the roster from which a member has the commitment that she has last.

    That may be the next roster: she joined, or her link was issued again, since the last.
    """
    last, since = None, 0
    for roster in group.rosters:
        entry = roster["members"][number] if number < len(roster["members"]) else None
        if entry is not None and entry["commitment"] != last:
            last, since = entry["commitment"], roster["version"]
    coming = group.members.get(number)
    renewed = coming is not None and coming["commitment"] != last
    return len(group.rosters) + 1 if renewed else since


def own_ratings(group: Group, person: Person, last: int | None = None) -> list[tuple[int, list[bytes]]]:
    """The leaves of what a member told, by the line that they are under; with `last`, of so many rounds."""
    found: dict[int, list[bytes]] = {}
    for round_ in group.rounds if last is None else group.rounds[-last:]:
        if person.number in round_.closing.counted and round_.has(person.number) and round_.fair:
            told = round_.closing.counted[person.number].under(key_of(round_.roster, person.number))
            found[round_.line] = [ratings_leaf(group.id, person, round_.number, None, told)]
        for slot, said in sorted(round_.answers.items()):
            line = round_.rooted.get((slot, person.number))
            if person.number in said and line:
                told = round_.told[slot, person.number].under(key_of(group.roster_at(line), person.number))
                found.setdefault(line, []).append(ratings_leaf(group.id, person, round_.number, slot, told))
    return sorted(found.items())


def tree_again(group: Group, people: Mapping[int, Person], line: int) -> Tree:
    """The tree on a line, made again by whoever still has everybody's secrets."""
    said = group.parsed[line - 1]
    round_ = group.rounds[said["round"] - 1]
    if said["line"] == "ratings":
        told = _told_on(round_, line)
        return Tree.over(rating_leaves(group, told, people, group.roster_at(line))[round_.number])
    here = [people[number] for number, entry in enumerate(round_.roster["members"]) if entry]
    ordered = in_order(group.id, group.naming(round_.number), here)
    return Tree.over(option_leaves(group.id, round_.number, ordered, round_.closing.counted, round_.roster))


def _told_on(round_: Round, line: int) -> list[Answer]:
    return [
        (round_.number, slot, member, round_.answers[slot][member][0], round_.told[slot, member])
        for (slot, member), place in round_.rooted.items()
        if place == line
    ]


def names_file(group: Group, people: Mapping[int, Person]) -> bytes:
    """The names of a group that is open: who is who, by number; None for those who left or were erased."""
    here = [people.get(number) if entry else None for number, entry in enumerate(group.roster["members"])]
    listed = [
        person and {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex()} for person in here
    ]
    said = {"format": "isegoria names", "version": 2, "group": group.charter["group"], "members": listed}
    return canonical(said) + b"\n"

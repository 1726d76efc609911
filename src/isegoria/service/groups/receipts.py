"""What a member needs to check her own part of the record, and the names file of an open group."""

from __future__ import annotations

import json
from collections.abc import Iterable

from isegoria.lottery.canonical import parsed
from isegoria.lottery.leaves import ratings_leaf, tally, tally_leaf
from isegoria.lottery.merkle import path_of_hashes
from isegoria.lottery.people import Person
from isegoria.lottery.receipts import names_file
from isegoria.lottery.receipts import receipt as written
from isegoria.service.groups.findings import person_of, told
from isegoria.service.groups.state import State
from isegoria.service.http.refusals import Conflict
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor


def receipt(service, asked: Request, actor: Actor) -> Reply:
    """A member's receipt: her secret, her leaves and their paths. It is hers alone."""
    with service.desk.reading(asked.group) as (state, session):
        person = next(person_of(one) for one in session.people(asked.group) if one.number == actor.number)
        trees = _trees(session.events(asked.group))
        line = written(state.record, person, _ratings(state, person, trees), _tallies(state, person, trees))
    return _attached(line, f"{asked.group}.receipt")


class Proof:
    """A member's leaves under the root of one line, each with its place in the tree."""

    def __init__(self, line: int, leaves: list[bytes], owners: list[int], hashes: list[bytes]):
        self.line, self.leaves, self.owners, self.hashes = line, leaves, owners, hashes

    def proofs(self, member: int) -> Iterable[dict]:
        """The leaves with the paths that lead to the root."""
        places = [index for index, owner in enumerate(self.owners) if owner == member]
        for index, leaf in zip(places, self.leaves, strict=True):
            hashes = [node.hex() for node in path_of_hashes(self.hashes, index)]
            yield {"line": self.line, "leaf": parsed(leaf), "index": index, "path": hashes}


def _trees(events) -> dict[int, tuple[list[int], list[bytes]]]:
    """Owners and hashes of the leaves under each line that has a root, by the number of the line."""
    trees, line = {}, 0
    for event in events:
        line += event.line is not None
        if event.kind in ("freeze", "ratings"):
            kept = json.loads(event.body)["tree"]
            trees[line] = [number for number, _ in kept], [bytes.fromhex(hash_) for _, hash_ in kept]
    return trees


def _ratings(state: State, person: Person, trees: dict) -> list[Proof]:
    group, number = state.record.group, person.number
    found: dict[int, list[bytes]] = {}
    for round_ in state.rounds:
        if not state.learns and number in round_.counted:
            values = [round_.counted[number].get(arm) for arm in range(round_.arms)]
            found[round_.line] = [ratings_leaf(group, person, round_.number, None, values)]
        for slot, (arm, value) in _said(round_, number):
            line = round_.rooted.get((slot, number), 0)
            if line:
                values = [value if place == arm else None for place in range(round_.arms)]
                found.setdefault(line, []).append(ratings_leaf(group, person, round_.number, slot, values))
    return [Proof(line, leaves, *trees[line]) for line, leaves in sorted(found.items())]


def _said(round_, number: int) -> list[tuple[int, tuple[int, str]]]:
    """What a member said of each slot of a round."""
    return [(slot, said[number]) for slot, said in sorted(round_.answers.items()) if number in said]


def _tallies(state: State, person: Person, trees: dict) -> list[Proof]:
    if not state.learns:
        return []
    found = []
    for round_ in state.rounds:
        rows = told(state, round_).get(person.number)
        if round_.freeze["kind"] == "fair" and rows and person.number in trees[round_.line][0]:
            leaf = tally_leaf(state.record.group, person, round_.number, *tally(rows, round_.arms))
            found.append(Proof(round_.line, [leaf], *trees[round_.line]))
    return found


def names(service, asked: Request, actor: Actor) -> Reply:
    """Names, salts and secrets of an open group: whoever has it sees whose row is whose."""
    with service.desk.reading(asked.group) as (state, session):
        if state.charter["privacy"] != "open":
            raise Conflict("this group keeps ballots: names are not joined to rows.")
        kept = {person.number: person_of(person) for person in session.people(asked.group) if person.secrets}
        entries = enumerate(state.roster["members"])
        line = names_file(state.record, [kept.get(number) if entry else None for number, entry in entries])
    return _attached(line, f"{asked.group}.names")


def _attached(data: bytes, name: str) -> Reply:
    return Reply(data, 200, "application/json", {"content-disposition": f'attachment; filename="{name}"'})

"""Who is who in a record: commitments that a name opens, pseudonyms that do not link rounds, and leaves.

A leaf is what is private of one member: ratings that she told, or the sums of them that a learner works with.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from isegoria.record.format.canonical import canonical, decimal_sum

Ratings = Sequence[str | None]  # one decimal, or None, for each arm
Leaves = list[tuple[int, bytes]]  # (member number, leaf), in the order of their tree


@dataclass(frozen=True)
class Person:
    """A member as the writer knows her: number on the roster, weight, and what only she and the writer hold."""

    number: int
    weight: int
    secret: bytes
    salt: bytes = b""
    name: str = ""


def number4(number: int) -> bytes:
    """A member number or a counter: 4 bytes."""
    return number.to_bytes(4, "big")


def number8(number: int) -> bytes:
    """A round or a time: 8 bytes."""
    return number.to_bytes(8, "big")


def commitment(salt: bytes, n: int, secret: bytes, name: str) -> bytes:
    """What the roster shows of member n: only her name, salt and secret open it."""
    return sha256(b"isegoria member 1\0" + salt + number4(n) + secret + name.encode("utf-8")).digest()


def pseudonym(secret: bytes, group: bytes, round_: int, n: int) -> bytes:
    """The 24 bytes under which member n stands in a round."""
    return hmac.digest(secret, group + number8(round_) + number4(n), "sha256")[:24]


def nonce(secret: bytes, group: bytes, round_: int, kind: str) -> bytes:
    """32 bytes that keep a leaf from being guessed; `kind` is "ratings" or "tally"."""
    return hmac.digest(secret, b"leaf\0" + group + number8(round_) + kind.encode("ascii"), "sha256")


def ratings_leaf(group: bytes, person: Person, round_: int, slot: int | None, values: Ratings) -> bytes:
    """The leaf of one member's ratings; written by hand, as there are many: it is the canonical form."""
    shown = ",".join(["null" if value is None else f'"{value}"' for value in values])
    where = "null" if slot is None else slot
    secret = nonce(person.secret, group, round_, "ratings").hex()
    return f'{{"nonce":"{secret}","round":{round_},"slot":{where},"values":[{shown}]}}'.encode("ascii")


def tally_leaf(group: bytes, person: Person, round_: int, counts: Sequence[int], sums: Sequence[str]) -> bytes:
    """The leaf of one member's tally at the freeze of a round."""
    secret = nonce(person.secret, group, round_, "tally").hex()
    return canonical({"counts": list(counts), "nonce": secret, "sums": list(sums)})


def tally(told: Sequence[Ratings], arms: int) -> tuple[list[int], list[str]]:
    """(counts, sums) over all that one member has told, for each arm; a shorter list is from before an arm came.

    >>> tally([["4", None], ["0.5", "3"]], 3)
    ([2, 1, 0], ['4.5', '3', '0'])
    """
    columns = [[value for row in told if k < len(row) and (value := row[k]) is not None] for k in range(arms)]
    return [len(column) for column in columns], [decimal_sum(column) for column in columns]


def in_order(group: bytes, round_: int, people: Sequence[Person]) -> list[tuple[bytes, Person]]:
    """Members with their pseudonyms in a round, ascending by them: the order of rows and of leaves."""
    return sorted(
        ((pseudonym(person.secret, group, round_, person.number), person) for person in people),
        key=lambda pair: pair[0],
    )


Ordered = Sequence[tuple[bytes, Person]]  # members with their pseudonyms in a round, ascending


def known_leaves(group: bytes, round_: int, ordered: Ordered, rows: Sequence[Ratings | None], arms: int) -> Leaves:
    """(member number, leaf) under the root of a freeze from known ratings, of those who gave any."""
    return [
        (person.number, ratings_leaf(group, person, round_, None, [*row, *[None] * (arms - len(row))]))
        for (_, person), row in zip(ordered, rows, strict=True)
        if row is not None
    ]


def tally_leaves(
    group: bytes, round_: int, ordered: Ordered, told: Mapping[int, Sequence[Ratings]], arms: int
) -> Leaves:
    """(member number, leaf) under the root of a learner's freeze, of those who have told anything so far."""
    return [
        (person.number, tally_leaf(group, person, round_, *tally(told[person.number], arms)))
        for _, person in ordered
        if told.get(person.number)
    ]

"""The leaves of what is private: ratings that a member told, and the sums of them that a learner works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isegoria.lottery.canonical import canonical, decimal_sum
from isegoria.lottery.people import Person, nonce, pseudonym

Ratings = Sequence[str | None]  # one decimal, or None, for each arm


def ratings_leaf(group: bytes, person: Person, round_: int, slot: int | None, values: Ratings) -> bytes:
    """The leaf of one member's ratings; written by hand, as there are many: it is the canonical form."""
    if None in values:
        shown = ",".join([f'"{value}"' if value is not None else "null" for value in values])
    else:
        shown = '"' + '","'.join(values) + '"'
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
    columns = [[row[k] for row in told if k < len(row) and row[k] is not None] for k in range(arms)]
    return [len(column) for column in columns], [decimal_sum(column) for column in columns]


def in_order(group: bytes, round_: int, people: Sequence[Person]) -> list[tuple[bytes, Person]]:
    """Members with their pseudonyms in a round, ascending by them: the order of rows and of leaves."""
    return sorted(
        ((pseudonym(person.secret, group, round_, person.number), person) for person in people),
        key=lambda pair: pair[0],
    )


Ordered = Sequence[tuple[bytes, Person]]  # members with their pseudonyms in a round, ascending


def known_leaves(
    group: bytes, round_: int, ordered: Ordered, rows: Sequence[Ratings | None], arms: int
) -> list[tuple[int, bytes]]:
    """(member number, leaf) under the root of a freeze from known ratings, of those who gave any."""
    return [
        (person.number, ratings_leaf(group, person, round_, None, [*row, *[None] * (arms - len(row))]))
        for (_, person), row in zip(ordered, rows, strict=True)
        if row is not None
    ]


def tally_leaves(
    group: bytes, round_: int, ordered: Ordered, told: Mapping[int, Sequence[Ratings]], arms: int
) -> list[tuple[int, bytes]]:
    """(member number, leaf) under the root of a learner's freeze, of those who have told anything so far."""
    return [
        (person.number, tally_leaf(group, person, round_, *tally(told[person.number], arms)))
        for _, person in ordered
        if told.get(person.number)
    ]

"""A record: what a freeze costs beside writing its JSON, and a check beside hashing the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from random import Random
from unittest.mock import patch

import numpy as np

from benchmarks.harness import Row, side_by_side
from isegoria.record import fixing
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format import lines
from isegoria.record.format.people import Person, commitment
from isegoria.record.group import Group
from isegoria.record.sources import SOURCES
from isegoria.verifier import isegoria_verify

MEMBERS, ARMS, DRAWS = 50, 6, 250
SIGNATURE = 6e-3
"""Seconds that one signature may take to check."""


def group(members: int, arms: int, seed: int = 42) -> tuple[Group, list[Person], dict[int, list[str]]]:
    """A record before its first round, with its people and their ratings in half stars."""
    chance, record = Random(seed), Group()
    people = [Person(n, 1, chance.randbytes(32), chance.randbytes(32), f"member {n}") for n in range(members)]
    names = [f"arm {k}" for k in range(arms)]
    terms = {"source": SOURCES["rehearsal"].terms(), "scale": (0, 5), "block": 1}
    record.append(lines.charter(record, id=chance.randbytes(16), title="bench", arms=names, **terms))
    shown = [commitment(one.salt, one.number, one.secret, one.name).hex() for one in people]
    record.append(lines.roster(record, [{"commitment": one, "weight": 1, "key": None} for one in shown]))
    stars = np.random.default_rng(seed).integers(0, 11, (members, arms)) / 2
    return record, people, {n: [f"{value:g}" for value in row] for n, row in enumerate(stars.tolist())}


def year(members: int = MEMBERS, draws: int = DRAWS) -> bytes:
    """A year of daily draws, whose members change their ratings from time to time."""
    record, people, ratings = group(members, ARMS)
    chance = Random(1)
    for number in range(draws):
        ratings[number % members] = [f"{chance.randrange(11) / 2:g}" for _ in range(ARMS)]
        record.append(lines.freeze(record, fixing.known(record, people, ratings)))
        record.append(lines.draw(record, number.to_bytes(32, "big")))
    return b"".join(line + b"\n" for line in record.lines)


def rows() -> Iterator[Row]:
    """Checking a year, checking a signature, and fixing 10,000 members over 50 arms."""
    data = year()
    assert isegoria_verify.verify(data)["exit_code"] == 3  # a rehearsal: everything recomputes, nothing is proven
    measured = side_by_side(partial(isegoria_verify.verify, data), lambda: sha256(data).digest(), rounds=5)
    work = f"verify {DRAWS} draws of {MEMBERS} members ({len(data) // 1000} kB), against SHA-256 of it"
    yield Row(work, *measured, 200, faster=False)
    seed, message = bytes(32), b"seen"
    signed = partial(isegoria_verify.signed, public_key(seed).hex(), sign(seed, message).hex(), message)
    yield Row("check one signature, against 6 ms", side_by_side(signed, int, rounds=5)[0], SIGNATURE, 1, faster=False)
    yield freeze_row(10_000, 50)


def freeze_row(members: int, arms: int) -> Row:
    """A freeze with its solve done beforehand, against writing its line as JSON."""
    record, people, ratings = group(members, arms)
    solved = {}

    def once(name: str, real):
        def kept(*args, **options):
            return solved.setdefault(name, None) or solved.update({name: real(*args, **options)}) or solved[name]

        return kept

    with (
        patch.object(fixing, "solve", once("solve", fixing.solve)),
        patch.object(fixing, "attributed", once("attributed", fixing.attributed)),
    ):
        frozen = partial(fixing.known, record, people, ratings)
        line = lines.freeze(record, frozen()).said
        ours = lambda: lines.freeze(record, frozen())  # noqa: E731
        theirs = lambda: json.dumps(line, sort_keys=True, separators=(",", ":")).encode()  # noqa: E731
        measured = side_by_side(ours, theirs, rounds=5)
    size = len(theirs()) // 1000
    return Row(
        f"freeze {members:,} × {arms} (solve excluded), against writing its JSON ({size} kB)",
        *measured,
        15,
        faster=False,
    )

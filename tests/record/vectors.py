"""Write `docs/reference/draw-vectors.json`: 100 draws that an implementation in any language can be tested against.

`python tests/record/vectors.py` writes the file again; a test checks that it is the one the package makes.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.canonical import canonical
from isegoria.record.format.lines import voice_of
from isegoria.record.format.merkle import path, root
from isegoria.record.format.messages import commit_hash, reveal_message, value_message, void_message, witness_message
from isegoria.record.format.people import commitment, nonce, pseudonym
from isegoria.record.format.stream import Stream, block_of_balls
from isegoria.record.format.units import UNITS
from isegoria.record.format.words import six_words

FILE = Path(__file__).parents[2] / "docs" / "reference" / "draw-vectors.json"
DRAWS = 100


def vectors() -> dict:
    """Everything in the file."""
    return {
        "about": "Draws, names, trees and signatures of a record; docs/reference/record.md says how each is made. "
        "Bytes are in hexadecimal.",
        "draws": [draw(number) for number in range(DRAWS)],
        "people": [person(number) for number in range(5)],
        "trees": [tree(size) for size in (0, 1, 2, 3, 7)],
        "signatures": [signature(number) for number in range(3)],
        "words": [{"head": head.hex(), "words": six_words(head)} for head in map(Random(8).randbytes, [32] * 5)],
        "canonical": [
            {"value": value, "bytes": canonical(value).hex()}
            for value in ({"b": [1, None], "a": 'é "\\ \n\u0001\u2028'}, {"": {}, "A": [], "a": 2**53 - 1})
        ],
    }


def draw(number: int) -> dict:
    """One draw: a small drum in all its parts, what was frozen and said, and what follows."""
    chance = Random(f"vector {number}")
    arms, block = chance.randint(1, 5), chance.randint(1, 20)
    units = chance.choice([UNITS, 232792560])
    types = []
    for chosen in sorted(
        map(sorted, {frozenset(chance.sample(range(arms), chance.randint(1, arms))) for _ in range(4)})
    ):
        cuts = sorted(chance.randint(0, units) for _ in chosen[1:])
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, units], strict=True)]
        row = [dict(zip(chosen, parts, strict=True)).get(k, 0) for k in range(arms)]
        who = sorted(chance.randbytes(24).hex() for _ in range(chance.randint(1, 3)))
        types.append({"set": chosen, "weight": 1, "units": row, "who": who})
    voices = [sum(kind["units"][k] * len(kind["who"]) for kind in types) for k in range(arms)]
    each = chance.choice([0, 0, block * chance.randint(1, units // (10 * block))])
    explore = [each if chance.random() < 0.5 else 0 for _ in range(arms)]
    freeze, source = chance.randbytes(32), chance.randbytes(chance.choice([6, 32, 48]))
    page = {"voices": voices, "explore": explore, "types": types}
    total = sum(voices) + sum(explore)
    balls = block_of_balls(Stream(freeze, source), total, block)
    named = [voice_of(page, ball) for ball in balls]
    return {
        "freeze_hash": freeze.hex(), "source_bytes": source.hex(), "block": block, "total": total, **page,
        "balls": balls, "arms": [arm for arm, _ in named], "voices_drawn": [who for _, who in named],
    }  # fmt: skip


def person(number: int) -> dict:
    """A member: what she holds, and what the record shows of her."""
    chance = Random(f"person {number}")
    group, salt, secret = chance.randbytes(16), chance.randbytes(32), chance.randbytes(32)
    name, round_, value = ["Ann", "Çelik", "花子", "A. B.", ""][number], number + 1, chance.randbytes(32)
    return {
        "group": group.hex(), "member": number, "name": name, "salt": salt.hex(), "secret": secret.hex(),
        "round": round_, "commitment": commitment(salt, number, secret, name).hex(),
        "pseudonym": pseudonym(secret, group, round_, number).hex(),
        "ratings_nonce": nonce(secret, group, round_, "ratings").hex(),
        "tally_nonce": nonce(secret, group, round_, "tally").hex(),
        "value": value.hex(), "commit": commit_hash(group, round_, number, value).hex(),
    }  # fmt: skip


def tree(size: int) -> dict:
    """A tree of leaves, its root, and the path of each leaf."""
    leaves = [canonical({"leaf": number}) for number in range(size)]
    paths = [[node.hex() for node in path(leaves, index)] for index in range(size)]
    return {"leaves": [leaf.decode() for leaf in leaves], "root": root(leaves).hex(), "paths": paths}


def signature(number: int) -> dict:
    """The four messages that are signed, and their signatures."""
    chance = Random(f"signature {number}")
    seed, charter, freeze, at = chance.randbytes(32), chance.randbytes(32), chance.randbytes(32), 1_700_000_000 + number
    messages = {
        "witness": witness_message(charter, freeze, at),
        "value": value_message(charter, freeze, b"31415926"),
        "reveal": reveal_message(charter, freeze, bytes(32)),
        "void": void_message(charter, freeze, at),
    }
    return {
        "seed": seed.hex(), "key": public_key(seed).hex(), "charter": charter.hex(), "freeze": freeze.hex(), "at": at,
        "messages": {name: text.hex() for name, text in messages.items()},
        "signatures": {name: sign(seed, text).hex() for name, text in messages.items()},
    }  # fmt: skip


def text() -> str:
    """The file's content: a line for each vector."""
    parts = []
    for key, value in vectors().items():
        rows = [value] if isinstance(value, str) else value
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        parts.append(f'"{key}": {lines}' if isinstance(value, str) else f'"{key}": [\n{lines}\n]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

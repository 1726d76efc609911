"""Sections 4 to 8: signatures, the beacon, the drum and its stream, the certificate, trees."""

from __future__ import annotations

import math
import re
import sys
from fractions import Fraction
from functools import cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .primitives import b4, digest

# ---- section 4: signatures --------------------------------------------------------------------------------------
P25519, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493


def _y(data: bytes) -> int:
    return int.from_bytes(data, "little") & (2**255 - 1)


SMALL = {0, 1, P25519 - 1} | {  # y of the points whose order divides eight
    _y(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
    _y(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
}


def signed(key: str | None, signature: str, message: bytes) -> bool:
    if key is None:
        return False
    own, both = bytes.fromhex(key), bytes.fromhex(signature)
    for point in (own, both[:32]):
        if _y(point) >= P25519 or _y(point) in SMALL:
            return False
    if int.from_bytes(both[32:], "little") >= ORDER:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(own).verify(both, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@cache
def beacon_said(key: str, number: int, said: bytes) -> bool:
    """Whether a beacon said this: the tests' own can say it again, and signatures are unique; of others by pairings."""
    from beacon_signatures import verify_with_py_ecc
    from sample_records import league

    if key == league().key:
        return said == league().speak(number)
    depth = sys.getrecursionlimit()
    good = verify_with_py_ecc(key, number, said)
    sys.setrecursionlimit(depth)  # py_ecc lifts it, and deep JSON would end the whole process
    return good


def numbers_of_dice(said: bytes, form: dict) -> bool:
    try:
        told = said.decode("ascii")
    except UnicodeError:
        return False
    if not told.endswith(".") or not re.fullmatch("[0-9.]+", told):
        return False
    parts = told[:-1].split(".")
    if any(part == "" or str(int(part)) != part for part in parts) or len(parts) != form["count"]:
        return False
    shown = [int(part) for part in parts]
    return all(form["low"] <= one <= form["high"] for one in shown) and (
        form["order"] != "sorted" or shown == sorted(shown)
    )


class Stream:
    def __init__(self, freeze_hash: bytes, said: bytes):
        self.seed, self.counter = digest(b"isegoria draw 1\0", freeze_hash, said), 0

    def below(self, limit: int) -> int:
        while True:
            x = int.from_bytes(digest(self.seed, b4(self.counter))[:8], "big")
            self.counter += 1
            if x < 2**64 - 2**64 % limit:
                return x % limit


def laid_out(freeze: dict):
    """(first number, behind the last, arm, pseudonym) of every voice in the drum, in its order."""
    at = 0
    for arm in range(len(freeze["arm_units"])):
        for one in freeze["types"]:
            for who in one["pseudonyms"]:
                yield at, at + one["units"][arm], arm, who
                at += one["units"][arm]


def voice_of(freeze: dict, ball: int) -> tuple[int, str]:
    return next((arm, who) for low, high, arm, who in laid_out(freeze) if low <= ball < high)


def block_of(freeze: dict, stream: Stream) -> list[int]:
    total, block = sum(freeze["arm_units"]), freeze["block"]
    first = stream.below(total // block)
    balls = [first + j * (total // block) for j in range(block)]
    for i in reversed(range(1, block)):
        j = stream.below(i + 1)
        balls[i], balls[j] = balls[j], balls[i]
    return balls


def certificate(types: list[dict], units: int, arms_: int) -> tuple[Fraction, int] | None:
    """δ and the weight of those who are resolved; None if nobody is."""
    sure = [one for one in types if one["leader"] is None]
    if not sure:
        return None
    have = [sum(len(one["pseudonyms"]) * one["units"][k] for one in sure) for k in range(arms_)]
    want = [Fraction(0)] * arms_
    for one in sure:
        exact = Fraction(len(one["pseudonyms"]) * one["weight"] * units, sum(have[j] for j in one["candidates"]))
        down = Fraction(math.floor(exact * 2**128), 2**128)
        for k in one["candidates"]:
            want[k] += down
    return max(max(want) - 1, Fraction(0)), sum(len(one["pseudonyms"]) * one["weight"] for one in sure)


def doubter(one: dict, units: int, explore: Fraction) -> list[int]:
    """Her units on the arms of her set."""
    whole, arms_ = one["weight"] * units, one["candidates"]
    if len(arms_) == 1:
        return [whole]
    quota = {k: whole * (1 - explore) if k == one["leader"] else whole * explore / (len(arms_) - 1) for k in arms_}
    row = {k: math.floor(quota[k]) for k in arms_}
    for k in sorted(arms_, key=lambda k: (row[k] - quota[k], k))[: whole - sum(row.values())]:
        row[k] += 1
    return [row[k] for k in arms_]


def merkle_root(leaf: bytes, index: int, count: int, path: list[str]) -> bytes | None:
    """RFC 6962, 2.1.1 backwards: the way up, by the largest power of two below the number of leaves."""
    if count < 1 or index >= count:
        return None
    sides = []
    while count > 1:
        half = 2 ** ((count - 1).bit_length() - 1)
        sides.append(index >= half)
        index, count = (index - half, count - half) if index >= half else (index, half)
    if len(sides) != len(path):
        return None
    node = digest(b"\0", leaf)
    for right, other in zip(reversed(sides), map(bytes.fromhex, path), strict=True):
        node = digest(b"\1", other, node) if right else digest(b"\1", node, other)
    return node

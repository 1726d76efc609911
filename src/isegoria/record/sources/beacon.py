"""Beacon: drand's quicknet, a public signature every three seconds; the timetable fixes which one counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from types import ModuleType
from typing import Any

from isegoria.errors import InputError, MissingExtraError
from isegoria.record.format.people import number8
from isegoria.record.format.shapes import SCHEME
from isegoria.record.group import Group, Round
from isegoria.record.sources import Source, Terms

QUICKNET = {
    "scheme": SCHEME,
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "key": (
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    "genesis": 1692803367,
    "period": 3,
}
"""drand's quicknet (https://docs.drand.love), the chain that verifiers know."""

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
SIZE = 48


class Beacon(Source):
    """The signature of the round that the timetable names; anyone can fetch it, nobody can withhold it."""

    id = "beacon"
    summary = "drand's quicknet: a public signature at a time fixed beforehand"

    def terms(
        self, *, first: int | None = None, every: int | None = None, fallback: Sequence[Terms] = (),
        chain: Terms | None = None, **settings: Any,
    ) -> Terms:  # fmt: skip
        if first is None or every is None:
            raise InputError("a beacon needs a timetable: --first UNIX-SECONDS and --every SECONDS.")
        if settings:
            raise InputError(f"the source beacon takes no {' and no '.join(settings)}; leave it out.")
        chain = {**QUICKNET, **(chain or {})}
        if first < chain["genesis"]:
            raise InputError(f"the first occasion, {first}, is before the beacon's first round, {chain['genesis']}.")
        if every < 1:
            raise InputError(f"occasions come every {every} seconds; expected 1 or more.")
        return {"kind": self.id, "fallback": list(fallback), **chain, "first": first, "every": every}

    def frozen(
        self, source: Terms, occasion: int | None = None, event: str | None = None, form: list[int] | None = None
    ) -> Terms:
        if event is not None or form is not None:
            raise InputError("the source beacon takes no event and no form; leave them out.")
        if occasion is None:
            raise InputError("under a beacon a freeze needs its occasion, a number of the timetable.")
        return {"occasion": occasion, "event": None, "form": None, "source_round": source_round(source, occasion)}

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        if value is None:
            raise InputError(
                f"round {now.number} waits for round {now.freeze['source_round']} of the beacon: say --value with its "
                "signature in hexadecimal, or let --relay fetch it."
            )
        try:
            data = bytes.fromhex(value.strip())
        except ValueError:
            raise InputError(
                f"the value {value[:24]!r} is not hexadecimal; a signature has {2 * SIZE} digits."
            ) from None
        self.check(group, now, data)
        return data

    def check(self, group: Group, now: Round, source: bytes) -> None:
        if len(source) != SIZE:
            raise InputError(f"a beacon's signature has {SIZE} bytes ({2 * SIZE} digits), not {len(source)}.")
        if said(now.source["key"], now.freeze["source_round"], source) is False:
            raise InputError(f"this is not what the beacon said in its round {now.freeze['source_round']}.")


def source_round(source: Terms, occasion: int) -> int:
    """The first round of the beacon at or after an occasion of the timetable."""
    after = source["first"] + occasion * source["every"] - source["genesis"]
    return int(-(-after // source["period"])) + 1


def said(key: str, round_: int, signature: bytes) -> bool | None:
    """Whether the beacon with this key (G2, hexadecimal) signed this round; None where the extra is not installed."""
    try:
        return _said(bytes.fromhex(key), round_, signature)
    except MissingExtraError:
        return None


@lru_cache(maxsize=1024)
def _said(key: bytes, round_: int, signature: bytes) -> bool:
    bls = _curve()
    try:
        owner, point = bls.g2(key), bls.g1(signature)
    except (ValueError, AssertionError):
        return False
    if bls.is_inf(point) or bls.is_inf(owner) or not bls.in_subgroup(point) or not bls.in_subgroup(owner):
        return False
    message = bls.hash_to_g1(sha256(number8(round_)).digest(), TAG)
    return bool(bls.same_pairing(point, message, owner))


def _curve() -> ModuleType:
    """BLS12-381 of py_ecc, in the few words that are needed here."""
    try:
        from isegoria.record.sources import curve
    except ImportError:
        raise MissingExtraError("the beacon's signature needs py_ecc: pip install 'isegoria[beacon]'.") from None
    return curve


SOURCE = Beacon()

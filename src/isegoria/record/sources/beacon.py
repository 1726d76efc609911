"""Beacon: drand's quicknet, a public signature every three seconds; the timetable fixes which one counts.

`fetch` asks a relay what it said: the only use of a network on this floor, and only when told to.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from isegoria.errors import InputError
from isegoria.record.format.shapes import SCHEME
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.sources import Source, Terms
from isegoria.verifier.isegoria_verify import said_all

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

SIZE = 48
RELAY = "https://api.drand.sh"
TIMEOUT = 10.0
LONGEST = 10_000


class Beacon(Source):
    """The signature of the round that the timetable names; anyone can fetch it, nobody can withhold it."""

    id = "beacon"
    summary = "drand's quicknet: a public signature at a time fixed beforehand"

    def terms(
        self, *, first: int | None = None, every: int | None = None, chain: Terms | None = None, **settings: Any
    ) -> Terms:
        if first is None or every is None:
            raise InputError("a beacon needs a timetable: --first UNIX-SECONDS and --every SECONDS.")
        if settings:
            raise InputError(f"the source beacon takes no {' and no '.join(settings)}; leave it out.")
        chain = {**QUICKNET, **(chain or {})}
        if first < chain["genesis"]:
            raise InputError(f"the first occasion, {first}, is before the beacon's first round, {chain['genesis']}.")
        if every < 1:
            raise InputError(f"occasions come every {every} seconds; expected 1 or more.")
        return {"kind": self.id, **chain, "first": first, "every": every}

    def frozen(self, source: Terms, occasion: int | None = None, form: Terms | None = None) -> Terms:
        if form is not None:
            raise InputError("the source beacon takes no form; leave it out.")
        if occasion is None:
            raise InputError("under a beacon a freeze needs its occasion, a number of the timetable.")
        return {"occasion": occasion, "form": None, "source_round": source_round(source, occasion)}

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
        if not said(now.source["key"], now.freeze["source_round"], source):
            raise InputError(f"this is not what the beacon said in its round {now.freeze['source_round']}.")


def source_round(source: Terms, occasion: int) -> int:
    """The first round of the beacon at or after an occasion of the timetable."""
    after = source["first"] + occasion * source["every"] - source["genesis"]
    return int(-(-after // source["period"])) + 1


def speaks_at(source: Terms, occasion: int) -> int:
    """When the beacon speaks for an occasion, in Unix seconds."""
    return int(source["genesis"] + (source_round(source, occasion) - 1) * source["period"])


@lru_cache(maxsize=1024)
def said(key: str, round_: int, signature: bytes) -> bool:
    """Whether the beacon with this key (G2, hexadecimal) signed this round: BLS12-381, by the verifier's own check."""
    return len(signature) == SIZE and bool(said_all(((key, round_, signature),)))


def fetch(chain: str, round_: int, relay: str = RELAY, timeout: float = TIMEOUT) -> str:
    """The signature (hexadecimal) of a round of a chain; nothing it says is believed before it is checked."""
    address = f"{relay.rstrip('/')}/{chain}/public/{round_}"
    try:
        with urlopen(address, timeout=timeout) as answer:
            said = json.loads(answer.read(LONGEST))
        if said["round"] != round_ or not isinstance(said["signature"], str):
            raise ValueError("it speaks of another round")
        return said["signature"]
    except (URLError, TimeoutError, ConnectionError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "reason", None) or error
        raise InputError(
            f"the relay {relay} did not tell round {round_} ({why}); ask another with --relay, or type the signature "
            "with --value."
        ) from None


SOURCE = Beacon()

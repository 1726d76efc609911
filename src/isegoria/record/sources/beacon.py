"""Beacon: drand's quicknet, a public signature every three seconds; the timetable fixes which one counts.

`fetch_signature` asks a relay for it. This is the only use of a network in this package, and only on request.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from isegoria.errors import InputError
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.record.format.schema import BEACON_SCHEME
from isegoria.record.sources import RandomnessSource, SourceTerms
from isegoria.utils.messages import Message
from isegoria.verifier.isegoria_verify import said_all

QUICKNET_CHAIN = {
    "scheme": BEACON_SCHEME,
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "key": (
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    "genesis": 1692803367,
    "period": 3,
}
"""drand's quicknet (https://docs.drand.love), the chain that verifiers support."""

SIGNATURE_BYTES = 48
DEFAULT_RELAY_URL = "https://api.drand.sh"
RELAY_TIMEOUT_SECONDS = 10.0
MAX_RESPONSE_BYTES = 10_000


class BeaconSource(RandomnessSource):
    """The signature of the beacon round that the timetable names; anyone can fetch it, nobody can withhold it."""

    id = "beacon"
    summary = "drand's quicknet: a public signature at a time fixed beforehand"

    def terms(
        self, *, first: int | None = None, every: int | None = None, chain: SourceTerms | None = None, **settings: Any
    ) -> SourceTerms:
        if first is None or every is None:
            raise InputError(Message("beacon_needs_timetable"))
        if settings:
            raise InputError(Message("source_beacon_takes_no", names=" and no ".join(settings)))
        chain = {**QUICKNET_CHAIN, **(chain or {})}
        if first < chain["genesis"]:
            raise InputError(
                Message("first_occurrence_before_beacon_first_round", first=first, genesis=chain["genesis"])
            )
        if every < 1:
            raise InputError(Message("occurrences_come_every_seconds", every=every))
        return {"kind": self.id, **chain, "first_at": first, "interval_seconds": every}

    def frozen(
        self, source: SourceTerms, occurrence: int | None = None, form: SourceTerms | None = None
    ) -> SourceTerms:
        if form is not None:
            raise InputError(Message("source_beacon_takes_no_form"))
        if occurrence is None:
            raise InputError(Message("under_beacon_freeze_needs_occurrence_number"))
        return {"occurrence": occurrence, "dice_form": None, "source_round": compute_beacon_round(source, occurrence)}

    def spoken(self, group: RecordView, now: RoundView, value: str | None, organiser: bytes | None = None) -> bytes:
        if value is None:
            raise InputError(
                Message("round_waits_round_beacon", number=now.number, source_round=now.freeze["source_round"])
            )
        try:
            data = bytes.fromhex(value.strip())
        except ValueError:
            raise InputError(Message("value_not_hexadecimal", value=value[:24], digits=2 * SIGNATURE_BYTES)) from None
        self.check(group, now, data)
        return data

    def check(self, group: RecordView, now: RoundView, source: bytes) -> None:
        if len(source) != SIGNATURE_BYTES:
            raise InputError(
                Message(
                    "beacon_signature_bytes_digits_not",
                    signature_bytes=SIGNATURE_BYTES,
                    digits=2 * SIGNATURE_BYTES,
                    count=len(source),
                )
            )
        if not is_beacon_signature(now.source["key"], now.freeze["source_round"], source):
            raise InputError(Message("not_beacon_said_round", source_round=now.freeze["source_round"]))


def compute_beacon_round(source: SourceTerms, occurrence: int) -> int:
    """Return the first round of the beacon at or after an occurrence of the timetable."""
    after = source["first_at"] + occurrence * source["interval_seconds"] - source["genesis"]
    return int(-(-after // source["period"])) + 1


def compute_beacon_time(source: SourceTerms, occurrence: int) -> int:
    """Return the time at which the beacon speaks for an occurrence, in Unix seconds."""
    return int(source["genesis"] + (compute_beacon_round(source, occurrence) - 1) * source["period"])


@lru_cache(maxsize=1024)
def is_beacon_signature(key: str, round_: int, signature: bytes) -> bool:
    """Return whether the beacon with this key (G2, hexadecimal) signed this round, by the verifier's BLS check."""
    return len(signature) == SIGNATURE_BYTES and bool(said_all(((key, round_, signature),)))


def fetch_signature(
    chain: str, round_: int, relay: str = DEFAULT_RELAY_URL, timeout: float = RELAY_TIMEOUT_SECONDS
) -> str:
    """Fetch the signature (hexadecimal) of a round of a chain, and raise `InputError` if the relay does not give it.

    The signature is not checked here; `BeaconSource.check` does that.
    """
    address = f"{relay.rstrip('/')}/{chain}/public/{round_}"
    try:
        with urlopen(address, timeout=timeout) as answer:
            said = json.loads(answer.read(MAX_RESPONSE_BYTES))
        if said["round"] != round_ or not isinstance(said["signature"], str):
            raise ValueError("it speaks of another round")
        return said["signature"]
    except (URLError, TimeoutError, ConnectionError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "reason", None) or error
        raise InputError(Message("relay_not_tell_round", relay=relay, round=round_, why=why)) from None


BEACON_SOURCE = BeaconSource()

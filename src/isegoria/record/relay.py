"""Asking a relay of the beacon what it said; the only use of a network on this floor, and only when told to."""

from __future__ import annotations

import json
from urllib.error import URLError
from urllib.request import urlopen

from isegoria.errors import InputError

RELAY = "https://api.drand.sh"
TIMEOUT = 10.0
LONGEST = 10_000


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

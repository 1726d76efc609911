"""Save and load the state of turns: plain data in canonical JSON, parsed strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from isegoria.errors import StateError
from isegoria.record.format.canonical_json import SAFE_INTEGER_LIMIT, dump_canonical
from isegoria.record.format.voice_units import MAX_BLOCK_DRAWS, UNITS_PER_VOICE
from isegoria.record.turns.ledger import LedgerEntry
from isegoria.utils.formatting import describe_type

TURNS_FORMAT, TURNS_VERSION = "isegoria turns", 1
_STATE_KEYS = {"format", "version", "units", "mode", "worlds", "round", "members"}


def dump_state(mode: str, worlds: int, round: int, entries: Mapping[str, LedgerEntry]) -> str:
    """Serialise the state on one line."""
    members = {name: {"owed": list(entry.owed), "waited": entry.waited} for name, entry in entries.items()}
    head = {
        "format": TURNS_FORMAT,
        "version": TURNS_VERSION,
        "units": UNITS_PER_VOICE,
        "mode": mode,
        "worlds": worlds,
        "round": round,
    }
    return dump_canonical({**head, "members": members}).decode()


def load_state(text: str | bytes) -> tuple[Literal["lottery", "deterministic"], int, int, dict[str, LedgerEntry]]:
    """Parse a saved state into mode, worlds, round and entries. Raise `StateError` that says where it is wrong."""
    state = _parse_object(text)
    mode, worlds = state["mode"], _require_integer(state["worlds"], "worlds")
    if mode not in ("lottery", "deterministic"):
        raise StateError(f"mode is {mode!r}; a state of turns is lottery or deterministic.")
    if not 1 <= worlds <= (MAX_BLOCK_DRAWS if mode == "lottery" else 1):
        raise StateError(f"worlds is {worlds}, which does not fit mode {mode!r}.")
    if _require_integer(state["round"], "round") < 1:
        raise StateError(f"round is {state['round']}; rounds are counted from 1.")
    if not isinstance(state["members"], dict):
        raise StateError(f"members is {describe_type(state['members'])}; expected an object of names.")
    entries = {name: _parse_entry(name, entry, worlds) for name, entry in state["members"].items()}
    return mode, worlds, state["round"], entries


def _parse_object(text: str | bytes) -> dict[str, Any]:
    try:
        state = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise StateError("this is no state of turns: it is not JSON. Give what Turns.to_json wrote.") from None
    if not isinstance(state, dict) or state.get("format") != TURNS_FORMAT:
        raise StateError(
            f"this is no state of turns: its format is not {TURNS_FORMAT!r}. Give what Turns.to_json wrote."
        )
    for key, known in (("version", TURNS_VERSION), ("units", UNITS_PER_VOICE)):
        if state.get(key) != known or isinstance(state.get(key), bool):
            raise StateError(f"{key} is {state.get(key)!r}; this version of isegoria reads {key} {known}.")
    if set(state) != _STATE_KEYS:
        raise StateError(
            f"the keys of a state of turns are {', '.join(sorted(_STATE_KEYS))}; found {', '.join(sorted(state))}."
        )
    return state


def _parse_entry(name: str, entry: Any, worlds: int) -> LedgerEntry:
    if not isinstance(entry, dict) or set(entry) != {"owed", "waited"}:
        raise StateError(f"member {name!r}: expected owed and waited.")
    owed = entry["owed"]
    if not isinstance(owed, list) or len(owed) != worlds:
        raise StateError(f"member {name!r}: owed must list {worlds} whole numbers, one for each world.")
    numbers = tuple(_require_integer(number, f"member {name!r}: owed") for number in owed)
    waited = _require_integer(entry["waited"], f"member {name!r}: waited")
    if waited < 0:
        raise StateError(f"member {name!r}: waited is {waited}; rounds are counted from 0.")
    return LedgerEntry(numbers, waited)


def _require_integer(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= SAFE_INTEGER_LIMIT:
        raise StateError(f"{place} is {value!r}; expected a whole number of at most 53 bits.")
    return value

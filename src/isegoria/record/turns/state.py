"""The state of turns as text: plain data in canonical JSON, read back strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from isegoria.errors import StateError
from isegoria.record.format.canonical import LARGEST, canonical
from isegoria.record.format.units import LONGEST_BLOCK, UNITS
from isegoria.record.turns.ledger import Debt
from isegoria.wording import kind_of

FORMAT, VERSION = "isegoria turns", 1
_KEYS = {"format", "version", "units", "mode", "worlds", "round", "members"}


def to_text(mode: str, worlds: int, round: int, entries: Mapping[str, Debt]) -> str:
    """The state, on one line."""
    members = {name: {"owed": list(entry.owed), "waited": entry.waited} for name, entry in entries.items()}
    head = {"format": FORMAT, "version": VERSION, "units": UNITS, "mode": mode, "worlds": worlds, "round": round}
    return canonical({**head, "members": members}).decode()


def from_text(text: str | bytes) -> tuple[Literal["drawn", "settled"], int, int, dict[str, Debt]]:
    """(mode, worlds, round, entries) of a saved state; anything else is refused, with its place named."""
    state = _object(text)
    mode, worlds = state["mode"], _whole(state["worlds"], "worlds")
    if mode not in ("drawn", "settled"):
        raise StateError(f"mode is {mode!r}; a state of turns is drawn or settled.")
    if not 1 <= worlds <= (LONGEST_BLOCK if mode == "drawn" else 1):
        raise StateError(f"worlds is {worlds}, which does not fit mode {mode!r}.")
    if _whole(state["round"], "round") < 1:
        raise StateError(f"round is {state['round']}; rounds are counted from 1.")
    if not isinstance(state["members"], dict):
        raise StateError(f"members is {kind_of(state['members'])}; expected an object of names.")
    entries = {name: _entry(name, entry, worlds) for name, entry in state["members"].items()}
    return mode, worlds, state["round"], entries


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        state = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise StateError("this is no state of turns: it is not JSON. Give what Turns.to_json wrote.") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise StateError(f"this is no state of turns: its format is not {FORMAT!r}. Give what Turns.to_json wrote.")
    for key, known in (("version", VERSION), ("units", UNITS)):
        if state.get(key) != known or isinstance(state.get(key), bool):
            raise StateError(f"{key} is {state.get(key)!r}; this version of isegoria reads {key} {known}.")
    if set(state) != _KEYS:
        raise StateError(
            f"the keys of a state of turns are {', '.join(sorted(_KEYS))}; found {', '.join(sorted(state))}."
        )
    return state


def _entry(name: str, entry: Any, worlds: int) -> Debt:
    if not isinstance(entry, dict) or set(entry) != {"owed", "waited"}:
        raise StateError(f"member {name!r}: expected owed and waited.")
    owed = entry["owed"]
    if not isinstance(owed, list) or len(owed) != worlds:
        raise StateError(f"member {name!r}: owed must list {worlds} whole numbers, one for each world.")
    numbers = tuple(_whole(number, f"member {name!r}: owed") for number in owed)
    waited = _whole(entry["waited"], f"member {name!r}: waited")
    if waited < 0:
        raise StateError(f"member {name!r}: waited is {waited}; rounds are counted from 0.")
    return Debt(numbers, waited)


def _whole(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= LARGEST:
        raise StateError(f"{place} is {value!r}; expected a whole number of at most 53 bits.")
    return value

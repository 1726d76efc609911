"""What each kind of line holds: its keys, and for each key which values can stand there.

`lines.KINDS` is the table of them; `docs/reference/record.md` says the same in words, for those who write a verifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.canonical import LARGEST, LONGEST_DECIMAL, exact
from isegoria.record.format.units import LONGEST_BLOCK

Check = Callable[[Any], bool]
Shape = Mapping[str, Check]  # for each key of a kind of line, what can stand there
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
SCHEME = "bls-unchained-g1-rfc9380"
TIES = ("centre", "vertex", "utilitarian")
AMENDABLE = ("title", "arms", "block", "source", "end")


class whole:  # a check like the others, which a list can ask about all its numbers at once
    """Whole numbers from `low` to `high`."""

    def __init__(self, low: int = 0, high: int = LARGEST - 1):
        self.low, self.high = low, high

    def __call__(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def all(self, values: list[Any]) -> bool:
        """Whether every one of them passes."""
        return not values or (set(map(type, values)) == {int} and self.low <= min(values) and max(values) <= self.high)


def text(value: object) -> bool:
    """Any text."""
    return isinstance(value, str)


def nothing(value: object) -> bool:
    """null."""
    return value is None


def hexadecimal(digits: int | None = None) -> Check:
    """Lower-case hexadecimal of so many digits; an even number of them, not none, where that is open."""
    pattern = re.compile(rf"[0-9a-f]{{{digits}}}" if digits else "([0-9a-f]{2})+")
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def one_of(*values: object) -> Check:
    """One of a few values."""
    return lambda value: any(value == known and type(value) is type(known) for known in values)


def either(*checks: Check) -> Check:
    """What one of the checks lets pass."""
    return lambda value: any(check(value) for check in checks)


def listed(check: Check, ascending: bool = False, least: int = 0) -> Check:
    """Lists of such values, of some least length; strictly ascending where that is asked."""

    def passes(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) >= least
            and (check.all(value) if isinstance(check, whole) else all(map(check, value)))
            and (not ascending or all(a < b for a, b in pairwise(value)))
        )

    return passes


def keyed(**checks: Check) -> Check:
    """Objects with exactly these keys, each with its check."""
    return lambda value: (
        isinstance(value, dict) and value.keys() == checks.keys() and all(checks[key](value[key]) for key in checks)
    )


def decimal_text(value: object) -> bool:
    """A decimal in its shortest form."""
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_DECIMAL
        and DECIMAL.fullmatch(value) is not None
        and value != "-0"
    )


def _scale(value: Any) -> bool:
    return listed(decimal_text)(value) and len(value) == 2 and exact(value[0]) < exact(value[1])


def _arms(value: Any) -> bool:
    return listed(text, least=1)(value) and all(value) and len(set(value)) == len(value)


def _within(value: object, low: str, high: str) -> bool:
    """A decimal between two others, both left out."""
    return decimal_text(value) and exact(low) < exact(str(value)) < exact(high)


def _settings(value: object) -> bool:
    """Empty, or exactly what the guided learner takes."""
    return value == {} or (
        isinstance(value, dict)
        and value.keys() == {"error", "resolution", "explore"}
        and _within(value["error"], "0", "1")
        and (value["resolution"] == "0" or _within(value["resolution"], "0", "1"))
        and (value["explore"] == "1" or _within(value["explore"], "0", "1"))
    )


def _event(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= LONGEST_EVENT


def _form(value: Any) -> bool:
    return value is None or (FORM(value) and value["low"] <= value["high"])


def _source(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("kind") != "beacon":
        return PLAIN_SOURCE(value)
    return BEACON(value) and bool(value["first"] >= value["genesis"])


LONGEST_EVENT = 80
ORDERS = ("throw", "colour", "published", "sorted")
FORM = keyed(count=whole(1, 200), low=whole(), high=whole(0, 10**9), order=one_of(*ORDERS))
PLAIN_SOURCE = keyed(kind=one_of("rehearsal", "dice", "group"))
BEACON = keyed(
    kind=one_of("beacon"), scheme=one_of(SCHEME), chain=hexadecimal(64), key=hexadecimal(192),
    genesis=whole(), period=whole(1), first=whole(), every=whole(1),
)  # fmt: skip
HASH, SIGNATURE = hexadecimal(64), hexadecimal(128)
BLOCK = whole(1, LONGEST_BLOCK)
ROUND = whole(1)
MEMBER = keyed(commitment=HASH, weight=whole(1), key=either(nothing, HASH), organiser=whole(0, 1))
TYPE = keyed(
    set=listed(whole(), ascending=True, least=1), leader=either(nothing, whole()), weight=whole(1),
    units=listed(whole()), who=listed(hexadecimal(48), ascending=True, least=1),
)  # fmt: skip
TURNS = keyed(mode=one_of("drawn", "settled"), worlds=BLOCK, used_up=whole(0, 1))
TERMS = {"title": text, "arms": _arms, "block": either(nothing, BLOCK), "source": _source}
SAYS: dict[str, Check] = {
    "seen": nothing,
    "commit": HASH,
    "reveal": HASH,
    "dice": lambda value: hexadecimal()(value) and 2 <= len(value) <= 4400,
}
"""What a member can say, and with which value."""

CHARTER: Shape = {
    "format": one_of("isegoria record"), "version": one_of(2), "group": hexadecimal(32), "scale": _scale,
    "privacy": one_of("open", "ballots"), "settings": _settings, "software": text, "tie": one_of(*TIES),
    "turns": either(nothing, TURNS), "learner": one_of(None, "guided"), **TERMS,
}  # fmt: skip
ROSTER: Shape = {"version": whole(1), "members": listed(either(nothing, MEMBER))}
SAY: Shape = {
    "by": whole(0, 2**32 - 1), "size": whole(2), "head": HASH, "at": whole(), "what": one_of(*SAYS),
    "value": lambda value: value is None or isinstance(value, str), "signature": SIGNATURE,
}  # fmt: skip
FREEZE: Shape = {
    "round": ROUND, "at": whole(), "roster": whole(1), "available": listed(whole(), ascending=True, least=1),
    "block": BLOCK, "event": _event, "form": _form, "occasion": either(nothing, whole()),
    "source_round": either(nothing, whole()), "root": HASH, "count": whole(), "units": whole(1),
    "voices": listed(whole()), "types": listed(TYPE),
}  # fmt: skip
TRIAL: Shape = {
    "round": ROUND, "occasion": either(nothing, whole()), "roster": whole(1),
    "available": listed(whole(), ascending=True, least=1), "arm": whole(),
}  # fmt: skip
DRAW: Shape = {"round": ROUND, "source_bytes": hexadecimal(), "balls": listed(whole()), "arms": listed(whole())}
RATINGS: Shape = {"round": ROUND, "root": HASH, "count": whole(1)}
OVERRIDE: Shape = {
    "round": ROUND, "slot": whole(), "arm": whole(), "reason": text, "by": either(nothing, whole()),
    "signature": either(nothing, SIGNATURE),
}  # fmt: skip
AMEND: Shape = {"field": one_of(*AMENDABLE), "value": lambda value: True, "reason": text}


def check_shape(kind: str, shape: Shape, line: dict[str, Any]) -> None:
    """Refuse a line that does not have exactly the keys of its kind, each with a value that can stand there."""
    checks = {**shape, "line": text, "prev": HASH}
    if line.keys() != checks.keys():
        raise InputError(f"it does not have exactly the keys of a {kind} line.")
    if kind == "amend":
        checks["value"] = TERMS.get(line["field"], nothing)
    if kind == "say" and line["what"] in SAYS:
        checks["value"] = SAYS[line["what"]]
    if kind == "override":
        checks["signature"] = nothing if line["by"] is None else SIGNATURE
    for key in sorted(checks):
        if not checks[key](line[key]):
            raise InputError(f'"{key}" of the {kind} line is not what it must be.')

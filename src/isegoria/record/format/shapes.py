"""What each kind of line holds: its keys, and for each key which values can stand there.

`lines.KINDS` is the table of them; `docs/reference/record.md` says the same in words, for those who write a verifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from math import gcd
from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.canonical import LONGEST_DECIMAL, exact
from isegoria.record.format.units import LARGEST, LONGEST_BLOCK

Check = Callable[[Any], bool]
Shape = Mapping[str, Check]  # for each key of a kind of line, what can stand there
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
FRACTION = re.compile(r"(0|[1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
LEARNER, SETTING = re.compile(r"[a-z][a-z0-9_-]*"), re.compile(r"[a-z][a-z0-9_]*")
SCHEME = "bls-unchained-g1-rfc9380"
TIES = ("centre", "vertex", "utilitarian")
AMENDABLE = ("title", "arms", "block", "explore_max", "source")


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


def _explore_max(value: object) -> bool:
    match = FRACTION.fullmatch(value) if isinstance(value, str) else None
    return match is not None and gcd(int(match[1]), int(match[2])) == 1 and 2 * int(match[1]) <= int(match[2])


def _scale(value: Any) -> bool:
    return listed(decimal_text)(value) and len(value) == 2 and exact(value[0]) < exact(value[1])


def _arms(value: Any) -> bool:
    return listed(text, least=1)(value) and all(value) and len(set(value)) == len(value)


def _settings(value: object) -> bool:
    return isinstance(value, dict) and all(
        SETTING.fullmatch(key) and (item is None or isinstance(item, str)) for key, item in value.items()
    )


def _form(value: Any) -> bool:
    if value is None:
        return True
    if not (listed(whole(0, 10**9))(value) and len(value) == 4):
        return False
    count, lowest, highest, ordered = value
    return 1 <= count <= 200 and lowest <= highest and ordered in (0, 1)


def _source(value: Any, fallback: bool = True) -> bool:
    """A source: with fallbacks, which have none of their own."""
    if not isinstance(value, dict) or not isinstance(value.get("fallback"), list):
        return False
    known = BEACON if value.get("kind") == "beacon" else PLAIN_SOURCE
    if not known(value) or (value["fallback"] and not fallback):
        return False
    timed = value["kind"] != "beacon" or value["first"] >= value["genesis"]
    return timed and all(_source(other, fallback=False) for other in value["fallback"])


_ANY: Check = lambda value: True  # noqa: E731  (checked by `_source` itself)
PLAIN_SOURCE = keyed(kind=one_of("rehearsal", "dice", "group"), fallback=_ANY)
BEACON = keyed(
    kind=one_of("beacon"), fallback=_ANY, scheme=one_of(SCHEME), chain=hexadecimal(64), key=hexadecimal(192),
    genesis=whole(), period=whole(1), first=whole(), every=whole(1),
)  # fmt: skip
HASH, SIGNATURE = hexadecimal(64), hexadecimal(128)
BLOCK = whole(1, LONGEST_BLOCK)
ROUND = whole(1)
RULES = keyed(close=one_of("freeze"), late=one_of("next"), tie=one_of(*TIES), trial=one_of("lowest", "none"))
MEMBER = keyed(commitment=HASH, weight=whole(1), key=either(nothing, HASH))
TYPE = keyed(
    set=listed(whole(), ascending=True, least=1), weight=whole(1), units=listed(whole()),
    who=listed(hexadecimal(48), ascending=True, least=1),
)  # fmt: skip
TERMS = {"title": text, "arms": _arms, "block": either(nothing, BLOCK), "explore_max": _explore_max, "source": _source}


def _signatures(value: Any) -> bool:
    return listed(keyed(by=whole(), signature=SIGNATURE))(value) and listed(whole(), ascending=True)(
        [item["by"] for item in value]
    )


CHARTER: Shape = {
    "format": one_of("isegoria record"), "version": one_of(1), "group": hexadecimal(32), "units": whole(1),
    "scale": _scale, "privacy": one_of("open", "ballots"), "settings": _settings, "rules": RULES, "software": text,
    "learner": either(nothing, lambda value: text(value) and LEARNER.fullmatch(value) is not None), **TERMS,
}  # fmt: skip
ROSTER: Shape = {
    "version": whole(1), "joined": listed(whole(), ascending=True), "left": listed(whole(), ascending=True),
    "members": listed(either(nothing, MEMBER)),
}  # fmt: skip
COMMIT: Shape = {"round": ROUND, "by": whole(), "hash": HASH}
FREEZE: Shape = {
    "round": ROUND, "occasion": either(nothing, whole()), "roster": whole(1),
    "available": listed(whole(), ascending=True, least=1), "kind": one_of("fair", "trial"),
    "arm": either(nothing, whole()), "block": BLOCK, "event": either(nothing, text), "form": _form,
    "tally_root": HASH, "answered": whole(), "voices": listed(whole()), "explore": listed(whole()),
    "types": listed(TYPE), "source_round": either(nothing, whole()),
}  # fmt: skip
WITNESS: Shape = {"freeze": HASH, "by": whole(), "at": whole(), "signature": either(nothing, SIGNATURE)}
REVEAL: Shape = {
    "round": ROUND, "by": whole(), "value": HASH, "freeze": HASH, "signature": either(nothing, SIGNATURE)
}  # fmt: skip
DRAW: Shape = {
    "round": ROUND, "source_bytes": either(nothing, hexadecimal()), "balls": listed(whole()),
    "arms": listed(whole(), least=1), "signatures": _signatures,
}  # fmt: skip
RATINGS: Shape = {"round": ROUND, "root": HASH, "count": whole(1)}
OVERRIDE: Shape = {"round": ROUND, "slot": whole(), "arm": whole(), "reason": text, "by": either(nothing, whole())}
VOID: Shape = {"round": ROUND, "at": whole(), "reason": text, "signatures": _signatures}
AMEND: Shape = {"field": one_of(*AMENDABLE), "value": _ANY, "reason": text}
CLOSE: Shape = {}


def check_shape(kind: str, shape: Shape, line: dict[str, Any]) -> None:
    """Refuse a line that does not have exactly the keys of its kind, each with a value that can stand there."""
    checks = {**shape, "line": text, "prev": HASH}
    if line.keys() != checks.keys():
        raise InputError(f"it does not have exactly the keys of a {kind} line.")
    if kind == "amend" and line["field"] in TERMS:
        checks["value"] = TERMS[line["field"]]
    for key in sorted(checks):
        if not checks[key](line[key]):
            raise InputError(f'"{key}" of the {kind} line is not what it must be.')

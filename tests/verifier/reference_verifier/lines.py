"""Sections 1 and 2: canonical lines, and the keys and values of each kind."""

import json
import math
import re
from fractions import Fraction

from .primitives import MOST, require

# ---- section 1: canonical lines ---------------------------------------------------------------------------------
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def dump_canonical(value) -> str:
    if value is None:
        return "null"
    if type(value) is int and 0 <= value <= MOST:
        return str(value)
    if type(value) is str:
        return '"' + "".join(SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in value) + '"'
    if type(value) is list:
        return "[" + ",".join(map(dump_canonical, value)) + "]"
    if type(value) is dict:
        return "{" + ",".join(f"{dump_canonical(key)}:{dump_canonical(value[key])}" for key in sorted(value)) + "}"
    raise ValueError(value)


def parse_canonical(raw: bytes):
    """The value of a canonical line; ValueError if it is none."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(text)
        again = dump_canonical(value).encode("utf-8")
    except (UnicodeError, RecursionError, ValueError) as error:
        raise ValueError from error
    if again != raw:
        raise ValueError("another form")
    return value


# ---- section 2: kinds of lines ----------------------------------------------------------------------------------
def digits(count: int):
    return lambda v: type(v) is str and re.fullmatch(f"[0-9a-f]{{{count}}}", v) is not None


def integer(low: int = 0, high: int = MOST):
    return lambda v: type(v) is int and low <= v <= high


def one_of(*values):
    return lambda v: type(v) in (str, int) and v in values


def text(v) -> bool:
    return type(v) is str


def or_null(test):
    return lambda v: v is None or test(v)


def each(test):
    return lambda v: type(v) is list and all(test(one) for one in v)


def ascending(test):
    return lambda v: each(test)(v) and len(v) > 0 and all(v[i] < v[i + 1] for i in range(len(v) - 1))


def fields(**tests):
    return lambda v: type(v) is dict and sorted(v) == sorted(tests) and all(tests[key](v[key]) for key in tests)


def decimal(v) -> bool:
    return (
        type(v) is str and len(v) <= 400 and v != "-0" and bool(re.fullmatch(r"-?(0|[1-9]\d*)(\.\d*[1-9])?", v, re.A))
    )


def arms(v) -> bool:
    return each(text)(v) and len(v) > 0 and all(v) and len({*v}) == len(v)


def scale(v) -> bool:
    return each(decimal)(v) and len(v) == 2 and Fraction(v[0]) < Fraction(v[1])


def source(v) -> bool:
    beacon = fields(
        kind=one_of("beacon"),
        scheme=one_of("bls-unchained-g1-rfc9380"),
        chain=digits(64),
        key=digits(192),
        genesis=integer(),
        period=integer(1),
        first_at=integer(),
        interval_seconds=integer(1),
    )
    return fields(kind=one_of("rehearsal", "dice", "commit_reveal"))(v) or (beacon(v) and v["first_at"] >= v["genesis"])


def hexes(v) -> bool:
    return type(v) is str and bool(re.fullmatch("([0-9a-f][0-9a-f])+", v))


BLOCK, INT, BIT = integer(1, 20), integer(), integer(0, 1)
SETTINGS = fields(error=decimal, resolution=decimal, explore=decimal)
REST = integer(0, 20)
AMENDED = {
    "title": text,
    "arms": arms,
    "block": or_null(BLOCK),
    "source": source,
    "resting": REST,
    "end": lambda v: v is None,
}
HOW = {
    "founder": "founder of the group",
    "join_link": "join link",
    "letter_typed_by_member": "letter to an address typed by the member",
    "letter_typed_by_organiser": "letter to an address typed by the organiser",
    "organiser_link": "link issued by the organiser",
    "key_file": "key file",
}
VALUE = {
    "seen": lambda v: v is None,
    "commit": digits(64),
    "reveal": digits(64),
    "dice": lambda v: hexes(v) and len(v) <= 4400,
    "compare": digits(72),
}
FORM = fields(
    count=integer(1, 200), low=INT, high=integer(0, 10**9), order=one_of("throw", "colour", "published", "sorted")
)
PSEUDONYMS = ascending(digits(48))
TYPE = fields(candidates=ascending(INT), leader=or_null(INT), weight=integer(1), units=each(INT), pseudonyms=PSEUDONYMS)
KEYED = dict(key=digits(64), provenance=fields(how=one_of(*HOW), at=INT), proof=digits(128), by_hand=integer(0, 0))
KEYLESS = {name: lambda v: v is None for name in ("key", "provenance", "proof")} | {"by_hand": BIT}


def entry(v) -> bool:
    plain = dict(commitment=digits(64), weight=integer(1), organiser=BIT)
    return fields(**plain, **KEYED)(v) or fields(**plain, **KEYLESS)(v)


LEAF = fields(
    at=INT,
    nonce=digits(64),
    round=integer(1),
    signature=or_null(digits(128)),
    slot=or_null(integer(0, 2**32 - 1)),
    values=each(or_null(decimal)),
)
KEYS = {
    "charter": dict(
        format=one_of("isegoria record"),
        version=integer(3, 3),
        group=digits(32),
        title=text,
        software=text,
        arms=arms,
        scale=scale,
        privacy=one_of("open", "ballots"),
        block=or_null(BLOCK),
        learner=or_null(one_of("guided")),
        settings=lambda v: v == {} or SETTINGS(v),
        resting=REST,
        tie_break=one_of("centre", "vertex", "utilitarian"),
        source=source,
        turns=or_null(fields(mode=one_of("lottery", "deterministic"), worlds=BLOCK, single_use=BIT)),
    ),
    "roster": dict(version=integer(1), members=each(or_null(entry))),
    "statement": dict(
        member=INT,
        size=integer(2),
        head=digits(64),
        at=INT,
        kind=one_of(*VALUE),
        value=lambda v: True,
        signature=digits(128),
    ),
    "freeze": dict(
        round=integer(1),
        at=INT,
        roster=integer(1),
        available=ascending(INT),
        block=BLOCK,
        title=lambda v: text(v) and 1 <= len(v) <= 80,
        dice_form=or_null(lambda v: FORM(v) and v["low"] <= v["high"]),
        occurrence=or_null(INT),
        source_round=or_null(INT),
        root=digits(64),
        leaf_count=INT,
        units=integer(1),
        arm_units=each(INT),
        types=each(TYPE),
        absent=each(fields(weight=integer(1), pseudonyms=PSEUDONYMS)),
    ),
    "trial": dict(round=integer(1), occurrence=or_null(INT), roster=integer(1), available=ascending(INT), arm=INT),
    "draw": dict(round=integer(1), source_bytes=hexes, balls=each(INT), arms=each(INT)),
    "ratings": dict(round=integer(1), root=digits(64), leaf_count=integer(1)),
    "override": dict(
        round=integer(1), slot=INT, arm=INT, reason=text, member=or_null(INT), signature=or_null(digits(128))
    ),
    "amend": dict(field=one_of(*AMENDED), value=lambda v: any(test(v) for test in AMENDED.values()), reason=text),
}
SECRETS = dict(name=text, salt=digits(64), secret=digits(64))
RECEIPT_KEYS = dict(
    format=one_of("isegoria receipt"),
    version=integer(3, 3),
    group=digits(32),
    record=digits(64),
    head=digits(64),
    member=integer(0, 2**32 - 1),
    **SECRETS,
    ratings=each(fields(line=integer(1), leaf=LEAF, index=INT, path=each(digits(64)))),
)
NULL = lambda v: v is None  # noqa: E731
STATES = {
    "invited": (NULL, NULL),
    "pending": (integer(1), NULL),
    "active": (NULL, NULL),
    "by_hand": (NULL, NULL),
    "away": (NULL, or_null(INT)),
    "left": (NULL, NULL),
    "removed": (NULL, NULL),
}


def RECEIPT(v) -> bool:
    state = v.get("state") if type(v) is dict else None
    if type(state) is not str or state not in STATES:
        return False
    round_, until = STATES[state]
    return fields(state=text, round=round_, until=until, **RECEIPT_KEYS)(v)


NAMES = fields(
    format=one_of("isegoria names"), version=integer(3, 3), group=digits(32), members=each(or_null(fields(**SECRETS)))
)


def line_fits(v) -> bool:
    if type(v) is not dict or type(v.get("line")) is not str or v["line"] not in KEYS:
        return False
    if not fields(line=text, prev=digits(64), **KEYS[v["line"]])(v):
        return False
    if v["line"] == "charter":
        return (v["settings"] == {}) if v["learner"] is None else v["settings"] != {} and _learnable(v)
    if v["line"] == "statement":
        return VALUE[v["kind"]](v["value"])
    return v["line"] != "override" or (v["member"] is None) == (v["signature"] is None)


def _learnable(v) -> bool:
    error, resolution, explore = (Fraction(v["settings"][key]) for key in ("error", "resolution", "explore"))
    width = float(v["scale"][1]) - float(v["scale"][0])
    return 0 < error < 1 and 0 <= resolution < 1 and 0 < explore <= 1 and width > 0 and math.isfinite(width)


def lines_of(data: bytes, called: str) -> list[bytes]:
    require(data[-1:] == b"\n", f"{called} is empty, or its last line is cut off: it does not end with a newline.", 2)
    return data[:-1].split(b"\n")


def parse_line(raw: bytes, called: str, fits=line_fits):
    try:
        value = parse_canonical(raw)
        good = fits(value)
    except ValueError:
        good = False
    require(good, f"{called} is not canonical JSON with the keys and values of its kind.", 2)
    return value

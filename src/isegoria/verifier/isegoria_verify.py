#!/usr/bin/env python3
"""Verify a record of draws without trusting its writer: say whom you trust, and it reports what is proved for you.

    python3 -I -S isegoria_verify.py RECORD --trust members --head WORDS

  --trust WHO        a key (64 digits), a member's number, a name (with --names) or the word members; repeatable
  --head HEX         a head that you kept before the draws, or its ten words; repeatable
  --quorum K         how many of the keys that you trust must have had a page in time; default: a third
  --against FILE     another copy of this record: check that both have the same history; repeatable
  --receipt FILE     a member's receipt: their rows and ratings are checked too
  --names FILE       the names of an open group: which row is whose
  --beacon FILE      chain info (JSON, as drand's servers give it) of a beacon other than drand's quicknet
  --now UNIX         the time in Unix seconds, instead of this machine's clock

Exit code: 0 proved for you, unless keys that you trust were false; 1 false; 2 unreadable; 3 everything recomputes.
One file, standard library only, Python 3.9 or later: integers, SHA-256, Ed25519 and BLS12-381. It was written from the
description of the record (docs/reference/record.md), not from the program that writes records.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
import time
from bisect import bisect_right
from datetime import datetime, timezone
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

Line = dict[str, Any]  # a line of the record, or a file beside it, as plain data
People = dict[int, Line]  # entries by number
Test = Callable[[Any], bool]
TOP = 2**53 - 1  # the largest whole number that JavaScript holds exactly
QUICKNET = {
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", "genesis": 1692803367, "period": 3,
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
           "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"}

HOW = {
    "founder": "founder of the group", "join_link": "join link", "key_file": "key file",
    "letter_typed_by_member": "letter to an address typed by the member",
    "letter_typed_by_organiser": "letter to an address typed by the organiser",
    "organiser_link": "link issued by the organiser"}

class Fault(Exception):
    """A verification error: the sentence that says what is wrong, and an exit code: 1 false, 2 unreadable."""

def need(ok: object, sentence: str, code: int = 1) -> None:
    if not ok:
        raise Fault(sentence, code)

def sha(*parts: bytes) -> bytes: return hashlib.sha256(b"".join(parts)).digest()
def mac(secret: str, *parts: bytes) -> bytes: return hmac.digest(bytes.fromhex(secret), b"".join(parts), "sha256")
def big(number: int, size: int) -> bytes: return number.to_bytes(size, "big")
def stays(old: Line, new: Line) -> bool:
    """Check what does not change while a member stays: weight, commitment and, with their key, its proof and origin."""
    same = ("weight", "commitment") + ("proof", "provenance") * (old["key"] == new["key"])
    return all(old[key] == new[key] for key in same)
def entries(members: list[Any]) -> People: return {n: one for n, one in enumerate(members) if one}
def select_texts(pairs: Iterable[tuple[object, str]]) -> list[str]: return [text for holds, text in pairs if holds]

def words(head: str) -> str:
    """Format a head as ten words, to be read aloud and compared."""
    c, v, bits = "bdfghjklmnprstvz", "aiou", [int(head[i : i + 4], 16) for i in range(0, 40, 4)]
    return "-".join(c[b >> 12] + v[b >> 10 & 3] + c[b >> 6 & 15] + v[b >> 4 & 3] + c[b & 15] for b in bits)

# Text from a file cannot forge a line of the report: control and direction marks become U+FFFD, inside « ».
def clean(text: str) -> str:
    return re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "\ufffd", text)
def quote(text: str) -> str: return "«" + re.sub("[«»]", "\ufffd", clean(text)) + "»"
def join_items(items: Sequence[object]) -> str:
    return ", ".join(map(str, items[:10])) + (", …" if len(items) > 10 else "")

# ---- Reading: canonical JSON with exactly these keys, each with the name of the test for its value ------------------
# The suffix `?` allows null, `*` means a list, `+` a list that is not empty and strictly increasing; `=` begins a
# pattern, and hex64 is 64 hexadecimal digits. Lines also have `line` and `prev`.
SHAPES = {
    "charter line": r"format:=isegoria\x20record version:three group:hex32 title:text arms:arms scale:scale "
                    "privacy:=open|ballots block:block? learner:=guided? settings:settings resting:rest "
                    "tie_break:=centre|vertex|utilitarian turns:turns? source:source software:text",
    "turns": "mode:=lottery|deterministic worlds:block single_use:bit",
    "plain source": "kind:=rehearsal|dice|commit_reveal",
    "beacon source": "kind:=beacon scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 genesis:int period:int1 "
                     "first_at:int interval_seconds:int1",
    "guided": "error:decimal resolution:decimal explore:decimal", "person": "name:text salt:hex64 secret:hex64",
    "roster line": "version:int1 members:member?*", "provenance": "how:how at:int",
    "member": "commitment:hex64 weight:int1 key:hex64? provenance:provenance? proof:hex128? organiser:bit by_hand:bit",
    "statement line": "member:int size:int2 head:hex64 at:int kind:=seen|commit|reveal|dice|compare value:bytes? "
                      "signature:hex128",
    "freeze line": "round:int1 at:int roster:int1 available:int+ block:block title:title dice_form:form? "
                   "occurrence:int? source_round:int? root:hex64 leaf_count:int units:int1 arm_units:int* "
                   "types:type* absent:absent*",
    "form": "count:int low:int high:int order:=throw|colour|published|sorted",
    "type": "candidates:int+ leader:int? weight:int1 units:int* pseudonyms:hex48+",
    "absent": "weight:int1 pseudonyms:hex48+",
    "trial line": "round:int1 occurrence:int? roster:int1 available:int+ arm:int",
    "draw line": "round:int1 source_bytes:bytes balls:int* arms:int*",
    "ratings line": "round:int1 root:hex64 leaf_count:int1",
    "override line": "round:int1 slot:int arm:int reason:text member:int? signature:hex128?",
    "amend line": "field:=title|arms|block|source|resting|end value:amended reason:text",
    "the receipt": r"format:=isegoria\x20receipt version:three group:hex32 record:hex64 head:hex64 member:four "
                   "state:=invited|pending|active|by_hand|away|left|removed round:int1? until:int? "
                   "name:text salt:hex64 secret:hex64 ratings:rated*",
    "rated": "line:int1 leaf:rating index:int path:hex64*",
    "rating": "at:int nonce:hex64 round:int1 signature:hex128? slot:four? values:decimal?*",
    "chain info": "public_key:hex192 period:int1 genesis_time:int hash:hex64 groupHash:hex64 "
                  "schemeID:=bls-unchained-g1-rfc9380 metadata:metadata", "metadata": "beaconID:text",
    "the names file": r"format:=isegoria\x20names version:three group:hex32 members:person?*",
}

def whole(value: object, low: int, high: int) -> bool: return type(value) is int and low <= value <= high
def rising(values: Sequence[Any]) -> bool: return all(a < b for a, b in zip(values, values[1:]))

def learnable(charter: Line) -> bool:
    """Check that a learner's settings are in their ranges, and that doubles can tell the ends of the scale apart."""
    error, resolution, explore = (Fraction(charter["settings"][key]) for key in ("error", "resolution", "explore"))
    span = float(charter["scale"][1]) - float(charter["scale"][0])
    return 0 < error < 1 and 0 <= resolution < 1 and 0 < explore <= 1 and span > 0 and isfinite(span)

@lru_cache(maxsize=None)
def check(name: str) -> Test:
    """Return the test that a name in the tables denotes."""
    if name[-1] in "?*+":
        one, rises = check(name[:-1]), name[-1] == "+"
        if name[-1] == "?":
            return lambda v: v is None or one(v)
        return lambda v: type(v) is list and all(map(one, v)) and (not rises or (v != [] and rising(v)))
    if name in VALUES or name in WHOLE:
        return VALUES.get(name, lambda v: whole(v, *WHOLE[name]))
    if name in SHAPES:
        own = f"line:={name[:-5]} prev:hex64 " if name.endswith(" line") else ""
        parts, both = [part.split(":", 1) for part in (own + SHAPES[name]).split()], TOGETHER.get(name, bool)
        tests = {key: check(test) for key, test in parts}
        return lambda v: type(v) is dict and v.keys() == tests.keys() and all(tests[k](v[k]) for k in tests) and both(v)
    pattern = re.compile(name[1:] if name[0] == "=" else "[0-9a-f]{%s}" % name[3:])
    return lambda v: type(v) is str and pattern.fullmatch(v) is not None

AMENDABLE = {"title": "text", "arms": "arms", "block": "block?", "source": "source", "resting": "rest",
             "end": "null"}
SAID = {"seen": "null", "commit": "hex64", "reveal": "hex64", "dice": "=.{2,4400}", "compare": "hex72"}
WHOLE = {"int": (0, TOP), "int1": (1, TOP), "int2": (2, TOP), "three": (3, 3), "bit": (0, 1), "four": (0, 2**32 - 1),
         "block": (1, 20), "rest": (0, 20)}
TOGETHER: dict[str, Test] = {  # conditions on several values of one object
    "charter line": lambda v: v["settings"] == {} if v["learner"] is None else v["settings"] != {} and learnable(v),
    "statement line": lambda v: check(SAID[v["kind"]])(v["value"]),
    "beacon source": lambda v: v["first_at"] >= v["genesis"],
    "form": lambda v: 1 <= v["count"] <= 200 and v["low"] <= v["high"] <= 10**9,
    "member": lambda v: v["provenance"] is v["proof"] is None if v["key"] is None else
    v["provenance"] is not None and v["proof"] is not None and not v["by_hand"],
    "the receipt": lambda v: (v["round"] is not None) == (v["state"] == "pending")
    and (v["until"] is None or v["state"] == "away"),
    "override line": lambda v: (v["member"] is None) == (v["signature"] is None),
}
VALUES: dict[str, Test] = {
    "how": lambda v: type(v) is str and v in HOW, "text": lambda v: type(v) is str, "null": lambda v: v is None,
    "title": lambda v: type(v) is str and 1 <= len(v) <= 80, "bytes": lambda v: check("=([0-9a-f]{2}){1,}")(v),
    "head": lambda v: check("hex64")(v) or check("=[a-z]{5}(-[a-z]{5}){9}")(v),
    "arms": lambda v: check("text*")(v) and v != [] and "" not in v and len(set(v)) == len(v),
    "decimal": lambda v: check(r"=(?!-0$)-?(0|[1-9][0-9]*)(|\.[0-9]*[1-9])")(v) and len(v) <= 400,
    "scale": lambda v: check("decimal*")(v) and len(v) == 2 and Fraction(v[0]) < Fraction(v[1]),
    "source": lambda v: check("plain source")(v) or check("beacon source")(v),
    "settings": lambda v: v == {} or check("guided")(v),
    "amended": lambda v: any(check(name)(v) for name in AMENDABLE.values()),
}

CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

def read(raw: bytes, called: str, shape: str = "") -> Line:
    """Parse a canonical line and require its shape: that of its kind, unless `shape` names another."""
    try:
        value: Line = json.loads(raw.decode("utf-8"))
        shape = shape or f"{value['line']} line"
        fits = shape in SHAPES and check(shape)(value) and CANONICAL(value).encode("utf-8") == raw
    except (ValueError, TypeError, KeyError, RecursionError):  # 5,000 digits are a ValueError too
        fits = False
    need(fits, f"{called} is not canonical JSON with the keys and values of its kind.", 2)
    return value

def contents(file: Any) -> bytes:
    """Read a file; bytes may be given in place of its path."""
    try:
        return file if isinstance(file, bytes) else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise Fault(f"{clean(str(file))} cannot be read: {getattr(error, 'strerror', error)}.", 2) from None

def split(file: Any, called: str) -> list[bytes]:
    """Read the lines of a file."""
    data = contents(file)
    need(data.endswith(b"\n"), f"{called} is empty, or its last line is cut off: it does not end with a newline.", 2)
    return data[:-1].split(b"\n")

def read_lines(raws: list[bytes], of: str = "") -> list[Line]:
    return [read(raw, f"line {number}{of}") for number, raw in enumerate(raws, 1)]

def read_beside(file: Any, called: str, this: tuple[object, object]) -> Optional[Line]:
    """Read a receipt or a names file and require that it belongs to this record; return None if none is given."""
    value = None if file is None else read(b"\n".join(split(file, called)), called, called)
    fits = not value or (value["group"], value.get("record", this[1])) == this
    need(fits, f"{called} belongs to another record.", 2)
    return value

def read_chain(file: Any) -> Line:
    """Read a beacon's chain info: its chain hash binds key, genesis and period. Return what a source must have."""
    def number(text: str) -> Optional[int]: return int(float(text)) if float(text).is_integer() else None
    raw, own = contents(file), dict[str, Any]()
    try:
        info = json.loads(raw.decode("utf-8"), parse_float=number)
        if check("chain info")(info) and info["period"] < 2**32:
            name, key, seed = info["metadata"]["beaconID"], *map(bytes.fromhex, (info["public_key"], info["groupHash"]))
            name = b"" if name == "default" else name.encode("utf-8")
            if sha(big(info["period"], 4), big(info["genesis_time"], 8), key, seed, name).hex() == info["hash"]:
                own = {"chain": info["hash"], "key": key.hex(), "genesis": info["genesis_time"],
                       "period": info["period"]}
    except (ValueError, RecursionError):
        pass
    need(own, "the chain info of the beacon is not as drand gives it, or does not hash to its chain hash.", 2)
    return own

def read_other(given: Any, record: Optional[str]) -> tuple[str, list[Line], list[str]]:
    """Read another copy of this record (a path, or a name and bytes): its name, its lines and their hashes."""
    name, file = given if isinstance(given, tuple) else (str(given), given)
    name, raws = clean(name), split(file, clean(name))
    lines, hashes = read_lines(raws, f" of {name}"), [sha(raw).hex() for raw in raws]
    for number, (line, before) in enumerate(zip(lines, ["0" * 64, *hashes]), 1):
        need(line["prev"] == before, f'line {number} of {name}: "prev" is not the hash of the line before.', 2)
    need(hashes[1:2] == [record], f"{name} is another record.", 2)
    return name, lines, hashes

# ---- Ed25519 as in RFC 8032: points (x, y, z, x·y/z) on -x² + y² = 1 + D·x²·y², modulo P ----------------------
Point = tuple[int, int, int, int]
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ZERO = -121665 * pow(121666, P - 2, P) % P, (0, 1, 1, 0)

def add(a: Point, b: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m, n, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * D * t1 * t2 % P, 2 * z1 * z2
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P

def twice(a: Point) -> Point:
    x, y, z, _ = a
    e, g, h = 2 * x * y, y * y - x * x, -x * x - y * y
    f = g - 2 * z * z
    return e * f % P, g * h % P, f * g % P, e * h % P

def minus(a: Point) -> Point: return P - a[0], a[1], a[2], P - a[3]

def vanishes(a: Point) -> bool:
    """Check whether eight times a point is zero."""
    x, y, z, _ = twice(twice(twice(a)))
    return x == 0 and y == z

def point(data: bytes) -> Optional[Point]:
    """Decode 32 bytes to a point; None if invalid, if y is not below P, or if eight times the point is zero."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    u, v = y * y - 1, D * y * y + 1
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    x = x if (v * x * x - u) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    x = x if x & 1 == sign else -x % P
    fits = y < P and (v * x * x - u) % P == 0 and x & 1 == sign and not vanishes((x, y, 1, x * y % P))
    return (x, y, 1, x * y % P) if fits else None

BASE = point(bytes.fromhex("58" + "66" * 31)) or ZERO

@lru_cache(maxsize=4096)
def multiples(data: bytes) -> list[Point]:
    """Return the multiples 0 … 15 of minus a key's point, or of the base point (no data); empty if there is none."""
    a, found = point(data) if data else minus(BASE), [ZERO]
    while a and len(found) < 16:
        found.append(add(found[-1], minus(a)))
    return found if a else []

@lru_cache(maxsize=2**16)
def signed(key: str, signature: str, message: bytes) -> bool:
    """Verify an Ed25519 signature: whether 8·S·B = 8·R + 8·k·A."""
    own, both = bytes.fromhex(key), bytes.fromhex(signature)
    a, r, s = multiples(own), point(both[:32]), int.from_bytes(both[32:], "little")
    if not a or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(both[:32] + own + message).digest(), "little") % L
    base, total = multiples(b""), ZERO
    for place in range(252, -1, -4):
        total = add(add(twice(twice(twice(twice(total)))), base[s >> place & 15]), a[k >> place & 15])
    return vanishes(add(total, minus(r)))

# ---- BLS12-381: E: y² = x³ + 4 and its twist y² = x³ + 4(1 + i), over pairs a + b·i modulo Q; None is zero -----------
Pair = tuple[int, int]
Spot = Optional[tuple[Pair, Pair]]
Q = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab
LOOP, R = 0xd201000000010000, 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
MINUS_G = ("b3e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
           "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8")
# The curve y² = x³ + A·x + B that messages are mapped to, and the polynomial of an isogeny's kernel, from it to E.
MAP_A = 0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1d
MAP_B = 0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0
KERNEL = (0x133341fb0962a34cb0504a9c4fada0a5090d38679b4c040d5d1c3afb023a3409fcc0815fea66d8b02bbef9c8b5a66e07,
          0x264908af037bcede00d054cf5d4775e83eb6cf63c76b969f8ed174fb59fcff78d201f46f6cfc4ed6552e59ce75177b0,
          0x1335c502c1f54c49aceea65e87fd7203ba0f626f305fc0cfd606a5dae9f3c8e81a4b3b69600129fabd307c69bf319d39,
          0x94440f65f408a6e930e16e3e92dd17bf60d6e9679a8d3d58593de55ac23703042d609537eb3549aac234d896ca82944,
          0x4afe09d5cf4956a23b6b71f59d2b3407b415a774b7be81bbb6fa99cbc798e0ac98ba725a5bc328016b1c268b4766e85, 1)

def mul2(a: Pair, b: Pair) -> Pair: return (a[0] * b[0] - a[1] * b[1]) % Q, (a[0] * b[1] + a[1] * b[0]) % Q
def sub2(a: Pair, b: Pair) -> Pair: return (a[0] - b[0]) % Q, (a[1] - b[1]) % Q
def over(a: int, b: int) -> int: return a * pow(b, -1, Q) % Q

def root(a: int) -> Optional[int]:
    """Return a square root modulo Q, or None."""
    b = pow(a, (Q + 1) // 4, Q)
    return b if (b * b - a) % Q == 0 else None

def root2(a: Pair) -> Optional[Pair]:
    """Return a square root of a pair, or None."""
    size = root(a[0] ** 2 + a[1] ** 2)
    for one in [] if size is None else [root(over(a[0] + sign * size, 2)) for sign in (1, -1)]:
        b = (one, over(a[1], 2 * one)) if one else (0, root(-a[0]) or 0)
        if mul2(b, b) == a:
            return b
    return None

def plus(a: Spot, b: Spot) -> tuple[Any, Spot]:
    """Return the slope of the line through two points, and their sum."""
    if a is None or b is None:
        return None, a or b
    x, y = sub2(b[0], a[0]), sub2(b[1], a[1])
    if x == (0, 0):
        if y != (0, 0) or a[1] == (0, 0):
            return None, None
        x, y = (2 * a[1][0], 2 * a[1][1]), mul2((3 * a[0][0], 3 * a[0][1]), a[0])
    inverse = over(1, x[0] ** 2 + x[1] ** 2)
    slope = mul2(y, (x[0] * inverse % Q, -x[1] * inverse % Q))
    third = sub2(sub2(mul2(slope, slope), a[0]), b[0])
    return slope, (third, sub2(mul2(slope, sub2(a[0], third)), a[1]))

def combine_points(points: Sequence[Spot], factors: Sequence[int]) -> Spot:
    """Compute Σ factor · point."""
    total: Spot = None
    for bit in range(max(factor.bit_length() for factor in factors) - 1, -1, -1):
        total = plus(total, total)[1]
        for one, factor in zip(points, factors):
            total = plus(total, one)[1] if factor >> bit & 1 else total
    return total

@lru_cache(maxsize=4096)
def decompress_point(data: bytes) -> Spot:
    """Decode a point of E (48 bytes) or of the twist (96); None unless it has order R and is in its only form."""
    flags, twist = data[0] >> 5, len(data) == 96
    high, low = (int.from_bytes(part, "big") for part in (bytes([data[0] & 31]) + data[1:48], data[48:]))
    x = (low, high) if twist else (high, 0)
    y = root2(sub2(mul2(mul2(x, x), x), (-4, -4 if twist else 0))) if flags in (4, 5) and max(x) < Q else None
    if y is None or (y[1] and not twist):
        return None
    y = y if (2 * (y[1] or y[0]) > Q) == (flags == 5) else sub2((0, 0), y)
    return (x, y) if combine_points([(x, y)], [R]) is None else None

def map_to_curve(u: int) -> Spot:
    """Map a number modulo Q to a point of E: simplified SWU (RFC 9380), then Vélu's isogeny of degree 11."""
    t = 11 * u * u % Q
    s = (t * t + t) % Q
    x = over(-MAP_B * (s + 1), MAP_A * s) if s else over(MAP_B, 11 * MAP_A)
    x = x if root(x**3 + MAP_A * x + MAP_B) is not None else t * x % Q
    y, row, values = root(x**3 + MAP_A * x + MAP_B) or 0, list(KERNEL), []
    for _ in range(4):  # the kernel's polynomial and its derivatives at x
        values.append(sum(c * pow(x, n, Q) for n, c in enumerate(row)) % Q)
        row = [n * c for n, c in enumerate(row)][1:]
    if values[0] == 0:
        return None
    s1, t2, t3 = (over(one, values[0]) for one in values[1:])
    s2, f, g = (s1 * s1 - t2) % Q, 4 * (x**3 + MAP_A * x + MAP_B), 6 * x * x + 2 * MAP_A
    image = 11 * x + 2 * KERNEL[4] - g * s1 + f * s2
    slope = 11 - 12 * x * s1 + 3 * g * s2 + f * (t2 * s1 - 2 * s1 * s2 - t3)
    return (over(image, 121), 0), (over((y if (y - u) % 2 == 0 else -y) * slope, 1331), 0)

@lru_cache(maxsize=4096)
def hash_to_curve(message: bytes) -> Spot:
    """Hash a message to a point of E of order R."""
    tag, blocks = TAG + bytes([len(TAG)]), [bytes(32)]
    first = sha(bytes(64), message, b"\0\x80\0", tag)
    for n in range(1, 5):
        blocks.append(sha(bytes(a ^ b for a, b in zip(first, blocks[-1])), bytes([n]), tag))
    wide = [int.from_bytes(blocks[n] + blocks[n + 1], "big") % Q for n in (1, 3)]
    return combine_points([plus(*map(map_to_curve, wide))[1]], [LOOP + 1])

def pack_coefficients(a: list[int]) -> int:
    return int.from_bytes(b"".join(c.to_bytes(96, "little") for c in a), "little")

def times(a: list[int], b: list[int]) -> list[int]:
    """Multiply two polynomials of 12 coefficients modulo w¹² - 2w⁶ + 2, where i is w⁶ - 1."""
    data = (pack_coefficients(a) * pack_coefficients(b)).to_bytes(2209, "little")
    c = [int.from_bytes(data[n : n + 96], "little") for n in range(0, 2208, 96)]
    for n in range(22, 11, -1):
        c[n - 6], c[n - 12] = c[n - 6] + 2 * c[n], c[n - 12] - 2 * c[n]
    return [one % Q for one in c[:12]]

def line_at(slope: Pair, through: Any, point: Any) -> list[int]:
    """Evaluate the line of this slope through a point of the twist, times w³, at a point of E."""
    (a, b), (c, d) = sub2(mul2(slope, through[0]), through[1]), mul2(slope, (-point[0][0], 0))
    return [(a - b) % Q, 0, (c - d) % Q, point[1][0], 0, 0, b, 0, d, 0, 0, 0]

def is_pairing_product_one(pairs: list[tuple[Spot, Spot]]) -> bool:
    """Check whether the product of the pairings of points (of E, of the twist) is one.

    The last power leaves out Q⁶ - 1, which maps to one exactly the values whose odd coefficients are zero.
    """
    value, pairs = [1] + [0] * 11, [pair for pair in pairs if pair[0]]
    totals = [b for _, b in pairs]
    for bit in bin(LOOP)[3:]:
        value = times(value, value)
        for step in range(1 + int(bit)):
            for n, (a, b) in enumerate(pairs):
                slope, total = plus(totals[n], b if step else totals[n])
                value, totals[n] = times(value, line_at(slope, totals[n], a)), total
    value = times(value, [c * pow(2, (Q - 1) // 6 * n, Q) % Q for n, c in enumerate(value)])  # the power Q² + 1
    result = value
    for bit in bin((Q**4 - Q * Q + 1) // R)[3:]:
        result = times(result, result)
        result = times(result, value) if bit == "1" else result
    return not any(result[1::2])

Spoken = tuple[tuple[str, int, bytes], ...]  # key, round and signature of each

@lru_cache(maxsize=256)
def said_all(spoken: Spoken) -> bool:
    """Verify all beacon signatures at once: one product of pairings, with factors of 128 bits."""
    seed, left = sha(repr(spoken).encode()), list[tuple[Spot, int]]()
    right: dict[Spot, list[tuple[Spot, int]]] = {}
    for place, (key, number, said) in enumerate(spoken):
        a, b = decompress_point(said), decompress_point(bytes.fromhex(key))
        factor = int.from_bytes(sha(seed, big(place, 4))[:16], "big")
        if a is None or b is None:
            return False
        left.append((a, factor))
        right.setdefault(b, []).append((hash_to_curve(sha(big(number, 8))), factor))
    sides = [(decompress_point(bytes.fromhex(MINUS_G)), left), *right.items()]
    return is_pairing_product_one([(combine_points(*zip(*own)), key) for key, own in sides])

def first_wrong(spoken: Spoken, start: int = 0) -> Optional[int]:
    """Find the first signature that is not the beacon's, by bisection; return its index or None."""
    if not spoken or said_all(spoken):
        return None
    half = len(spoken) // 2
    wrong = first_wrong(spoken[:half], start) if half else start
    return first_wrong(spoken[half:], start + half) if wrong is None else wrong

# ---- The draw: a drum of W·U units, a stream of numbers, one ball for each slot -------------------------------------
Below = Callable[[int], int]

def stream(freeze_hash: bytes, said: bytes) -> Below:
    """Return the random numbers of a draw, as a function that gives the next one below a limit."""
    seed = sha(b"isegoria draw 1\0", freeze_hash, said)
    numbers = (int.from_bytes(sha(seed, big(c, 4))[:8], "big") for c in range(2**32))
    return lambda limit: next(x % limit for x in numbers if x < 2**64 - 2**64 % limit)

def space_balls(freeze: Line, below: Below) -> list[int]:
    """Return one ball per slot, evenly spaced over the drum from a random first one, ascending."""
    step = sum(freeze["arm_units"]) // freeze["block"]
    return list(range(below(step), step * freeze["block"], step))

def shuffle(items: list[int], below: Below) -> list[int]:
    for i in range(len(items) - 1, 0, -1):
        j = below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items

def balls_of(freeze: Line, below: Below) -> list[int]: return shuffle(space_balls(freeze, below), below)

def place(freeze: Line, ball: int) -> tuple[int, str]:
    """Return the arm of a ball, and the pseudonym whose voice it is."""
    arm = 0
    while ball >= freeze["arm_units"][arm]:
        ball, arm = ball - freeze["arm_units"][arm], arm + 1
    for one in freeze["types"]:
        if ball < one["units"][arm] * len(one["pseudonyms"]):
            break
        ball -= one["units"][arm] * len(one["pseudonyms"])
    return arm, one["pseudonyms"][ball // one["units"][arm]]

# ---- Turns with memory: debts (owed in each world, waited) by pseudonym, from the lines alone ------------------------
UNITS = 3724680960
Debts = dict[str, tuple[list[int], int]]

def asking(freeze: Line) -> Iterator[tuple[str, int, list[int], int]]:
    """Yield pseudonym, weight, set and credit of each member whose set is not everything that is available."""
    weight = sum(freeze["arm_units"]) // freeze["units"]
    for one in freeze["types"]:
        credit = sum(freeze["arm_units"][arm] for arm in one["candidates"]) // weight
        names = one["pseudonyms"] if one["candidates"] != freeze["available"] else []
        yield from ((who, one["weight"], one["candidates"], credit) for who in names)

def charge(debts: Debts, freeze: Line, arms: list[int]) -> None:
    """Update debts after world m played arms[m]: asking members gain their credit, less a decision for a favourite."""
    for who, _, own, credit in asking(freeze):
        owed, waited = debts.get(who, ([0] * len(arms), 0))
        owed = [old + credit - UNITS * (arm in own) for old, arm in zip(owed, arms)]
        debts[who] = owed, 0 if arms[0] in own else waited + 1

def turn_balls(freeze: Line, below: Below, debts: Debts, turns: Line) -> list[int]:
    """Return the balls of all worlds, exchanged while two worlds gain; deterministic: one ball of the best arm."""
    worlds, settled = range(turns["worlds"]), turns["mode"] == "deterministic"
    score = [[0] * len(freeze["arm_units"]) for _ in worlds]
    for who, weight, own, credit in asking(freeze):
        owed, waited = debts.get(who, ([0] * len(worlds), 0))
        for world in worlds:
            claim = owed[world] + credit
            for arm in own:
                score[world][arm] += weight * (4 * claim + UNITS * min(waited, 12) if settled else claim)
    if settled:
        return [settled_ball(freeze, below, score[0])]
    balls, order = space_balls(freeze, below), shuffle(list(worlds), below)
    pairs, moved = [(a, b) for a in worlds for b in worlds[a + 1 :]], True
    while moved:
        moved = False
        for a, b in pairs:
            first, second = score[order[a]], score[order[b]]
            x, y = place(freeze, balls[a])[0], place(freeze, balls[b])[0]
            if first[y] + second[x] > first[x] + second[y]:
                balls[a], balls[b], moved = balls[b], balls[a], True
    return [balls[order.index(world)] for world in worlds]

def settled_ball(freeze: Line, below: Below, claims: list[int]) -> int:
    """Return a ball of the arm with the highest score; a tie is drawn by voices."""
    voices, asked = freeze["arm_units"], sum(weight for _, weight, _, _ in asking(freeze))
    weight = sum(voices) // freeze["units"]
    score = {arm: 2 * (units * asked // weight) + claims[arm] for arm, units in enumerate(voices) if units}
    tied = [arm for arm in score if score[arm] == max(score.values())]
    number, arm = below(sum(voices[arm] for arm in tied)), tied.pop(0)
    while number >= voices[arm]:
        number, arm = number - voices[arm], tied.pop(0)
    return int(sum(voices[:arm])) + number

# ---- What a page must be: what dice can show, rows, and the certificate ---------------------------------------------
def is_valid_throw(said: bytes, form: Line) -> bool:
    """Check whether dice of this form can show this: its numbers in decimal, each followed by a point."""
    text = said.decode("latin-1")
    numbers = [int(part) for part in text.split(".")[:-1]] if re.fullmatch(r"((0|[1-9][0-9]{0,9})\.)+", text) else []
    fits = len(numbers) == form["count"] and form["low"] <= min(numbers) <= max(numbers) <= form["high"]
    return fits and (form["order"] != "sorted" or numbers == sorted(numbers))

def outcomes(form: Line) -> int:
    span, count = form["high"] - form["low"], form["count"]
    return comb(span + count, count) if form["order"] == "sorted" else (span + 1) ** count

def row_in_doubt(one: Line, total: int, explore: Fraction) -> list[int]:
    """Return the units of a member in doubt on the arms of their set: 1 - explore on the leader, the rest even."""
    others, (part, parts) = len(one["candidates"]) - 1, (explore.numerator, explore.denominator)
    if others == 0:
        return [total]
    quotas = [total * (parts - part) * others if arm == one["leader"] else total * part for arm in one["candidates"]]
    units, left = zip(*(divmod(quota, parts * others) for quota in quotas))
    more = set(sorted(range(len(units)), key=lambda n: (-left[n], n))[: total - sum(units)])
    return [unit + (n in more) for n, unit in enumerate(units)]

def excess(types: list[Line], units: int, k: int) -> int:
    """Return the maximum relative excess demand for an arm, in units of 2^-128; at 0 the product is maximal."""
    voices, asked = [0] * k, [0] * k
    for one in types:
        for arm in one["candidates"]:
            voices[arm] += len(one["pseudonyms"]) * one["units"][arm]
    for one in types:
        have = sum([voices[arm] for arm in one["candidates"]])
        share = (len(one["pseudonyms"]) * one["weight"] * units << 128) // have
        for arm in one["candidates"]:
            asked[arm] += share
    return max(max(asked) - 2**128, 0)

def message(line: Line, record: bytes) -> bytes:
    """Return the bytes that a member signs, for a statement or an override line."""
    if line["line"] == "override":
        rest = [big(line["round"], 8), big(line["slot"], 4), big(line["arm"], 4), sha(line["reason"].encode())]
    else:
        head, value = bytes.fromhex(line["head"]), bytes.fromhex(line["value"] or "")
        rest = [big(line["size"], 8), head, big(line["at"], 8), line["kind"].encode(), b"\0", value]
    return b"".join([f"isegoria {line['line']} 3\0".encode(), record, big(line["member"], 4), *rest])

# ---- The walk: every line in its order, everything recomputed -------------------------------------------------------
TURNS = "worlds, learner or block do not fit the turns."

class Walk(SimpleNamespace):
    """The state of the record so far; `now` is always a round, and `self.open` the one that waits for its draw."""
    open: Any
    gamma: Any
    size: int
    occurrence: int
    away: int
    rested: bool

    def __init__(self, raws: list[bytes], lines: list[Line]) -> None:
        hashes = [sha(raw) for raw in raws]
        super().__init__(
            lines=lines, hashes=hashes, names=[one.hex() for one in hashes], charter=dict(lines[0]), rosters=[{}],
            versions=[], size=0, rounds=[], open=None, ended=None, notes=[], beacons=[], occurrence=-1, titles={},
            commits={}, numbers=set(), sizes={}, said=set(), signers={}, least={}, played=set(), gamma=None, added=0,
            put=set(), turns=lines[0].get("turns"), debts={}, used=set(), recent=[], compared={}, away=0,
            rested=bool(lines[0].get("resting")))

    def run(self) -> None:
        for number, (line, before) in enumerate(zip(self.lines, ["0" * 64, *self.names]), 1):
            kind, self.number, self.at = line["line"], number, f"line {number} ({line['line']}): "
            self.must(line["prev"] == before, '"prev" is not the hash of the line before.')
            self.must(not self.ended, f"nothing may follow line {self.ended}, which ended the record.")
            begins = (kind == "charter") == (number == 1) and (kind == "roster" or number != 2)
            self.must(begins, "a record begins with its charter and a roster, and has one charter.")
            self.versions.append(len(self.rosters) - 1)  # of the roster before this line
            getattr(self, "on_" + kind)(line)
        self.settle()
        self.reach = {key: max(size for size, _ in own) for key, own in self.signers.items()}

    def first_at(self, key: str, size: int) -> int:
        """Return the earliest time at which a key signed `size` lines or more; TOP + 1 if it never did."""
        if key not in self.least:
            own = sorted(self.signers.get(key, []), reverse=True)
            self.least[key] = [-one[0] for one in own], list(accumulate((at for _, at in own), min))
        sizes, times = self.least[key]
        place = bisect_right(sizes, -size)
        return times[place - 1] if place else TOP + 1

    def must(self, ok: object, sentence: str) -> None: need(ok, self.at + sentence)

    def on_charter(self, line: Line) -> None:
        self.learns, self.group = line["learner"] is not None, bytes.fromhex(line["group"])
        self.explore = Fraction(line["settings"]["explore"] if self.learns else 0)
        turns, fits = self.turns, line["learner"] is line["block"] is None
        self.must(not turns or (fits and (turns["mode"] == "lottery" or turns["worlds"] == 1)), TURNS)

    def on_ratings(self, line: Line) -> None:
        fits = line["round"] <= len(self.rounds) and self.rounds[line["round"] - 1].arms
        self.must(fits, "it must be for a round that is drawn.")

    def on_amend(self, line: Line) -> None:
        field, value, old = line["field"], line["value"], self.charter.get(line["field"])
        self.must(not self.turns or field != "block" or value is None, TURNS)
        fits = check(AMENDABLE[field])(value) and (field != "arms" or value[: len(old)] == old)
        self.must(fits, "the charter does not allow this; arms may only be added, behind those there are.")
        if field == "end":
            self.leave_open()
            self.ended = self.number
        self.added += len(value) - len(old) if field == "arms" else 0
        self.rested = self.rested or (field == "resting" and value > 0)
        self.occurrence, self.charter[field] = -1 if field == "source" else self.occurrence, value
        self.notes.append(f"Line {self.number} amends {field}: {quote(line['reason'])}")

    def on_roster(self, line: Line) -> None:
        old, new, size = self.rosters[-1], entries(line["members"]), self.size
        fits = all(n in old and stays(old[n], new[n]) for n in new if n < size)
        self.must(fits and line["version"] == len(self.rosters), "it does not follow from the roster before.")
        keys = [one["key"] for one in new.values() if one["key"]]
        self.must(new and len(set(keys)) == len(keys), "nobody is on it, or two members have one key.")
        for n, one in new.items():
            text = b"".join([b"isegoria key 3\0", self.group, big(n, 4), bytes.fromhex(one["key"] or "")])
            known = one["key"] in (None, old[n]["key"] if n in old else None)
            self.must(known or signed(one["key"], one["proof"], text),
                      f"member {n} has not proved to hold the key that stands there.")
        stay = [(n, old[n], new[n]) for n in new if n in old]
        told = {"members who joined": [n for n in new if n >= size], "members who left": sorted(set(old) - set(new)),
                "keys replaced": [n for n, a, b in stay if a["key"] not in (None, b["key"])],
                "organiser marks changed": [n for n, a, b in stay if a["organiser"] != b["organiser"]],
                "marks of members by hand changed": [n for n, a, b in stay if a["by_hand"] != b["by_hand"]]}
        self.notes += [f"Line {self.number}: {what}: {join_items(who)}." for what, who in told.items() if who and old]
        self.rosters.append(new)
        self.size = max(size, len(line["members"]))

    def signature(self, line: Line) -> str:
        """Verify a member's signature by the latest roster; return their key."""
        key: str = self.rosters[-1].get(line["member"], {}).get("key")
        fits = key and signed(key, line["signature"], message(line, self.hashes[1]))
        self.must(fits, f"member {line['member']} did not sign this with a key of the roster.")
        return key

    def on_statement(self, line: Line) -> None:
        by, size, what, now = line["member"], line["size"], line["kind"], self.open
        fits = size < self.number and line["head"] == self.names[size - 1]
        self.must(fits, f"member {by} signed another history of this record.")
        key, value = self.signature(line), bytes.fromhex(line["value"] or "")
        said = (by, size, what, value if what == "compare" else b"")
        fits = size >= self.sizes.get(by, 0) and said not in self.said
        self.must(fits, f"member {by}'s signatures are out of order.")
        self.sizes[by] = size
        self.said.add(said)
        had: Any = now if now and size >= now.number else None
        if what == "commit":
            fits = self.charter["source"]["kind"] == "commit_reveal" and by not in self.commits
            fits = fits and value not in self.numbers
            self.must(fits, f"the commitment of member {by} does not fit the source, or stands here twice.")
            self.commits[by] = value, key
            self.numbers.add(value)
        elif what == "reveal":
            opens = sha(b"isegoria commit 3\0", self.hashes[1], big(by, 4), value)
            fits = had and by not in had.reveals and had.commits.get(by, (b"",))[0] == opens
            self.must(fits, f"it does not open the commitment of member {by}.")
            had.reveals[by] = value, key
        elif what == "dice":
            fits = had and had.kind == "dice" and by not in had.throws
            fits = fits and is_valid_throw(value, had.freeze["dice_form"])
            self.must(fits, f"the throw that member {by} confirms does not fit the open round.")
            had.throws[by] = value, key if key in had.seen else None
        elif what == "compare":
            other, theirs = int.from_bytes(value[:4], "big"), value[4:].hex()
            fits = other != by and self.rosters[-1].get(other, {}).get("key") == theirs
            self.must(fits, f"member {by} compared a key that is not on the roster, or their own.")
            if not self.rosters[-1][by]["organiser"]:
                self.compared.setdefault((other, theirs), set()).add(by)
        if had and (had.speaks is None or line["at"] <= had.speaks - 60):
            had.seen.add(key)
        self.signers.setdefault(key, []).append((size, line["at"]))

    def leave_open(self) -> None:
        """Close the open round, if there is one, as never drawn."""
        self.notes.extend([describe_undrawn(self.open)] if self.open and self.open.kind == "beacon" else [])
        self.open = None

    def settle(self) -> None:
        """Finish the last round: mark its arms as played, and with turns charge each world for what it played.

        An arm that was put in a slot in time replaces the one that was drawn.
        """
        for last in self.rounds[-1:]:
            arms = [last.put[0][0]] * self.turns["worlds"] if self.turns and last.put else last.arms
            own = arms[:1] if self.turns else [last.put.get(slot, (arm,))[0] for slot, arm in enumerate(arms)]
            self.played.update(own)
            self.recent += [set(own)] if own else []
            if self.turns and arms:
                charge(self.debts, last.freeze, arms)
                self.used.update(arms[:1] if self.turns["single_use"] else [])

    def begin(self, line: Line) -> Any:
        """Begin a fair round or a trial: settle the last one, and require that roster, occurrence and arms fit."""
        arms, source, fair = self.charter["arms"], self.charter["source"], line["line"] == "freeze"
        available = set(line["available"])
        self.must(line["round"] == len(self.rounds) + 1, "it must be for a round that is to come.")
        self.leave_open()
        fits = line["roster"] == len(self.rosters) - 1 and line["available"][-1] < len(arms)
        self.must(fits, "it does not name the latest roster, or an available arm does not exist.")
        self.settle()
        self.must(not self.turns or line.get("block") == self.turns["worlds"], TURNS)
        self.must(not self.turns or line.get("units") == UNITS, "the units are not those of turns.")
        self.must(not self.used & available, "an option that was used up is on offer again.")
        given, kind = [line.get(key) is not None for key in ("occurrence", "source_round", "dice_form")], source["kind"]
        fits = given == [kind == "beacon", kind == "beacon" and fair, kind == "dice" and fair]
        self.must(fits, "occurrence, dice form or source round do not fit the source.")
        few = given[2] and outcomes(line["dice_form"]) < 10**7
        self.must(not few, "the dice form has fewer than ten million outcomes.")
        self.must(kind != "commit_reveal" or not fair or self.commits, "nobody committed.")
        speaks = self.speaks(line, source) if kind == "beacon" else None
        resting = set().union(*self.recent[-self.charter["resting"] :]) if self.charter["resting"] else set[int]()
        self.must(available <= resting or not available & resting, "an arm that rests is on offer beside others.")
        masked = [quote(arm) for n, arm in enumerate(arms) if n not in available]
        self.notes.extend([f"Round {line['round']}: not available: {', '.join(masked)}."] if masked else [])
        self.notes.extend([f"Round {line['round']}: only arms that rest were on offer."] if available & resting else [])
        commits = dict(self.commits) if kind == "commit_reveal" and fair else {}
        if fair:
            self.commits.clear()
        return SimpleNamespace(
            round=line["round"], trial=not fair, freeze=line, number=self.number, hash=self.hashes[self.number - 1],
            source=source, kind=kind if fair else "trial", speaks=speaks, roster=self.rosters[-1], size=self.size,
            masked=bool(masked), k=len(arms), commits=commits, reveals={}, throws={},
            seen=set(), put={}, drawn=None, said=b"", balls=[], arms=[], voices=[], rows={},
            slots=1 if self.turns else line.get("block", 1))

    def speaks(self, line: Line, source: Line) -> int:
        """Return when the beacon of a page speaks; require that its occurrence is a new one."""
        skipped = line["occurrence"] - self.occurrence - 1
        due = source["first_at"] + line["occurrence"] * source["interval_seconds"]
        number: int = -((source["genesis"] - due) // source["period"]) + 1
        fits = skipped >= 0 and line.get("source_round", number) == number
        self.must(fits, "the occurrence is not after the last one, or the source round is not the timetable's.")
        self.occurrence = line["occurrence"]
        self.notes.extend([f"Round {line['round']}: occurrences skipped before it: {skipped}."] if skipped else [])
        return int(source["genesis"]) + (number - 1) * int(source["period"])

    def on_trial(self, line: Line) -> None:
        now = self.begin(line)
        lowest = next((arm for arm in line["available"] if arm not in self.played), None)
        self.must(self.learns and line["arm"] == lowest, "it is not a trial of the lowest available arm never played.")
        now.arms, now.voices = [line["arm"]], [None]
        self.rounds.append(now)

    def on_freeze(self, line: Line) -> None:
        now, title = self.begin(line), line["title"]
        self.rows(line, now)
        self.drum(line, now.here)
        again = [f"Round {now.round}: the title of round {self.titles[title]} again."] if title in self.titles else []
        away = sum(len(one["pseudonyms"]) for one in line["absent"])
        self.notes.extend([*again, *([f"Round {now.round}: members away: {away}."] if away else [])])
        self.titles[title], self.open, self.away = now.round, now, self.away + away
        self.rounds.append(now)

    def rows(self, line: Line, now: Any) -> None:
        """Require that each member has exactly weight times units, all inside their set, under one pseudonym."""
        types, voices, units, nothing = line["types"], line["arm_units"], line["units"], sha().hex()
        now.here = sum(len(one["pseudonyms"]) for one in types)
        fits = (line["leaf_count"], line["root"]) == (0, nothing) if self.learns else line["leaf_count"] <= now.here
        self.must(fits, "its answers do not fit the roster or the learner.")
        same = all(len(row) == now.k for row in [voices, *(one["units"] for one in types)])
        self.must(same, "a row does not have one entry for each arm.")
        led = all(one["leader"] is None or (self.learns and one["leader"] in one["candidates"]) for one in types)
        order = [(one["candidates"], -1 if one["leader"] is None else one["leader"], one["weight"]) for one in types]
        self.must(led and rising(order), "the types are not in order.")
        inside = set().union(*(one["candidates"] for one in types)) <= set(line["available"])
        self.must(inside, "a set holds an arm that is not available.")
        own = [(one, one["weight"] * units, [one["units"][arm] for arm in one["candidates"]]) for one in types]
        fits = all(sum(row) == sum(one["units"]) == total for one, total, row in own)
        self.must(fits, "a row is not its weight times the units, all inside its set.")
        fits = all(one["leader"] is None or row == row_in_doubt(one, total, self.explore) for one, total, row in own)
        self.must(fits, "the row of a member in doubt is not the one of their leader.")
        now.rows = {name: one for one in [*types, *line["absent"]] for name in one["pseudonyms"]}
        weights = sorted(one["weight"] for one in [*types, *line["absent"]] for _ in one["pseudonyms"])
        fits = len(now.rows) == len(weights) and weights == sorted(one["weight"] for one in now.roster.values())
        fits = fits and types and rising([one["weight"] for one in line["absent"]])
        self.must(fits, "the pseudonyms are not one for each member of the roster.")
        sums = map(sum, zip(*([len(one["pseudonyms"]) * unit for unit in one["units"]] for one in types)))
        self.must(voices == list(sums), "the units of the arms are not the sums of the rows.")

    def drum(self, line: Line, here: int) -> None:
        """Require that the block divides the drum, and that the resolved members' policy has the largest product."""
        usual, total = self.charter["block"] or (self.turns or {}).get("worlds"), sum(line["arm_units"])
        blocks = [usual] if usual else [min(here, 20)] + [1] * self.learns
        fits = line["block"] in blocks and total <= TOP and total % line["block"] == 0
        self.must(fits, "the block is not the charter's, or the drum is too large for it, or not divided by it.")
        sure = [one for one in line["types"] if one["leader"] is None]
        over = excess(sure, line["units"], len(line["arm_units"]))
        self.must(over * 10**5 <= 2**128, "the policy is not one of largest product.")
        weight = sum(one["weight"] * len(one["pseudonyms"]) for one in sure)
        self.gamma = max(self.gamma or 0, Fraction(over * weight, 2**128)) if sure else self.gamma

    def on_draw(self, line: Line) -> None:
        now, said, self.open = self.open, bytes.fromhex(line["source_bytes"]), None
        self.must(now and now.round == line["round"], "it must be for a round that is open.")
        for by in sorted(now.commits):
            self.must(by in now.reveals, f"the number of member {by} is missing.")
        numbers = b"".join(big(by, 4) + now.reveals[by][0] for by in sorted(now.commits))
        size = {"rehearsal": 32, "beacon": 48}.get(now.kind)
        fits = is_valid_throw(said, now.freeze["dice_form"]) if now.kind == "dice" else said == numbers
        fits = len(said) == size if size else fits
        self.must(fits, "the source bytes are not what the source can say.")
        if now.kind == "beacon":
            self.beacons.append((self.at, (now.source["key"], now.freeze["source_round"], said)))
        below = stream(now.hash, said)
        balls = turn_balls(now.freeze, below, self.debts, self.turns) if self.turns else balls_of(now.freeze, below)
        now.said, now.drawn, now.balls = said, self.number, balls
        now.arms, now.voices = map(list, zip(*(place(now.freeze, ball) for ball in balls)))
        fits = (line["balls"], line["arms"]) == (balls, now.arms)
        self.must(fits, "balls and arms do not follow from the freeze and the source.")

    def on_override(self, line: Line) -> None:
        number, slot, arm, by = line["round"], line["slot"], line["arm"], line["member"]
        then = self.rounds[number - 1] if number <= len(self.rounds) else SimpleNamespace(slots=0)
        self.must(slot < then.slots and arm < len(self.charter["arms"]), "there is no such slot or arm.")
        self.must((number, slot) not in self.put, "this slot was overridden before.")
        self.must(by is None or by < self.size, f"member {by} is not on the roster.")
        if by is not None:
            self.signature(line)
        self.put.add((number, slot))
        if then is self.rounds[-1]:
            then.put[slot] = arm, self.number
        self.notes.append((then, line))  # a sentence only at the end: the draw may come later

def describe_undrawn(now: Any) -> str:
    number = now.freeze["source_round"]
    return f"Round {now.round} was never drawn: anyone can look up round {number} and compute what it gave."

def put_note(arms: list[str], then: Any, line: Line) -> str:
    how = f"put in place of {quote(arms[then.arms[line['slot']]])}" if then.arms else "put in, with nothing drawn"
    by = "the keeper" if line["member"] is None else f"member {line['member']}"
    told = f"Round {then.round}, slot {line['slot']}: {quote(arms[line['arm']])} was {how}"
    return f"{told}: {quote(line['reason'])} By {by}."

# ---- A learner's set and leader, from a member's own ratings: in doubles, in exactly this order of operations ------
HEIGHTS = (6.36295e-1, 9.50037e-2, 2.01394e-2, 4.69008e-3, 1.13422e-3, 2.79027e-4, 6.92058e-5, 1.72335e-5,
           4.29994e-6, 1.07394e-6, 2.68352e-7, 6.70717e-8, 1.67659e-8, 4.19121e-9, 1.04777e-9, 2.61939e-10)

class Mind(SimpleNamespace):
    """The learner of one member: candidates, wealth against each, and the open matched pairs, from their ratings."""
    candidates: list[int]
    close: bool

    def __init__(self, settings: Line, price: int) -> None:
        error, resolution = float(settings["error"]) or 5e-324, float(settings["resolution"])  # never divide by zero
        super().__init__(error=error, resolution=resolution, price=price, rows=[], candidates=[], pairs={}, close=False,
                         leader=0, growth=2)

    def page(self, k: int, growth: int) -> None:
        """Begin a page with k arms: new ones become candidates, and then nothing is close."""
        new, self.growth = range(len(self.rows), k), growth
        self.rows += [SimpleNamespace(n=0, sum=0.0, v=0.0, first=1.0, second=1.0) for _ in new]
        self.close, self.candidates = self.close and not new, [*self.candidates, *new]
        self.leader = self.best(self.candidates)

    def mean(self, arm: int) -> float: return (self.rows[arm].sum + 0.5) / (self.rows[arm].n + 1)
    def noise(self, arm: int) -> float: return (self.rows[arm].v + 0.25) / (self.rows[arm].n + 1)
    def best(self, arms: list[int]) -> int: return max(arms, key=lambda arm: (self.mean(arm), -arm))
    def resolved(self) -> bool: return self.close or len(self.candidates) == 1

    def bounds(self, arm: int) -> tuple[float, float]:
        row, price = self.rows[arm], 32.0 * len(self.rows) * self.growth * self.price * 10 / self.error
        if row.n == 0:
            return 0.0, 1.0
        b = next((b for b in range(1024) if 2.0**b >= price), 1024)
        radius = min((b * 0.6931471805599454 + h * row.v) / (0.75 * 2.0**-s * row.n) for s, h in enumerate(HEIGHTS))
        return max(row.sum / row.n - radius, 0.0), min(row.sum / row.n + radius, 1.0)

    def shown(self, available: list[int]) -> tuple[list[int], Optional[int]]:
        """Return the member's set and leader (None if resolved) on a page with these arms."""
        own, leader = self.candidates, self.leader
        if not set(own) <= set(available):
            bounds = [self.bounds(arm) for arm in available]
            most = max(low for low, _ in bounds)
            own = [arm for arm, (_, high) in zip(available, bounds) if high >= most]
            leader = self.best(own)
        return list(own), None if self.resolved() else leader

    def tell(self, arm: int, x: float, voices: Optional[list[int]]) -> None:
        """Update with the reward of an arm, in a round with these voices (None: a trial)."""
        doubt, row, before = not self.resolved(), self.rows[arm], self.mean(arm)
        for other in self.candidates if doubt else []:
            if other not in self.pairs and other != self.leader and arm in (self.leader, other):
                self.pairs[other] = self.pair(self.leader, other, voices)
            one = self.pairs.get(other)
            if one and arm == one.j and one.seen < one.b:
                one.seen, one.ahead = one.seen + 1, one.ahead + x
            if one and arm == other and one.met < one.c:
                one.met, one.behind = one.met + 1, one.behind + x
        row.v, row.n, row.sum = row.v + (x - before) * (x - before), row.n + 1, row.sum + x
        full = [other for other, one in self.pairs.items() if doubt and (one.seen, one.met) == (one.b, one.c)]
        for other in full:
            self.pay(other, 0)
        if full:
            self.drop()
            bounds = [self.bounds(other) for other in self.candidates]
            self.close = max(high for _, high in bounds) - min(low for low, _ in bounds) <= self.resolution
        self.leader = self.best(self.candidates)

    def pair(self, j: int, k: int, voices: Optional[list[int]]) -> Any:
        """Open a matched pair of leader j and another candidate: sizes, bets, and nothing seen."""
        front, back = ((voices[arm] if arm < len(voices) else 0) for arm in (j, k)) if voices else (1, 1)
        b, c = min(max(front // back, 1), 8) if back else 8, min(max(back // front, 1), 8) if front else 8
        m = self.mean(j) - self.mean(k)
        bet = max(0.0, m / (self.noise(j) / b + self.noise(k) / c + m * m))
        bets = min(bet, 0.98), min(bet, 0.5)
        return SimpleNamespace(j=j, b=b, c=c, bets=bets, seen=0, met=0, ahead=0.0, behind=0.0)

    def pay(self, other: int, missing: int) -> None:
        one, row = self.pairs.pop(other), self.rows[other]
        y = one.ahead / one.b - (one.behind + missing) / one.c
        row.first, row.second = row.first * (1 + one.bets[0] * y), row.second * (1 + one.bets[1] * y)

    def drop(self) -> None:
        """Eliminate, in arm order, candidates with too much wealth against them; pairs that they led end at worst."""
        for arm in list(self.candidates):
            price = len(self.candidates) * self.growth * self.price / (0.9 * self.error)
            capital = (self.rows[arm].first + self.rows[arm].second) / 2
            if arm != self.leader and arm not in self.pairs and capital >= price:
                self.candidates.remove(arm)
                for other in [other for other, one in self.pairs.items() if one.j == arm]:
                    self.pay(other, self.pairs[other].c - self.pairs[other].met)
                self.leader = self.best(self.candidates)

Rated = list[tuple[int, Line, int]]  # of each leaf: its line, the leaf, the arm that it rates
Found = dict[int, tuple[list[int], Optional[int]]]  # of each round: their set and leader

def replay_learner(walk: Walk, member: int, leaves: Rated) -> Found:
    """Compute the member's set and leader in each round, from their leaves (by line and slot)."""
    pages, growth, leaves = walk.rounds, 0, list(leaves)
    found: Found = {}
    later, (low, high) = member - pages[0].size + 1, map(float, walk.charter["scale"])
    mind = Mind(walk.charter["settings"], 2 * len(pages[0].roster) if later <= 0 else 2 * later * (later + 1))
    for before, now in zip([pages[0], *pages], pages):
        while leaves and leaves[0][0] < now.number:
            _, leaf, arm = leaves.pop(0)
            if arm < len(mind.rows):  # an arm that no page had yet is passed over
                x = (float(leaf["values"][arm]) - low) / (high - low)
                mind.tell(arm, x, pages[leaf["round"] - 1].freeze.get("arm_units"))
        growth += now.k > before.k
        mind.page(now.k, (growth + 1) * (growth + 2))
        found[now.round] = mind.shown(now.freeze["available"])
    return found

def favourites(walk: Walk, leaves: Rated) -> Found:
    """Return, for each round, the available arms that the member rated best; all of them if they rated none."""
    told = {number: leaf["values"] for number, leaf, _ in leaves}
    low, high = map(Fraction, walk.charter["scale"])
    found: Found = {}
    for now in walk.rounds:
        values = dict(enumerate(told.get(now.number, [])))
        stars = {arm: Fraction(values[arm]) for arm in now.freeze["available"] if values.get(arm) is not None}
        most = max(stars.values(), default=Fraction(0))
        best = [arm for arm in stars if stars[arm] >= most - (high - low) / 10**12]
        found[now.round] = best or now.freeze["available"], None
    return found

# ---- A member's receipt, and the names of an open group ------------------------------------------------------------
def check_person(walk: Walk, called: str, number: int, person: Line) -> dict[int, Line]:
    """Return, for each fair round with the member on its roster, the type of their pseudonym; require their weight.

    A row of who is away has no `units`. What is asked of a receipt beyond a name depends on its state.
    """
    salt, secret, rows = bytes.fromhex(person["salt"]), bytes.fromhex(person["secret"]), {}
    commitment = sha(b"isegoria member 3\0", salt, big(number, 4), secret, person["name"].encode()).hex()
    held = [roster[number]["commitment"] == commitment for roster in walk.rosters if number in roster]
    opens = all(held) and (held or person.get("state") in ("pending", "left", "removed"))
    need(opens, f"{called}: entry {number} of the roster does not open to this name.")
    for now in walk.rounds:
        promised = person.get("state") == "pending" and person["round"] == now.round
        need(not promised or number in now.roster,
             f"{called}: member {number} was promised a part from round {now.round}, and is not on its roster.")
        if not now.trial and number in now.roster:
            own = now.rows.get(alias(walk, person["secret"], number, now.round))
            fits = own and own["weight"] == now.roster[number]["weight"]
            need(fits, f"{called}: member {number} has no row in round {now.round}.")
            rows[now.round] = own
    return rows

def alias(walk: Walk, secret: str, number: int, round_: int) -> str:
    """Return the member's pseudonym in a round; with turns it is the same in every round."""
    return mac(secret, walk.group, big(0 if walk.turns else round_, 8), big(number, 4))[:24].hex()

def root_of(leaf: bytes, index: int, size: int, path: list[str]) -> bytes:
    """Compute the RFC 6962 Merkle root with the leaf at `index` of `size`; return no bytes if the path does not fit."""
    if size < 2 or not path:
        return sha(b"\0", leaf) if (index, size, path) == (0, 1, []) else b""
    half, other = 1 << (size - 1).bit_length() - 1, bytes.fromhex(path[-1])
    if index < half:
        return sha(b"\1", root_of(leaf, index, half, path[:-1]), other)
    return sha(b"\1", other, root_of(leaf, index - half, size - half, path[:-1]))

def find_rated_arm(walk: Walk, number: int, leaf: Line) -> Optional[int]:
    """Return the arm played in a leaf's slot as of that line, if only it is rated, and on the scale; else None."""
    then, slot = walk.rounds[leaf["round"] - 1], leaf["slot"]
    if slot is None or slot >= len(then.arms):
        return None
    arm, line = then.put.get(slot, (0, TOP))
    arm = arm if line < number else then.arms[slot]
    told = {place: Fraction(value) for place, value in enumerate(leaf["values"]) if value is not None}
    low, high = map(Fraction, walk.charter["scale"])
    return arm if told.keys() == {arm} and low <= told[arm] <= high else None

def check_leaf(walk: Walk, receipt: Line, item: Line) -> int:
    """Verify a leaf: under its line's root, and signed if at all by the member's key then; return the arm it rates."""
    number, leaf, member = item["line"], item["leaf"], receipt["member"]
    line: Line = walk.lines[number - 1] if number <= len(walk.lines) else {"line": None}
    frozen = line["line"] == "freeze" and not walk.learns
    need(frozen or line["line"] == "ratings", f"the receipt: line {number} has no such root.")
    nonce = mac(receipt["secret"], b"leaf\0", walk.group, big(line["round"], 8), b"ratings").hex()
    fits = leaf["nonce"] == nonce and leaf["round"] == line["round"] and (not frozen or leaf["slot"] is None)
    data, size = CANONICAL(leaf).encode(), int(line.get("leaf_count", 0))
    fits = fits and root_of(data, item["index"], size, item["path"]).hex() == line["root"]
    arm = find_rated_arm(walk, number, leaf) if fits and walk.learns else 0
    need(fits and arm is not None, f"the receipt: a leaf for line {number} is not theirs, or not under its root.")
    told, slot = 0 if frozen else leaf["round"], 2**32 - 1 if leaf["slot"] is None else leaf["slot"]
    parts = [walk.group, big(member, 4), big(told, 8), big(slot, 4), big(leaf["at"], 8)]
    text = b"".join([b"isegoria rating 3\0", *parts, sha(CANONICAL(leaf["values"]).encode())])
    key, signature = walk.rosters[walk.versions[number - 1]].get(member, {}).get("key"), leaf["signature"]
    right = signature is None or (key and signed(key, signature, text))
    need(right, f"the receipt: a leaf for line {number} is not signed by their key.")
    return arm or 0

def check_receipt(walk: Walk, receipt: Line) -> list[str]:
    """Verify a member's rows and ratings: leaves under the roots, sets that follow from them. Return sentences."""
    member, held, found = receipt["member"], dict[tuple[int, Any], tuple[int, Line, int]](), Found()
    both = check_person(walk, "the receipt", member, receipt)
    rows, rested = {n: own for n, own in both.items() if "units" in own}, [n for n in both if "units" not in both[n]]
    for item in receipt["ratings"]:
        number, leaf, arm = item["line"], item["leaf"], check_leaf(walk, receipt, item)
        need((leaf["round"], leaf["slot"]) not in held, f"the receipt: a leaf for line {number} stands in it twice.")
        held[leaf["round"], leaf["slot"]] = number, leaf, arm
    leaves = sorted(held.values(), key=lambda one: (one[0], -1 if one[1]["slot"] is None else one[1]["slot"]))
    if rows:
        found = replay_learner(walk, member, leaves) if walk.learns else favourites(walk, leaves)
    made = walk.names.index(receipt["head"]) + 1
    for number in [n for n in rows if walk.rounds[n - 1].number <= made]:
        told = f"in round {number} does not follow from the ratings."
        need(rows[number]["candidates"] == found[number][0], f"the receipt: the set {told}")
        need(rows[number]["leader"] == found[number][1], f"the receipt: the leader {told}")
    if receipt["state"] == "pending" and not both:
        return [f"Member {member} is {quote(receipt['name'])}: nothing of theirs is in a round yet; they take part "
                f"from round {receipt['round']}."]
    follows = f"and their {'set and leader follow' if walk.learns else 'set follows'} from them in every round up to " \
              f"line {made}, where the receipt ends"
    bare = sum(leaf["signature"] is None for _, leaf, _ in leaves)
    debt, waiting = walk.debts.get(alias(walk, receipt["secret"], member, 0), ([0], 0))
    tenths = (abs(debt[0]) * 20 + UNITS) // (2 * UNITS)  # half away from zero
    owes = f"{'-' if debt[0] < 0 < tenths else ''}{tenths // 10}.{tenths % 10}"
    return select_texts([
        (True, f"Member {member} is {quote(receipt['name'])}, with one row in each of their rounds: {len(rows)}."),
        (rested, f"Their share rested in rounds {join_items(rested)}."),
        (True, f"Their ratings are under the roots ({len(held)}), {follows}."),
        (True, f"{bare} of their {len(held)} ratings are not signed."),
        (walk.turns, f"They are owed {owes} of a decision and have waited {waiting} rounds.")])

# ---- Whom the reader trusts, and what that proves -------------------------------------------------------------------
QUORUM = "a quorum is a whole number from 1 to the number of keys you trust."
NUMBERS = ("early", "since", "of", "members", "needed", "needed_since", "beta")

def sets_of_keys(lines: list[Line], who: list[str], heads: list[int], people: People, quorum: Any) -> list[Any]:
    """Return the sets T of trusted keys: one per kept head (by line), or one for keys alone, which need no head."""
    keys, rosters = {one for one in who if check("hex64")(one)}, [entries([])]
    others = [one for one in who if one not in keys]
    need(not others or heads[-1:] >= [2], "members need a head that you kept before: --head.", 2)
    for line in lines:  # the roster at each line
        rosters.append(entries(line["members"]) if line["line"] == "roster" else rosters[-1])
    heads = [number for number in heads if number > 1] if others else []
    picked = {one: [numbers_of(one, rosters[number], people) for number in heads] for one in others}
    known = {one["key"] for roster in rosters for one in roster.values()} if keys else set()
    for one in who:
        need(one in known or any(picked.get(one, [])), f"{clean(one)} is no key, member or name of this record.", 2)
    found = [SimpleNamespace(line=None, keys=keys, members=None, roster={})] if keys and not heads else []
    for place, number in enumerate(heads):
        own = [rosters[number][n] for one in others for n in picked[one][place]]
        trusted = {one["key"] for one in own if one["key"] and not one["organiser"]} | keys
        found.append(SimpleNamespace(line=number, keys=trusted, members=len(rosters[number]), roster=rosters[number]))
    most = min([len(one.keys) for one in found if one.keys], default=0)
    need(quorum is None or whole(quorum, 1, most), QUORUM, 2)
    return found

def numbers_of(who: str, roster: People, people: People) -> list[int]:
    """Return the roster numbers that a word denotes: everyone, a number, or the only member of that name."""
    if who == "members" or re.fullmatch("0|[1-9][0-9]*", who):
        return [n for n in roster if who in ("members", str(n))]
    called = [n for n in roster if n in people and people[n]["name"] == who]
    return called if len(called) == 1 else []

def set_for(now: Any, sets: list[Any]) -> Any:
    """Return the T that judges a fair round: of the newest head before its page, or keys once all on its roster."""
    own = next((one for one in reversed(sets) if (one.line or 0) < now.number), None)
    if own and own.members is None and own.keys <= {one["key"] for one in now.roster.values()}:
        own.members, own.roster = len(now.roster), now.roster
    return own if own and own.members is not None else None

def count_signatures(walk: Any, now: Any, own: Any, quorum: Optional[int]) -> Line:
    """Compute the numbers of a fair round that need a T: e, l, n, N, k, l₀, β."""
    n, least, dice = len(own.keys), quorum or -(-len(own.keys) // 3), now.kind == "dice"
    k = max(least, n // 2 + 1) if dice else least
    later = max(k, n + 1 - least)
    kinds = {"commit_reveal": {key for by, (_, key) in now.reveals.items() if now.commits[by][1] == key},
             "dice": {key for value, key in now.throws.values() if now.drawn and value == now.said}}
    early = kinds.get(now.kind, now.seen) & own.keys
    if not now.drawn and now.kind not in kinds:  # a signature on a page that is never drawn counts, however late
        last = TOP if now.speaks is None else now.speaks - 60
        early = {key for key in own.keys if walk.first_at(key, now.number) <= last}
    since = early | {key for key in own.keys if now.drawn and walk.reach.get(key, 0) >= now.drawn}
    beta = min(len(early) + (k if dice else later), len(since) + least) - n if now.drawn else None
    return dict(zip(NUMBERS, (len(early), len(since), n, own.members, k, later, beta)))

def waits(walk: Walk, now: Any, clock: int) -> bool:
    """Check whether a round may still be drawn."""
    timely = clock <= now.speaks + 3600 if now.kind == "beacon" else -120 <= clock - now.freeze["at"] <= 86400
    return now is walk.rounds[-1] and not walk.ended and timely

def judge(walk: Walk, sets: list[Any], asked: Any) -> list[Line]:
    """Return each round as plain data: its status, its numbers, and the reasons if it is not proved."""
    rounds, tries = [], 0
    for now in walk.rounds:
        own, status, reasons = None if now.trial else set_for(now, sets), "trial", list[str]()
        judged = own if own and own.keys else None
        numbers = count_signatures(walk, now, judged, asked.quorum) if judged else dict.fromkeys(NUMBERS)
        if now.drawn:
            (status, reasons), tries = drawn_status(now, own, numbers, tries, sets, asked), 0
        elif not now.trial:
            missing = sorted(now.commits.keys() - now.reveals.keys())
            tail = f"; the numbers of members {join_items(missing)} are missing from the record" if missing else ""
            status, tries = "waiting" if waits(walk, now, asked.now) else "undrawn", tries + 1
            reasons = [f"frozen and never drawn{tail}"] if status == "undrawn" else []
        rounds.append({"round": now.round, "status": status, "title": now.freeze.get("title"), **numbers,
                       "reasons": reasons, "balls": now.balls, "arms": now.arms, "voices": now.voices,
                       "judged": judged, "sentence": round_sentence(walk, now, status, numbers, reasons)})
    return rounds

def drawn_status(now: Any, own: Any, numbers: Line, tries: int, sets: Any, asked: Any) -> tuple[str, list[str]]:
    known = now.kind != "beacon" or any(one.items() <= now.source.items() for one in asked.beacons)
    early, since, n, _, k, later, _ = numbers.values()
    why = "no head was kept before it" if sets and sets[0].line else "your keys were not all on its roster"
    stopped = f"{tries} rounds that were never drawn: whoever stopped them could choose among {tries + 1}"
    lacks = select_texts([
        (tries, f"drawn after {stopped}"), (now.kind == "rehearsal", "a rehearsal, which proves nothing"),
        (not known, "its beacon is not one that this verifier knows"), (sets and not own, f"not judged: {why}"),
        (n and early < k, f"had by {early} keys in time, {k} needed")])
    late = [f"signed since by {since} of {n}, {later} needed"] if n and since < later else []
    return "unjudged" if not n else "consistent" if lacks else "ripening" if late else "proved", lacks + late

def round_sentence(walk: Walk, now: Any, status: str, numbers: Line, reasons: list[str]) -> str:
    arms = ", ".join(quote(walk.charter["arms"][arm]) for arm in now.arms[: now.slots])
    if status == "trial":
        return f"Round {now.round}: {arms}, a first trial without a draw."
    if status == "proved":
        reasons = ["had in time by {early}, signed since by {since} of the {of} keys you trust (of {members} members "
                   "then); proved unless {beta} or more were false".format(**numbers)]
    told = ["not drawn yet"] if status == "waiting" else [arms] * bool(arms) + reasons
    return f"Round {now.round}: {'; '.join(told)}. {quote(now.freeze['title'])}"

def find_last_signed_line(walk: Walk, keys: set[str], k: int) -> Optional[Line]:
    """Return the last line that k of these keys signed, and when the k-th did."""
    reach = sorted((walk.reach[key] for key in keys if key in walk.reach), reverse=True)
    if not keys or len(reach) < k:
        return None
    return {"line": reach[k - 1], "at": sorted(walk.first_at(key, reach[k - 1]) for key in keys)[k - 1]}

def compare(walk: Walk, other: tuple[str, list[Line], list[str]], sets: list[Any], who: list[str]) -> str:
    """Return a note on another copy of this record; raise `Fault` if trusted keys signed another history in it."""
    (name, lines, hashes), own = other, walk.names
    part = next((n for n, (a, b) in enumerate(zip(hashes, own)) if a != b), None)
    if part is None:
        first, second = (f"{name} is", "this record") if len(hashes) <= len(own) else ("This record is", name)
        return f"{first} a beginning of {second}: {min(len(hashes), len(own))} of {max(len(hashes), len(own))} lines."
    trusted, roster, found = set(who).union(*(one.keys for one in sets if (one.line or 1) <= part)), entries([]), set()
    for number, line in enumerate(lines, 1):
        roster = entries(line["members"]) if line["line"] == "roster" else roster
        if line["line"] == "statement" and part < line["size"] < number and line["head"] == hashes[line["size"] - 1]:
            key = roster.get(line["member"], {}).get("key")
            if key in trusted and signed(key, line["signature"], message(line, walk.hashes[1])):
                found.add(line["member"])
    need(not found, f"there are two histories of this record: they part at line {part + 1}, "
                    f"and members {join_items(sorted(found))} signed the other.")
    return f"{name} parts from this record at line {part + 1}; no key you trust signed it past there."

# ---- The verdict ----------------------------------------------------------------------------------------------------
def of_status(rounds: list[Line], *statuses: str) -> list[int]:
    return [one["round"] for one in rounds if one["status"] in statuses]

def format_rounds(numbers: list[int]) -> str: return f"rounds {join_items(numbers)}" if numbers else "none"

def weakest(rounds: list[Line]) -> Optional[Line]:
    """Return the last of the proved rounds with the minimum β."""
    proved = [one for one in reversed(rounds) if one["status"] == "proved"]
    return min(proved, key=lambda one: int(one["beta"]), default=None)

def moment(at: int, form: str) -> str:
    """Format a time in UTC; from the year 10000 on, as seconds."""
    return datetime.fromtimestamp(at, timezone.utc).strftime(form) if at < 253402300800 else str(at)

def origin(walk: Walk, number: int, entry: Line) -> str:
    """Say how a key came to the keeper of the record, when, and how many others compared it."""
    how, at = entry["provenance"]["how"], entry["provenance"]["at"]
    others = len(walk.compared.get((number, entry["key"]), ()))
    compared = f"compared by {others} member{'s' * (others > 1)}" if others else "not compared"
    return f" ({HOW[how]}, {moment(at, '%Y-%m-%d %H:%M UTC')}, {compared})"

def owners(walk: Walk, least: Line, people: People) -> str:
    """Name the keys that judge a round, each with its origin: in order, as names, else numbers, else first digits."""
    judged, now = least["judged"], walk.rounds[least["round"] - 1]
    number = {one["key"]: n for n, one in judged.roster.items()}
    there = {one["key"]: origin(walk, n, one) for n, one in now.roster.items() if one["key"]}
    order = sorted(judged.keys, key=lambda key: (number.get(key, TOP), key))
    called = [quote(people[number[key]]["name"]) if number.get(key) in people else number.get(key, key[:8])
              for key in order]
    return join_items([f"{name}{there.get(key, '')}" for name, key in zip(called, order)])

def were_false(walk: Walk, least: Line, people: People, keys: str) -> str:
    """Say how many of which keys must have been false, and that the reader takes each for its member's own."""
    return f"{least['beta']} or more of {keys} (of {least['members']} members then) were false, provided these keys " \
           f"are theirs: {owners(walk, least, people)}"

def first_sentence(walk: Walk, rounds: list[Line], asked: Any, code: int) -> str:
    """Say in one sentence what is proved for whom."""
    least, proved = weakest(rounds), of_status(rounds, "proved")
    if least and code == 0:
        unless = were_false(walk, least, asked.people, f"the {least['of']} keys you trust") if least["of"] > 1 else \
            f"this key was false, provided it is theirs: {owners(walk, least, asked.people)}"
        which = f"Rounds {proved[0]} to {proved[-1]}" if len(proved) > 1 else f"Round {proved[0]}"
        draws = f"Each of the {len(proved)} draws" if len(proved) > 1 else "Its draw"
        told = f"{draws} follows from a page that was fixed before its randomness could be known."
        if walk.turns and walk.turns["mode"] == "deterministic":
            told = "The rule of turns was followed; unless options tied, the result could be known beforehand."
        return f"{which}: proved for you, unless {unless}. {told}"
    consistent = "Consistent: everything recomputes"
    if not any(now.drawn for now in walk.rounds):
        return f"{consistent}, and nothing was drawn."
    if not asked.trust:
        return f"{consistent}. Say whom you trust (--trust){with_members(walk, asked)}."
    if "members" in asked.trust and not any(one.keys for one in asked.sets):
        return f"{consistent}. No key here is another's than the organiser's."
    rest = of_status(rounds, "undrawn", "unjudged", "consistent", "ripening")
    return "Consistent, not proved for you: everything recomputes, but not all is bound by the keys you trust. " \
           f"Proved: {format_rounds(proved)}; not proved: {format_rounds(rest)}."

def with_members(walk: Walk, asked: Any) -> str:
    """Say what a reader who kept a head would have proved by trusting the members."""
    sets = sets_of_keys(walk.lines, ["members"], asked.heads, {}, None) if asked.heads[-1:] > [1] else []
    rounds = judge(walk, sets, asked)
    least, proved = weakest(rounds), format_rounds(of_status(rounds, "proved"))
    unless = were_false(walk, least, asked.people, f"{least['of']} keys") if least else ""
    told = f"{proved} are proved unless {unless}" if least else ""
    return f': with "members", {told or "no round is proved"}' if asked.heads else ""

def summarise_exceptions(walk: Walk, rounds: list[Line]) -> str:
    """Return what someone who reads only the first line must not miss."""
    ripening, undrawn = of_status(rounds, "ripening"), of_status(rounds, "undrawn")
    trials, masked = len(of_status(rounds, "trial")), sum(now.masked for now in walk.rounds)
    return "".join(select_texts([
        (ripening, f" Not yet: {format_rounds(ripening)}."), (undrawn, f" Never drawn: {format_rounds(undrawn)}."),
        (walk.put, f" Played otherwise: {len(walk.put)} slots."), (trials, f" Tried without a draw: {trials} rounds."),
        (masked, f" Arms left out: {masked} rounds."), (walk.away, f" Members away: {walk.away} rows."),
        (walk.added, f" Added arms: {walk.added}.")]))

def two_digits(number: Fraction) -> str:
    """Format a fraction with two significant digits, rounded up, as 5.1e-12."""
    power = 40 if number else 0
    while number and number <= Fraction(99, 10) * Fraction(10) ** (power - 1):
        power -= 1
    digits = -(-number * 10 // Fraction(10) ** power)
    return f"{digits // 10}.{digits % 10}e{power}" if number else "0"

def proved_sentences(walk: Walk, rounds: list[Line], asked: Any, own: list[str]) -> list[str]:
    gamma, fair = walk.gamma, any(not now.trial for now in walk.rounds)
    small = gamma is not None and gamma <= Fraction(1, 1000)
    least = [one["since"] for one in rounds if one["status"] == "proved"]
    no_arm = "Among those who are resolved, no arm" if walk.learns else "No arm"
    return select_texts([
        (True, f"The {len(walk.lines)} lines form one unbroken chain."),
        *((True, f"The kept head is line {head}: nothing up to there was rewritten.") for head in asked.heads),
        (asked.names, "The names fit: every row of a person named there is theirs alone."),
        *((True, text) for text in own),
        (fair, "In every round each member who took part has exactly their weight times the round's units, all inside "
               "their own set."),
        (small, f"{no_arm} can be given so that someone gains more than a factor 1 + γ at nobody's cost: "
                f"γ = {two_digits(gamma or Fraction(0))}."),
        (fair and walk.learns, "Every member in doubt spent their own voice by the rule, from their own leader."),
        (any(now.drawn for now in walk.rounds), "Every ball and arm follows from its freeze and its source."),
        (walk.turns, "What each member is owed was carried from round to round by the rules of turns."),
        (least, f"Signed by {min(least, default=0)} of the keys you trust.")])

def unproved_sentences(walk: Walk, asked: Any, last: Optional[Line]) -> list[str]:
    gamma, fair, turns = walk.gamma or 0, any(not now.trial for now in walk.rounds), walk.turns or {}
    factor, more = -(-(1 + gamma) * 10**4 // 1), "Whether more came: too few of your keys signed."
    if last:
        more = f"Whether more came after line {last['line']}, the last that {asked.least} of your keys signed, at " \
               f"{moment(last['at'], '%Y-%m-%dT%H:%M:%SZ')}."
    drawn, moved = turns.get("mode") == "lottery", turns.get("single_use") or walk.rested or walk.put
    return select_texts([
        (fair, "Which policy was taken where several have the largest product: the tie-break is the writer's."),
        (fair, "That rows whose devices did not sign follow from what was told."),
        (drawn and not moved,
         "That ballots and overrides did not depend on earlier draws: the odds are exact if they did not."),
        (drawn and moved,
         "Odds before the draw: options are used up, rest or were overridden, so they depend on what was drawn."),
        (gamma > Fraction(1, 1000), f"That nobody could gain more than a factor {factor // 10**4}.{factor % 10**4:04} "
                                    "at nobody's cost."),
        *((True, f"That you kept the head of line {head} before the draws that it judges: you alone know.")
          for head in asked.heads),
        (not asked.heads, "That this is the record others saw: compare its head, or its words, with one kept "
                          "elsewhere."),
        (True, "That keys are their members' alone: whoever opens a link or a letter first, or takes a name, can make "
               "a key for it, and keys made on the group's pages are in the hands of whoever runs the server, should "
               "the pages be changed."),
        (True, "That no other record of these people was kept beside this one."), (asked.trust, more),
        (True, "When this record was made: only keys you trust say so, a beacon only says not before."),
        (True, "That the roster names real people, each once, and that ratings are honest: nobody can prove that.")])

def all_notes(walk: Walk, rounds: list[Line], receipt: Optional[Line], compared: list[str]) -> list[str]:
    notes = [note if isinstance(note, str) else put_note(walk.charter["arms"], *note) for note in walk.notes]
    left = rounds and rounds[-1]["status"] == "undrawn" and not walk.ended and walk.rounds[-1].kind == "beacon"
    roster, one = walk.rosters[-1], receipt or {"state": "active"}
    marked, by_hand = ([n for n in roster if roster[n][mark]] for mark in ("organiser", "by_hand"))
    keys = [f"{n}{origin(walk, n, one)}" for n, one in roster.items() if one["key"]]
    state = f"away until {moment(one['until'], '%Y-%m-%dT%H:%M:%SZ')}" if one.get("until") is not None else one["state"]
    weights = [one["weight"] for one in roster.values()]
    return notes + ([describe_undrawn(walk.rounds[-1])] if left else []) + select_texts([
        (marked, f"Members whose keys never count: {join_items(marked)}."),
        (by_hand, f"Members by hand, whose answers the organiser enters: {join_items(by_hand)}."),
        (keys, f"Keys on the latest roster: {', '.join(keys)}."),
        (len(set(weights)) > 1, f"Weights are not equal: the largest is {max(weights)} of {sum(weights)} in all."),
        (one["state"] not in ("active", "pending"),
         f"The receipt says of member {one.get('member')}: {state.replace('_', ' ')}."),
        *((True, note) for note in compared)])

def verdict(walk: Walk, asked: Any, receipt: Optional[Line], own: list[str], compared: list[str]) -> Line:
    newest = asked.sets[-1].keys if asked.sets else set()
    asked.least = asked.quorum or -(-len(newest) // 3)
    rounds, last = judge(walk, asked.sets, asked), find_last_signed_line(walk, newest, asked.least)
    proved, ripening, least = of_status(rounds, "proved"), of_status(rounds, "ripening"), weakest(rounds)
    bad = any(one["status"] == "consistent" or (one["status"] == "undrawn" and one["judged"]) for one in rounds)
    code = 0 if proved and not bad and (not ripening or ripening[0] > proved[-1]) else 3
    debts = [{"pseudonym": who, "debt": one[0][0], "waiting_rounds": one[1]} for who, one in sorted(walk.debts.items())]
    return {"verdict": "consistent" if code else "proved", "exit_code": code,
            "sentence": first_sentence(walk, rounds, asked, code) + summarise_exceptions(walk, rounds),
            "head": walk.names[-1], "words": words(walk.names[-1]),
            "trust": [{"line": one.line, "keys": sorted(one.keys), "members": one.members} for one in asked.sets],
            "beta": least["beta"] if least else None, "gamma": None if walk.gamma is None else two_digits(walk.gamma),
            "last_signed": last, "proved": proved_sentences(walk, rounds, asked, own),
            "unproved": unproved_sentences(walk, asked, last), "notes": all_notes(walk, rounds, receipt, compared),
            "rounds": [{key: one[key] for key in one if key != "judged"} for one in rounds],
            "debts": debts if walk.turns else None}

def looked_at(record: Any, asked: Any) -> Line:
    """Return the verdict; raise `Fault` if something is wrong."""
    raws = split(record, "the record")
    old = re.search(rb'"version":([12])}$', raws[0]) if b'"line":"charter"' in raws[0] else None
    need(not old, f"this is a record of version {old and old[1].decode()}, before the first release; this verifier "
                  "reads version 3.", 2)
    lines = read_lines(raws)
    for head in asked.heads:
        need(check("head")(head), "a head is 64 hexadecimal digits in lower case, or ten words joined by hyphens.", 2)
    asked.beacons = [QUICKNET, *([] if asked.beacon is None else [read_chain(asked.beacon)])]
    need(asked.quorum is None or (asked.trust and whole(asked.quorum, 1, TOP)), QUORUM, 2)
    this = (lines[0].get("group"), sha(raws[1]).hex() if len(raws) > 1 else None)
    receipt = read_beside(asked.receipt, "the receipt", this)
    asked.names = read_beside(asked.names, "the names file", this)
    asked.people = entries(asked.names["members"]) if asked.names else {}
    others = [read_other(one, this[1]) for one in asked.against]
    walk = Walk(raws, lines)
    lines_of = [[n for n, one in enumerate(walk.names, 1) if head in (one, words(one))] for head in asked.heads]
    need(all(lines_of), "the kept head is not on this chain.")
    asked.heads = sorted({numbers[0] for numbers in lines_of})
    need(not receipt or receipt["head"] in walk.names, "the receipt's head is not on this chain.")
    asked.sets = sets_of_keys(lines, asked.trust, asked.heads, asked.people, asked.quorum)
    walk.run()
    wrong = first_wrong(tuple(spoken for _, spoken in walk.beacons))
    need(wrong is None, f"{walk.beacons[wrong or 0][0] if walk.beacons else ''}the beacon did not say this.")
    for number, person in asked.people.items():
        check_person(walk, "the names file", number, person)
    own = check_receipt(walk, receipt) if receipt else []
    return verdict(walk, asked, receipt, own, [compare(walk, other, asked.sets, asked.trust) for other in others])

def verify(record: Any, trust: Any = (), head: Any = (), quorum: Optional[int] = None, against: Any = (),
           receipt: Any = None, names: Any = None, beacon: Any = None, now: Optional[int] = None) -> Line:
    """Return the verdict on a record as plain data; files are paths or bytes (`against`: a name and bytes)."""
    given = [[one] if isinstance(one, (str, Path)) else list(one) for one in (trust, head, against)]
    asked = SimpleNamespace(trust=given[0], heads=given[1], against=given[2], quorum=quorum, receipt=receipt,
                            names=names, beacon=beacon, now=int(time.time()) if now is None else now)
    try:
        return looked_at(record, asked)
    except Fault as fault:
        sentence, code = fault.args
        kind = ("false", "unreadable")[code - 1]
        nothing = dict.fromkeys(("head", "words", "beta", "gamma", "last_signed"))
        lists: Line = {key: [] for key in ("trust", "rounds", "proved", "unproved", "notes")}
        return {"verdict": kind, "sentence": f"{kind.capitalize()}: {sentence}", "exit_code": code, **nothing, **lists,
                "debts": None}

def render(answer: Line) -> str:
    """Format the verdict as lines of text."""
    lines = [answer["sentence"]]
    if answer["head"]:
        ten = answer["words"].split("-")
        lines += [f"Head {answer['head']}, in words", f"  {'-'.join(ten[:5])}-", f"  {'-'.join(ten[5:])}"]
    told = {"Rounds": [one["sentence"] for one in answer["rounds"]], "Proved": answer["proved"],
            "Not proved": answer["unproved"], "To know": answer["notes"]}
    lines += [text for title, items in told.items() if items for text in (title, *(f"- {item}" for item in items))]
    return "\n".join(lines)

def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    for name in ("--trust", "--head", "--against"):
        parser.add_argument(name, action="append", default=[])
    for name, kind in (("receipt", str), ("names", str), ("beacon", str), ("quorum", int), ("now", int)):
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--format", choices=["text", "json"], default="text")
    given = vars(parser.parse_args(arguments))
    form = given.pop("format")
    answer = verify(**given)
    text = json.dumps(answer, indent=1) if form == "json" else render(answer)
    sys.stdout.buffer.write(f"{text}\n".encode(sys.stdout.encoding or "utf-8", "backslashreplace"))
    return int(answer["exit_code"])

if __name__ == "__main__":
    sys.exit(main())

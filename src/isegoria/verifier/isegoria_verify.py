#!/usr/bin/env python3
"""Check a record of draws without trusting whoever made it.

    python3 -I -S isegoria_verify.py RECORD [--receipt FILE] [--names FILE] [--head HEX] [--format json]

One file, standard library only, Python 3.9 or later: whole numbers, SHA-256 and Ed25519. It was written from the
description of the record (docs/reference/record.md), not from the program that writes records, and says its sentences.
Exit: 0 proved, 1 false, 2 unreadable, 3 everything recomputes but the randomness of a round is not proven.
The signature of a beacon needs the package isegoria[beacon]; where it is missing that one check is left out, and said.
"""

import argparse
import hashlib
import hmac
import itertools
import json
import re
import sys
from fractions import Fraction
from functools import lru_cache
from math import comb, gcd
from pathlib import Path
from types import SimpleNamespace

TOP = 2**53 - 1  # the largest whole number that JavaScript holds exactly
QUICKNET = {
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", "genesis": 1692803367, "period": 3,
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
           "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
}

class Fault(Exception):
    """An exit code, 1 false or 2 unreadable, and the sentence that says why."""

def need(ok, sentence, code=1):
    if not ok:
        raise Fault(code, sentence)

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def mac(secret, *parts): return hmac.new(bytes.fromhex(secret), b"".join(parts), hashlib.sha256).digest()
def eight(number): return number.to_bytes(8, "big")
def four(number): return number.to_bytes(4, "big")

def words(head):
    """Six words for a head, to be read aloud and compared."""
    c, v, bits = "bdfghjklmnprstvz", "aiou", [int(head[i : i + 4], 16) for i in range(0, 24, 4)]
    return "-".join(c[b >> 12] + v[b >> 10 & 3] + c[b >> 6 & 15] + v[b >> 4 & 3] + c[b & 15] for b in bits)

def clean(text):
    """A text of the record that cannot forge a line of the report: control and direction marks become U+FFFD."""
    return re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "\ufffd", text)

def rounds_named(rounds):
    """'round 4', 'rounds 4 and 5', 'rounds 1, 4 and 5'; after ten of them only how many more."""
    named = [str(number) for number in rounds[:10]] + ([f"{len(rounds) - 10} more"] if len(rounds) > 10 else [])
    return f"round {named[0]}" if len(named) == 1 else f"rounds {', '.join(named[:-1])} and {named[-1]}"

# ---- Reading: canonical JSON, with exactly these keys. `?` allows null, `*` is a list of them, `=` a pattern. --------
LINES = {
    "charter": r"format:=isegoria\x20record version:one group:hex32 title:text arms:arms units:int1 explore_max:share "
               "scale:scale privacy:=open|ballots block:block? learner:=[a-z][a-z0-9_-]{0,}? settings:settings "
               "rules:rules source:source software:text",
    "roster": "version:int1 joined:rising left:rising members:member?*",
    "commit": "round:int1 by:int hash:hex64",
    "freeze": "round:int1 occasion:int? roster:int1 available:set kind:=fair|trial arm:int? block:block event:text? "
              "form:form? tally_root:hex64 answered:int voices:ints explore:ints types:type* source_round:int?",
    "witness": "freeze:hex64 by:int at:int signature:hex128?",
    "reveal": "round:int1 by:int value:hex64 freeze:hex64 signature:hex128?",
    "draw": "round:int1 source_bytes:=([0-9a-f]{2})+? balls:ints arms:some signatures:signatures",
    "ratings": "round:int1 root:hex64 count:int1",
    "override": "round:int1 slot:int arm:int reason:text by:int?",
    "void": "round:int1 at:int reason:text signatures:signatures",
    "amend": "field:=title|arms|block|explore_max|source value:any reason:text",
    "close": "",
}
SHAPES = {
    "member": "commitment:hex64 weight:int1 key:hex64?",
    "type": "set:set weight:int1 units:ints who:who",
    "signed": "by:int signature:hex128",
    "rules": "close:=freeze late:=next tie:=centre|vertex|utilitarian trial:=lowest|none",
    "plain source": "kind:=rehearsal|dice|group fallback:any",
    "beacon source": "kind:=beacon fallback:any scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 genesis:int "
                     "period:int1 first:int every:int1",
    "receipt": r"format:=isegoria\x20receipt version:one group:hex32 charter:hex64 head:hex64 member:int name:text "
               "salt:hex64 secret:hex64 ratings:item* tallies:item*",
    "item": "line:int1 leaf:any index:int path:hex64*",
    "ratings leaf": "nonce:hex64 round:int1 slot:int? values:decimal?*",
    "tally leaf": "nonce:hex64 counts:ints sums:decimal*",
    "names file": r"format:=isegoria\x20names version:one group:hex32 members:person?*",
    "person": "name:text salt:hex64 secret:hex64",
    **{f"{kind} line": f"line:={kind} prev:hex64 {keys}" for kind, keys in LINES.items()},
}
AMENDABLE = {"title": "text", "arms": "arms", "block": "block?", "explore_max": "share", "source": "source"}

def whole(value, low=0, high=TOP): return type(value) is int and low <= value <= high
def rising(values): return all(a < b for a, b in zip(values, values[1:]))

def ints(value):
    fits = type(value) is list and set(map(type, value)) <= {int}
    return fits and (value == [] or (min(value) >= 0 and max(value) <= TOP))

def decimal(value):
    pattern = r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?"
    return type(value) is str and len(value) <= 400 and value != "-0" and re.fullmatch(pattern, value) is not None

def share(value):
    fits = type(value) is str and re.fullmatch("(0|[1-9][0-9]{0,8})/([1-9][0-9]{0,8})", value)
    p, q = map(int, value.split("/")) if fits else (1, 1)
    return gcd(p, q) == 1 and 2 * p <= q

def source(value, inner=False):
    if not check("plain source")(value) and not (check("beacon source")(value) and value["first"] >= value["genesis"]):
        return False
    others = value["fallback"]
    return others == [] if inner else type(others) is list and all(source(one, True) for one in others)

VALUES = {
    "any": lambda v: True, "text": lambda v: type(v) is str,
    "int": whole, "one": lambda v: whole(v, 1, 1), "int1": lambda v: whole(v, 1), "block": lambda v: whole(v, 1, 20),
    "ints": ints, "rising": lambda v: ints(v) and rising(v), "some": lambda v: ints(v) and v != [],
    "set": lambda v: ints(v) and v != [] and rising(v), "who": lambda v: check("hex48*")(v) and v != [] and rising(v),
    "arms": lambda v: check("text*")(v) and v != [] and "" not in v and len(set(v)) == len(v),
    "form": lambda v: ints(v) and len(v) == 4 and 1 <= v[0] <= 200 and v[1] <= v[2] <= 10**9 and v[3] <= 1,
    "decimal": decimal, "share": share, "source": source,
    "scale": lambda v: check("decimal*")(v) and len(v) == 2 and Fraction(v[0]) < Fraction(v[1]),
    "settings": lambda v: type(v) is dict and check("key*")(list(v)) and check("text?*")(list(v.values())),
    "key": lambda v: re.fullmatch("[a-z][a-z0-9_]*", v) is not None,
    "signatures": lambda v: check("signed*")(v) and rising([one["by"] for one in v]),
}

def keys_of(name): return dict(sorted(part.split(":", 1) for part in SHAPES[name].split()))

@lru_cache(maxsize=None)
def check(name):
    """The test that a name in the tables above stands for."""
    if name.endswith(("*", "?")):
        one = check(name[:-1])
        some = lambda value: type(value) is list and all(map(one, value))  # noqa: E731
        return some if name.endswith("*") else lambda value: value is None or one(value)
    if name in VALUES:
        return VALUES[name]
    if name in SHAPES:
        keys = {key: check(test) for key, test in keys_of(name).items()}
        return lambda v: type(v) is dict and v.keys() == keys.keys() and all(test(v[key]) for key, test in keys.items())
    pattern = re.compile(name[1:] if name[0] == "=" else "[0-9a-f]{%s}" % name[3:])
    return lambda value: type(value) is str and pattern.fullmatch(value) is not None

CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

def too_deep(raw):
    """Whether brackets nest more than 8 deep; a parser's own limit may have been lifted, and then it would crash."""
    depth = 0
    for token in re.findall(rb'"(?:[^"\\]|\\.)*"|[][{}]', raw) if raw.count(b"[") + raw.count(b"{") > 200 else ():
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token, 0)
        if depth > 8:
            return True
    return False

def parse(raw):
    """The object that a canonical line stands for, or None; whether it is also `plain` is asked only in doubt."""
    try:
        value = None if too_deep(raw) else json.loads(raw.decode("utf-8"))
        return value if type(value) is dict and CANONICAL(value).encode("utf-8") == raw else None
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError too
        return None

def plain(value, depth=1):
    """Whether there is nothing but objects, lists, texts, null and whole numbers below 2^53, at most 8 deep."""
    if isinstance(value, (dict, list)):
        keys, inside = (value, value.values()) if type(value) is dict else ((), value)
        return depth <= 8 and all(map(str.isascii, keys)) and all(plain(one, depth + 1) for one in inside)
    return value is None or type(value) is str or whole(value)

def read_line(raw, at):
    line = parse(raw)
    kind = line.get("line") if line else None
    known = type(kind) is str and kind in LINES
    if known and check(f"{kind} line")(line) and (kind != "amend" or check(AMENDABLE[line["field"]])(line["value"])):
        return line
    need(line is not None and plain(line), f"{at} is not JSON in the canonical form.", 2)
    need(known, f"{at} is of no known kind.", 2)
    need(line.keys() == keys_of(f"{kind} line").keys(), f"{at} ({kind}) does not have exactly the keys of its kind.", 2)
    wrong = [key for key, test in keys_of(f"{kind} line").items() if not check(test)(line[key])] + ["value"]
    raise Fault(2, f'{at} ({kind}): "{wrong[0]}" is not what it must be.')

def read_record(data):
    need(data, "the file is empty.", 2)
    need(data.endswith(b"\n"), "the last line is cut off: a record ends with a newline.", 2)
    raws = data[:-1].split(b"\n")
    return raws, [read_line(raw, f"line {number}") for number, raw in enumerate(raws, 1)]

def read_beside(data, called):
    value = parse(data[:-1]) if data and data.endswith(b"\n") else None
    fits = data is None or (value is not None and check(called)(value) and plain(value))
    need(fits, f"the {called} is not a {called}.", 2)
    return value

# ---- Ed25519 as in RFC 8032: points (x, y, z, x·y/z) on -x² + y² = 1 + D·x²·y², modulo P --
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m, n, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * D * t1 * t2 % P, 2 * z1 * z2
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P

def vanishes(a):
    twice = add(a, a)
    x, y, z, _ = add(add(twice, twice), add(twice, twice))
    return x == 0 and y == z

def point(data):
    """The point of 32 bytes; None if there is none, if y is not below P, or if eight times the point is zero."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    u, v = y * y - 1, D * y * y + 1
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    x = x if (v * x * x - u) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    x = x if x & 1 == sign else (P - x) % P
    fits = y < P and (v * x * x - u) % P == 0 and x & 1 == sign and not vanishes((x, y, 1, x * y % P))
    return (x, y, 1, x * y % P) if fits else None

BASE = point(bytes.fromhex("58" + "66" * 31))

def signed(key, signature, message):
    """Whether 8·S·B = 8·R + 8·k·A."""
    key, signature = bytes.fromhex(key), bytes.fromhex(signature)
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    minus, total = (P - a[0], a[1], 1, P - a[3]), (0, 1, 1, 0)
    steps = (None, BASE, minus, add(BASE, minus))
    for bit in range(252, -1, -1):
        total, step = add(total, total), steps[(s >> bit & 1) + 2 * (k >> bit & 1)]
        total = add(total, step) if step else total
    return vanishes(add(total, (P - r[0], r[1], 1, P - r[3])))

# ---- The draw: a drum of T units, a stream of numbers, one ball for each slot ---------------------------------------
def balls_of(freeze, freeze_hash, said):
    seed, counter, balls = sha(b"isegoria draw 1\0", freeze_hash, said), itertools.count(), []

    def below(limit):
        while True:
            x = int.from_bytes(sha(seed, four(next(counter)))[:8], "big")
            if x < 2**64 - 2**64 % limit:
                return x % limit

    step = (sum(freeze["voices"]) + sum(freeze["explore"])) // freeze["block"]
    start = below(step)
    balls = [start + j * step for j in range(freeze["block"])]
    for i in range(freeze["block"] - 1, 0, -1):
        j = below(i + 1)
        balls[i], balls[j] = balls[j], balls[i]
    return balls

def place(freeze, ball):
    """The arm of a ball, and the pseudonym whose voice it is (None: exploration)."""
    for arm, size in enumerate(map(sum, zip(freeze["voices"], freeze["explore"]))):
        if ball < size:
            break
        ball -= size
    for one in freeze["types"]:
        if ball < one["units"][arm] * len(one["who"]):
            return arm, one["who"][ball // one["units"][arm]]
        ball -= one["units"][arm] * len(one["who"])
    return arm, None

def thrown(said, form):
    """Whether dice can show this: a string of digits, or the numbers of a form, each followed by a point."""
    text = said.decode("latin-1")
    if form is None:
        return re.fullmatch("[0-9]{6,200}", text) is not None
    numbers = [int(part) for part in text.split(".")[:-1]] if re.fullmatch(r"((0|[1-9][0-9]{0,9})\.)+", text) else []
    count, low, high, ordered = form
    fits = len(numbers) == count and low <= min(numbers) <= max(numbers) <= high
    return fits and not (ordered and numbers != sorted(numbers))

def largest_product(types, voices, units, limit):
    """Whether no arm is asked for more than `limit` times what it has: then no policy has a larger product."""
    sums, top, asked = [0] * len(voices), int(limit * 2**128), []
    for one in types:
        want, have = len(one["who"]) * one["weight"] * units, sum([voices[arm] for arm in one["set"]])
        ratio = (want << 128) // have  # at most one unit of 2^-128 too little
        asked.append((one["set"], want, have))
        for arm in one["set"]:
            sums[arm] += ratio
    close = [arm for arm, total in enumerate(sums) if total <= top < total + len(types)]
    exact = [sum(Fraction(want, have) for arms, want, have in asked if arm in arms) for arm in close]
    return max(sums) <= top and all(total <= limit for total in exact)

# ---- The walk: every line in its order, everything recomputed -------------------------------------------------------
class Walk:
    def __init__(self, raws, lines, head):
        self.lines, self.hashes, self.charter = lines, [sha(raw) for raw in raws], dict(lines[0])
        self.rosters, self.rounds, self.notes, self.beacons, self.widths, self.commits = [], [], [], [], [], {}
        self.open, self.closed, self.played, self.pending, self.occasion = None, False, set(), [], -1
        self.coarse = False  # whether a drum had too few units for its certificate to say much
        for number, (line, before) in enumerate(zip(lines, [b"\0" * 32, *self.hashes]), 1):
            need(line["prev"] == before.hex(), f'line {number}: "prev" is not the hash of the line before.')
        names = [one.hex() for one in self.hashes]
        self.kept = [n for n, one in enumerate(names, 1) if head in (one, words(one))] if head else []
        need(head is None or self.kept, "the kept head is not on this chain.")

    def run(self):
        for number, line in enumerate(self.lines, 1):
            self.number, kind = number, line["line"]
            self.at = f"line {number} ({kind}): "
            self.must((kind == "charter") == (number == 1), "a record begins with its charter, and has one.")
            self.must(number != 2 or kind == "roster", "the second line is a roster.")
            self.must(not self.closed, "the record was closed before.")
            getattr(self, "on_" + kind)(line)
            self.widths.append(len(self.charter["arms"]))
        now = self.open
        if now and now.kind == "trial":
            now.arms, now.voices = [now.freeze["arm"]], [None]
        elif now and now.reveals and len(now.reveals) == len(now.commits):
            derive(now, revealed(now))
        if now:
            self.end(now, "open")

    def must(self, ok, sentence):
        need(ok, self.at + sentence)

    def pinned(self, source):
        for one in [source, *source["fallback"]]:
            named = one.get("chain") == QUICKNET["chain"] or one.get("key") == QUICKNET["key"]
            right = all(one.get(key) == value for key, value in QUICKNET.items())
            self.must(right or not named, "these are not the parameters of quicknet.")

    def on_charter(self, line):
        self.pinned(line["source"])
        self.learns, self.group, self.units = line["learner"] is not None, bytes.fromhex(line["group"]), line["units"]
        fits = (line["rules"]["trial"] == "lowest") == self.learns and (self.learns or line["settings"] == {})
        self.must(fits, "trials and settings do not fit the learner.")

    def on_amend(self, line):
        field, value, old, note = line["field"], line["value"], self.charter["arms"], ""
        if field == "source":
            self.pinned(value)
            bare, *others = [{**one, "fallback": []} for one in [value, *self.charter["source"]["fallback"]]]
            note, self.occasion = "" if bare in others else " It was not among the fallbacks.", -1
        self.must(not self.open, f"round {len(self.rounds)} is open; amendments wait for its draw.")
        self.must(field != "arms" or value[: len(old)] == old, "arms may only be added, behind those there are.")
        self.charter[field] = value
        self.notes.append(f"Line {self.number} amends {field}: {clean(line['reason'])}{note}")

    def on_roster(self, line):
        before, after = self.rosters[-1] if self.rosters else [], line["members"]
        pairs, joined = list(zip(before, after)), list(range(len(before), len(after)))
        left = [n for n, (old, new) in enumerate(pairs) if old and not new]
        kept = [new is None or (old and {**old, "key": 0} == {**new, "key": 0}) for old, new in pairs]
        fits = len(after) >= len(before) and all(kept) and all(after[n] for n in joined)
        keys = [one["key"] for one in after if one and one["key"]]
        self.must(line["version"] == len(self.rosters) + 1, "the version is not the next one.")
        fits = fits and (line["joined"], line["left"]) == (joined, left)
        self.must(fits, "members do not follow from the roster before.")
        self.must(any(after), "nobody is on it.")
        self.must(len(set(keys)) == len(keys), "two members have one key.")
        changed = [n for n, (old, new) in enumerate(pairs) if old and new and old["key"] not in (None, new["key"])]
        if before and (joined or left):
            self.notes.append(f"Line {self.number}: {len(joined)} joined, {len(left)} left.")
        self.notes += [f"Line {self.number}: the key of member {n} was changed." for n in changed]
        self.rosters.append(after)

    def member(self, roster, by):
        self.must(by < len(roster) and roster[by], f"member {by} is not on the roster.")
        return roster[by]

    def on_commit(self, line):
        by = line["by"]
        self.must(self.charter["source"]["kind"] == "group", "the source is not the group.")
        self.must(not self.open and line["round"] == len(self.rounds) + 1, "it is not for the round that comes next.")
        self.member(self.rosters[-1], by)
        self.must(by not in self.commits, f"member {by} has committed before.")
        self.commits[by] = line["hash"]

    def on_freeze(self, line):
        source, fair = self.charter["source"], line["kind"] == "fair"
        occasion, now = line["occasion"], line["source_round"]
        beacon, dice, group = (source["kind"] == kind for kind in ("beacon", "dice", "group"))
        self.must(not self.open, f"round {len(self.rounds)} is still open.")
        self.must(line["round"] == len(self.rounds) + 1, "the round is not the next one.")
        self.must(line["roster"] == len(self.rosters), "it does not name the latest roster.")
        self.must(line["available"][-1] < len(self.charter["arms"]), "an available arm does not exist.")
        given = [line[key] is not None for key in ("occasion", "source_round", "event")]
        fits = given == [beacon, beacon and fair, dice and fair] and (line["form"] is None or given[2])
        self.must(fits, "occasion, event, form or source round do not fit the source.")
        self.must(not beacon or occasion > self.occasion, "the occasion is not after the last one.")
        due = source["first"] + occasion * source["every"] - source["genesis"] if beacon else 0
        self.must(now is None or now == -(-due // source["period"]) + 1, "the source round is not the timetable's.")
        count, low, high, ordered = line["form"] or (6, 0, 9, 0)
        outcomes = comb(high - low + count, count) if ordered else (high - low + 1) ** count
        self.must(outcomes >= 10**6, "the form has fewer than a million outcomes.")
        self.must(not (fair and group) or self.commits, "nobody committed.")
        self.played.update(self.pending)
        (self.fair if fair else self.trial)(line)
        speaks = source["genesis"] + (now - 1) * source["period"] if now is not None else None
        self.open = SimpleNamespace(
            round=line["round"], kind=line["kind"], state="open", freeze=line, hash=self.hashes[self.number - 1],
            source=source, speaks=speaks, roster=self.rosters[-1], names=self.charter["arms"],
            commits=self.commits, reveals={}, witnesses={},
            seen=0, late=0, signers=0, balls=[], arms=[], voices=[], overridden=set(), void=None, sound=True,
            keys=sum(one is not None and one["key"] is not None for one in self.rosters[-1]),
            skipped=range(self.occasion + 1, occasion) if beacon else [],
        )
        self.rounds.append(self.open)
        self.commits, self.pending, self.occasion = {}, [], occasion if beacon else -1

    def trial(self, line):
        empty = not (line["voices"] or line["explore"] or line["types"] or line["answered"]) and line["block"] == 1
        self.must(empty and self.learns and line["tally_root"] == sha().hex(), "it is not in the form of a trial.")
        unplayed = [arm for arm in line["available"] if arm not in self.played]
        self.must(unplayed[:1] == [line["arm"]], "the arm is not the lowest available one never played.")

    def fair(self, line):
        types, voices, explore, block, units = line["types"], line["voices"], line["explore"], line["block"], self.units
        k, usual, available = len(self.charter["arms"]), self.charter["block"], set(line["available"])
        weights = sorted(one["weight"] for one in self.rosters[-1] if one)
        n, total, rows = len(weights), sum(weights) * units, [one["units"] for one in types]
        self.must(line["arm"] is None, "a fair round names no arm.")
        self.must(all(len(row) == k for row in [voices, explore, *rows]), "a row does not have one entry for each arm.")
        self.must(line["answered"] <= n, "more answers than members.")
        self.must(rising([(one["set"], one["weight"]) for one in types]), "the types are not in order.")
        self.must(all(available.issuperset(one["set"]) for one in types), "a set holds an arm that is not available.")
        inside = [sum(one["units"][arm] for arm in one["set"]) for one in types]
        self.must(inside == list(map(sum, rows)), "units lie outside the set.")
        self.must(inside == [one["weight"] * units for one in types], "a row is not its weight times the units.")
        who = [name for one in types for name in one["who"]]
        self.must(len(set(who)) == len(who), "a pseudonym stands twice.")
        held = sorted(one["weight"] for one in types for _ in one["who"])
        self.must(held == weights, "the members are not those of the roster.")
        sums = map(sum, zip(*([len(one["who"]) * unit for unit in one["units"]] for one in types)))
        self.must(voices == list(sums), "the voices are not the sums of the rows.")
        blocks = [usual] if usual else [min(n, 20), 1 if self.learns else min(n, 20)]
        self.must(block in blocks, "the block is not the charter's.")
        extra, tried = sum(explore), [arm for arm in range(k) if explore[arm]]
        fits = total + extra <= TOP and (total + extra) % block == 0
        self.must(fits, "the drum is too large, or the block does not divide it.")
        doubted = {arm for one in types if len(one["set"]) > 1 for arm in one["set"]}
        even = {explore[arm] for arm in tried} == {extra // max(len(tried), 1)} and explore[tried[0]] % block == 0
        fits = not extra or (self.learns and even and (doubted & available).issuperset(tried))
        self.must(fits, "exploration is not equal over arms in doubt.")
        p, q = map(int, self.charter["explore_max"].split("/"))
        self.must(extra * q <= p * (total + extra), "exploration is more than the charter allows.")
        self.coarse = self.coarse or 100 * k * sum(weights) > units
        limit = 1 + Fraction(1, 10**6) + Fraction(k * sum(weights), units)
        self.must(largest_product(types, voices, units, limit), "the policy is not one of largest product.")

    def signature(self, now, by, signature, what, *said):
        key = self.member(now.roster, by)["key"]
        self.must(key, f"member {by} has no key on the roster.")
        message = b"".join([f"isegoria {what} 1\0".encode(), self.hashes[0], now.hash, *said])
        self.must(signed(key, signature, message), f"the signature of member {by} is wrong.")

    def on_witness(self, line):
        now, by, reveal = self.open, line["by"], line["line"] == "reveal"
        self.must(now and not (reveal and now.source["kind"] != "group"), "no such round is open.")
        fits = line["freeze"] == now.hash.hex() and line.get("round", now.round) == now.round
        self.must(fits, "it is not for this freeze.")
        self.member(now.roster, by)
        before = now.reveals if reveal else now.witnesses
        self.must(by not in before, f"member {by} stands here twice.")
        said = bytes.fromhex(line["value"]) if reveal else eight(line["at"])
        commit = sha(b"isegoria commit 1\0", self.group, eight(now.round), four(by), said).hex()
        self.must(not reveal or now.commits.get(by) == commit, f"it does not open the commitment of member {by}.")
        before[by] = line
        if line["signature"] is not None:
            self.signature(now, by, line["signature"], line["line"], said)
            if not reveal:
                early = not now.reveals and (now.speaks is None or line["at"] < now.speaks)
                now.seen, now.late = now.seen + early, now.late + (not early)

    on_reveal = on_witness

    def on_draw(self, line):
        now = self.ending(line)
        if now.kind == "trial":
            given = (line["source_bytes"], line["balls"], line["signatures"], line["arms"])
            now.arms, now.voices = [now.freeze["arm"]], [None]
            self.must(given == (None, [], [], now.arms), "it is not the draw of a trial.")
        else:
            kind, said = now.source["kind"], bytes.fromhex(line["source_bytes"] or "")
            fits = said and {"rehearsal": 32, "beacon": 48}.get(kind, len(said)) == len(said)
            fits = fits and (kind != "dice" or thrown(said, now.freeze["form"]))
            self.must(fits, "the source bytes do not have the form of the source.")
            self.must(kind != "group" or said == revealed(now), "the source bytes are not the members' reveals.")
            self.must(kind == "dice" or not line["signatures"], "only the value of dice is signed.")
            for one in line["signatures"]:
                self.signature(now, one["by"], one["signature"], "value", said)
            if kind == "beacon":
                self.beacons.append((self.at, now.source["key"], now.freeze["source_round"], said))
            derive(now, said)
            self.must(line["balls"] == now.balls, "the balls do not follow from the freeze and the source.")
            self.must(line["arms"] == now.arms, "the arms do not follow from the balls.")
        self.pending = list(now.arms)
        self.end(now, "drawn")

    def ending(self, line):
        self.must(self.open and line["round"] == self.open.round, "no such round is open.")
        now, self.open = self.open, None
        now.signers = len(line["signatures"])
        return now

    def on_void(self, line):
        now = self.ending(line)
        trial, group = now.kind == "trial", now.source["kind"] == "group"
        self.must(not (trial and line["signatures"]), "a trial's void is not signed.")
        for one in line["signatures"]:
            self.signature(now, one["by"], one["signature"], "void", eight(line["at"]))
        self.must(trial or not group or len(now.reveals) < len(now.commits), "the source had spoken.")
        early = not now.reveals and (now.speaks is None or line["at"] < now.speaks)
        now.sound, now.void = trial or (now.signers > 0 and early), clean(line["reason"])
        if group and now.reveals and not trial:
            derive(now, revealed(now))
        self.end(now, "void")

    def on_ratings(self, line):
        fits = line["round"] <= len(self.rounds) and self.rounds[line["round"] - 1].state == "drawn"
        self.must(fits, f"round {line['round']} has not been drawn.")

    def on_override(self, line):
        self.on_ratings(line)
        then, slot, by, arms = self.rounds[line["round"] - 1], line["slot"], line["by"], self.charter["arms"]
        self.must(slot < len(then.arms) and line["arm"] < len(arms), "there is no such slot or arm.")
        self.must(slot not in then.overridden, "this slot was overridden before.")
        self.must(by is None or by < len(self.rosters[-1]), f"member {by} is not on the roster.")
        then.overridden.add(slot)
        if self.pending and then is self.rounds[-1]:
            self.pending[slot] = line["arm"]
        new, old = clean(arms[line["arm"]]), clean(arms[then.arms[slot]])
        self.notes.append(f"Round {then.round}, slot {slot}: {new} was put in place of {old}: {clean(line['reason'])}")

    def on_close(self, line):
        self.must(not self.open, f"round {len(self.rounds)} is still open.")
        self.closed = True

    def end(self, now, state):
        """End a round, and note what a reader should know of it."""
        now.state, skipped, r = state, now.skipped, f"Round {now.round}"
        claimed = sum(line["signature"] is None for line in now.witnesses.values())
        unsigned = sum(line["signature"] is None for line in now.reveals.values())
        silent = [by for by in sorted(now.commits) if by not in now.reveals and state != "open" and now.kind == "fair"]
        masked = [clean(arm) for k, arm in enumerate(now.names) if k not in now.freeze["available"]]
        self.notes += [f"{r}: not available: {', '.join(masked)}."] if masked else []
        if len(skipped):
            these = f"s {skipped[0]} to {skipped[-1]} were" if len(skipped) > 1 else f" {skipped[0]} was"
            self.notes.append(f"Occasion{these} skipped before round {now.round}.")
        self.notes += [f"{r}: {some(claimed, 'witness line', 'is', 'are')} claimed, not signed."] if claimed else []
        self.notes += [f"{r}: {some(now.late, 'witness line', 'came', 'came')} too late to count."] if now.late else []
        self.notes += [f"{r}: member {by} committed and did not reveal." for by in silent]
        self.notes += [f"{r}: {some(unsigned, 'reveal', 'is', 'are')} not signed."] if unsigned else []

def some(count, noun, one, more): return f"{count} {noun} {one}" if count == 1 else f"{count} {noun}s {more}"
def revealed(now): return b"".join(four(by) + bytes.fromhex(now.reveals[by]["value"]) for by in sorted(now.reveals))

def derive(now, said):
    now.balls = balls_of(now.freeze, now.hash, said)
    now.arms, now.voices = map(list, zip(*(place(now.freeze, ball) for ball in now.balls)))

# ---- A member's receipt, and the names of an open group ------------------------------------------------------------
def commitment(number, person):
    salt, secret = bytes.fromhex(person["salt"]), bytes.fromhex(person["secret"])
    return sha(b"isegoria member 1\0", salt, four(number), secret, person["name"].encode()).hex()

def row(walk, now, number, secret):
    """The type that holds a member's pseudonym in a round; None if there is none of her weight."""
    name = mac(secret, walk.group, eight(now.round), four(number))[:24].hex()
    weight = now.roster[number]["weight"]
    return next((one for one in now.freeze["types"] if one["weight"] == weight and name in one["who"]), None)

def fair_rounds(walk, number):
    return [now for now in walk.rounds if now.kind == "fair" and number < len(now.roster) and now.roster[number]]

def check_names(walk, people):
    need(len(people) == len(walk.rosters[-1]), "the names file: it does not have one entry for each member.")
    for number, person in enumerate(people):
        if person:
            entry = next(roster[number] for roster in reversed(walk.rosters) if roster[number])
            opens = entry["commitment"] == commitment(number, person)
            need(opens, f"the names file: the name of member {number} does not open the commitment.")
            for now in fair_rounds(walk, number):
                found = row(walk, now, number, person["secret"])
                need(found, f"the names file: member {number} has no row in round {now.round}.")

def under(leaf, index, path, size, root):
    """Whether a leaf is number `index` of `size` in the Merkle tree of RFC 6962 with this root."""
    def folded(index, size, path):
        if size == 1:
            return sha(b"\0", leaf) if not path else b""
        half = 1 << (size - 1).bit_length() - 1
        if not path:
            return b""
        if index < half:
            return sha(b"\1", folded(index, half, path[:-1]), bytes.fromhex(path[-1]))
        return sha(b"\1", bytes.fromhex(path[-1]), folded(index - half, size - half, path[:-1]))
    return index < size and len(path) <= 64 and folded(index, size, path).hex() == root

def check_receipt(walk, receipt):
    member, secret, learns = receipt["member"], receipt["secret"], walk.learns
    entries = [roster[member] for roster in walk.rosters if member < len(roster) and roster[member]]
    opens = entries and {entry["commitment"] for entry in entries} == {commitment(member, receipt)}
    need(opens, f"the receipt: entry {member} of the roster does not open to this name.")
    rounds = fair_rounds(walk, member)
    for now in rounds:
        need(row(walk, now, member, secret), f"the receipt: no row in round {now.round} belongs to this member.")
    told, tallied = [], {}
    for item, kind in [(one, "ratings") for one in receipt["ratings"]] + [(one, "tally") for one in receipt["tallies"]]:
        number, leaf = item["line"], item["leaf"]
        line = walk.lines[number - 1] if number <= len(walk.lines) else {"line": None}
        freeze = line["line"] == "freeze" and line["kind"] == "fair" and (kind == "tally") == learns
        root = freeze or (kind == "ratings" and line["line"] == "ratings")
        need(root, f"the receipt: line {number} has no such root.")
        nonce = mac(secret, b"leaf\0", walk.group, eight(line["round"]), kind.encode()).hex()
        fits = check(kind + " leaf")(leaf) and leaf["nonce"] == nonce and leaf.get("round") in (None, line["round"])
        lists = [leaf[key] for key in ("values", "counts", "sums") if key in leaf] if fits else []
        fits = fits and all(len(one) == walk.widths[number - 1] for one in lists)
        fits = fits and not (freeze and leaf.get("slot") is not None)
        need(fits, f"the receipt: a leaf for line {number} is not this member's.")
        raw = CANONICAL(leaf).encode("utf-8")
        size, top = (line["answered"], line["tally_root"]) if freeze else (line["count"], line["root"])
        held = under(raw, item["index"], item["path"], size, top)
        need(held, f"the receipt: a leaf for line {number} is not under its root.")
        if kind == "tally":
            tallied[number] = leaf
        else:
            slot = leaf["slot"]
            twice = any((one["round"], one["slot"]) == (leaf["round"], slot) for _, one in told)
            need(not twice, f"the receipt: round {leaf['round']}, slot {json.dumps(slot)} is rated twice.")
            told.append((number, leaf))
    for now in rounds:
        (check_tally if learns else check_set)(walk, now, told, tallied, row(walk, now, member, secret)["set"])
    return rounds, told, tallied

def check_tally(walk, now, told, tallied, arms):
    freeze, number = now.freeze, walk.lines.index(now.freeze) + 1
    earlier = [leaf["values"] for line, leaf in told if line < number]
    columns = [[Fraction(one[arm]) for one in earlier if arm < len(one) and one[arm] is not None]
               for arm in range(walk.widths[number - 1])]
    leaf = tallied.get(number, {"counts": [0] * len(columns), "sums": ["0"] * len(columns)})
    fits = (number in tallied) == (earlier != []) and leaf["counts"] == list(map(len, columns))
    fits = fits and list(map(Fraction, leaf["sums"])) == list(map(sum, columns))
    need(fits, f"the receipt: the tally in round {freeze['round']} is not the sum of the ratings.")

def check_set(walk, now, told, tallied, arms):
    values = next((leaf["values"] for line, leaf in told if walk.lines[line - 1] is now.freeze), [])
    low, high = map(Fraction, walk.charter["scale"])
    rated = {arm: Fraction(values[arm]) for arm in now.freeze["available"] if values and values[arm] is not None}
    best = [arm for arm, value in rated.items() if value >= max(rated.values()) - (high - low) / 10**12]
    follows = arms == (best or now.freeze["available"])
    need(follows, f"the receipt: the set in round {now.round} does not follow from the ratings.")

# ---- The verdict ----------------------------------------------------------------------------------------------------
UNSEEN = "not proven that this page existed before the draw"
def reasons(now, beacon_key, checked):
    """Why a round is not proven, if it is not."""
    kind, drawn = now.source["kind"], now.state == "drawn" and now.kind == "fair"
    known = kind == "beacon" and now.source["key"] in (QUICKNET["key"], beacon_key)
    reveals = [line for line in now.reveals.values() if line["signature"]]
    return [reason for applies, reason in [
        (drawn and not now.seen, UNSEEN),
        (drawn and kind == "rehearsal", "its randomness is a rehearsal, which proves nothing"),
        (drawn and kind == "dice" and now.signers < 2, "fewer than two members signed the value"),
        (drawn and kind == "group" and not reveals, "no reveal is signed"),
        (drawn and kind == "beacon" and not known, "its beacon is not one that this verifier knows"),
        (drawn and known and not checked, "the beacon's signature was not checked here"),
        (not now.sound, "it was voided without a witness from before its source spoke"),
    ] if applies]

def summary(now, arms, beacon_key, checked):
    names, r = ", ".join(clean(arms[arm]) for arm in now.arms), f"Round {now.round}: "
    if now.state == "void":
        sentence = f"void: {now.void}" + (f" With the reveals on record it had drawn {names}." if now.arms else "")
    elif now.state == "open":
        sentence = f"the draw line is missing; it must be {names}." if now.arms else "not drawn yet."
    else:
        seen = f"; seen before the draw by {now.seen} of {now.keys} keys."
        sentence = names + (", a first trial without a draw." if now.kind == "trial" else seen)
    return {"round": now.round, "kind": now.kind, "state": now.state, "balls": now.balls, "arms": now.arms,
            "voices": now.voices, "seen": now.seen, "keys": now.keys, "reasons": reasons(now, beacon_key, checked),
            "sentence": r + sentence}

def verdict(walk, head, names, receipt, found, beacon_key, checked):
    rounds = [summary(now, walk.charter["arms"], beacon_key, checked) for now in walk.rounds]
    fair, last, learns = [now for now in walk.rounds if now.kind == "fair"], walk.hashes[-1].hex(), walk.learns
    doubtful = [one["round"] for one in rounds if one["reasons"]]
    ended = [one["round"] for one in rounds if one["state"] != "open"]
    mine, told, tallied = found or ([], [], {})
    member, name = (receipt["member"], clean(receipt["name"])) if receipt else (None, None)
    sentence = "Proved: nothing has been drawn yet, and what is there fits together."
    if doubtful:
        sentence = f"Not proved: everything recomputes, but the randomness of {rounds_named(doubtful)} is not proven."
    elif ended:
        these = "round 1 recomputes, and its" if len(ended) == 1 else f"all {len(ended)} rounds recompute, and their"
        sentence = f"Proved: {these} randomness was bound before anyone could know it."
    proved = [
        (True, f"The {len(walk.lines)} lines form one unbroken chain."),
        (head, f"The kept head is line {walk.kept[0] if head else 0}: nothing up to there was rewritten."),
        (fair, f"In every round each member has exactly her weight times {walk.units} units, all inside her own set."),
        (fair and not walk.coarse,
         "In every round the policy has the largest product of decision shares for these sets."),
        (any(now.state == "drawn" for now in fair), "Every ball and arm follows from its freeze and its source."),
        (names, "The names fit: every row of a person named there is hers alone."),
        (receipt, f"Member {member} of the roster is {name}, in every roster since joining."),
        (receipt, f"Her row stands exactly once in every round she was there for: {len(mine)}."),
        (told, f"Her ratings are under the roots: {len(told)}."),
        (tallied, "Her tallies are the sums of her ratings."),
        (receipt and not learns, "Her set follows from her ratings in every round."),
    ]
    unproved = [(True, f"Round {one['round']}: {reason}.") for one in rounds for reason in one["reasons"]] + [
        (fair,
         "Which policy was taken where several have the largest product: the rule of the tie-break is the writer's."),
        (walk.coarse,
         "That the policy has the largest product of decision shares: the drum has too few units to tell."),
        (learns, "That the sets follow from the ratings: it needs a replay with the package and the secrets."),
        (not learns and not receipt,
         "That the sets follow from the ratings: each member can check her own with her receipt."),
        (not learns and receipt,
         "That the sets of others follow from their ratings: each can check her own with her receipt."),
        (not head,
         "That this is the record that others saw: compare its head, or its six words, with one kept elsewhere."),
        (any(one and one["key"] for one in walk.rosters[-1]),
         "That a key belongs to its member and not to the organiser: "
         "each member can check that her own key is listed."),
        (True,
         "That the roster names real people, each once, and that ratings are honest: nobody can prove that here."),
    ]
    return {
        "verdict": "unproven" if doubtful else "proved", "sentence": sentence, "exit_code": 3 if doubtful else 0,
        "head": last, "words": words(last), "rounds": rounds, "notes": walk.notes,
        "proved": [text for holds, text in proved if holds], "unproved": [text for lacks, text in unproved if lacks],
    }

def judge(data, receipt=None, head=None, names=None, beacon_key=None):
    """The verdict on the bytes of a record, as plain data; the receipt and the names file are bytes too."""
    try:
        raws, lines = read_record(data)
        fits = head is None or check("hex64")(head) or check("=[a-z]{5}(-[a-z]{5}){5}")(head)
        need(fits, "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens.", 2)
        fits = beacon_key is None or check("hex192")(beacon_key)
        need(fits, "a beacon's key is 192 hexadecimal digits in lower case.", 2)
        receipt, names = read_beside(receipt, "receipt"), read_beside(names, "names file")
        for called, one in [("receipt", receipt), ("names file", names)]:
            charter = sha(raws[0]).hex()
            same = not one or (one["group"], one.get("charter", charter)) == (lines[0].get("group"), charter)
            need(same, f"the {called} belongs to another record.", 2)
        walk = Walk(raws, lines, head)
        kept = not receipt or bytes.fromhex(receipt["head"]) in walk.hashes
        need(kept, "the receipt's head is not on this chain.")
        checked = proceed(walk)
        if names:
            check_names(walk, names["members"])
        found = check_receipt(walk, receipt) if receipt else None
        return verdict(walk, head, names, receipt, found, beacon_key, checked)
    except Fault as fault:
        return refusal(*fault.args)

def refusal(code, sentence):
    kind = ("false", "unreadable")[code - 1]
    empty = {"head": None, "words": None, "rounds": [], "proved": [], "unproved": [], "notes": []}
    return {"verdict": kind, "sentence": f"{kind.capitalize()}: {sentence}", "exit_code": code, **empty}

def proceed(walk):
    """Walk to the end, or to the first fault; what the beacons said before it is checked first, all at once."""
    fault, checked = None, True
    try:
        walk.run()
    except Fault as found:
        fault = found
    try:
        if walk.beacons:
            from isegoria.verifier.beacon import wrong_beacons
            for place in wrong_beacons([one[1:] for one in walk.beacons])[:1]:
                raise Fault(1, walk.beacons[place][0] + "the beacon did not say this.")
    except ImportError:
        checked = False
    if fault:
        raise fault
    return checked

def render(answer):
    """The verdict as lines of text."""
    unseen = [one["round"] for one in answer["rounds"] if UNSEEN in one["reasons"]]
    lines = [f"{UNSEEN.capitalize()}: {rounds_named(unseen)}."] if unseen else []
    lines.append(answer["sentence"])
    if answer["head"]:
        lines.append(f"Head {answer['head']}, in words {answer['words']}.")
    told = [one["sentence"] for one in answer["rounds"]]
    for title, items in [("Rounds", told), ("Proved", answer["proved"]), ("Not proved", answer["unproved"]),
                         ("To know", answer["notes"])]:
        lines += [title, *(f"- {item}" for item in items)] if items else []
    return "\n".join(lines)

def verify(path, receipt=None, head=None, names=None, beacon_key=None):
    """The verdict on a file, as plain data; the receipt and the names file are paths too."""
    files = []
    for one in (path, receipt, names):
        try:
            files.append(None if one is None else Path(one).read_bytes())
        except OSError as error:
            return refusal(2, f"{clean(str(one))} cannot be read: {error.strerror}.")
    return judge(files[0], files[1], head, files[2], beacon_key)

def main(arguments=None):
    parser = argparse.ArgumentParser(description="Check a record of draws. Exit: 0 proved, 1 false, 2 unreadable, "
                                     "3 everything recomputes, but the randomness of a round is not proven.")
    parser.add_argument("record", metavar="RECORD", help="the record, a file of JSON lines")
    parser.add_argument("--receipt", metavar="FILE", help="a member's receipt: her rows and ratings are checked too")
    parser.add_argument("--names", metavar="FILE", help="the names of an open group: whose row is whose")
    parser.add_argument("--head", metavar="HEX", help="the head that you kept, or its six words")
    parser.add_argument("--beacon-key", metavar="HEX", help="the key of a beacon other than drand's quicknet")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args(arguments)
    answer = verify(options.record, options.receipt, options.head, options.names, options.beacon_key)
    sys.stdout.reconfigure(errors="backslashreplace")
    print(json.dumps(answer, indent=1) if options.format == "json" else render(answer))
    return answer["exit_code"]

if __name__ == "__main__":
    sys.exit(main())

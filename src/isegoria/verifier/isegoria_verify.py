#!/usr/bin/env python3
"""Check a record of draws without trusting whoever made it.

    python3 -I -S isegoria_verify.py RECORD [--receipt FILE] [--names FILE] [--head HEX] [--format json]

  RECORD             the record, a file of JSON lines
  --receipt FILE     a member's receipt: her rows and ratings are checked too
  --names FILE       the names of an open group: whose row is whose
  --head HEX         the head that you kept, or its six words
  --beacon-key HEX   the key of a beacon other than drand's quicknet

Exit: 0 proved, 1 false, 2 unreadable, 3 everything recomputes but the randomness of a round is not proven.
One file, standard library only, Python 3.9 or later: whole numbers, SHA-256 and Ed25519. It was written from the
description of the record (docs/reference/record.md), not from the program that writes records, and says its sentences.
The signature of a beacon needs the package isegoria[beacon]; where it is missing that one check is left out, and said.
"""

import argparse
import hashlib
import hmac
import json
import re
import sys
from fractions import Fraction
from functools import lru_cache
from math import comb
from pathlib import Path
from types import SimpleNamespace

TOP = 2**53 - 1  # the largest whole number that JavaScript holds exactly
QUICKNET = {
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971", "genesis": 1692803367, "period": 3,
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
           "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"}

class Fault(Exception):
    """The sentence that says what is wrong, and an exit code: 1 false, 2 unreadable."""

def need(ok, sentence, code=1):
    if not ok:
        raise Fault(sentence, code)

def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def mac(secret, *parts): return hmac.digest(bytes.fromhex(secret), b"".join(parts), "sha256")
def big(number, size): return number.to_bytes(size, "big")

def words(head):
    """Six words for a head, to be read aloud and compared."""
    c, v, bits = "bdfghjklmnprstvz", "aiou", [int(head[i : i + 4], 16) for i in range(0, 24, 4)]
    return "-".join(c[b >> 12] + v[b >> 10 & 3] + c[b >> 6 & 15] + v[b >> 4 & 3] + c[b & 15] for b in bits)

# A text of the record cannot forge a line of the report: control and direction marks become U+FFFD.
def clean(text): return re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "\ufffd", text)
def named(numbers): return ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")

# ---- Reading: canonical JSON with exactly these keys, each with the name of the test for its value ------------------
# A name that ends with `?` allows null, with `*` it is a list of such, with `+` a list that is not empty and rises;
# `=` begins a pattern, and hex64 is 64 hexadecimal digits. Lines have `line` and `prev` besides.
SHAPES = {
    "charter line": r"format:=isegoria\x20record version:one group:hex32 title:text arms:arms units:int1 rules:rules "
                    "explore_max:share scale:scale privacy:=open|ballots block:block? learner:=[a-z][a-z0-9_-]{0,}? "
                    "settings:settings source:source software:text",
    "rules": "close:=freeze late:=next tie:=centre|vertex|utilitarian trial:=lowest|none",
    "plain source": "kind:=rehearsal|dice|group fallback:source*", "signed": "by:int signature:hex128",
    "beacon source": "kind:=beacon fallback:source* scheme:=bls-unchained-g1-rfc9380 chain:hex64 key:hex192 "
                     "genesis:int period:int1 first:int every:int1",
    "roster line": "version:int1 joined:int* left:int* members:member?*",
    "member": "commitment:hex64 weight:int1 key:hex64?", "type": "set:int+ weight:int1 units:int* who:hex48+",
    "freeze line": "round:int1 occasion:int? roster:int1 available:int+ kind:=fair|trial arm:int? block:block "
                   "event:text? form:form? tally_root:hex64 answered:int voices:int* explore:int* types:type* "
                   "source_round:int?",
    "commit line": "round:int1 by:int hash:hex64", "ratings line": "round:int1 root:hex64 count:int1",
    "witness line": "freeze:hex64 by:int at:int signature:hex128?",
    "reveal line": "round:int1 by:int value:hex64 freeze:hex64 signature:hex128?",
    "draw line": "round:int1 source_bytes:=([0-9a-f]{2}){1,}? balls:int* arms:int* signatures:signatures",
    "void line": "round:int1 at:int reason:text signatures:signatures",
    "override line": "round:int1 slot:int arm:int reason:text by:int?", "close line": "",
    "amend line": "field:=title|arms|block|explore_max|source value:amended reason:text",
    "the receipt": r"format:=isegoria\x20receipt version:one group:hex32 charter:hex64 head:hex64 member:four "
                   "name:text salt:hex64 secret:hex64 ratings:rated* tallies:tallied*",
    "rated": "line:int1 leaf:rating index:int path:hex64*", "tally": "nonce:hex64 counts:int* sums:decimal*",
    "tallied": "line:int1 leaf:tally index:int path:hex64*", "person": "name:text salt:hex64 secret:hex64",
    "rating": "nonce:hex64 round:int1 slot:int? values:decimal?*",
    "the names file": r"format:=isegoria\x20names version:one group:hex32 members:person?*",
}
AMENDABLE = {"title": "text", "arms": "arms", "block": "block?", "explore_max": "share", "source": "source"}
VALUES = {
    "int": lambda v: whole(v, 0, TOP), "int1": lambda v: whole(v, 1, TOP), "text": lambda v: type(v) is str,
    "one": lambda v: whole(v, 1, 1), "block": lambda v: whole(v, 1, 20), "source": lambda v: source(v),
    "head": lambda v: check("hex64")(v) or check("=[a-z]{5}(-[a-z]{5}){5}")(v),
    "arms": lambda v: check("text*")(v) and v != [] and "" not in v and len(set(v)) == len(v),
    "form": lambda v: check("int*")(v) and len(v) == 4 and 1 <= v[0] <= 200 and v[1] <= v[2] <= 10**9 and v[3] <= 1,
    "decimal": lambda v: check(r"=(?!-0$)-?(0|[1-9][0-9]*)(|\.[0-9]*[1-9])")(v) and len(v) <= 400,
    "share": lambda v: check("=(0|[1-9][0-9]{0,8})/([1-9][0-9]{0,8})")(v) and 2 * Fraction(v) <= 1,
    "scale": lambda v: check("decimal*")(v) and len(v) == 2 and Fraction(v[0]) < Fraction(v[1]),
    "settings": lambda v: type(v) is dict and check("=[a-z][a-z0-9_]{0,}*")([*v]) and check("text?*")([*v.values()]),
    "signatures": lambda v: check("signed*")(v) and rising([one["by"] for one in v]),
    "amended": lambda v: any(check(name)(v) for name in AMENDABLE.values()), "four": lambda v: whole(v, 0, 2**32 - 1),
}

def whole(value, low, high): return type(value) is int and low <= value <= high
def rising(values): return all(a < b for a, b in zip(values, values[1:]))

def source(value):
    timed = check("beacon source")(value) and value["first"] >= value["genesis"]
    return (timed or check("plain source")(value)) and not any(one["fallback"] for one in value["fallback"])

@lru_cache(maxsize=None)
def check(name):
    """The test that a name in the tables stands for."""
    if name[-1] in "?*+":
        one, sort = check(name[:-1]), name[-1]
        some = lambda v: type(v) is list and all(map(one, v)) and (sort == "*" or (v != [] and rising(v)))  # noqa: E731
        return some if sort != "?" else lambda v: v is None or one(v)
    if name in VALUES:
        return VALUES[name]
    if name in SHAPES:
        own = f"line:={name[:-5]} prev:hex64 " if name.endswith(" line") else ""
        tests = {key: check(test) for key, test in (part.split(":", 1) for part in (own + SHAPES[name]).split())}
        return lambda v: type(v) is dict and v.keys() == tests.keys() and all(tests[key](v[key]) for key in tests)
    pattern = re.compile(name[1:] if name[0] == "=" else "[0-9a-f]{%s}" % name[3:])
    return lambda v: type(v) is str and pattern.fullmatch(v) is not None

CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

def read(raw, called, shape=None):
    """What a canonical line says, if it has its shape: that of its kind, unless one is asked for."""
    try:
        value = json.loads(raw.decode("utf-8"))
        shape = shape or f"{value['line']} line"
        fits = shape in SHAPES and check(shape)(value) and CANONICAL(value).encode("utf-8") == raw
    except (ValueError, TypeError, KeyError, RecursionError):  # 5,000 digits are a ValueError too
        fits = False
    need(fits, f"{called} is not canonical JSON with the keys and values of its kind.", 2)
    return value

def lines_of(file, called):
    """The lines of a file; bytes may be given in place of its path."""
    try:
        data = file if isinstance(file, bytes) else Path(file).read_bytes()
    except OSError as error:
        raise Fault(f"{clean(str(file))} cannot be read: {error.strerror}.", 2) from None
    need(data.endswith(b"\n"), f"{called} is empty, or its last line is cut off: it does not end with a newline.", 2)
    return data[:-1].split(b"\n")

def read_beside(file, called, this):
    """A receipt or a names file of this record, of which group and charter are known; nothing where none is given."""
    if file is None:
        return None
    value = read(b"\n".join(lines_of(file, called)), called, called)
    need((value["group"], value.get("charter", this[1])) == this, f"{called} belongs to another record.", 2)
    return value

# ---- Ed25519 as in RFC 8032: points (x, y, z, x·y/z) on -x² + y² = 1 + D·x²·y², modulo P ----------------------
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m, n, c, d = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2), 2 * D * t1 * t2 % P, 2 * z1 * z2
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P

def vanishes(a):
    """Whether eight times a point is zero."""
    for _ in range(3):
        a = add(a, a)
    return a[0] == 0 and a[1] == a[2]

def point(data):
    """The point of 32 bytes; None if there is none, if y is not below P, or if eight times the point is zero."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    u, v = y * y - 1, D * y * y + 1
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    x = x if (v * x * x - u) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    x = x if x & 1 == sign else -x % P
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
    steps = [total, BASE, minus, add(BASE, minus)]
    for bit in range(252, -1, -1):
        total = add(add(total, total), steps[(s >> bit & 1) + 2 * (k >> bit & 1)])
    return vanishes(add(total, (P - r[0], r[1], 1, P - r[3])))

# ---- The draw: a drum of T units, a stream of numbers, one ball for each slot ---------------------------------------
def balls_of(freeze, freeze_hash, said):
    """The balls of a draw, in slot order."""
    seed, block = sha(b"isegoria draw 1\0", freeze_hash, said), freeze["block"]
    numbers = (int.from_bytes(sha(seed, big(c, 4))[:8], "big") for c in range(2**32))

    def below(limit):
        return next(x % limit for x in numbers if x < 2**64 - 2**64 % limit)

    step = (sum(freeze["voices"]) + sum(freeze["explore"])) // block
    balls = list(range(below(step), step * block, step))
    for i in range(block - 1, 0, -1):
        j = below(i + 1)
        balls[i], balls[j] = balls[j], balls[i]
    return balls

def place(freeze, ball):
    """The arm of a ball, and the pseudonym whose voice it is (None: exploration)."""
    for arm in range(len(freeze["voices"])):
        for one in [*freeze["types"], {"units": freeze["explore"], "who": [None]}]:
            size = one["units"][arm] * len(one["who"])
            if ball < size:
                return arm, one["who"][ball // one["units"][arm]]
            ball -= size

def thrown(said, form):
    """Whether dice can show this: a string of digits, or the numbers of a form, each followed by a point."""
    text = said.decode("latin-1")
    if form is None:
        return re.fullmatch("[0-9]{6,200}", text) is not None
    numbers = [int(part) for part in text.split(".")[:-1]] if re.fullmatch(r"((0|[1-9][0-9]{0,9})\.)+", text) else []
    fits = len(numbers) == form[0] and form[1] <= min(numbers) <= max(numbers) <= form[2]
    return fits and (not form[3] or numbers == sorted(numbers))

def outcomes(n, low, high, ordered): return comb(high - low + n, n) if ordered else (high - low + 1) ** n
def revealed(now): return b"".join(big(by, 4) + now.reveals[by] for by in sorted(now.reveals))

def most_asked(types, voices, units):
    """How many times what it has an arm is asked for, at most, in units of 2^-128: at 1, no product is larger."""
    wanted = [len(one["who"]) * one["weight"] * units << 128 for one in types]
    shares = [(set(one["set"]), want // sum([voices[arm] for arm in one["set"]])) for one, want in zip(types, wanted)]
    return max(sum([share for own, share in shares if arm in own]) for arm in range(len(voices)))

# ---- The walk: every line in its order, everything recomputed -------------------------------------------------------
# Which round a line is for: the one to come (so that none is open), the open one, or one that was drawn.
PLACES = {"amend": "to come", "close": "to come", "commit": "to come", "freeze": "to come", "witness": "open",
          "reveal": "open", "draw": "open", "void": "open", "ratings": "drawn", "override": "drawn"}

class Walk:
    def __init__(self, raws, lines, head):
        self.lines, self.hashes, self.charter = lines, [sha(raw) for raw in raws], dict(lines[0])
        self.names, self.rosters, self.size, self.commits = [one.hex() for one in self.hashes], [{}], 0, {}
        self.rounds, self.states, self.open, self.notes, self.beacons = [], {1: "to come"}, None, [], []
        self.kept = next((n for n, one in enumerate(self.names, 1) if head and head in (one, words(one))), None)
        need(self.kept or head is None, "the kept head is not on this chain.")

    def run(self):
        for number, (line, before) in enumerate(zip(self.lines, ["0" * 64, *self.names]), 1):
            kind, self.number, self.at = line["line"], number, f"line {number} ({line['line']}): "
            self.must(line["prev"] == before, '"prev" is not the hash of the line before.')
            begins = (kind == "charter") == (number == 1) and (kind == "roster" or number != 2)
            self.must(begins, "a record begins with its charter and a roster, and has one charter.")
            place, now = PLACES.get(kind), line.get("round", len(self.rounds) + (not self.open))
            self.must(place in (None, self.states.get(now)), f"it must be for a round that is {place}.")
            self.must(kind != "close" or number == len(self.lines), "nothing may follow it.")
            getattr(self, "on_" + kind, bool)(line)  # ratings and close change nothing
        if self.open:
            self.end(self.open, "open", revealed(self.open))

    def must(self, ok, sentence): need(ok, self.at + sentence)

    def on_charter(self, line):
        self.learns, self.group, self.units = line["learner"] is not None, bytes.fromhex(line["group"]), line["units"]
        fits = (line["rules"]["trial"] == "lowest") == self.learns and (self.learns or line["settings"] == {})
        self.must(fits, "trials and settings do not fit the learner.")

    def on_amend(self, line):
        field, value, old = line["field"], line["value"], self.charter[line["field"]]
        fits = check(AMENDABLE[field])(value) and (field != "arms" or value[: len(old)] == old)
        self.must(fits, "the charter does not allow this; arms may only be added, behind those there are.")
        strange = field == "source" and {**value, "fallback": []} not in old["fallback"]
        note = f"Line {self.number} amends {field}: {clean(line['reason'])}"
        self.notes.append(note + (" It was not among the fallbacks." if strange else ""))
        self.charter[field] = value

    def on_roster(self, line):
        old, new = self.rosters[-1], {n: one for n, one in enumerate(line["members"]) if one}
        size, self.size = self.size, max(self.size, len(line["members"]))
        joined, left = [n for n in new if n >= size], sorted(old.keys() - new.keys())
        same = all(n in old and {**old[n], "key": 0} == {**new[n], "key": 0} for n in new if n < size)
        fits = same and (line["version"], line["joined"], line["left"]) == (len(self.rosters), joined, left)
        self.must(fits, "it does not follow from the roster before.")
        keys = [one["key"] for one in new.values() if one["key"]]
        self.must(new and len(set(keys)) == len(keys), "nobody is on it, or two members have one key.")
        changed = [n for n in new if n in old and old[n]["key"] not in (None, new[n]["key"])]
        told = [("joined", joined), ("left", left), ("changed their keys", changed)] if old else []
        self.notes += [f"Line {self.number}: members who {what}: {named(who)}." for what, who in told if who]
        self.rosters.append(new)

    def on_commit(self, line):
        by, group = line["by"], self.charter["source"]["kind"] == "group"
        fits = group and by in self.rosters[-1] and by not in self.commits
        self.must(fits, f"the source is not the group, or member {by} is not on the roster or stands here twice.")
        self.commits[by] = line["hash"]

    def on_freeze(self, line):
        arms, roster, trial = self.charter["arms"], self.rosters[-1], line["kind"] == "trial"
        fits = line["roster"] == len(self.rosters) - 1 and line["available"][-1] < len(arms)
        self.must(fits, "it does not name the latest roster, or an available arm does not exist.")
        source, speaks = self.charter["source"], self.speaks(line)
        (self.trial if trial else self.fair)(line, roster)
        masked = [clean(name) for arm, name in enumerate(arms) if arm not in line["available"]]
        self.notes += [f"Round {line['round']}: not available: {', '.join(masked)}."] if masked else []
        self.open = SimpleNamespace(
            round=line["round"], kind=line["kind"], freeze=line, number=self.number, hash=self.hashes[self.number - 1],
            source=source, speaks=speaks, roster=roster, keys=sum(bool(one["key"]) for one in roster.values()), seen=0,
            commits=self.commits if source["kind"] == "group" else {}, reveals={}, witnesses={}, vouched=0, signers=0,
            sound=True, reason="", balls=[], arms=[line["arm"]] * trial, voices=[None] * trial, put={})
        self.rounds.append(self.open)
        self.states[line["round"]], self.commits = "open", {}

    def speaks(self, line):
        """When a beacon speaks; other sources: later than any time. What the freeze says must fit its source."""
        source, fair, occasion = self.charter["source"], line["kind"] == "fair", line["occasion"]
        given = [line[key] is not None for key in ("occasion", "source_round", "event", "form")]
        beacon, dice, group = source["kind"] == "beacon", source["kind"] == "dice" and fair, source["kind"] == "group"
        fits = given[:3] == [beacon, beacon and fair, dice] and (dice or not given[3])
        self.must(fits, "occasion, event, form or source round do not fit the source.")
        self.must(not line["form"] or outcomes(*line["form"]) >= 10**6, "the form has fewer than a million outcomes.")
        self.must(not (group and fair) or self.commits, "nobody committed.")
        if not beacon:
            return TOP + 1
        last = max([now.freeze["occasion"] for now in self.rounds if now.source is source], default=-1)
        due = source["first"] + occasion * source["every"] - source["genesis"]
        number, skipped = -(-due // source["period"]) + 1, occasion - last - 1
        fits = skipped >= 0 and line["source_round"] in (None, number)
        self.must(fits, "the occasion is not after the last one, or the source round is not the timetable's.")
        self.notes += [f"Round {line['round']}: occasions skipped before it: {skipped}."] if skipped else []
        return source["genesis"] + (number - 1) * source["period"]

    def trial(self, line, roster):
        played = {now.put.get(i, arm) for now in self.rounds if now.state == "drawn" for i, arm in enumerate(now.arms)}
        lowest = [arm for arm in line["available"] if arm not in played][:1]
        empty = {"block": 1, "answered": 0, "tally_root": sha().hex(), "voices": [], "explore": [], "types": []}
        fits = self.learns and [line["arm"]] == lowest and empty.items() <= line.items()
        self.must(fits, "it is not a trial of the lowest available arm never played.")

    def fair(self, line, roster):
        types, voices, explore, block = line["types"], line["voices"], line["explore"], line["block"]
        sets, rows = [one["set"] for one in types], [one["units"] for one in types]
        k, units, weights = len(self.charter["arms"]), self.units, sorted(one["weight"] for one in roster.values())
        n, weight, usual = len(weights), sum(weights), self.charter["block"]
        self.must(line["arm"] is None and line["answered"] <= n, "it names an arm, or has more answers than members.")
        self.must(all(len(row) == k for row in [voices, explore, *rows]), "a row does not have one entry for each arm.")
        self.must(rising([(one["set"], one["weight"]) for one in types]), "the types are not in order.")
        self.must(set().union(*sets) <= set(line["available"]), "a set holds an arm that is not available.")
        inside = [sum([one["units"][arm] for arm in one["set"]]) for one in types]
        fits = inside == list(map(sum, rows)) == [one["weight"] * units for one in types]
        self.must(fits, "a row is not its weight times the units, all inside its set.")
        who = [(name, one["weight"]) for one in types for name in one["who"]]
        fits = len(dict(who)) == len(who) and sorted(one for _, one in who) == weights
        self.must(fits, "the pseudonyms are not one for each member of the roster.")
        sums = map(sum, zip(*([len(one["who"]) * unit for unit in one["units"]] for one in types)))
        self.must(voices == list(sums), "the voices are not the sums of the rows.")
        blocks, total = [usual] if usual else [min(n, 20)] + [1] * self.learns, weight * units + sum(explore)
        fits = block in blocks and total <= TOP and total % block == 0
        self.must(fits, "the block is not the charter's, or the drum is too large for it, or not divided by it.")
        tried, doubted = {arm for arm in range(k) if explore[arm]}, set().union(*(one for one in sets if len(one) > 1))
        most = Fraction(self.charter["explore_max"]) * total if self.learns else 0
        fits = set(explore) <= {0, max(explore)} and max(explore) % block == 0 and tried <= doubted
        self.must(fits and sum(explore) <= most, "exploration is not equal over arms in doubt, or is too much.")
        limit = (1 + Fraction(1, 10**6) + Fraction(k * weight, units)) * 2**128
        self.must(self.learns or most_asked(types, voices, units) <= limit, "the policy is not one of largest product.")

    def signature(self, now, by, signature, what, said):
        key = now.roster[by]["key"] if by in now.roster else None
        message = f"isegoria {what} 1\0".encode() + self.hashes[0] + now.hash + said
        self.must(key and signed(key, signature, message), f"member {by} did not sign this with a key of the roster.")

    def on_witness(self, line):
        now, by, reveal = self.open, line["by"], line["line"] == "reveal"
        before, said = (now.reveals, bytes.fromhex(line["value"])) if reveal else (now.witnesses, big(line["at"], 8))
        self.must(line["freeze"] == now.hash.hex(), "it is not for this freeze.")
        self.must(by in now.roster and by not in before, f"member {by} is not on the roster, or stands here twice.")
        commit = sha(b"isegoria commit 1\0", self.group, big(now.round, 8), big(by, 4), said).hex()
        self.must(not reveal or now.commits.get(by) == commit, f"it does not open the commitment of member {by}.")
        if line["signature"]:
            self.signature(now, by, line["signature"], line["line"], said)
            now.vouched += reveal
            now.seen += not (reveal or now.reveals) and line["at"] < now.speaks
        before[by] = said

    on_reveal = on_witness

    def ending(self, line, what, said):
        """The open round, which a draw or a void ends, with whoever signed it."""
        now, self.open, now.signers = self.open, None, len(line["signatures"])
        for one in line["signatures"]:
            self.signature(now, one["by"], one["signature"], what, said)
        return now

    def on_draw(self, line):
        said = bytes.fromhex(line["source_bytes"] or "")
        now = self.ending(line, "value", said)
        kind = now.source["kind"] if now.kind == "fair" else "trial"
        can_say = {"rehearsal": len(said) == 32, "beacon": len(said) == 48, "trial": not said,
                   "dice": thrown(said, now.freeze["form"]), "group": said and said == revealed(now)}
        self.must(can_say[kind], "the source bytes are not what the source can say.")
        self.must(kind == "dice" or not now.signers, "only the value of dice is signed.")
        if kind == "beacon":
            self.beacons.append((self.at, now.source["key"], now.freeze["source_round"], said))
        self.end(now, "drawn", said)
        fits = (line["balls"], line["arms"]) == (now.balls, now.arms)
        self.must(fits, "balls and arms do not follow from the freeze and the source.")

    def on_void(self, line):
        now = self.ending(line, "void", big(line["at"], 8))
        trial, everyone = now.kind == "trial", now.commits and len(now.reveals) == len(now.commits)
        self.must(trial or not everyone, "the source had spoken.")
        early = now.signers > 0 and not now.reveals and line["at"] < now.speaks
        now.sound, now.reason = trial or early, clean(line["reason"])
        self.end(now, "void", revealed(now))

    def on_override(self, line):
        then, slot, by, arms = self.rounds[line["round"] - 1], line["slot"], line["by"], self.charter["arms"]
        self.must(slot < len(then.arms) and line["arm"] < len(arms), "there is no such slot or arm.")
        self.must(slot not in then.put, "this slot was overridden before.")
        self.must(by is None or by < self.size, f"member {by} is not on the roster.")
        then.put[slot] = line["arm"] if then is self.rounds[-1] else then.arms[slot]  # later it is no trial of the arm
        new, old = clean(arms[line["arm"]]), clean(arms[then.arms[slot]])
        self.notes.append(f"Round {then.round}, slot {slot}: {new} was put in place of {old}: {clean(line['reason'])}")

    def end(self, now, state, said):
        """End a round with what its source said, as far as it did, and note what a reader should know of it."""
        now.state, self.states[now.round], self.states[now.round + 1] = state, state, "to come"
        if now.kind == "fair" and said:
            now.balls = balls_of(now.freeze, now.hash, said)
            now.arms, now.voices = map(list, zip(*(place(now.freeze, ball) for ball in now.balls)))
        silent = sorted(now.commits.keys() - now.reveals.keys()) if now.kind == "fair" and state != "open" else []
        told = [("witness lines that do not count (only claimed, or too late)", len(now.witnesses) - now.seen),
                ("members who committed and did not reveal", named(silent))]
        self.notes += [f"Round {now.round}: {what}: {who}." for what, who in told if who]

# ---- A member's receipt, and the names of an open group ------------------------------------------------------------
def check_person(walk, called, number, person):
    """For each fair round while she was on its roster, the type that holds her pseudonym, and is of her weight."""
    salt, secret, rows = bytes.fromhex(person["salt"]), bytes.fromhex(person["secret"]), {}
    commitment = sha(b"isegoria member 1\0", salt, big(number, 4), secret, person["name"].encode()).hex()
    opens = {roster[number]["commitment"] for roster in walk.rosters if number in roster} == {commitment}
    need(opens, f"{called}: entry {number} of the roster does not open to this name.")
    for now in walk.rounds:
        if now.kind == "fair" and number in now.roster:
            name = mac(person["secret"], walk.group, big(now.round, 8), big(number, 4))[:24].hex()
            own = [one for one in now.freeze["types"] if name in one["who"]]
            fits = own and own[0]["weight"] == now.roster[number]["weight"]
            need(fits, f"{called}: member {number} has no row in round {now.round}.")
            rows[now.round] = own[0]
    return rows

def root_of(leaf, index, size, path):
    """The root of the Merkle tree of RFC 6962 in which a leaf is number `index` of `size`; nothing if it cannot be."""
    if size < 2 or not path:
        return sha(b"\0", leaf) if (index, size, path) == (0, 1, []) else b""
    half, other = 1 << (size - 1).bit_length() - 1, bytes.fromhex(path[-1])
    if index < half:
        return sha(b"\1", root_of(leaf, index, half, path[:-1]), other)
    return sha(b"\1", other, root_of(leaf, index - half, size - half, path[:-1]))

def check_receipt(walk, receipt):
    """Her rows, her ratings and her tallies: all under the roots, and following from each other."""
    rows, held = check_person(walk, "the receipt", receipt["member"], receipt), {}
    items = [("ratings", one) for one in receipt["ratings"]] + [("tally", one) for one in receipt["tallies"]]
    for kind, item in items:
        number, leaf = item["line"], item["leaf"]
        line = walk.lines[number - 1] if number <= len(walk.lines) else {"line": None}
        frozen = line["line"] == "freeze" and (kind == "tally") == walk.learns
        need(frozen or kind == line["line"], f"the receipt: line {number} has no such root.")
        size, root = (line["answered"], line["tally_root"]) if frozen else (line["count"], line["root"])
        nonce = mac(receipt["secret"], b"leaf\0", walk.group, big(line["round"], 8), kind.encode()).hex()
        fits = leaf["nonce"] == nonce and leaf.get("round", line["round"]) == line["round"]
        fits = fits and root_of(CANONICAL(leaf).encode(), item["index"], size, item["path"]).hex() == root
        need(fits, f"the receipt: a leaf for line {number} is not hers, or not under its root.")
        name = (leaf["round"], leaf["slot"]) if kind == "ratings" else number
        need(name not in held, f"the receipt: a leaf for line {number} stands in it twice.")
        held[name] = (number, leaf)
    told = [(number, {arm: Fraction(value) for arm, value in enumerate(leaf["values"]) if value is not None})
            for number, leaf in held.values() if "values" in leaf]
    what = "tally" if walk.learns else "set"
    for number, own in rows.items():
        now = walk.rounds[number - 1]
        fits = tally_fits(now, told, held) if walk.learns else own["set"] == favourites(now, told, walk.charter)
        need(fits, f"the receipt: the {what} in round {number} does not follow from the ratings.")
    return [f"Member {receipt['member']} is {clean(receipt['name'])}, with one row in each of her rounds: {len(rows)}.",
            f"Her ratings are under the roots ({len(told)}), and her {what} follows from them in every round."]

def tally_fits(now, told, held):
    """Whether she has a tally exactly if she rated before, with the number and the sum of her ratings of each arm."""
    earlier = [stars for line, stars in told if line < now.number]
    arms = range(len(now.freeze["voices"])) if earlier else []
    columns = [[stars[arm] for stars in earlier if arm in stars] for arm in arms]
    leaf = held.get(now.number, (0, {"counts": [], "sums": []}))[1]
    return leaf["counts"] == list(map(len, columns)) and list(map(Fraction, leaf["sums"])) == list(map(sum, columns))

def favourites(now, told, charter):
    """The available arms that she rated best; all of them where she rated none."""
    stars = next((stars for line, stars in told if line == now.number), {})
    stars = {arm: stars[arm] for arm in now.freeze["available"] if arm in stars}
    near = (Fraction(charter["scale"][1]) - Fraction(charter["scale"][0])) / 10**12
    return [arm for arm in stars if stars[arm] >= max(stars.values()) - near] or now.freeze["available"]

# ---- The verdict ----------------------------------------------------------------------------------------------------
UNSEEN = "not proven that this page existed before the draw"

def chosen(pairs): return [text for holds, text in pairs if holds]

def summary(walk, now):
    """A round as plain data, with the reasons why it is not proven, if it is not."""
    kind, drawn = now.source["kind"], now.state == "drawn" and now.kind == "fair"
    known = kind == "beacon" and (QUICKNET.items() <= now.source.items() or now.source["key"] == walk.beacon_key)
    reasons = chosen([
        (drawn and not now.seen, UNSEEN),
        (drawn and kind == "rehearsal", "its randomness is a rehearsal, which proves nothing"),
        (drawn and kind == "dice" and now.signers < 2, "fewer than two members signed the value"),
        (drawn and kind == "group" and not now.vouched, "no reveal is signed"),
        (drawn and kind == "beacon" and not known, "its beacon is not one that this verifier knows"),
        (drawn and known and not walk.checked, "the beacon's signature was not checked here"),
        (not now.sound, "it was voided without a witness from before its source spoke"),
    ])
    names = ", ".join(clean(walk.charter["arms"][arm]) for arm in now.arms)
    seen = f"; seen before the draw by {now.seen} of {now.keys} keys." if drawn else ", a first trial without a draw."
    sentence = {"drawn": names + seen, "open": "not drawn yet.", "void": f"void: {now.reason}"}[now.state]
    sentence += f" What is on record gives {names}." if now.arms and now.state != "drawn" else ""
    told = {key: getattr(now, key) for key in ("round", "kind", "state", "balls", "arms", "voices", "seen", "keys")}
    return {**told, "reasons": reasons, "sentence": f"Round {now.round}: {sentence}"}

def verdict(walk, names, receipt, hers):
    rounds, fair = [summary(walk, now) for now in walk.rounds], [now for now in walk.rounds if now.kind == "fair"]
    doubtful, known = [one["round"] for one in rounds if one["reasons"]], fair and not walk.learns
    sentence = "Proved: everything recomputes, and all randomness was bound before anyone could know it."
    if doubtful:
        sentence = f"Not proved: everything recomputes, but the randomness is not proven of round {named(doubtful)}."
    proved = chosen([
        (True, f"The {len(walk.lines)} lines form one unbroken chain."),
        (walk.kept, f"The kept head is line {walk.kept}: nothing up to there was rewritten."),
        (fair, f"In every round each member has exactly her weight times {walk.units} units, all inside her own set."),
        (known, "In every round the policy has the largest product of decision shares, as far as its units can tell."),
        (any(now.state == "drawn" for now in fair), "Every ball and arm follows from its freeze and its source."),
        (names, "The names fit: every row of a person named there is hers alone."),
        *((True, text) for text in hers),
    ])
    unproved = chosen([
        *((True, f"Round {one['round']}: {reason}.") for one in rounds for reason in one["reasons"]),
        (known, "Which policy was taken where several have the largest product: the tie-break is the writer's."),
        (fair, "That the sets follow from the ratings: it takes all receipts, or a learner's replay with the package."),
        (not walk.kept, "That this is the record others saw: compare its head, or its words, with one kept elsewhere."),
        (True, "That a key belongs to its member and not to the organiser: each member can look for her own."),
        (True, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."),
    ])
    return {"verdict": "unproven" if doubtful else "proved", "sentence": sentence, "exit_code": 3 if doubtful else 0,
            "head": walk.names[-1], "words": words(walk.names[-1]), "rounds": rounds, "proved": proved,
            "unproved": unproved, "notes": walk.notes}

def beacons_checked(walk):
    """Whether it could be checked what the beacons said; a wrong one is a fault."""
    try:
        from isegoria.verifier.beacon import wrong_beacons
        wrong = wrong_beacons([one[1:] for one in walk.beacons])
    except ImportError:
        return False
    need(not wrong, "".join(walk.beacons[place][0] for place in wrong[:1]) + "the beacon did not say this.")
    return True

def verify(record, receipt=None, head=None, names=None, beacon_key=None):
    """The verdict on a record, as plain data; files are given by their paths, or as bytes."""
    try:
        raws = lines_of(record, "the record")
        lines = [read(raw, f"line {number}") for number, raw in enumerate(raws, 1)]
        need(check("head?")(head), "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens.", 2)
        need(check("hex192?")(beacon_key), "a beacon's key is 192 hexadecimal digits in lower case.", 2)
        this = (lines[0].get("group"), sha(raws[0]).hex())
        receipt, names = read_beside(receipt, "the receipt", this), read_beside(names, "the names file", this)
        walk = Walk(raws, lines, head)
        need(not receipt or receipt["head"] in walk.names, "the receipt's head is not on this chain.")
        walk.run()
        walk.beacon_key, walk.checked = beacon_key, beacons_checked(walk)
        for number, person in enumerate(names["members"] if names else []):
            if person:
                check_person(walk, "the names file", number, person)
        return verdict(walk, names, receipt, check_receipt(walk, receipt) if receipt else [])
    except Fault as fault:
        sentence, code = fault.args
        kind = ("false", "unreadable")[code - 1]
        empty = {"head": None, "words": None, "rounds": [], "proved": [], "unproved": [], "notes": []}
        return {"verdict": kind, "sentence": f"{kind.capitalize()}: {sentence}", "exit_code": code, **empty}

def render(answer):
    """The verdict as lines of text."""
    unseen = [one["round"] for one in answer["rounds"] if UNSEEN in one["reasons"]]
    lines = [f"{UNSEEN.capitalize()}: round {named(unseen)}."] if unseen else []
    lines += [answer["sentence"]] + ([f"Head {answer['head']}, in words {answer['words']}."] if answer["head"] else [])
    told = {"Rounds": [one["sentence"] for one in answer["rounds"]], "Proved": answer["proved"],
            "Not proved": answer["unproved"], "To know": answer["notes"]}
    lines += [text for title, items in told.items() if items for text in (title, *(f"- {item}" for item in items))]
    return "\n".join(lines)

def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for argument in ("record", "--receipt", "--names", "--head", "--beacon-key"):
        parser.add_argument(argument)
    parser.add_argument("--format", choices=["text", "json"], default="text")
    given = parser.parse_args(arguments)
    answer = verify(given.record, given.receipt, given.head, given.names, given.beacon_key)
    sys.stdout.reconfigure(errors="backslashreplace")
    print(json.dumps(answer, indent=1) if given.format == "json" else render(answer))
    return answer["exit_code"]

if __name__ == "__main__":
    sys.exit(main())

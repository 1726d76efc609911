"""Section 12: whom the reader trusts, and the status of each round."""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
from fractions import Fraction

from .drawing import voice_of
from .line_index import LineIndex
from .lines import digits
from .primitives import join_items, quote, require, sanitise

QUICKNET = (
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    1692803367,
    3,
)


def chain_of(data: bytes) -> tuple:
    """Section 8: the four parameters that a beacon's chain info binds by its chain hash."""
    keys = {"public_key", "period", "genesis_time", "hash", "groupHash", "schemeID", "metadata"}
    try:
        info = json.loads(data.decode())
        good = (
            {*info} == keys and info["schemeID"] == "bls-unchained-g1-rfc9380" and {*info["metadata"]} == {"beaconID"}
        )
        good = good and digits(192)(info["public_key"]) and digits(64)(info["hash"]) and digits(64)(info["groupHash"])
        period, genesis = (int(info[key]) for key in ("period", "genesis_time"))
        good = good and (period, genesis) == (info["period"], info["genesis_time"]) and period >= 1
        message = struct.pack(">IQ", period, genesis) + bytes.fromhex(info["public_key"] + info["groupHash"])
        name = info["metadata"]["beaconID"]
        hashed = hashlib.sha256(message + (b"" if name == "default" else name.encode())).hexdigest()
        good = good and genesis < 2**53 and hashed == info["hash"]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, struct.error):
        good = False
    require(good, "the chain info of the beacon is not as drand gives it, or does not hash to its chain hash.", 2)
    return info["hash"], info["public_key"], genesis, period


def is_key(who: str) -> bool:
    return digits(64)(who)


def called(who: str, roster: dict[int, dict], people: list) -> list[int]:
    if who == "members":
        return [*roster]
    if re.fullmatch("0|[1-9][0-9]*", who):
        return [n for n in roster if str(n) == who]
    named = [n for n in roster if n < len(people) and people[n] and people[n]["name"] == who]
    return named if len(named) == 1 else []


class Trust:
    """The sets T: of each kept head, or of keys alone, with the first line that they judge and N."""

    def __init__(self, book: LineIndex, who: list[str], heads: list[int], people: list, quorum: int | None):
        self.who, self.heads, self.quorum, self.book = who, heads, quorum, book
        keys, others = {one for one in who if is_key(one)}, [one for one in who if not is_key(one)]
        kept = [n for n in heads if n >= 2]
        require(not others or kept, "members need a head that you kept before: --head.", 2)
        ever = {one["key"] for n in book.of("roster") for one in book[n]["members"] if one}
        for one in who:
            there = one in ever if is_key(one) else any(called(one, book.roster(n + 1), people) for n in kept)
            require(there, f"{sanitise(one)} is no key, member or name of this record.", 2)
        self.sets = []
        for n in kept if others else []:
            roster = book.roster(n + 1)
            own = [roster[m] for one in others for m in called(one, roster, people)]
            mine = {one["key"] for one in own if one["key"] and not one["organiser"]} | keys
            self.sets.append({"line": n, "keys": mine, "members": len(roster), "from": n + 1, "roster": roster})
        if who and not others:
            all_ = [n for n in book.of("freeze") if keys <= {one["key"] for one in book.roster(n).values()}]
            roster = book.roster(all_[0]) if all_ else {}
            self.sets.append(
                {
                    "line": None,
                    "keys": keys,
                    "members": len(roster) if all_ else None,
                    "from": all_[0] if all_ else math.inf,
                    "roster": roster,
                }
            )
        least = min((len(one["keys"]) for one in self.sets if one["keys"]), default=0)
        require(quorum is None or quorum <= least, QUORUM, 2)

    def judges(self, page: int) -> dict | None:
        return next((one for one in reversed(self.sets) if one["from"] <= page), None)

    def k0(self, n: int) -> int:
        return self.quorum or math.ceil(Fraction(n, 3))


QUORUM = "a quorum is a whole number from 1 to the number of keys you trust."


def in_time(book: LineIndex, page: int) -> set[str]:
    draw, kind = book.drawn(page), book.source(page)["kind"]
    says = [n for n in book.of("statement", before=draw) if book[n]["size"] >= page]
    if kind == "beacon":
        return {book.key(n) for n in says if book[n]["at"] <= book.speaks(page) - 60}
    if kind == "rehearsal":
        return {book.key(n) for n in says}
    if kind == "commit_reveal":
        told, commits = book.reveals(page, draw), book.commits(page)
        return {book.key(told[by]) for by in told if by in commits and book.key(told[by]) == book.key(commits[by])}
    found = set()
    for n in says if draw else []:
        same = book[n]["kind"] == "dice" and book[n]["value"] == book[draw]["source_bytes"]
        if same and any(k < n and book.key(k) == book.key(n) for k in says):
            found.add(book.key(n))
    return found


def weights(book: LineIndex, page: int, own: dict, trust: Trust) -> dict:
    n, dice, draw = len(own["keys"]), book.source(page)["kind"] == "dice", book.drawn(page)
    k0 = trust.k0(n)
    k = max(k0, n // 2 + 1) if dice else k0
    l0 = max(k, n + 1 - k0)
    early = in_time(book, page) & own["keys"]
    late = {book.key(s) for s in book.of("statement") if draw and book[s]["size"] >= draw} & own["keys"]
    e, since = len(early), len(early | late)
    beta = min(e + (k if dice else l0), since + k0) - n if draw else None
    return {
        "early": e,
        "since": since,
        "of": n,
        "members": own["members"],
        "needed": k,
        "needed_since": l0,
        "beta": beta,
    }


NOTHING = dict.fromkeys(("early", "since", "of", "members", "needed", "needed_since", "beta"))


def judged(book: LineIndex, trust: Trust, chain: tuple | None, now: int) -> list[dict]:
    found = []
    all_arms = book.charter(book.size + 1)["arms"]
    for page in book.of("freeze", "trial"):
        line, draw = book[page], book.drawn(page)
        arms_ = book.drawn_arms(page)
        one = {
            "round": line["round"],
            "page": page,
            "title": line.get("title"),
            **NOTHING,
            "reasons": [],
            "arms": arms_,
            "balls": book[draw]["balls"] if draw else [],
            "set": None,
        }
        one["voices"] = [voice_of(line, ball)[1] for ball in one["balls"]] if line["line"] == "freeze" else [None]
        shown = ", ".join(quote(all_arms[arm]) for arm in arms_[: book.slots(page)])
        if line["line"] == "trial":
            found.append(
                one | {"status": "trial", "sentence": f"Round {one['round']}: {shown}, a first trial without a draw."}
            )
            continue
        newest = trust.judges(page)
        if newest and newest["keys"]:
            one |= weights(book, page, newest, trust) | {"set": newest}
        one["status"], one["reasons"] = status_of(book, page, one, newest, trust, chain, now)
        if one["status"] == "proved":
            tail = [
                f"had in time by {one['early']}, signed since by {one['since']} of the {one['of']} keys you trust "
                f"(of {one['members']} members then); proved unless {one['beta']} or more were false"
            ]
        else:
            tail = one["reasons"]
        told = "not drawn yet" if one["status"] == "waiting" else "; ".join(([shown] if draw else []) + tail)
        one["sentence"] = f"Round {one['round']}: {told}. {quote(line['title'])}"
        found.append(one)
    return found


def status_of(book: LineIndex, page: int, one: dict, newest, trust: Trust, chain, now: int) -> tuple[str, list[str]]:
    source_, line = book.source(page), book[page]
    if not book.drawn(page):
        ended = any(book[n]["field"] == "end" for n in book.of("amend"))
        soon = now <= book.speaks(page) + 3600 if source_["kind"] == "beacon" else -120 <= now - line["at"] <= 86400
        if book.after(page) > book.size and not ended and soon:
            return "waiting", []
        silent = (
            sorted(book.commits(page).keys() - book.reveals(page).keys()) if source_["kind"] == "commit_reveal" else []
        )
        tail = f"; the numbers of members {join_items(silent)} are missing from the record" if silent else ""
        return "undrawn", [f"frozen and never drawn{tail}"]
    before = [n for n in book.of("freeze", before=page)]
    tries = 0
    while before and not book.drawn(before[-1]):
        tries += 1
        before.pop()
    lacks = []
    if tries:
        lacks.append(
            f"drawn after {tries} rounds that were never drawn: whoever stopped them could choose among {tries + 1}"
        )
    if source_["kind"] == "rehearsal":
        lacks.append("a rehearsal, which proves nothing")
    if source_["kind"] == "beacon":
        four = (source_["chain"], source_["key"], source_["genesis"], source_["period"])
        if four not in (QUICKNET, chain):
            lacks.append("its beacon is not one that this verifier knows")
    if trust.who and not newest:
        alone = all(map(is_key, trust.who))
        lacks.append(
            "not judged: " + ("your keys were not all on its roster" if alone else "no head was kept before it")
        )
    if not one["set"]:
        return "unjudged", lacks
    if one["early"] < one["needed"]:
        lacks.append(f"had by {one['early']} keys in time, {one['needed']} needed")
    late = (
        [f"signed since by {one['since']} of {one['of']}, {one['needed_since']} needed"]
        if one["since"] < one["needed_since"]
        else []
    )
    return ("consistent" if lacks else "ripening" if late else "proved"), lacks + late

"""Sections 3 and 11: every line against all lines before it."""

from __future__ import annotations

import math
from fractions import Fraction

from .drawing import Stream, beacon_said, block_of, certificate, doubter, numbers_of_dice, signed, voice_of
from .lines import AMENDED
from .primitives import MOST, VerificationError, b4, b8, digest, require
from .turns import Ledger

MISFIT = "worlds, learner or block do not fit the turns."


def say_message(record: bytes, line: dict) -> bytes:
    parts = [
        b4(line["member"]),
        b8(line["size"]),
        bytes.fromhex(line["head"]),
        b8(line["at"]),
        line["kind"].encode(),
        b"\0",
    ]
    return b"".join([b"isegoria statement 3\0", record, *parts, bytes.fromhex(line["value"] or "")])


def unchanged(old: dict, new: dict) -> bool:
    """A member who stays keeps weight and commitment; a key that stays, its proof and its provenance."""
    kept = ["weight", "commitment"] + (["proof", "provenance"] if old["key"] == new["key"] else [])
    return [old[key] for key in kept] == [new[key] for key in kept]


class LineIndex:
    """The lines of a record, counted from 1, and what can be looked up in those before one of them."""

    def __init__(self, raws: list[bytes], lines: list[dict]):
        self.lines, self.size = lines, len(lines)
        self.hash = {n: digest(raw) for n, raw in enumerate(raws, 1)}
        self.name = {n: one.hex() for n, one in self.hash.items()}
        self.learns, self.turns = lines[0].get("learner") is not None, lines[0].get("turns")

    def __getitem__(self, number: int) -> dict:
        return self.lines[number - 1]

    def of(self, *kinds: str, after: int = 0, before: int | None = None) -> list[int]:
        """The numbers of the lines of these kinds between two others."""
        return [n for n in range(after + 1, before or self.size + 1) if self[n]["line"] in kinds]

    def roster(self, before: int) -> dict[int, dict]:
        found = self.of("roster", before=before)
        return {n: one for n, one in enumerate(self[found[-1]]["members"]) if one} if found else {}

    def resting(self, page: int) -> set[int]:
        """The arms that rest when a page begins: those of the last rounds that count as having played any."""
        k, rested = self.charter(page)["resting"], []
        for number in reversed(self.of("freeze", "trial", before=page)):
            arms, put = self.drawn_arms(number), self.put(number)
            if self.turns:
                arms = [put[0]] if 0 in put else arms[:1]
            else:
                arms = [put.get(slot, arm) for slot, arm in enumerate(arms)]
            if arms and len(rested) < k:
                rested.append({*arms})
        return {arm for arms in rested for arm in arms}

    def charter(self, before: int) -> dict:
        amends = [self[n] for n in self.of("amend", before=before)]
        return self.lines[0] | {line["field"]: line["value"] for line in amends if line["field"] != "end"}

    def page(self, number: int, before: int | None = None) -> int | None:
        """The line of a round's page, if it has one by then."""
        found = self.of("freeze", "trial", before=before)
        return found[number - 1] if number <= len(found) else None

    def after(self, page: int) -> int:
        """The line of the next page, or behind the last line."""
        return next(iter(self.of("freeze", "trial", after=page)), self.size + 1)

    def drawn(self, page: int, before: int | None = None) -> int | None:
        found = self.of("draw", after=page, before=min(self.after(page), before or self.size + 1))
        return found[0] if found and self[page]["line"] == "freeze" else None

    def open(self, before: int) -> int | None:
        found = self.of("freeze", "trial", before=before)
        waits = found and self[found[-1]]["line"] == "freeze" and not self.of("draw", after=found[-1], before=before)
        return found[-1] if waits else None

    def source(self, page: int) -> dict:
        return self.charter(page)["source"]

    def speaks(self, page: int) -> int:
        own = self.source(page)
        return own["genesis"] + (self.timetable(page) - 1) * own["period"]

    def timetable(self, page: int) -> int:
        own = self.source(page)
        return (
            math.ceil(
                Fraction(
                    own["first_at"] + self[page]["occurrence"] * own["interval_seconds"] - own["genesis"], own["period"]
                )
            )
            + 1
        )

    def drawn_arms(self, page: int, before: int | None = None) -> list[int]:
        if self[page]["line"] == "trial":
            return [self[page]["arm"]]
        draw = self.drawn(page, before)
        return self[draw]["arms"] if draw else []

    def put(self, page: int, before: int | None = None) -> dict[int, int]:
        """The arms that were put into slots of a round in time, and before a line."""
        lines = [
            self[n] for n in self.of("override", after=page, before=min(self.after(page), before or self.size + 1))
        ]
        return {line["slot"]: line["arm"] for line in lines if line["round"] == self[page]["round"]}

    def key(self, say: int) -> str:
        return self.roster(say)[self[say]["member"]]["key"]

    def commits(self, page: int) -> dict[int, int]:
        """The lines of the commits for a freeze, by member."""
        before = self.of("freeze", before=page)
        says = self.of("statement", after=before[-1] if before else 0, before=page)
        return {self[n]["member"]: n for n in says if self[n]["kind"] == "commit"}

    def reveals(self, page: int, before: int | None = None) -> dict[int, int]:
        says = self.of("statement", after=page, before=min(self.after(page), before or self.size + 1))
        return {self[n]["member"]: n for n in says if self[n]["kind"] == "reveal"}

    def walk(self) -> None:
        for n in range(1, self.size + 1):
            line = self[n]
            try:
                self.common(n, line)
                getattr(self, f"_{line['line']}")(n, line)
            except VerificationError as stop:
                raise VerificationError(1, f"line {n} ({line['line']}): {stop.args[1]}") from None
        for n in self.of("draw"):
            page = self.open(n)
            own = self.source(page)
            if own["kind"] == "beacon":
                said = bytes.fromhex(self[n]["source_bytes"])
                good = beacon_said(own["key"], self[page]["source_round"], said)
                require(good, f"line {n} (draw): the beacon did not say this.")

    def common(self, n: int, line: dict) -> None:
        require(line["prev"] == (self.name[n - 1] if n > 1 else "0" * 64), '"prev" is not the hash of the line before.')
        ends = [k for k in self.of("amend", before=n) if self[k]["field"] == "end"]
        require(not ends, f"nothing may follow line {ends and ends[0]}, which ended the record.")
        begins = (n == 1) == (line["line"] == "charter") and (n != 2 or line["line"] == "roster")
        require(begins, "a record begins with its charter and a roster, and has one charter.")

    def _charter(self, n: int, line: dict) -> None:
        if self.turns:
            fits = line["learner"] is None and line["block"] is None
            require(fits and (self.turns["mode"] == "lottery" or self.turns["worlds"] == 1), MISFIT)

    def _roster(self, n: int, line: dict) -> None:
        before = self.of("roster", before=n)
        given = max((len(self[k]["members"]) for k in before), default=0)
        old, new = self.roster(n), {k: one for k, one in enumerate(line["members"]) if one}
        stays = all(k >= given or (k in old and unchanged(old[k], new[k])) for k in new)
        require(line["version"] == len(before) + 1 and stays, "it does not follow from the roster before.")
        keys = [one["key"] for one in new.values() if one["key"] is not None]
        require(new and len(keys) == len({*keys}), "nobody is on it, or two members have one key.")
        group = bytes.fromhex(self.lines[0]["group"])
        for k, one in new.items():
            if one["key"] is not None and (k not in old or old[k]["key"] != one["key"]):
                message = b"".join([b"isegoria key 3\0", group, b4(k), bytes.fromhex(one["key"])])
                good = signed(one["key"], one["proof"], message)
                require(good, f"member {k} has not proved to hold the key that stands there.")

    def _amend(self, n: int, line: dict) -> None:
        require(not (self.turns and line["field"] == "block" and line["value"] is not None), MISFIT)
        fits = AMENDED[line["field"]](line["value"])
        if fits and line["field"] == "arms":
            old = self.charter(n)["arms"]
            fits = line["value"][: len(old)] == old
        require(fits, "the charter does not allow this; arms may only be added, behind those there are.")

    def must_sign(self, n: int, line: dict, message: bytes) -> None:
        entry = self.roster(n).get(line["member"])
        good = entry and signed(entry["key"], line["signature"], message)
        require(good, f"member {line['member']} did not sign this with a key of the roster.")

    def _statement(self, n: int, line: dict) -> None:
        by, size, what = line["member"], line["size"], line["kind"]
        same = size < n and line["head"] == self.name[size]
        require(same, f"member {by} signed another history of this record.")
        require(by < 2**32, f"member {by} did not sign this with a key of the roster.")
        self.must_sign(n, line, say_message(self.hash[2], line))
        mine = [self[k] for k in self.of("statement", before=n) if self[k]["member"] == by]
        again = [one for one in mine if (one["size"], one["kind"]) == (size, what)]
        again = [one for one in again if what != "compare" or one["value"] == line["value"]]
        new = all(one["size"] <= size for one in mine) and not again
        require(new, f"member {by}'s signatures are out of order.")
        page = self.open(n)
        asked = page is not None and size >= page
        if what == "commit":
            freezes = self.of("freeze", before=n)
            all_ = [self[k] for k in self.of("statement", before=n) if self[k]["kind"] == "commit"]
            since = self.of("statement", after=freezes[-1] if freezes else 0, before=n)
            twice = any(self[k]["kind"] == "commit" and self[k]["member"] == by for k in since)
            fits = self.charter(n)["source"]["kind"] == "commit_reveal" and not twice
            fits = fits and line["value"] not in [one["value"] for one in all_]
            require(fits, f"the commitment of member {by} does not fit the source, or stands here twice.")
        if what == "reveal":
            fits = asked and self.source(page)["kind"] == "commit_reveal" and by not in self.reveals(page, n)
            fits = fits and by in self.commits(page)
            opens = digest(b"isegoria commit 3\0", self.hash[2], b4(by), bytes.fromhex(line["value"])).hex()
            fits = fits and self[self.commits(page)[by]]["value"] == opens
            require(fits, f"it does not open the commitment of member {by}.")
        if what == "dice":
            fits = asked and self.source(page)["kind"] == "dice"
            again = fits and [k for k in self.of("statement", after=page, before=n) if self[k]["kind"] == "dice"]
            fits = fits and by not in [self[k]["member"] for k in again]
            fits = fits and numbers_of_dice(bytes.fromhex(line["value"]), self[page]["dice_form"])
            require(fits, f"the throw that member {by} confirms does not fit the open round.")
        if what == "compare":
            other, key = int(line["value"][:8], 16), line["value"][8:]
            fits = other != by and self.roster(n).get(other, {}).get("key") == key
            require(fits, f"member {by} compared a key that is not on the roster, or their own.")

    def begins(self, n: int, line: dict) -> None:
        """What a freeze and a trial share."""
        fair, now = line["line"] == "freeze", self.charter(n)
        require(
            line["round"] == len(self.of("freeze", "trial", before=n)) + 1, "it must be for a round that is to come."
        )
        fits = line["roster"] == len(self.of("roster", before=n)) and line["available"][-1] < len(now["arms"])
        require(fits, "it does not name the latest roster, or an available arm does not exist.")
        if self.turns:
            require(line.get("block") == self.turns["worlds"], MISFIT)
            require(line["units"] == 3724680960, "the units are not those of turns.")
            used = Ledger(self.lines[: n - 1]).used
            require(not used & {*line["available"]}, "an option that was used up is on offer again.")
        kind = now["source"]["kind"]
        fits = (line["occurrence"] is None) == (kind != "beacon")
        if fair:
            fits = fits and (line["source_round"] is None) == (kind != "beacon")
            fits = fits and (line["dice_form"] is None) == (kind != "dice")
        require(fits, "occurrence, dice form or source round do not fit the source.")
        if fair and line["dice_form"]:
            span, count = line["dice_form"]["high"] - line["dice_form"]["low"], line["dice_form"]["count"]
            ways = math.comb(span + count, count) if line["dice_form"]["order"] == "sorted" else (span + 1) ** count
            require(ways >= 10**7, "the dice form has fewer than ten million outcomes.")
        require(not fair or kind != "commit_reveal" or self.commits(n), "nobody committed.")
        if kind == "beacon":
            fits = self.skipped(n) >= 0 and (not fair or line["source_round"] == self.timetable(n))
            require(fits, "the occurrence is not after the last one, or the source round is not the timetable's.")
        rest, there = self.resting(n), {*line["available"]}
        require(not rest & there or there <= rest, "an arm that rests is on offer beside others.")

    def skipped(self, page: int) -> int:
        changes = [k for k in self.of("amend", before=page) if self[k]["field"] == "source"]
        before = self.of("freeze", "trial", after=changes[-1] if changes else 0, before=page)
        return self[page]["occurrence"] - (self[before[-1]]["occurrence"] if before else -1) - 1

    def _trial(self, n: int, line: dict) -> None:
        self.begins(n, line)
        played = {
            self.put(page).get(slot, arm)
            for page in self.of("freeze", "trial", before=n)
            for slot, arm in enumerate(self.drawn_arms(page))
        }
        fresh = [arm for arm in line["available"] if arm not in played]
        fits = self.learns and fresh and line["arm"] == fresh[0]
        require(fits, "it is not a trial of the lowest available arm never played.")

    def _freeze(self, n: int, line: dict) -> None:
        self.begins(n, line)
        now, roster = self.charter(n), self.roster(n)
        k, types, units = len(now["arms"]), line["types"], line["units"]
        here = sum(len(one["pseudonyms"]) for one in types)
        fits = line["leaf_count"] <= here
        if self.learns:
            fits = line["leaf_count"] == 0 and line["root"] == digest().hex()
        require(fits, "its answers do not fit the roster or the learner.")
        fits = len(line["arm_units"]) == k and all(len(one["units"]) == k for one in types)
        require(fits, "a row does not have one entry for each arm.")
        led = all(one["leader"] is None or (self.learns and one["leader"] in one["candidates"]) for one in types)
        order = [(one["candidates"], (one["leader"] is not None, one["leader"] or 0), one["weight"]) for one in types]
        require(led and all(order[i] < order[i + 1] for i in range(len(order) - 1)), "the types are not in order.")
        fits = all({*one["candidates"]} <= {*line["available"]} for one in types)
        require(fits, "a set holds an arm that is not available.")
        for one in types:
            outside = sum(unit for arm, unit in enumerate(one["units"]) if arm not in one["candidates"])
            good = outside == 0 and sum(one["units"]) == one["weight"] * units
            require(good, "a row is not its weight times the units, all inside its set.")
        for one in types:
            if one["leader"] is not None:
                row = doubter(one, units, Fraction(now["settings"]["explore"]))
                good = [one["units"][arm] for arm in one["candidates"]] == row
                require(good, "the row of a member in doubt is not the one of their leader.")
        who = [(name, one["weight"]) for one in [*types, *line["absent"]] for name in one["pseudonyms"]]
        heavier = [one["weight"] for one in line["absent"]]
        fits = here > 0 and heavier == sorted({*heavier}) and len({name for name, _ in who}) == len(who)
        fits = fits and sorted(w for _, w in who) == sorted(one["weight"] for one in roster.values())
        require(fits, "the pseudonyms are not one for each member of the roster.")
        sums = [sum(len(one["pseudonyms"]) * one["units"][arm] for one in types) for arm in range(k)]
        require(line["arm_units"] == sums, "the units of the arms are not the sums of the rows.")
        usual = self.turns["worlds"] if self.turns else now["block"]
        allowed = {usual} if usual else {min(here, 20)} | ({1} if self.learns else set())
        total = sum(sums)
        fits = line["block"] in allowed and total <= MOST and total % line["block"] == 0
        require(fits, "the block is not the charter's, or the drum is too large for it, or not divided by it.")
        found = certificate(types, units, k)
        require(not found or found[0] <= Fraction(1, 10**5), "the policy is not one of largest product.")

    def _draw(self, n: int, line: dict) -> None:
        page = self.open(n)
        require(page and self[page]["round"] == line["round"], "it must be for a round that is open.")
        freeze, said, kind = self[page], bytes.fromhex(line["source_bytes"]), self.source(page)["kind"]
        if kind == "commit_reveal":
            told, wanted = self.reveals(page, n), sorted(self.commits(page))
            for by in wanted:
                require(by in told, f"the number of member {by} is missing.")
            fits = said == b"".join(b4(by) + bytes.fromhex(self[told[by]]["value"]) for by in wanted)
        elif kind == "dice":
            fits = numbers_of_dice(said, freeze["dice_form"])
        else:
            fits = len(said) == (32 if kind == "rehearsal" else 48)
        require(fits, "the source bytes are not what the source can say.")
        stream = Stream(self.hash[page], said)
        balls = Ledger(self.lines[: page - 1]).balls(freeze, stream.below) if self.turns else block_of(freeze, stream)
        fits = line["balls"] == balls and line["arms"] == [voice_of(freeze, ball)[0] for ball in balls]
        require(fits, "balls and arms do not follow from the freeze and the source.")

    def _ratings(self, n: int, line: dict) -> None:
        page = self.page(line["round"], n)
        require(page and self.drawn_arms(page, n), "it must be for a round that is drawn.")

    def slots(self, page: int) -> int:
        return 1 if self.turns else self[page].get("block", 1)

    def _override(self, n: int, line: dict) -> None:
        page = self.page(line["round"], n)
        fits = page and line["slot"] < self.slots(page) and line["arm"] < len(self.charter(n)["arms"])
        require(fits, "there is no such slot or arm.")
        before = [(self[k]["round"], self[k]["slot"]) for k in self.of("override", before=n)]
        require((line["round"], line["slot"]) not in before, "this slot was overridden before.")
        if line["member"] is not None:
            ever = max(len(self[k]["members"]) for k in self.of("roster", before=n))
            require(line["member"] < ever, f"member {line['member']} is not on the roster.")
            parts = [
                b4(line["member"]),
                b8(line["round"]),
                b4(line["slot"]),
                b4(line["arm"]),
                digest(line["reason"].encode()),
            ]
            self.must_sign(n, line, b"".join([b"isegoria override 3\0", self.hash[2], *parts]))

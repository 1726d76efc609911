"""Where a member's voice went: what she was promised, what came, and its course, counted on from round to round."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from hashlib import sha256
from threading import Lock
from typing import Any, Protocol

from isegoria.record.format.lines import has_odds
from isegoria.record.format.people import Person
from isegoria.record.format.units import UNITS
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.turns.ledger import Debt
from isegoria.record.turns.sentences import amount

POINTS = 120
"""Points of the course that a page draws, at most twice as many while they are gathered: more nobody sees."""
HISTORY = 60
"""Slots that a page lists."""
COUNTED = b"isegoria count 1"
"""What a kept count counts, and how: another number where that changes, and all are made again."""
KEPT_EVERY = 32
"""Rounds after which a count is kept again."""
REMEMBERED = 200
"""Members whose count is held in memory, some 70 kilobytes each; another's is read again, or made again."""
FEW = 30
"""Members of a group in which everybody's count is kept as time goes by, also that of who never looked."""


class Counts(Protocol):
    """Where the counts of members are kept from one process to the next, by number."""

    def kept(self, number: int) -> str | None: ...

    def keep(self, person: Person, state: str) -> None: ...


def heard(group: Group, person: Person, counts: Counts | None = None) -> dict[str, Any]:
    """A member's voice over all drawn rounds with her; what was counted is kept in `counts`, if there are any.

    - `promised`: how many slots she could expect to be among her favourites; `received`: how many were.
    - `turns`: how many slots her own voice decided; `turns_promised`: how many it could expect to.
    - `silent`: how many slots were drawn before it was known what she likes: nothing was promised to her there, and
      nothing is called a favourite of hers; her voice followed the others'. `possible`: her favourites are still being
      learned, so that what is counted is what may be one.
    - `band`: where `received` lies in 19 of 20 such histories, by the variance of independent draws, which blocks and
      their turns only make smaller.
    - `odds`: whether there are any; settled turns, and turns that use options up, promise a share and no chance.
    - `course`: the same after some of the draws, the last among them; `history`: the last slots.
    """
    count = _counted(group, person, counts)
    if group.rounds:  # the last one may still change
        count = deepcopy(count)
        count.take(group, person, group.rounds[-1])
    odds = has_odds(group.turns)
    told = count.told() | {"possible": group.learns, "odds": odds}
    return told | {"sentence": sentence(told), "owed": owed(group, person)}


def owed(group: Group, person: Person) -> dict[str, Any] | None:
    """With turns: what a member is owed, in tenths of a decision and as it is shown, and the rounds that she waited."""
    if group.turns is None:
        return None
    entry = group.owed.get(group.alias(person, 0), Debt((0,)))
    shown = amount(Fraction(entry.owed[0], UNITS))
    tenths = 0 if shown == "nothing" else round(10 * float(shown))
    return {"tenths": tenths, "shown": f"{abs(tenths) / 10:.1f}", "waited": entry.waited}


class Count:
    """What rounds add up to for one member; `done` of them are counted, the last of which had this page.

    `kept`: how many were counted when it was last kept.
    """

    def __init__(self) -> None:
        self.done, self.page, self.kept = 0, b"", 0
        self.rounds = self.slots = self.silent = self.turns = self.received = 0
        self.promised = self.turns_promised = self.variance = 0.0
        self.step = 1
        self.points: list[tuple[int, float, int, float]] = []
        self.last: deque[dict[str, Any]] = deque(maxlen=HISTORY)

    def text(self, of: str) -> str:
        """The count as it is kept."""
        said = {**vars(self), "page": self.page.hex(), "last": [*self.last], "of": of}
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def again(cls, text: str | None, of: str) -> Count | None:
        """The count of such a text; None where there is none, or it is of something else."""
        said = json.loads(text or "{}")
        if said.pop("of", None) != of or said.keys() != vars(count := cls()).keys():
            return None
        points, last = [tuple(point) for point in said["points"]], deque(said["last"], HISTORY)
        vars(count).update(said | {"page": bytes.fromhex(said["page"]), "points": points, "last": last})
        return count

    def take(self, group: Group, person: Person, round_: Round) -> None:
        """Count one more round."""
        self.done, self.page = round_.number, round_.freeze_hash
        if round_.draw is None or not round_.fair:
            return
        alias = group.alias(person, round_.number)
        kind = next((kind for kind in round_.freeze["types"] if alias in kind["who"]), None)
        if kind is None:
            return
        self.rounds += 1
        voices, total = round_.freeze["voices"], sum(round_.freeze["voices"])
        share, own = sum(voices[arm] for arm in kind["set"]) / total, sum(kind["units"]) / total
        known = group.learns or person.number in round_.closing.counted
        for slot, arm in enumerate(round_.played):
            good, own_ball = arm in kind["set"], kind["units"][round_.drawn[slot]] > 0
            mine = own_ball and round_.whose(slot) == alias
            self.turns, self.turns_promised = self.turns + mine, self.turns_promised + own
            if not known:
                self.silent += 1
                continue
            self._slot(share, good)
            self.last.append({"round": round_.number, "slot": slot, "arm": group.arms[arm], "share": share,
                              "favourite": good, "mine": mine})  # fmt: skip

    def _slot(self, share: float, good: bool) -> None:
        self.slots += 1
        self.promised += share
        self.variance += share * (1 - share)
        self.received += good
        if self.slots % self.step == 0:
            self.points.append((self.slots, self.promised, self.received, self.variance))
            if len(self.points) == 2 * POINTS:  # every other one goes, so that they stay evenly spaced
                self.points, self.step = self.points[1::2], 2 * self.step

    def told(self) -> dict[str, Any]:
        """The count as a page shows it."""
        points = self.points
        if self.slots and (not points or points[-1][0] != self.slots):
            points = [*points, (self.slots, self.promised, self.received, self.variance)]
        bands = [_band(slots, due, variance) for slots, due, _, variance in points]
        return {
            "rounds": self.rounds, "slots": self.slots, "promised": self.promised, "received": self.received,
            "silent": self.silent, "turns": self.turns, "turns_promised": self.turns_promised,
            "band": list(_band(self.slots, self.promised, self.variance)),
            "course": {
                "draws": [slots for slots, _, _, _ in points], "received": [came for _, _, came, _ in points],
                "promised": [round(due, 10) for _, due, _, _ in points],
                "low": [round(low, 10) for low, _ in bands], "high": [round(high, 10) for _, high in bands],
            },
            "history": list(self.last),
        }  # fmt: skip


def _band(slots: int, promised: float, variance: float) -> tuple[float, float]:
    reach = 1.96 * variance**0.5
    return max(0.0, promised - reach), min(float(slots), promised + reach)


_counts: OrderedDict[tuple[str, bytes, int, bytes], Count] = OrderedDict()
_guard = Lock()


def _counted(group: Group, person: Person, counts: Counts | None) -> Count:
    """The count of all rounds but the last: counted on from the last time, or from the first round."""
    key = group.address, group.record, person.number, person.secret
    with _guard:
        count = _counts.pop(key, None)
    if count is None and counts is not None:
        count = Count.again(counts.kept(person.number), _of(group, person))
    known = group.round(count.done) if count is not None and count.done else None
    if count is None or (count.done and (known is None or known.freeze_hash != count.page or known is group.last)):
        count = Count()  # another history has taken its place
    for place in range(count.done, len(group.rounds) - 1):
        count.take(group, person, group.rounds[place])
    if counts is not None and count.done - count.kept >= KEPT_EVERY:
        count.kept = count.done
        counts.keep(person, count.text(_of(group, person)))
    with _guard:
        _counts[key] = count
        while len(_counts) > REMEMBERED:
            _counts.popitem(last=False)
    return count


def _of(group: Group, person: Person) -> str:
    """Of which record and which secret a count is: one whose link was issued again begins anew."""
    return sha256(COUNTED + group.record + person.secret).hexdigest()


def sentence(told: Mapping[str, Any]) -> str:
    """One sentence on where a member's voice went."""
    if not told["slots"] and not told["silent"]:
        return "Nothing has been drawn with your voice yet."
    if not told["slots"]:
        return "It is not known yet what you like: your voice followed the others', and nothing was promised to you."
    low, high = told["band"]
    verdict = "" if not told["odds"] else ", as chance allows" if low - 0.5 <= told["received"] <= high + 0.5 else (
        ", fewer than chance usually allows" if told["received"] < low else ", more than chance usually allows"
    )  # fmt: skip
    what = "what may still be your favourites" if told["possible"] else "your favourites"
    draws = "draw" if told["slots"] == 1 else "draws"
    times = {1: "once", 2: "twice"}.get(told["turns"], f"{told['turns']} times")
    return (
        f"In {told['slots']} {draws} you were promised {told['promised']:.1f} of {what} and got "
        f"{told['received']}{verdict}; your own voice decided {times}, and was promised {told['turns_promised']:.1f}."
    )

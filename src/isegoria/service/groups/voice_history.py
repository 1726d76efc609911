"""Voice tally of a member: promised and received favourites over time, updated round by round."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Mapping
from copy import deepcopy
from fractions import Fraction
from hashlib import sha256
from threading import Lock
from typing import Any, Protocol

from isegoria.record.format.identities import MemberIdentity
from isegoria.record.format.lines import has_odds
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round
from isegoria.record.turns.explanations import format_decisions
from isegoria.record.turns.ledger import LedgerEntry
from isegoria.service.groups.occurrences import count_past_turns

MAX_CURVE_POINTS = 120
"""Number of points of the curve on a page: more would not be visible. At most twice as many are held while counting."""
MAX_HISTORY_SLOTS = 60
"""Maximum number of latest slots that a page lists."""
TALLY_FORMAT_TAG = b"isegoria count 2"
"""Version of what a stored tally counts, and how. After a change of the number, all tallies are computed again."""
TALLY_SAVE_INTERVAL_ROUNDS = 32
MAX_CACHED_TALLIES = 200
"""Maximum number of tallies cached in memory, about 70 kilobytes each; others are loaded or computed again."""
SMALL_GROUP_MEMBERS = 30
"""In a group of at most this size, all members' tallies are kept up to date, even those that were never viewed."""


class TallyStore(Protocol):
    """Storage of the members' voice tallies between processes, by member number."""

    def kept(self, number: int) -> str | None: ...

    def keep(self, person: MemberIdentity, state: str) -> None: ...


def build_voice_history(
    group: Group,
    person: MemberIdentity,
    counts: TallyStore | None = None,
    cache: VoiceTallyCache | None = None,
    now: int | None = None,
) -> dict[str, Any]:
    """Return a member's voice tally over all drawn rounds that include the member.

    Turns of the last round that are planned for a day after `now` are left out. `counts`, if given, stores the tally
    for the next call in any process, and `cache` for the next in this one. The result has these keys, among others:

    - `promised`: the expected number of slots with one of the member's favourites; `received`: the actual number.
    - `turns`: the number of slots that the member's voice decided; `turns_promised`: its expectation.
    - `lost`: the number of slots that the member's voice decided and an override changed before the next page; they are
      not in `turns`. A later override changes no tally, as it changes no debt.
      `ahead`: the number of slots of the last round that are still to come.
    - `silent`: the number of slots drawn before the member's preferences were known. There the voice followed the
      others', nothing was promised, and no option counts as a favourite.
    - `possible`: whether favourites are still being learned, so that the tally counts options that may be favourites.
    - `band`: the interval of 1.96 standard deviations around `promised`, which holds `received` in 19 of 20 such
      histories. It uses the variance of independent draws; blocks and their turns only reduce that variance.
    - `odds`: whether there are probabilities. Deterministic turns, and turns that use options up, promise a share only.
    - `course`: promised, received and band after some of the draws, including the last; `history`: the last slots.
    - `describe_voice`: a summary; `describe_debt`: see `describe_debt`.
    """
    count, ahead = _update_tally(group, person, counts, cache or VoiceTallyCache()), 0
    if group.rounds:  # the last round may still change
        count = deepcopy(count)
        happened = count_past_turns(group, group.rounds[-1], now)
        count.take(group, person, group.rounds[-1], happened)
        ahead = len(group.rounds[-1].played) - happened if group.rounds[-1].draw is not None else 0
    odds = has_odds(group.turns)
    told = count.told() | {"possible": group.learns, "odds": odds, "ahead": ahead}
    return told | {"sentence": describe_voice(told), "owed": describe_debt(group, person)}


def describe_debt(group: Group, person: MemberIdentity) -> dict[str, Any] | None:
    """Return a member's debt in tenths of a decision and as text, and the rounds waited; None without turns."""
    if group.turns is None:
        return None
    entry = group.owed.get(group.alias(person, 0), LedgerEntry((0,)))
    shown = format_decisions(Fraction(entry.owed[0], UNITS_PER_VOICE))
    tenths = 0 if shown == "nothing" else round(10 * float(shown))
    return {"tenths": tenths, "shown": f"{abs(tenths) / 10:.1f}", "waited": entry.waited}


class VoiceTally:
    """Voice tally of one member over the first `done` rounds; `page` is the freeze hash of the last of them.

    `kept` is the number of rounds counted when the tally was last stored.
    """

    def __init__(self) -> None:
        self.done, self.page, self.kept = 0, b"", 0
        self.rounds = self.slots = self.silent = self.turns = self.lost = self.received = 0
        self.promised = self.turns_promised = self.variance = 0.0
        self.step = 1
        self.points: list[tuple[int, float, int, float]] = []
        self.last: deque[dict[str, Any]] = deque(maxlen=MAX_HISTORY_SLOTS)

    def text(self, of: str) -> str:
        """Encode the tally as JSON for storage; `of` identifies its record and member."""
        said = {**vars(self), "page": self.page.hex(), "last": [*self.last], "of": of}
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def again(cls, text: str | None, of: str) -> VoiceTally | None:
        """Parse a stored tally; return None if there is none, or it is not of `of` or has other fields."""
        said = json.loads(text or "{}")
        if said.pop("of", None) != of or said.keys() != vars(count := cls()).keys():
            return None
        points, last = [tuple(point) for point in said["points"]], deque(said["last"], MAX_HISTORY_SLOTS)
        vars(count).update(said | {"page": bytes.fromhex(said["page"]), "points": points, "last": last})
        return count

    def take(self, group: Group, person: MemberIdentity, round_: Round, happened: int | None = None) -> None:
        """Add one more round to the tally: all its slots, or the first `happened` ones."""
        self.done, self.page = round_.number, round_.freeze_hash
        if round_.draw is None or not round_.fair:
            return
        alias = group.alias(person, round_.number)
        kind = next((kind for kind in round_.freeze["types"] if alias in kind["pseudonyms"]), None)
        if kind is None:
            return
        self.rounds += 1
        voices, total = round_.freeze["arm_units"], sum(round_.freeze["arm_units"])
        share, own = sum(voices[arm] for arm in kind["candidates"]) / total, sum(kind["units"]) / total
        known = group.learns or person.number in round_.closing.counted
        for slot, arm in enumerate(round_.played[:happened]):
            good, own_ball = arm in kind["candidates"], kind["units"][round_.drawn[slot]] > 0
            won = own_ball and round_.whose(slot) == alias
            lost = won and slot in round_.put
            mine, self.lost = won and not lost, self.lost + lost
            self.turns, self.turns_promised = self.turns + mine, self.turns_promised + own
            if not known:
                self.silent += 1
                continue
            self._slot(share, good)
            self.last.append(
                {
                    "round": round_.number,
                    "slot": slot,
                    "arm": group.arms[arm],
                    "share": share,
                    "favourite": good,
                    "mine": mine,
                    "lost": lost,
                }
            )

    def _slot(self, share: float, good: bool) -> None:
        self.slots += 1
        self.promised += share
        self.variance += share * (1 - share)
        self.received += good
        if self.slots % self.step == 0:
            self.points.append((self.slots, self.promised, self.received, self.variance))
            if len(self.points) == 2 * MAX_CURVE_POINTS:  # drop every other point, so that they stay evenly spaced
                self.points, self.step = self.points[1::2], 2 * self.step

    def told(self) -> dict[str, Any]:
        """Return the tally as plain data for a page."""
        points = self.points
        if self.slots and (not points or points[-1][0] != self.slots):
            points = [*points, (self.slots, self.promised, self.received, self.variance)]
        bands = [_compute_interval(slots, due, variance) for slots, due, _, variance in points]
        return {
            "rounds": self.rounds,
            "slots": self.slots,
            "promised": self.promised,
            "received": self.received,
            "silent": self.silent,
            "turns": self.turns,
            "lost": self.lost,
            "turns_promised": self.turns_promised,
            "band": list(_compute_interval(self.slots, self.promised, self.variance)),
            "course": {
                "draws": [slots for slots, _, _, _ in points],
                "received": [came for _, _, came, _ in points],
                "promised": [round(due, 10) for _, due, _, _ in points],
                "low": [round(low, 10) for low, _ in bands],
                "high": [round(high, 10) for _, high in bands],
            },
            "history": list(self.last),
        }


def _compute_interval(slots: int, promised: float, variance: float) -> tuple[float, float]:
    reach = 1.96 * variance**0.5
    return max(0.0, promised - reach), min(float(slots), promised + reach)


class VoiceTallyCache:
    """The `MAX_CACHED_TALLIES` tallies that were used last, by group and member."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[tuple[str, bytes, int, bytes], VoiceTally] = OrderedDict()
        self._lock = Lock()

    def clear(self) -> None:
        """Drop all tallies."""
        with self._lock:
            self._tallies.clear()

    def pop(self, group: Group, person: MemberIdentity) -> VoiceTally | None:
        """Take a member's tally out of the cache, so that no other thread changes it."""
        with self._lock:
            return self._tallies.pop((group.address, group.record, person.number, person.secret), None)

    def put(self, group: Group, person: MemberIdentity, tally: VoiceTally) -> None:
        """Put a member's tally into the cache, and drop those that were not used for longest."""
        with self._lock:
            self._tallies[group.address, group.record, person.number, person.secret] = tally
            while len(self._tallies) > MAX_CACHED_TALLIES:
                self._tallies.popitem(last=False)


def _update_tally(
    group: Group, person: MemberIdentity, counts: TallyStore | None, cache: VoiceTallyCache
) -> VoiceTally:
    """Return the tally of all rounds except the last, continued from the cached or stored one if there is one."""
    count = cache.pop(group, person)
    if count is None and counts is not None:
        count = VoiceTally.again(counts.kept(person.number), _hash_owner(group, person))
    known = group.round(count.done) if count is not None and count.done else None
    if count is None or (count.done and (known is None or known.freeze_hash != count.page or known is group.last)):
        count = VoiceTally()  # the history was replaced
    for place in range(count.done, len(group.rounds) - 1):
        count.take(group, person, group.rounds[place])
    if counts is not None and count.done - count.kept >= TALLY_SAVE_INTERVAL_ROUNDS:
        count.kept = count.done
        counts.keep(person, count.text(_hash_owner(group, person)))
    cache.put(group, person, count)
    return count


def _hash_owner(group: Group, person: MemberIdentity) -> str:
    """Return a digest of the record and the member's secret; a tally of another digest is not used."""
    return sha256(TALLY_FORMAT_TAG + group.record + person.secret).hexdigest()


def describe_voice(told: Mapping[str, Any]) -> str:
    """Summarise a member's voice tally in one sentence."""
    if not told["slots"] and not told["silent"]:
        return "Nothing has been drawn with your voice yet."
    if not told["slots"]:
        return "It is not known yet what you like: your voice followed the others', and nothing was promised to you."
    low, high = told["band"]
    verdict = (
        ""
        if not told["odds"]
        else ", as chance allows"
        if low - 0.5 <= told["received"] <= high + 0.5
        else (", fewer than chance usually allows" if told["received"] < low else ", more than chance usually allows")
    )
    what = "what may still be your favourites" if told["possible"] else "your favourites"
    draws = "draw" if told["slots"] == 1 else "draws"
    times = {1: "once", 2: "twice"}.get(told["turns"], f"{told['turns']} times")
    return (
        f"In {told['slots']} {draws} you were promised {told['promised']:.1f} of {what} and got "
        f"{told['received']}{verdict}; your own voice decided {times}, and was promised {told['turns_promised']:.1f}."
    )

"""What the pages show of a group: the flow of voices, where a member's went, the wait of the unlucky, and the price."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.record.format.people import Person
from isegoria.record.group import Group, Round
from isegoria.record.voices import Voices
from isegoria.record.waiting import dry_spell
from isegoria.scores import score

MOST_STRIPS = 18
WAIT = 20
"""Draws in a dry spell: four working weeks of one a day."""
MOST_FOLLOWED = 8
"""With more options in the drum than this, the exact chance would keep the page waiting."""
LEAST_ANSWERS = 3
"""With fewer answers than this, a figure about all would tell on one."""


def flow(group: Group, round_: Round | None) -> dict[str, Any] | None:
    """The voices of a round as strips: what is due to each kind of member, and which options carry it."""
    if round_ is None or not round_.fair:
        return None
    freeze = round_.freeze
    total = sum(freeze["voices"])
    shown = [arm for arm, voice in enumerate(freeze["voices"]) if voice]
    kinds = sorted(freeze["types"], key=lambda kind: (shown.index(max(kind["set"], key=lambda k: kind["units"][k])),))
    strips = []
    for kind in kinds[:MOST_STRIPS]:
        count = len(kind["who"])
        names = " / ".join(group.arms[arm] for arm in kind["set"][:3]) + (" …" if len(kind["set"]) > 3 else "")
        carried = [count * kind["units"][arm] / total for arm in shown]
        strips.append({"label": f"{count} × {names}", "due": sum(carried), "unheard": 0, "carried": carried})
    rest = kinds[MOST_STRIPS:]
    if rest:
        carried = [sum(len(kind["who"]) * kind["units"][arm] for kind in rest) / total for arm in shown]
        many = sum(len(kind["who"]) for kind in rest)
        strips.append({"label": f"{many} × …", "due": sum(carried), "unheard": 0, "carried": carried})
    return {
        "arms": [group.arms[arm] for arm in shown],
        "chances": [freeze["voices"][arm] / total for arm in shown],
        "strips": strips,
    }


def heard(group: Group, person: Person) -> dict[str, Any]:
    """A member's voice over all drawn rounds with her.

    - `promised`: how many slots she could expect to be among her favourites; `received`: how many were.
    - `turns`: how many slots her own voice decided; `turns_promised`: how many it could expect to.
    - `silent`: how many slots were drawn before it was known what she likes: nothing was promised to her there, and
      nothing is called a favourite of hers; her voice followed the others'. `possible`: her favourites are still being
      learned, so that what is counted is what may be one.
    - `band`: where `received` lies in 19 of 20 such histories, by the variance of independent draws, which blocks and
      their turns only make smaller.
    """
    promised = received = turns_promised = variance = 0.0
    slots = turns = rounds = silent = 0
    history = []
    for round_ in group.rounds:
        if round_.draw is None or not round_.fair:
            continue
        alias = group.alias(person, round_.number)
        kind = next((kind for kind in round_.freeze["types"] if alias in kind["who"]), None)
        if kind is None:
            continue
        rounds += 1
        total = sum(round_.freeze["voices"])
        share = sum(round_.freeze["voices"][arm] for arm in kind["set"]) / total
        own = sum(kind["units"]) / total
        known = group.learns or person.number in round_.closing.counted
        for slot, arm in enumerate(round_.played):
            mine = round_.whose(slot) == alias
            turns, turns_promised = turns + mine, turns_promised + own
            if not known:
                silent += 1
                continue
            slots += 1
            promised += share
            variance += share * (1 - share)
            good = arm in kind["set"]
            received += good
            history.append({"round": round_.number, "slot": slot, "arm": group.arms[arm], "share": share,
                            "favourite": good, "mine": mine})  # fmt: skip
    reach = 1.96 * variance**0.5
    told = {
        "rounds": rounds,
        "slots": slots,
        "silent": silent,
        "possible": group.learns,
        "promised": promised,
        "received": int(received),
        "turns": turns,
        "turns_promised": turns_promised,
        "band": [max(0.0, promised - reach), min(float(slots), promised + reach)],
        "course": course(history),
        "history": history[-60:],
    }
    return told | {"sentence": sentence(told)}


def sentence(told: Mapping[str, Any]) -> str:
    """One sentence on where a member's voice went."""
    if not told["slots"] and not told["silent"]:
        return "Nothing has been drawn with your voice yet."
    if not told["slots"]:
        return "It is not known yet what you like: your voice followed the others', and nothing was promised to you."
    low, high = told["band"]
    verdict = "as chance allows" if low - 0.5 <= told["received"] <= high + 0.5 else (
        "fewer than chance usually allows" if told["received"] < low else "more than chance usually allows"
    )  # fmt: skip
    what = "what may still be your favourites" if told["possible"] else "your favourites"
    draws = "draw" if told["slots"] == 1 else "draws"
    times = {1: "once", 2: "twice"}.get(told["turns"], f"{told['turns']} times")
    return (
        f"In {told['slots']} {draws} you were promised {told['promised']:.1f} of {what} and got "
        f"{told['received']}, {verdict}; your own voice decided {times}, and was promised {told['turns_promised']:.1f}."
    )


def course(history: list[dict[str, Any]]) -> dict[str, Any]:
    """A member's voice over time: after each draw what was promised, what came, and the band that chance leaves."""
    promised = list(accumulate(entry["share"] for entry in history))
    variance = accumulate(entry["share"] * (1 - entry["share"]) for entry in history)
    received = list(accumulate(int(entry["favourite"]) for entry in history))
    reach = [1.96 * v**0.5 for v in variance]
    return {
        "draws": list(range(1, len(history) + 1)),
        "promised": promised,
        "received": received,
        "low": [max(0.0, p - r) for p, r in zip(promised, reach, strict=True)],
        "high": [min(float(n), p + r) for n, (p, r) in enumerate(zip(promised, reach, strict=True), 1)],
    }


def dry_spells(round_: Round | None) -> list[dict[str, Any]] | None:
    """The chance that somebody gets no favourite in `WAIT` draws, exactly, for some sizes of blocks."""
    if round_ is None or not round_.fair:
        return None
    freeze = round_.freeze
    kinds = tuple((tuple(kind["set"]), len(kind["who"]), tuple(kind["units"])) for kind in freeze["types"])
    blocks = sorted({1, 5, 10, min(sum(count for _, count, _ in kinds), 20), freeze["block"]})
    if sum(map(bool, freeze["voices"])) > MOST_FOLLOWED:
        return None
    return [{"block": block, "now": block == freeze["block"], "chance": _dry(kinds, block)} for block in blocks]


@lru_cache(maxsize=256)
def _dry(kinds: tuple[tuple[tuple[int, ...], int, tuple[int, ...]], ...], block: int) -> float:
    """The same for one size; a frozen page never changes, so it is computed once."""
    arms = [arm for arm in range(len(kinds[0][2])) if any(units[arm] for _, _, units in kinds)]
    held = Voices(
        arms=[str(arm) for arm in arms],
        agents=[],
        sets=np.array([[arm in favourites for arm in arms] for favourites, _, _ in kinds]),
        weights=np.ones(len(kinds), np.int64),
        counts=np.array([count for _, count, _ in kinds]),
        rows=np.array([[units[arm] for arm in arms] for _, _, units in kinds]),
        member=np.arange(len(kinds)),
    )
    return float(dry_spell(held, WAIT, block))


def price(group: Group) -> dict[str, Any] | None:
    """How much of the largest total rating the last round's lottery keeps; None where that would tell on somebody."""
    round_ = group.last
    if group.learns or round_ is None or not round_.fair or len(round_.closing.counted) < LEAST_ANSWERS:
        return None
    counted = round_.closing.counted
    low, high = group.scale
    means = np.zeros((len(counted), len(round_.arms)))
    for row, told in zip(means, counted.values(), strict=True):
        for arm, value in enumerate(told.values):
            row[arm] = 0 if value is None else (float(value) - low) / (high - low)
    policy = np.array(round_.freeze["voices"], float)
    scores = score(Instance(means.clip(0, 1)), policy / policy.sum())
    return {"kept": scores.utilitarian, "equality": scores.equality, "answers": len(means)}

"""My voice: what a member was promised, what happened, and whether that is within what chance allows."""

from __future__ import annotations

import json

from isegoria.lottery import people as identity
from isegoria.lottery.steps import voice_of
from isegoria.service.groups.pictures import course
from isegoria.service.groups.state import Round, State


def whose(round_: Round, slot: int) -> str | None:
    """The pseudonym whose voice decided a slot; None for exploration and first trials."""
    balls = round_.draw["balls"]
    return voice_of(round_.freeze, balls[slot])[1] if balls else None


def policy(freeze: dict) -> list[float] | None:
    """The chance of each option in a fair round; None in a first trial, which is not drawn."""
    if freeze["kind"] != "fair":
        return None
    total = sum(freeze["voices"]) + sum(freeze["explore"])
    return [(voice + extra) / total for voice, extra in zip(freeze["voices"], freeze["explore"], strict=True)]


def heard(state: State, number: int, secret: bytes) -> dict:
    """A member's voice over all drawn rounds with her.

    - `promised`: how many slots she could expect to be among her favourites; `received`: how many were.
    - `turns`: how many slots her own voice decided; `turns_promised`: how many it could expect to.
    - `band`: where `received` lies in 19 of 20 such histories, by the variance of independent draws, which blocks and
      their turns only make smaller.
    """
    promised = received = turns_promised = variance = 0.0
    slots = turns = rounds = 0
    history = []
    for round_ in state.rounds:
        if round_.draw is None or round_.freeze["kind"] != "fair":
            continue
        alias = identity.pseudonym(secret, state.record.group, round_.number, number).hex()
        kind = next((kind for kind in round_.freeze["types"] if alias in kind["who"]), None)
        if kind is None:
            continue
        rounds += 1
        total = sum(round_.freeze["voices"]) + sum(round_.freeze["explore"])
        share = sum(round_.freeze["voices"][arm] + round_.freeze["explore"][arm] for arm in kind["set"]) / total
        own = sum(kind["units"]) / total
        for slot in round_.slots:
            slots += 1
            promised += share
            variance += share * (1 - share)
            turns_promised += own
            good = round_.arm(slot) in kind["set"]
            mine = whose(round_, slot) == alias
            received, turns = received + good, turns + mine
            history.append({"round": round_.number, "slot": slot, "arm": state.arms[round_.arm(slot)], "share": share,
                            "favourite": good, "mine": mine})  # fmt: skip
    reach = 1.96 * variance**0.5
    told = {
        "rounds": rounds,
        "slots": slots,
        "promised": promised,
        "received": int(received),
        "turns": turns,
        "turns_promised": turns_promised,
        "band": [max(0.0, promised - reach), min(float(slots), promised + reach)],
        "course": course(history),
        "history": history[-60:],
    }
    return told | {"sentence": sentence(told)}


def sentence(told: dict) -> str:
    """One sentence on where a member's voice went."""
    if not told["slots"]:
        return "Nothing has been drawn with your voice yet."
    low, high = told["band"]
    verdict = "as chance allows" if low - 0.5 <= told["received"] <= high + 0.5 else (
        "fewer than chance usually allows" if told["received"] < low else "more than chance usually allows"
    )  # fmt: skip
    draws = "draw" if told["slots"] == 1 else "draws"
    times = {1: "once", 2: "twice"}.get(told["turns"], f"{told['turns']} times")
    return (
        f"In {told['slots']} {draws} you were promised {told['promised']:.1f} of your favourites and got "
        f"{told['received']}, {verdict}; your own voice decided {times}, and was promised {told['turns_promised']:.1f}."
    )


def secret_of(session, group: str, number: int) -> bytes:
    """A member's secret, from which her pseudonyms follow."""
    person = next(person for person in session.people(group) if person.number == number)
    return bytes.fromhex(json.loads(person.secrets)["secret"])

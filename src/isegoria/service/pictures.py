"""What the pages show of a group: the flow of voices, the wait of the unlucky, and the price."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.record.drawing import dry_spell
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.voices import Voices
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
        "places": [group.options.index(group.arms[arm]) for arm in shown],
        "chances": [freeze["voices"][arm] / total for arm in shown],
        "strips": strips,
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
    """How much of the largest total rating the last round's lottery keeps.

    None where that would tell on somebody, or there is no lottery.
    """
    round_ = group.last
    if group.learns or round_ is None or round_.policy is None or len(round_.closing.counted) < LEAST_ANSWERS:
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

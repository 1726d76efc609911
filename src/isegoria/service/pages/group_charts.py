"""Chart data of a group's pages: the flow of voices, the waiting times, and the price of equal voice."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from isegoria.record.drawing import dry_spell_probability
from isegoria.record.exact_voices import Voices
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round

MAX_FLOW_ROWS = 18
DRY_SPELL_DRAWS = 20
"""Number of draws in a dry spell: four working weeks with one draw a day."""
MAX_EXACT_OPTIONS = 8
"""If more options than this can be drawn, the page omits the exact chance, which would take too long to compute."""


def build_flow(group: Group, round_: Round | None) -> dict[str, Any] | None:
    """Return the voices of a round as strips: what each agent type is due, and which options carry it."""
    if round_ is None or not round_.fair:
        return None
    freeze = round_.freeze
    total = sum(freeze["arm_units"])
    shown = [arm for arm, voice in enumerate(freeze["arm_units"]) if voice]
    kinds = sorted(
        freeze["types"], key=lambda kind: (shown.index(max(kind["candidates"], key=lambda k: kind["units"][k])),)
    )
    strips = []
    for kind in kinds[:MAX_FLOW_ROWS]:
        count = len(kind["pseudonyms"])
        names = " / ".join(group.arms[arm] for arm in kind["candidates"][:3]) + (
            " …" if len(kind["candidates"]) > 3 else ""
        )
        carried = [count * kind["units"][arm] / total for arm in shown]
        strips.append({"label": f"{count} × {names}", "due": sum(carried), "unheard": 0, "carried": carried})
    rest = kinds[MAX_FLOW_ROWS:]
    if rest:
        carried = [sum(len(kind["pseudonyms"]) * kind["units"][arm] for kind in rest) / total for arm in shown]
        many = sum(len(kind["pseudonyms"]) for kind in rest)
        strips.append({"label": f"{many} × …", "due": sum(carried), "unheard": 0, "carried": carried})
    return {
        "arms": [group.arms[arm] for arm in shown],
        "places": [group.options.index(group.arms[arm]) for arm in shown],
        "chances": [freeze["arm_units"][arm] / total for arm in shown],
        "strips": strips,
    }


def compute_dry_spells(round_: Round | None) -> list[dict[str, Any]] | None:
    """Compute the exact chance that somebody gets no favourite in `DRY_SPELL_DRAWS` draws, for several block sizes.

    Return None if there is no fair round, or if too many options have a chance.
    """
    if round_ is None or not round_.fair:
        return None
    freeze = round_.freeze
    kinds = tuple(
        (tuple(kind["candidates"]), len(kind["pseudonyms"]), tuple(kind["units"])) for kind in freeze["types"]
    )
    blocks = sorted({1, 5, 10, min(sum(count for _, count, _ in kinds), 20), freeze["block"]})
    if sum(map(bool, freeze["arm_units"])) > MAX_EXACT_OPTIONS:
        return None
    return [
        {"block": block, "now": block == freeze["block"], "chance": _compute_dry_spell(kinds, block)}
        for block in blocks
    ]


@lru_cache(maxsize=256)
def _compute_dry_spell(kinds: tuple[tuple[tuple[int, ...], int, tuple[int, ...]], ...], block: int) -> float:
    """Compute that chance for one block size; cached, since a freeze page never changes."""
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
    return float(dry_spell_probability(held, DRY_SPELL_DRAWS, block))

"""The strips of the picture of voices: who stands on the left, which arms on the right, and how many are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.auditing import Audit
from isegoria.auditing.sentences import CROWD
from isegoria.wording import amounts, counted

MOST_STRIPS = 18
"""A page holds so many labels in a column; the least beyond that stand together."""
WORTH_A_LABEL = 1 / 40
"""Among too many, a group that is heard in full has a strip of its own only from this share on."""
LONGEST_LABEL = 26


@dataclass(frozen=True, eq=False)
class Strip:
    """A bar on the left: what is due to it, and what of that each arm on the right carries."""

    label: str
    due: float
    carried: np.ndarray

    @property
    def unheard(self) -> float:
        """The part of its share that no favourite has room for."""
        lack = self.due - float(self.carried.sum())
        return lack if lack > tolerances.FAIR * self.due else 0.0


@dataclass(frozen=True, eq=False)
class Flows:
    """What the picture shows: strips on the left in an order that crosses little, and arms on the right."""

    strips: list[Strip]
    arms: list[str]
    chances: np.ndarray


def flows(report: Audit) -> Flows:
    """The `Flows` of an audit: agents, or in a crowd types, and the arms that anyone gets or lacks.

    >>> import isegoria as iso
    >>> shown = flows(iso.audit(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "milk"]), [0.8, 0.2]))
    >>> [strip.label for strip in shown.strips], shown.arms
    (['Agent 1', 'Agent 2', 'Agent 3'], ['tea', 'milk'])
    """
    labels, due, carried, wants = _fewest(*_left(report))
    weight = np.where(carried.any(axis=1, keepdims=True), carried, wants)
    middle = weight @ np.arange(report.policy.size) / weight.sum(axis=1)
    arms, chances, carried = _right(report, carried)
    order = np.argsort(middle, kind="stable")
    return Flows([Strip(labels[i], float(due[i]), carried[i]) for i in order], arms, chances)


def _left(report: Audit) -> Any:
    """Labels, shares, carried (n, K) and wanted (n, K) of every agent, or in a crowd of every type."""
    instance, told = report.instance, report.scores.voice
    if len(instance.agents) <= CROWD:
        return list(instance.agents), instance.weights / instance.total_weight, told.y, instance.favourites
    types = instance.favourite_types
    labels = [
        f"{counted(int(weight), 'agent')}: {_favourites([instance.arms[k] for k in np.flatnonzero(row).tolist()])}"
        for weight, row in zip(types.weights, types.rows, strict=True)
    ]
    return labels, types.weights / instance.total_weight, told.by_type, types.rows


def _favourites(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    first, second = (shorten(name, LONGEST_LABEL // 3) for name in names[:2])
    return f"{first} or {second}" if len(names) == 2 else f"{first}, {second}, …"


def _fewest(labels: Any, due: Any, carried: Any, wants: Any) -> Any:
    """The same, with the least of too many put together: those heard in full, and those that are not."""
    if len(labels) <= MOST_STRIPS:
        return labels, due, carried, wants
    unheard = due - carried.sum(axis=1)
    unheard = np.where(unheard > tolerances.FAIR * due, unheard, 0)
    first = np.lexsort([-due, -unheard])[: MOST_STRIPS - 2]
    kept = np.sort(first[(unheard[first] > 0) | (due[first] >= WORTH_A_LABEL)])
    rest = np.setdiff1d(np.arange(len(labels)), kept)
    parts = {"other groups": rest[unheard[rest] == 0], "neglected groups": rest[unheard[rest] > 0]}
    parts = {name: part for name, part in parts.items() if len(part)}
    return (
        [*(labels[i] for i in kept), *(f"{len(part)} {name}" for name, part in parts.items())],
        np.concatenate([due[kept], [due[part].sum() for part in parts.values()]]),
        np.vstack([carried[kept], *(carried[part].sum(axis=0) for part in parts.values())]),
        np.vstack([wants[kept], *(wants[part].any(axis=0) for part in parts.values())]),
    )


def _right(report: Audit, carried: np.ndarray) -> Any:
    """Names and chances of the arms shown: those with a chance, or wanted by the neglected; the least put together."""
    policy, names = report.policy, report.instance.arms
    lacking = report.neglected.wanted if report.neglected else np.zeros(policy.size, bool)
    shown = np.flatnonzero((policy > 0) | lacking)
    if len(shown) <= MOST_STRIPS:
        return [names[k] for k in shown.tolist()], policy[shown], carried[:, shown]
    kept = np.sort(shown[np.argsort(-policy[shown], kind="stable")[: MOST_STRIPS - 1]])
    rest = np.setdiff1d(shown, kept)
    return (
        [*(names[k] for k in kept), f"{len(rest)} other arms"],
        np.append(policy[kept], policy[rest].sum()),
        np.hstack([carried[:, kept], carried[:, rest].sum(axis=1, keepdims=True)]),
    )


def left_label(strip: Strip) -> str:
    """A strip's name with what is due, or what it gets of that."""
    if not strip.unheard:
        return f"{shorten(strip.label)}  {amounts(strip.due)[0]}"
    got, due = amounts(float(strip.carried.sum()), strip.due)
    return f"{shorten(strip.label)}  {got if float(got) else 0} of {due}"


def shorten(name: str, longest: int = LONGEST_LABEL) -> str:
    """A name that fits beside a bar."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"

"""The strips of the figure of voices: who is on the left, which arms are on the right, and how many are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.analysis.audit import Audit
from isegoria.analysis.audit_text import MAX_NAMED_AGENTS
from isegoria.utils import tolerances
from isegoria.utils.formatting import format_probabilities, pluralise

MAX_STRIPS = 18
"""Maximum number of labels that fit in a column of a page; with more, the smallest strips are merged."""
MIN_LABELLED_SHARE = 1 / 40
"""If there are too many strips, a group that is heard in full has its own strip only if its share is at least this."""
MAX_LABEL_LENGTH = 26


@dataclass(frozen=True, eq=False)
class FlowStrip:
    """A bar on the left: its `due` share, and how much of that each arm on the right carries."""

    label: str
    due: float
    carried: np.ndarray

    @property
    def unheard(self) -> float:
        """The part of its share that no favourite has room for."""
        lack = self.due - float(self.carried.sum())
        return lack if lack > tolerances.FAIRNESS_GAP * self.due else 0.0


@dataclass(frozen=True, eq=False)
class VoiceFlows:
    """The contents of the figure: strips on the left, in an order with few crossings, and arms on the right."""

    strips: list[FlowStrip]
    arms: list[str]
    chances: np.ndarray


def compute_flows(report: Audit) -> VoiceFlows:
    """Compute the `VoiceFlows` of an audit: agents, or in a crowd agent types, and the arms that anyone gets or lacks.

    >>> import isegoria as iso
    >>> shown = compute_flows(iso.audit(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "milk"]), [0.8, 0.2]))
    >>> [strip.label for strip in shown.strips], shown.arms
    (['Agent 1', 'Agent 2', 'Agent 3'], ['tea', 'milk'])
    """
    labels, due, carried, wants = _merge_small_strips(*_agent_strips(report))
    weight = np.where(carried.any(axis=1, keepdims=True), carried, wants)
    middle = weight @ np.arange(report.policy.size) / weight.sum(axis=1)
    arms, chances, carried = _arm_strips(report, carried)
    order = np.argsort(middle, kind="stable")
    return VoiceFlows([FlowStrip(labels[i], float(due[i]), carried[i]) for i in order], arms, chances)


def _agent_strips(report: Audit) -> Any:
    """Return labels, shares, carried (n, K) and wanted (n, K) of every agent, or in a crowd of every type."""
    instance, told = report.instance, report.scores.attribution
    if len(instance.agents) <= MAX_NAMED_AGENTS:
        return list(instance.agents), instance.weights / instance.total_weight, told.y, instance.favourites
    types = instance.favourite_types
    labels = [
        f"{pluralise(int(weight), 'agent')}: {_favourites([instance.arms[k] for k in np.flatnonzero(row).tolist()])}"
        for weight, row in zip(types.weights, types.rows, strict=True)
    ]
    return labels, types.weights / instance.total_weight, told.by_type, types.rows


def _favourites(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    first, second = (shorten_label(name, MAX_LABEL_LENGTH // 3) for name in names[:2])
    return f"{first} or {second}" if len(names) == 2 else f"{first}, {second}, …"


def _merge_small_strips(labels: Any, due: Any, carried: Any, wants: Any) -> Any:
    """Merge the smallest strips if there are too many: one for those heard in full, one for the others."""
    if len(labels) <= MAX_STRIPS:
        return labels, due, carried, wants
    unheard = due - carried.sum(axis=1)
    unheard = np.where(unheard > tolerances.FAIRNESS_GAP * due, unheard, 0)
    first = np.lexsort([-due, -unheard])[: MAX_STRIPS - 2]
    kept = np.sort(first[(unheard[first] > 0) | (due[first] >= MIN_LABELLED_SHARE)])
    rest = np.setdiff1d(np.arange(len(labels)), kept)
    parts = {"other groups": rest[unheard[rest] == 0], "neglected groups": rest[unheard[rest] > 0]}
    parts = {name: part for name, part in parts.items() if len(part)}
    return (
        [*(labels[i] for i in kept), *(f"{len(part)} {name}" for name, part in parts.items())],
        np.concatenate([due[kept], [due[part].sum() for part in parts.values()]]),
        np.vstack([carried[kept], *(carried[part].sum(axis=0) for part in parts.values())]),
        np.vstack([wants[kept], *(wants[part].any(axis=0) for part in parts.values())]),
    )


def _arm_strips(report: Audit, carried: np.ndarray) -> Any:
    """Return names, chances and carried shares of the arms shown; merge the least likely if there are too many.

    Shown are the arms with a positive chance and those that the neglected want.
    """
    policy, names = report.policy, report.instance.arms
    lacking = report.neglected_coalition.wanted if report.neglected_coalition else np.zeros(policy.size, bool)
    shown = np.flatnonzero((policy > 0) | lacking)
    if len(shown) <= MAX_STRIPS:
        return [names[k] for k in shown.tolist()], policy[shown], carried[:, shown]
    kept = np.sort(shown[np.argsort(-policy[shown], kind="stable")[: MAX_STRIPS - 1]])
    rest = np.setdiff1d(shown, kept)
    return (
        [*(names[k] for k in kept), f"{len(rest)} other arms"],
        np.append(policy[kept], policy[rest].sum()),
        np.hstack([carried[:, kept], carried[:, rest].sum(axis=1, keepdims=True)]),
    )


def format_strip_label(strip: FlowStrip) -> str:
    """Format a strip's name with the share due, or with how much of it the strip gets."""
    if not strip.unheard:
        return f"{shorten_label(strip.label)}  {format_probabilities(strip.due)[0]}"
    got, due = format_probabilities(float(strip.carried.sum()), strip.due)
    return f"{shorten_label(strip.label)}  {got if float(got) else 0} of {due}"


def shorten_label(name: str, longest: int = MAX_LABEL_LENGTH) -> str:
    """Shorten a name to fit beside a bar."""
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"

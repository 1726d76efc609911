"""What the explorer says of a table: plain data, equal to the command line's JSON, and what its pictures need."""

from __future__ import annotations

from typing import Any

from isegoria.auditing import audit, sentences
from isegoria.comparison import compare
from isegoria.errors import InputError
from isegoria.figures.flows import flows
from isegoria.instance import Instance
from isegoria.price import frontier
from isegoria.service.explorer.uploads import Upload
from isegoria.stability import core
from isegoria.wording import SCORES

MOST_SHOWN = 60
"""So many agents of a table are listed on the page; all of them count."""
CORE_SECONDS = 5.0


def facts(table: Upload) -> dict[str, Any]:
    """Who and what is in the table, and how it was read."""
    instance = table.instance
    return {
        "table": table.id,
        "name": table.name,
        "notes": list(table.notes),
        "agents": instance.total_weight,
        "rows": len(instance.agents),
        "arms": list(instance.arms),
        "preview": [
            {"agent": instance.agents[i], "weight": int(instance.weights[i]), "means": _row(instance, i)}
            for i in range(min(len(instance.agents), MOST_SHOWN))
        ],
    }


def _row(instance: Instance, i: int) -> list[float]:
    row = instance.means[i]
    return (row.toarray().ravel() if hasattr(row, "toarray") else row).tolist()


def compared(instance: Instance, tie_break: str | None = None) -> dict[str, Any]:
    """The six policies with their scores, as `isegoria compare --format json` has them."""
    return compare(instance, tie_break=tie_break).to_dict()


def lottery(instance: Instance, policy: list[float]) -> dict[str, Any]:
    """Any lottery: its scores, who is heard, where each voice went, and who is neglected."""
    report = audit(instance, _policy(instance, policy))
    group, shown = report.neglected, flows(report)
    return {
        "policy": report.policy.tolist(),
        "scores": {name: getattr(report.scores, name) for name in SCORES},
        "fair": report.fair,
        "neglected": group and {
            "agents": list(group.agents), "arms": list(group.arms),
            "deserves": group.deserves, "receives": group.receives,
        },
        "sentences": sentences.fairness(report.scores.procedural, group),
        "voices": list(report.voices[:MOST_SHOWN]),
        "flow": {
            "arms": shown.arms,
            "chances": shown.chances.tolist(),
            "strips": [
                {"label": strip.label, "due": strip.due, "unheard": strip.unheard, "carried": strip.carried.tolist()}
                for strip in shown.strips
            ],
        },
    }  # fmt: skip


def priced(instance: Instance, axis: str = "utilitarian") -> dict[str, Any]:
    """What equal voice costs: the curve, as `isegoria frontier --format json` has it."""
    curve = frontier(instance, axis)
    return {"axis": curve.axis, "points": curve.rows()}


def stable(instance: Instance, policy: list[float]) -> dict[str, Any]:
    """Could a group do better by leaving with its share: both verdicts, each with its sentence and its proof."""
    checked = _policy(instance, policy)
    verdicts = {kind: core(instance, checked, kind, time_limit=CORE_SECONDS) for kind in ("procedural", "outcome")}
    return {
        kind: {
            "stable": verdict.stable,
            "proof": verdict.proof,
            "bound": verdict.bound,
            "coalition": None if verdict.agents is None else list(verdict.agents),
            "deviation": None if verdict.deviation is None else verdict.deviation.tolist(),
            "sentence": sentences.stability(instance, verdict),
        }
        for kind, verdict in verdicts.items()
    }


def _policy(instance: Instance, policy: Any) -> list[float]:
    """A lottery from a page: weights that are not all 0, brought to the sum 1."""
    numbers = isinstance(policy, list) and all(type(p) in (int, float) and 0 <= p <= 1e9 for p in policy)
    if not numbers or len(policy) != len(instance.arms) or not sum(policy) > 0:
        raise InputError(
            f"a lottery is a list of {len(instance.arms)} chances, one for each arm, from 0 up and not all 0."
        )
    total = sum(policy)
    return [p / total for p in policy]

"""Analyses of a table in the explorer: plain data, equal to the command line's JSON, and chart data."""

from __future__ import annotations

from typing import Any

from isegoria.analysis import audit_text
from isegoria.analysis.audit import audit
from isegoria.analysis.comparison import compare
from isegoria.analysis.core import core
from isegoria.analysis.frontier import frontier
from isegoria.errors import InputError
from isegoria.figures.voice_flows import compute_flows
from isegoria.profiles import Instance
from isegoria.service.explorer.uploads import Upload
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.messages import Message

MAX_AGENTS_LISTED = 60
"""Maximum number of agents that the page lists; the results include all agents of the table."""
CORE_TIMEOUT_SECONDS = 5.0


def describe_table(table: Upload) -> dict[str, Any]:
    """Return the agents and arms of a table, and how it was read."""
    instance = table.instance
    return {
        "table": table.id,
        "name": table.name,
        "notes": list(table.notes),
        "agents": instance.total_weight,
        "rows": len(instance.agents),
        "arms": list(instance.arms),
        "preview": [
            {"agent": instance.agents[i], "weight": int(instance.weights[i]), "means": _get_row(instance, i)}
            for i in range(min(len(instance.agents), MAX_AGENTS_LISTED))
        ],
    }


def list_ratings(instance: Instance) -> dict[str, Any]:
    """Return a whole table, as the page that needs no installation takes it."""
    return {
        "arms": list(instance.arms),
        "agents": [str(name) for name in instance.agents],
        "weights": [int(weight) for weight in instance.weights],
        "means": [_get_row(instance, i) for i in range(len(instance.agents))],
    }


def _get_row(instance: Instance, i: int) -> list[float]:
    row = instance.means[i]
    return (row.toarray().ravel() if hasattr(row, "toarray") else row).tolist()


def compare_rules(instance: Instance, tie_break: Any = None) -> dict[str, Any]:
    """Return the six policies with their scores, as `isegoria compare --format json` does."""
    return compare(instance, tie_break=tie_break).to_dict()


def audit_policy(instance: Instance, policy: list[float]) -> dict[str, Any]:
    """Audit a policy: its scores, each agent's decision share, the flow of voices, and the neglected group."""
    report = audit(instance, _parse_policy(instance, policy))
    group, shown = report.neglected_coalition, compute_flows(report)
    return {
        "policy": report.policy.tolist(),
        "scores": {name: getattr(report.scores, name) for name in SCORE_LABELS},
        "fair": report.is_fair,
        "neglected": group
        and {
            "agents": list(group.agents),
            "arms": list(group.arms),
            "deserves": group.deserves,
            "receives": group.receives,
        },
        "sentences": audit_text.describe_fairness(report.instance, report.scores.procedural, group),
        "voices": list(report.agent_sentences[:MAX_AGENTS_LISTED]),
        "flow": {
            "arms": shown.arms,
            "chances": shown.chances.tolist(),
            "strips": [
                {"label": strip.label, "due": strip.due, "unheard": strip.unheard, "carried": strip.carried.tolist()}
                for strip in shown.strips
            ],
        },
    }


def compute_price_curve(instance: Instance, axis: Any = "utilitarian") -> dict[str, Any]:
    """Compute the price of equal voice as a curve, as `isegoria frontier --format json` does."""
    curve = frontier(instance, axis)
    return curve.to_dict()


def check_core(instance: Instance, policy: list[float]) -> dict[str, Any]:
    """Check whether a coalition could gain by leaving with its share; return both verdicts with sentence and proof."""
    checked = _parse_policy(instance, policy)
    verdicts = {
        "procedural": core(instance, checked, "shares", time_limit=CORE_TIMEOUT_SECONDS),
        "outcome": core(instance, checked, "utilities", time_limit=CORE_TIMEOUT_SECONDS),
    }
    return {
        kind: {
            "stable": verdict.stable,
            "proof": verdict.proof,
            "bound": verdict.bound,
            "coalition": None if verdict.agents is None else list(verdict.agents),
            "deviation": None if verdict.deviation is None else verdict.deviation.tolist(),
            "sentence": audit_text.describe_core(instance, verdict),
        }
        for kind, verdict in verdicts.items()
    }


def _parse_policy(instance: Instance, policy: Any) -> list[float]:
    """Validate a policy from a page: non-negative weights, not all 0; return them scaled to the sum 1."""
    numbers = isinstance(policy, list) and all(type(p) in (int, float) and 0 <= p <= 1e9 for p in policy)
    if not numbers or len(policy) != len(instance.arms) or not sum(policy) > 0:
        raise InputError(Message("lottery_list_chances_each_arm_up", count=len(instance.arms)))
    total = sum(policy)
    return [p / total for p in policy]

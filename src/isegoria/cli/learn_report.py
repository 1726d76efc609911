"""The output of `isegoria learn`: the outcome of a run as data, and as a text for people."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from isegoria.cli.render import format_table, truncate_name
from isegoria.learning.regret_bounds import RegretBounds
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS, format_number

MAX_LISTED_AGENTS = 12
"""Agents shown one by one; of more, those who waited longest."""


def to_data(trace: Trace, instance: Instance, theory: RegretBounds | None) -> dict[str, Any]:
    """Return the result as plain data: what was learned, what it cost, and what the theory says, if anything."""
    return {
        "learner": trace.about["learner"],
        "policy": trace.policy,
        "scores": dict(zip(SCORE_LABELS, trace.scores[-1].tolist(), strict=True)),
        "fair_policy": _solve_fair_policy(instance),
        "played": trace.frequencies,
        "regret": trace.regret,
        "wrong_policies": trace.wrong_policies,
        "voice_lost": trace.voice_lost,
        "longest_wait": trace.longest_wait.tolist(),
        "resolved_at": trace.resolved_at.tolist(),
        "played_scores": _score_played_arms(trace, instance),
        "last_mismatch": trace.last_mismatch,
        "exploring_rounds": trace.exploring_rounds,
        "patterns": trace.patterns,
        "regrets": {name: float(curve[-1]) for name, curve in trace.regrets.items()},
        "realised_voice": trace.realised_voice.tolist(),
        "bounds": theory
        and {
            **{name: value for name, value in asdict(theory).items() if name not in ("agents", "arms", "rounds")},
            "regret": theory.regret,
            "recovery_probability": theory.recovery_probability,
            "vacuous": theory.vacuous,
        },
    }


def format_report(trace: Trace, instance: Instance, theory: RegretBounds | None, headline: str) -> str:
    """Format the report: a headline, plain sentences, the policy, and observed values beside the theory."""
    parts = [
        "\n".join(_format_summary(trace)),
        _format_agents(trace, instance),
        _format_policies(trace, instance),
        _format_theory(trace, theory),
    ]
    return "\n\n".join([headline, *parts])


def _format_summary(trace: Trace) -> list[str]:
    last, rounds = trace.last_mismatch, trace.rounds[-1]
    if last < rounds:
        known = f"From round {last + 1:,} on, the favourites of all agents were known, and stayed so to the end."
    else:
        known = "At the end, the favourites of some agent were still not known exactly; more rounds would tell."
    score = trace.scores[-1, 0]
    fair = (
        "gives every agent an equal voice"
        if score >= 1 - tolerances.FAIRNESS_GAP
        else f"carries {score:.1%} of all voices"
    )
    worst = int(np.argmin(trace.realised_voice))
    explored = f"; {trace.exploring_rounds:,} rounds were spent on exploring" if trace.exploring_rounds else ""
    return [
        known,
        f"The learned policy {fair}{explored}.",
        f"Least heard while learning: {truncate_name(trace.agent_names[worst])}, who saw a favourite in "
        f"{trace.realised_voice[worst]:.1%} of the rounds.",
        *_format_doubt(trace),
    ]


def _format_doubt(trace: Trace) -> list[str]:
    """Say how many agents are in doubt at the end, for a learner that reports it."""
    if trace.about["learner"] != "elimination":
        return []
    doubters = int((trace.resolved_at < 0).sum())
    cost = "; their doubt costs nobody else anything" if doubters and not trace.about["settings"]["lend"] else ""
    return [f"In doubt: {doubters} of {len(trace.resolved_at)}{cost}."]


def _format_agents(trace: Trace, instance: Instance) -> str:
    """Format what each agent was due and saw; with many agents, only those who waited longest."""
    due = instance.weights / instance.weights.sum()
    resolves = trace.about["learner"] == "elimination"
    order = np.argsort(-trace.longest_wait, kind="stable")
    chosen = np.sort(order[:MAX_LISTED_AGENTS]) if len(order) > MAX_LISTED_AGENTS else np.arange(len(order))
    rows = []
    for i in chosen.tolist():
        at = int(trace.resolved_at[i])
        cells = [format_number(due[i]), format_number(trace.realised_voice[i]), f"{trace.longest_wait[i]:,}"]
        cells += [f"{at:,}" if at >= 0 else "in doubt"] if resolves else []
        rows.append([truncate_name(trace.agent_names[i]), *cells])
    heads = ["agent", "due", "played", "longest wait", *(["resolved at"] if resolves else [])]
    others = len(order) - len(chosen)
    return format_table(heads, rows) + (f"\n(those who waited longest; {others:,} others)" if others else "")


def _format_policies(trace: Trace, instance: Instance) -> str:
    rows = zip(instance.arms, trace.policy, _solve_fair_policy(instance), trace.frequencies, strict=True)
    scores = "   ".join(
        f"{name} {format_number(value)}" for name, value in zip(SCORE_LABELS, trace.scores[-1], strict=True)
    )
    return (
        format_table(
            ["arm", "learned", "fair", "played"],
            [[truncate_name(arm), *map(format_number, numbers)] for arm, *numbers in rows],
        )
        + f"\nscores of the learned policy: {scores}"
        + "\nscores of the arms as played: "
        + "   ".join(f"{name} {format_number(value)}" for name, value in _score_played_arms(trace, instance).items())
    )


def _format_theory(trace: Trace, theory: RegretBounds | None) -> str:
    """Format what happened, what the theory says about it, and how certain the theory is."""
    if theory is None:
        lost = f"voice lost {trace.voice_lost:,.1f} rounds, PF regret {trace.regret:,}"
        whose = "for an alpha from 1 up" if trace.about["learner"] == "procedural" else "about Algorithm 1"
        return f"{lost}. Theorem 2 is {whose}, and says nothing here."
    known = f"{trace.last_mismatch + 1:,}" if trace.last_mismatch < theory.rounds else "not yet"
    forced = min(theory.arms, theory.rounds)
    rows = [
        ["voice lost T(1 − PF as played)", f"{trace.voice_lost:,.1f}", ""],
        ["favourites known from round", known, f"{_format_count(theory.recovery_round)} (τ0)"],
        ["PF regret", f"{trace.regret:,}", f"at most {_format_count(theory.regret)}"],
        ["  forced rounds", f"{forced:,}", f"{_format_count(theory.terms[0])} (K)"],
        ["  rounds with a wrong set", f"{trace.regret - forced:,}", f"at most {_format_count(theory.terms[2])}"],
        ["rounds with an unfair policy", f"{trace.wrong_policies or 0:,}", "no more than PF regret"],
        ["exploring rounds", f"{trace.exploring_rounds:,}", f"{theory.expected_exploring:,.0f} expected"],
        ["pulls of the rarest arm", f"{trace.pulls[-1].min():,}", f"{_format_count(theory.samples)} by τ0 (m_τ0)"],
        ["confidence radius from τ0 on", "", f"at most {theory.radius:.3g}"],
    ]
    return "\n".join([format_table(["", "happened", "theory"], rows), *_format_confidence(theory)])


def _format_confidence(theory: RegretBounds) -> list[str]:
    rates = ", ".join(_format_count(rate) for rate in theory.rates)
    lines = [
        f"Sure with probability {theory.recovery_probability:.9g}: the means may leave their intervals with "
        f"{theory.concentration_failure:.1e}, an arm may lack pulls with {theory.count_failure:.1e}.",
        f"More than {theory.exploring_limit:,.0f} exploring rounds happen with probability at most "
        f"e^-{theory.expected_exploring / 3:,.0f}.",
        f"The three terms of the theorem without constants: {rates}.",
    ]
    if theory.vacuous:
        lines.append("τ0 lies beyond the run, so here the theorem promises nothing; practice is kinder.")
    return lines


def _score_played_arms(trace: Trace, instance: Instance) -> dict[str, float]:
    """Compute the three scores of the arms as played, exploration included."""
    from isegoria.analysis.scores import score

    scores = score(instance, trace.frequencies)
    return {name: float(getattr(scores, name)) for name in SCORE_LABELS}


def _solve_fair_policy(instance: Instance) -> np.ndarray:
    from isegoria.rules import solve

    return solve(instance, "procedural").policy


def _format_count(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:,.0f}"

"""What `isegoria learn` tells: the outcome of a run as data, and as a page that a person understands."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.cli.render import short, table
from isegoria.instance import Instance
from isegoria.learning.bounds import Bounds
from isegoria.learning.runs.trace import Trace
from isegoria.wording import SCORES, rounded


def outcome(trace: Trace, instance: Instance, theory: Bounds | None) -> dict[str, Any]:
    """The result as plain data: what was learned, what it cost, and what theory says, where it says anything."""
    return {
        "learner": trace.about["learner"],
        "policy": trace.policy,
        "scores": dict(zip(SCORES, trace.scores[-1].tolist(), strict=True)),
        "fair_policy": _fair(instance),
        "played": trace.frequencies,
        "regret": trace.regret,
        "wrong_policies": trace.wrong_policies,
        "voice_regret": trace.voice_regret,
        "played_scores": _as_played(trace, instance),
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


def text(trace: Trace, instance: Instance, theory: Bounds | None, headline: str) -> str:
    """The page: a headline, plain sentences, the policy, and practice beside theory."""
    return "\n\n".join([headline, "\n".join(_sentences(trace)), _policies(trace, instance), _beside(trace, theory)])


def _sentences(trace: Trace) -> list[str]:
    last, rounds = trace.last_mismatch, trace.rounds[-1]
    if last < rounds:
        known = f"From round {last + 1:,} on, the favourites of all agents were known, and stayed so to the end."
    else:
        known = "At the end, the favourites of some agent were still not known exactly; more rounds would tell."
    score = trace.scores[-1, 0]
    fair = "gives every agent an equal voice" if score >= 1 - tolerances.FAIR else f"carries {score:.1%} of all voices"
    worst = int(np.argmin(trace.realised_voice))
    return [
        known,
        f"The learned policy {fair}; {trace.exploring_rounds:,} rounds were spent on exploring.",
        f"Least heard while learning: {short(trace.agent_names[worst])}, who saw a favourite in "
        f"{trace.realised_voice[worst]:.1%} of the rounds.",
    ]


def _policies(trace: Trace, instance: Instance) -> str:
    rows = zip(instance.arms, trace.policy, _fair(instance), trace.frequencies, strict=True)
    scores = "   ".join(f"{name} {rounded(value)}" for name, value in zip(SCORES, trace.scores[-1], strict=True))
    return (
        table(["arm", "learned", "fair", "played"], [[short(arm), *map(rounded, numbers)] for arm, *numbers in rows])
        + f"\nscores of the learned policy: {scores}"
        + "\nscores of the arms as played: "
        + "   ".join(f"{name} {rounded(value)}" for name, value in _as_played(trace, instance).items())
    )


def _beside(trace: Trace, theory: Bounds | None) -> str:
    """What happened, what theory says of it, and how sure theory is."""
    if theory is None:
        regrets = f"PF regret {trace.regret:,}, voice regret {trace.voice_regret:,.1f}"
        return f"{regrets}. Theorem 2 is for an alpha from 1 up, and says nothing here."
    known = f"{trace.last_mismatch + 1:,}" if trace.last_mismatch < theory.rounds else "not yet"
    forced = min(theory.arms, theory.rounds)
    rows = [
        ["favourites known from round", known, f"{_count(theory.recovery_round)} (τ0)"],
        ["PF regret", f"{trace.regret:,}", f"at most {_count(theory.regret)}"],
        ["  forced rounds", f"{forced:,}", f"{_count(theory.terms[0])} (K)"],
        ["  rounds with a wrong set", f"{trace.regret - forced:,}", f"at most {_count(theory.terms[2])}"],
        ["rounds with an unfair policy", f"{trace.wrong_policies or 0:,}", "no more than PF regret"],
        ["voice regret Σ (1 − PF)", f"{trace.voice_regret:,.1f}", "no more than that"],
        ["exploring rounds", f"{trace.exploring_rounds:,}", f"{theory.expected_exploring:,.0f} expected"],
        ["pulls of the rarest arm", f"{trace.pulls[-1].min():,}", f"{_count(theory.samples)} by τ0 (m_τ0)"],
        ["confidence radius from τ0 on", "", f"at most {theory.radius:.3g}"],
    ]
    return "\n".join([table(["", "happened", "theory"], rows), *_how_sure(theory)])


def _how_sure(theory: Bounds) -> list[str]:
    rates = ", ".join(_count(rate) for rate in theory.rates)
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


def _as_played(trace: Trace, instance: Instance) -> dict[str, float]:
    """The three scores of the arms as they were played, exploration included."""
    from isegoria.scores import score

    scores = score(instance, trace.frequencies)
    return {name: float(getattr(scores, name)) for name in SCORES}


def _fair(instance: Instance) -> np.ndarray:
    from isegoria.rules import solve

    return solve(instance, "procedural").policy


def _count(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:,.0f}"

"""The numbers by which claims are judged, each under one name: computed from the tables of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from isegoria.analysis.scores import score_batch
from isegoria.datasets import load_dots_sample
from isegoria.learning.regret_bounds import regret_bounds
from isegoria.profiles import Instance
from isegoria.rules import RULES
from isegoria.rules.builtin.inequality import arm_inequalities
from isegoria.studies import published_tables
from isegoria.studies.claims.group_scores import PAPER_RULES, Columns, ScoredGroups
from isegoria.studies.dots_learning import LEARNING_ALPHA, LEARNING_GAMMA
from isegoria.studies.dots_voters import DotsStudy
from isegoria.studies.policy_scores import compute_policies, resolve_tie_break
from isegoria.studies.regret_rate.slopes import Slope
from isegoria.utils.formatting import SCORE_LABELS

Numbers = dict[str, float]

OUTCOME_LABELS = ("IM", "UT", "EG", "NSW", "GGI")
ERODING_LABELS = ("UT", "EG", "NSW", "GGI")
BOUND_GAMMAS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Values of γ for which we check whether the bound says anything about the paper's 100,000 rounds."""


def numbers_from_groups(groups: ScoredGroups, tables: Mapping[str, Columns]) -> Numbers:
    """Return the numbers of the synthetic groups, by policy and score."""
    found: Numbers = {"groups": len(groups.cells), "trivial": float(groups.trivial.sum())}
    relative = tables["relative"]
    for row, label in enumerate(map(to_identifier, relative["policy"])):
        found |= {f"raw.{label}.{name}": relative[name][row] for name in SCORE_LABELS}
        found |= {f"relative.{label}.{name}": relative[f"relative_{name}"][row] for name in SCORE_LABELS}
        found |= {f"{name}.{label}": relative[name][row] for name in ("least", "raw_least", "best", "raw_best")}
        spread = groups.scores[:, row].std(axis=0, ddof=1) if len(groups.cells) > 1 else np.zeros(len(SCORE_LABELS))
        found |= {f"sd.{label}.{name}": float(spread[place]) for place, name in enumerate(SCORE_LABELS)}
    found |= {f"floor.{name}": float(groups.floors[:, place].mean()) for place, name in enumerate(SCORE_LABELS)}
    fair = groups.scores[:, groups.of("PF")]
    found |= {f"lowest.PF.{name}": float(fair[:, place].min()) for place, name in enumerate(SCORE_LABELS)}
    return (
        found
        | _differences(tables["differences"])
        | _numbers_by_phi(tables["breakdown"], tables["distances"])
        | {
            "single.UT.procedural": _look_up(tables["breakdown"], "favourites", "1", "UT", "procedural"),
            "single.PF.utilitarian": _look_up(tables["breakdown"], "favourites", "1", "PF", "utilitarian"),
            "nontrivial.UT.procedural": float(groups.scores[~groups.trivial, groups.of("UT"), 0].mean()),
            "drop.sd": min(found[f"sd.{label}.procedural"] for label in OUTCOME_LABELS),
        }
        | _count_table1_agreement(found)
    )


def to_identifier(label: str) -> str:
    """Return a label that is valid in the name of a number."""
    return label.replace("|", "in")


def _differences(table: Columns) -> Numbers:
    """Return ends of the paired intervals of PF minus another policy."""
    ends = {
        (measure, other): (low, high)
        for measure, other, low, high in zip(table["measure"], table["minus"], table["low"], table["high"], strict=True)
    }
    return {
        "drop.low": min(ends["procedural", other][0] for other in OUTCOME_LABELS),
        "balance.raw.low": min(ends["raw_least", other][0] for other in OUTCOME_LABELS),
        "balance.relative.low": min(ends["least", other][0] for other in OUTCOME_LABELS),
        "balance.fair.high": ends["least", "UT|PF"][1],
        "balance.fair.low": ends["least", "UT|PF"][0],
        "loss.uniform.high": ends["equality", "UNI"][1],
    }


def _look_up(table: Columns, by: str, value: str, policy: str, name: str) -> float:
    rows = zip(table["by"], table["value"], table["policy"], strict=True)
    return next((float(table[name][row]) for row, what in enumerate(rows) if what == (by, value, policy)), math.nan)


def _numbers_by_phi(table: Columns, distances: Columns) -> Numbers:
    """Return the changes of means from the smallest to the largest φ, and distances of PF's policy at each φ."""
    models = [model for model in distances["model"] if model.startswith("mallows")]
    course = {
        (label, name): [_look_up(table, "model", model, label, name) for model in models]
        for label in ("PF", *OUTCOME_LABELS)
        for name in (*SCORE_LABELS, *(f"relative_{one}" for one in SCORE_LABELS))
    }
    moved = {key: values[-1] - values[0] for key, values in course.items()}
    spread = {key: max(values) - min(values) for key, values in course.items()}
    found = {
        "phi.outcome.most": max(
            spread[label, name] for label in ("PF", *OUTCOME_LABELS) for name in tuple(SCORE_LABELS)[1:]
        ),
        "phi.voice.least": min(spread[label, "procedural"] for label in OUTCOME_LABELS),
        "phi.eroded.least": min(-moved[label, "procedural"] for label in ERODING_LABELS),
        "phi.im.first": course["IM", "procedural"][0],
        "phi.im.last": course["IM", "procedural"][-1],
        "phi.im.grown": moved["IM", "procedural"],
        "phi.pf.raw": max(spread["PF", name] for name in tuple(SCORE_LABELS)[1:]),
        "phi.pf.relative": max(spread["PF", f"relative_{name}"] for name in tuple(SCORE_LABELS)[1:]),
    }
    for pair in ("UT", "NSW"):
        apart = dict(zip(distances["model"], distances[f"PF_{pair}"], strict=True))
        found |= {f"apart.{pair}.{place}": apart[model] for place, model in enumerate(models)}
    return found


def _count_table1_agreement(found: Numbers) -> Numbers:
    """Count the printed means and standard deviations that are within the range of our seeds."""
    agree = {"mean": 0, "sd": 0}
    for id in PAPER_RULES:
        label = RULES[id].label
        for place, name in enumerate(SCORE_LABELS):
            for statistic, printed in zip(("mean", "sd"), published_tables.PAPER_TABLE1[id][place], strict=True):
                ours = found[f"{'raw' if statistic == 'mean' else 'sd'}.{label}.{name}"]
                agree[statistic] += published_tables.agrees_with_paper(
                    printed, ours, (resolve_tie_break(id), label, name, statistic)
                )
    return {"table1.means": float(agree["mean"]), "table1.sds": float(agree["sd"]), "nash.sd": found["sd.NSW.equality"]}


def numbers_from_dots(study: DotsStudy) -> Numbers:
    """Return the numbers of the 50 voters and of the other samples."""
    sample = load_dots_sample()
    scores = score_batch([sample], compute_policies([sample]))[0]
    printed = np.array([published_tables.PAPER_TABLE2[id] for id in PAPER_RULES])
    lowest, others = scores.min(axis=1), study.others.min(axis=2)
    return {
        "table2.agree": float((scores.round(2) == printed).sum()),
        "dots.pf.least": float(lowest[0]),
        "dots.pf.rounded": float(scores[0].round(2).min()),
        "dots.others.least": float(lowest[1:].max()),
        "dots.others.voice": float(scores[1:, 0].max()),
        "dots.ut.procedural": float(scores[2, 0]),
        "dots.samples": float(len(others)),
        "dots.won": float((others[:, 0] >= others.max(axis=1) - 1e-9).mean()),
        "dots.pf.usual": float(others[:, 0].mean()),
    }


def numbers_from_runs(runs: Columns, by_setting: Columns, rounds: int) -> Numbers:
    """Return the numbers of Algorithm 1 on the Dots voters."""
    papers = [
        row
        for row, pair in enumerate(zip(runs["gamma"], runs["alpha"], strict=True))
        if pair == (LEARNING_GAMMA, LEARNING_ALPHA)
    ]
    found: Numbers = {
        "learn.seeds": float(len(papers)),
        "learn.fair": min(runs["learned"][row] for row in papers),
        "learn.late": max(runs["late"][row] for row in papers),
        "learn.exploring": max(runs["exploring_times_expected"]),
        "learn.pulls": min(runs["pulls_times_expected"]),
        "learn.bound": max(regret / bound for regret, bound in zip(runs["regret"], runs["bound"], strict=True)),
    }
    for row, pair in enumerate(zip(by_setting["gamma"], by_setting["alpha"], strict=True)):
        if pair[1] == LEARNING_ALPHA:
            place = f"{100 * pair[0]:.0f}"
            found |= {
                f"gamma.{place}.regret": by_setting["regret"][row],
                f"gamma.{place}.played": by_setting["procedural"][row],
            }
    theory = {
        gamma: regret_bounds(load_dots_sample(), rounds, gamma, LEARNING_ALPHA).recovery_round for gamma in BOUND_GAMMAS
    }
    says = [gamma for gamma, recovery in theory.items() if recovery <= rounds]
    ours = {place: found[f"gamma.{place}.played"] for place in ("50", "70", "90", "99")}
    return found | {
        "bound.recovery": float(theory[LEARNING_GAMMA]),
        "bound.times": theory[LEARNING_GAMMA] / rounds,
        "bound.gamma": min(says, default=math.nan),
        "bound.best": min(theory, key=theory.__getitem__),
        "bound.asked": float(len(theory)),
        "gamma.regret.gain": found["gamma.99.regret"] / found["gamma.70.regret"],
        "gamma.played.loss": ours["70"] - ours["99"],
    }


def numbers_from_slope(points: Columns, found: Slope) -> Numbers:
    """Return the slope of regret in α with its interval, the bound's slope, and the maximum of regret / bound."""
    most = max(regret / bound for regret, bound in zip(points["regret"], points["bound"], strict=True))
    return {
        "alpha.slope": found.slope,
        "alpha.low": found.low,
        "alpha.high": found.high,
        "alpha.theory": found.theory,
        "alpha.bound": most,
    }


def numbers_from_gains(lies: Columns, worst: Columns) -> Numbers:
    """Return how often someone gains by hiding a favourite, and what equal voice retains in the worst case."""
    found: Numbers = {"lies.groups": float(lies["groups"][0])}
    for row, label in enumerate(lies["rule"]):
        found |= {
            f"lies.{label}": lies["someone_gains"][row] / lies["groups"][row],
            f"lies.{label}.count": float(lies["someone_gains"][row]),
            f"lies.{label}.most": lies["largest_gain"][row],
        }
    rows: Any = zip(worst["agents"], worst["utilitarian"], strict=True)
    return found | {f"worst.{agents}": kept for agents, kept in rows}


def inequality_range_numbers() -> Numbers:
    """Return the largest inequality D of two, three and ten agents: half of them get everything, half nothing."""
    return {
        f"scale.{n}": float(arm_inequalities(Instance([[1.0, 0.0]] * (n // 2) + [[0.0, 1.0]] * (n - n // 2))).max())
        for n in (2, 3, 10)
    }


def derive_numbers(found: Mapping[str, float]) -> Numbers:
    """Return differences and maxima of the numbers above, under names of their own."""
    losses = {name: 1 - found[f"raw.PF.{name}"] for name in tuple(SCORE_LABELS)[1:]}
    lost = {name: 1 - found[f"relative.PF.{name}"] for name in tuple(SCORE_LABELS)[1:]}
    return {
        **{f"loss.{name}": value for name, value in losses.items()},
        **{f"lost.{name}": value for name, value in lost.items()},
        **{f"drop.{label}": 1 - found[f"raw.{label}.procedural"] for label in OUTCOME_LABELS},
        "loss.most": max(losses.values()),
        "lost.most": max(lost.values()),
        "sd.PF.most": max(found[f"sd.PF.{name}"] for name in tuple(SCORE_LABELS)[1:]),
        "lowest.PF.procedural.gap": max(0.0, 1 - found["lowest.PF.procedural"]),
        "alpha.excess": found["alpha.low"] - found["alpha.theory"],
        "lemma1.share": found["lemma1.left"] / found["lemma1.runs"],
    }

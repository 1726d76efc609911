"""Every number that a claim is judged by, under one name each: taken from the tables of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.instance import Instance
from isegoria.learning.bounds import bounds
from isegoria.objectives.inequality import arm_inequalities
from isegoria.rules import OBJECTIVES
from isegoria.scores import score_tables
from isegoria.studies import paper
from isegoria.studies.claims.groups import PAPER, Columns, ScoredGroups
from isegoria.studies.dots import Dots
from isegoria.studies.evaluate import policies, tie_break_of
from isegoria.studies.learning import ALPHA, GAMMA
from isegoria.studies.rate.slopes import Slope
from isegoria.wording import SCORES

Numbers = dict[str, float]

OUTCOME = ("IM", "UT", "EG", "NSW", "GGI")
ERODING = ("UT", "EG", "NSW", "GGI")
GAMMAS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Where the bound is asked whether it says anything about the paper's 100,000 rounds."""


def of_groups(groups: ScoredGroups, tables: Mapping[str, Columns]) -> Numbers:
    """The numbers of the synthetic groups, by policy and score."""
    found: Numbers = {"groups": len(groups.cells), "trivial": float(groups.trivial.sum())}
    relative = tables["relative"]
    for row, label in enumerate(map(plain, relative["policy"])):
        found |= {f"raw.{label}.{name}": relative[name][row] for name in SCORES}
        found |= {f"relative.{label}.{name}": relative[f"relative_{name}"][row] for name in SCORES}
        found |= {f"{name}.{label}": relative[name][row] for name in ("least", "raw_least", "best", "raw_best")}
        spread = groups.scores[:, row].std(axis=0, ddof=1) if len(groups.cells) > 1 else np.zeros(len(SCORES))
        found |= {f"sd.{label}.{name}": float(spread[place]) for place, name in enumerate(SCORES)}
    found |= {f"floor.{name}": float(groups.floors[:, place].mean()) for place, name in enumerate(SCORES)}
    fair = groups.scores[:, groups.of("PF")]
    found |= {f"lowest.PF.{name}": float(fair[:, place].min()) for place, name in enumerate(SCORES)}
    return found | _differences(tables["differences"]) | _against_phi(tables["breakdown"], tables["distances"]) | {
        "single.UT.procedural": _where(tables["breakdown"], "favourites", "1", "UT", "procedural"),
        "single.PF.utilitarian": _where(tables["breakdown"], "favourites", "1", "PF", "utilitarian"),
        "nontrivial.UT.procedural": float(groups.scores[~groups.trivial, groups.of("UT"), 0].mean()),
        "drop.sd": min(found[f"sd.{label}.procedural"] for label in OUTCOME),
    } | _table1(found)  # fmt: skip


def plain(label: str) -> str:
    """A label that can stand in a name."""
    return label.replace("|", "in")


def _differences(table: Columns) -> Numbers:
    """Ends of the paired intervals of PF minus another policy."""
    ends = {(measure, other): (low, high) for measure, other, low, high in
            zip(table["measure"], table["minus"], table["low"], table["high"], strict=True)}  # fmt: skip
    return {
        "drop.low": min(ends["procedural", other][0] for other in OUTCOME),
        "balance.raw.low": min(ends["raw_least", other][0] for other in OUTCOME),
        "balance.relative.low": min(ends["least", other][0] for other in OUTCOME),
        "balance.fair.high": ends["least", "UT|PF"][1],
        "balance.fair.low": ends["least", "UT|PF"][0],
        "loss.uniform.high": ends["equality", "UNI"][1],
    }


def _where(table: Columns, by: str, value: str, policy: str, name: str) -> float:
    rows = zip(table["by"], table["value"], table["policy"], strict=True)
    return next((float(table[name][row]) for row, what in enumerate(rows) if what == (by, value, policy)), math.nan)


def _against_phi(table: Columns, distances: Columns) -> Numbers:
    """How the means move from the least φ to the largest, and how far PF's policy is from others at each."""
    models = [model for model in distances["model"] if model.startswith("mallows")]
    course = {(label, name): [_where(table, "model", model, label, name) for model in models]
              for label in ("PF", *OUTCOME) for name in (*SCORES, *(f"relative_{one}" for one in SCORES))}  # fmt: skip
    moved = {key: values[-1] - values[0] for key, values in course.items()}
    spread = {key: max(values) - min(values) for key, values in course.items()}
    found = {
        "phi.outcome.most": max(spread[label, name] for label in ("PF", *OUTCOME) for name in tuple(SCORES)[1:]),
        "phi.voice.least": min(spread[label, "procedural"] for label in OUTCOME),
        "phi.eroded.least": min(-moved[label, "procedural"] for label in ERODING),
        "phi.im.first": course["IM", "procedural"][0],
        "phi.im.last": course["IM", "procedural"][-1],
        "phi.im.grown": moved["IM", "procedural"],
        "phi.pf.raw": max(spread["PF", name] for name in tuple(SCORES)[1:]),
        "phi.pf.relative": max(spread["PF", f"relative_{name}"] for name in tuple(SCORES)[1:]),
    }
    for pair in ("UT", "NSW"):
        apart = dict(zip(distances["model"], distances[f"PF_{pair}"], strict=True))
        found |= {f"apart.{pair}.{place}": apart[model] for place, model in enumerate(models)}
    return found


def _table1(found: Numbers) -> Numbers:
    """How many of the printed means and standard deviations lie in the range of our own seeds."""
    agree = {"mean": 0, "sd": 0}
    for id in PAPER:
        label = OBJECTIVES[id].label
        for place, name in enumerate(SCORES):
            for statistic, printed in zip(("mean", "sd"), paper.TABLE1[id][place], strict=True):
                ours = found[f"{'raw' if statistic == 'mean' else 'sd'}.{label}.{name}"]
                agree[statistic] += paper.agrees(printed, ours, (tie_break_of(id), label, name, statistic))
    return {"table1.means": float(agree["mean"]), "table1.sds": float(agree["sd"]), "nash.sd": found["sd.NSW.equality"]}


def of_dots(study: Dots) -> Numbers:
    """The numbers of the 50 voters and of the other samples."""
    sample = dots_sample()
    scores = score_tables([sample], policies([sample]))[0]
    printed = np.array([paper.TABLE2[id] for id in PAPER])
    lowest, others = scores.min(axis=1), study.others.min(axis=2)
    return {
        "table2.agree": float((scores.round(2) == printed).sum()),
        "dots.pf.least": float(lowest[0]),
        "dots.pf.rounded": float(scores[0].round(2).min()),
        "dots.others.least": float(lowest[1:].max()),
        "dots.ut.procedural": float(scores[2, 0]),
        "dots.samples": float(len(others)),
        "dots.won": float((others[:, 0] >= others.max(axis=1) - 1e-9).mean()),
        "dots.pf.usual": float(others[:, 0].mean()),
    }


def of_runs(runs: Columns, by_setting: Columns, rounds: int) -> Numbers:
    """The numbers of Algorithm 1 on the Dots voters."""
    papers = [row for row, pair in enumerate(zip(runs["gamma"], runs["alpha"], strict=True)) if pair == (GAMMA, ALPHA)]
    found: Numbers = {
        "learn.seeds": float(len(papers)),
        "learn.fair": min(runs["learned"][row] for row in papers),
        "learn.late": max(runs["late"][row] for row in papers),
        "learn.exploring": max(runs["exploring_times_expected"]),
        "learn.pulls": min(runs["pulls_times_expected"]),
        "learn.bound": max(regret / bound for regret, bound in zip(runs["regret"], runs["bound"], strict=True)),
    }
    for row, pair in enumerate(zip(by_setting["gamma"], by_setting["alpha"], strict=True)):
        if pair[1] == ALPHA:
            place = f"{100 * pair[0]:.0f}"
            found |= {f"gamma.{place}.regret": by_setting["regret"][row],
                      f"gamma.{place}.played": by_setting["procedural"][row]}  # fmt: skip
    theory = {gamma: bounds(dots_sample(), rounds, gamma, ALPHA).recovery_round for gamma in GAMMAS}
    says = [gamma for gamma, recovery in theory.items() if recovery <= rounds]
    ours = {place: found[f"gamma.{place}.played"] for place in ("50", "70", "90", "99")}
    return found | {
        "bound.recovery": float(theory[GAMMA]),
        "bound.times": theory[GAMMA] / rounds,
        "bound.gamma": min(says, default=math.nan),
        "bound.best": min(theory, key=theory.__getitem__),
        "bound.asked": float(len(theory)),
        "gamma.regret.gain": found["gamma.99.regret"] / found["gamma.70.regret"],
        "gamma.played.loss": ours["70"] - ours["99"],
    }


def of_slope(points: Columns, found: Slope) -> Numbers:
    """The slope of regret in α, with its interval, and the bound's; and the largest part of the bound that was met."""
    most = max(regret / bound for regret, bound in zip(points["regret"], points["bound"], strict=True))
    return {"alpha.slope": found.slope, "alpha.low": found.low, "alpha.high": found.high,
            "alpha.theory": found.theory, "alpha.bound": most}  # fmt: skip


def of_lies(lies: Columns, worst: Columns) -> Numbers:
    """Who could gain by hiding a favourite, and what equal voice keeps at worst."""
    found: Numbers = {"lies.groups": float(lies["groups"][0])}
    for row, label in enumerate(lies["rule"]):
        found |= {f"lies.{label}": lies["someone_gains"][row] / lies["groups"][row],
                  f"lies.{label}.count": float(lies["someone_gains"][row]),
                  f"lies.{label}.most": lies["largest_gain"][row]}  # fmt: skip
    rows: Any = zip(worst["agents"], worst["utilitarian"], strict=True)
    return found | {f"worst.{agents}": kept for agents, kept in rows}


def of_scale() -> Numbers:
    """The largest inequality D that two and ten agents can have: half of them all, half nothing."""
    return {f"scale.{n}": float(arm_inequalities(Instance([[1.0, 0.0]] * (n // 2) + [[0.0, 1.0]] * (n // 2))).max())
            for n in (2, 10)}  # fmt: skip


def derived(found: Mapping[str, float]) -> Numbers:
    """Differences and largest values of the numbers above, under names of their own."""
    losses = {name: 1 - found[f"raw.PF.{name}"] for name in tuple(SCORES)[1:]}
    lost = {name: 1 - found[f"relative.PF.{name}"] for name in tuple(SCORES)[1:]}
    return {
        **{f"loss.{name}": value for name, value in losses.items()},
        **{f"lost.{name}": value for name, value in lost.items()},
        **{f"drop.{label}": 1 - found[f"raw.{label}.procedural"] for label in OUTCOME},
        "loss.most": max(losses.values()),
        "lost.most": max(lost.values()),
        "sd.PF.most": max(found[f"sd.PF.{name}"] for name in tuple(SCORES)[1:]),
        "lowest.PF.procedural.gap": max(0.0, 1 - found["lowest.PF.procedural"]),
        "alpha.excess": found["alpha.low"] - found["alpha.theory"],
        "lemma1.share": found["lemma1.left"] / found["lemma1.runs"],
    }

"""What the guided learner must hold, measured: each claim beside what was asked and what was found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner, simulate, simulate_many
from isegoria.learning.runs.contest import cost_of, make_learner
from isegoria.learning.worlds.environment import Environment
from isegoria.studies.beyond import change, coverage, rounds, theorem, worlds
from isegoria.studies.beyond.played import AT, SD, waits_once_resolved

Columns = dict[str, list[Any]]
PAIR = ("procedural", "guided")
LUNCH_WAIT, LUNCH_SCORES = 30, {250: 0.92, 1_000: 0.975}
STARVED_WAIT, STARVED_ROUNDS = 9, 5_000
NOTICED_A, NOTICED_B = 400, 7_000
NEAR, MORE_THAN_BEFORE, MANY_RUNS = 0.15, 1.1, 100
COST_ROUNDS, MOST_COST, TIMES = 100_000, 1.5, 5


@dataclass(frozen=True)
class Promise:
    """One line of the table: what is claimed, what was measured, what was asked, and whether it holds."""

    claim: str
    measured: str
    asked: str
    ok: bool


def lunch_claims(played: Columns) -> list[Promise]:
    """The lunch table, from the columns of `played.table`: nobody waits long, and what is played is soon fair."""
    row = next(
        place for place, what in enumerate(zip(played["world"], played["learner"], strict=True))
        if what == ("lunch, Beta", "guided ¼")
    )  # fmt: skip
    most, seeds = played["wait_most"][row], played["seeds"][row]
    claims = [Promise(f"lunch, Beta, {seeds} seeds: longest wait of anyone", f"{most:.0f}", f"≤ {LUNCH_WAIT} in each",
                    most <= LUNCH_WAIT)]  # fmt: skip
    for at, asked in LUNCH_SCORES.items():
        mean, error = played[f"at_{at}"][row], played[f"se_{at}"][row]
        words = f"lunch, Beta, {seeds} seeds: score as played after {at:,} rounds"
        claims.append(Promise(words, f"{mean:.3f} (se {error:.4f})", f"≥ {asked} in the mean", mean >= asked))
    return claims


def starving_claims(seeds: int, workers: int | None = None) -> list[Promise]:
    """The agent with a clear taste, while two others are in doubt for thousands of rounds."""
    truth = worlds.starving()
    world = BernoulliRewards(truth)
    learner = GuidedLearner(world.n_agents, world.n_arms)
    traces = simulate_many(learner, world, STARVED_ROUNDS, seeds, workers, keep_arms=True, records=1)
    waits = [int(waits_once_resolved(trace, truth)[2]) for trace in traces]
    least = min(float(trace.realised_voice[2] * 3) for trace in traces)
    words = f"3x3 starving, {seeds} seeds, {STARVED_ROUNDS:,} rounds"
    return [
        Promise(f"{words}: longest wait of agent 3 once resolved", f"{max(waits)}", f"< {STARVED_WAIT}",
              max(waits) < STARVED_WAIT),
        Promise(f"{words}: agent 3's least share of its due", f"{least:.3f}", "≥ 0.9", least >= 0.9),
    ]  # fmt: skip


def rounds_claims(found: Columns) -> list[Promise]:
    """Rounds until every set is one arm, from the columns of `rounds.table`: as a prototype had them (asked of many
    runs only), at everyone's cost no more than the learner before took, and no set wrong too often."""
    claims = []
    for row, name in enumerate(found["instance"]):
        mean, error, bound, setting = (found[column][row] for column in ("rounds", "se", "bound", "setting"))
        words = f"{name}, {setting}, {found['runs'][row]} seeds: rounds until every set is one arm"
        measured = f"{mean:,.0f} (se {error:,.0f}), {mean / bound:.1f} times {bound:,.0f}"
        first = dict(zip(rounds.SETTINGS, rounds.FIRST.get(name, ()), strict=False)).get(setting)
        if first is None or found["runs"][row] < MANY_RUNS:
            claims.append(Promise(words, measured, "told", True))
        else:
            near = bool(abs(mean - first) <= max(NEAR * first, 2 * error))
            claims.append(Promise(words, measured, f"{first:,}, to 15 % or two se", near))
        if name in rounds.BEFORE and setting == ("½" if name == "1x10" else "½, lend 1"):
            most = MORE_THAN_BEFORE * rounds.BEFORE[name]
            claims.append(Promise(f"{words}, with all of it lent", f"{mean:,.0f}", f"≤ 1.1 × {rounds.BEFORE[name]:,}",
                                bool(mean <= most)))  # fmt: skip
    wrong, runs = sum(found["wrong"]), sum(found["runs"])
    claims.append(Promise(f"{runs:,} such runs at error .05: with a wrong set", f"{wrong}", "≤ .05 of them",
                        wrong <= 0.05 * runs))  # fmt: skip
    return claims


def coverage_claims(runs: int, fault_runs: int) -> list[Promise]:
    """How often a true favourite is lost on exact ties, and whether planted faults are seen."""
    claims = []
    for words, world in coverage.WORLDS.items():
        rate = coverage.lost(world(), runs) / runs
        claims.append(Promise(f"{words}, error {coverage.ERROR}, {runs:,} runs: a favourite lost in", f"{rate:.3f}",
                            f"≤ {coverage.LIMIT}", rate <= coverage.LIMIT))  # fmt: skip
    for words, offered in coverage.OFFERS.items():
        rate = coverage.lost_when_offered(offered, fault_runs) / fault_runs
        claims.append(Promise(f"offered by rewards: {words}, {fault_runs:,} runs: a favourite lost in", f"{rate:.3f}",
                            f"≤ {coverage.LIMIT}", rate <= coverage.LIMIT))  # fmt: skip
    for fault in list(coverage.FAULTS)[1:]:
        rates = [coverage.lost_with(fault, arms, fault_runs) / fault_runs for arms in (2, 10)]
        measured = f"{rates[0]:.3f} of two ties, {rates[1]:.3f} of ten"
        claims.append(Promise(f"planted fault, {fault_runs:,} runs: {fault}", measured, f"> {coverage.SEEN}: seen",
                            max(rates) > coverage.SEEN))  # fmt: skip
    return claims


def theorem_claims(groups: int) -> list[Promise]:
    """Theorem 3 in random groups."""
    found = [theorem.lived(seed) for seed in range(groups)]
    words = f"Theorem 3, {groups} random groups, {sum(one.resolved for one in found):,} agents resolved"
    wait, plays = max(one.wait for one in found), min(one.plays for one in found)
    score = min(one.score for one in found)
    return [
        Promise(f"{words}: longest wait / (W·K/w)", f"{wait:.3f}", "< 1", wait < 1),
        Promise(f"{words}: plays of favourites above (b)", f"{plays:.1f} at least", "> 0", plays > 0),
        Promise(f"{words}: score of the arms as played above (c)", f"{score:.4f} at least", "≥ 0", score >= 0),
    ]


def drift_claims(found: Columns, quiet_runs: int) -> list[Promise]:
    """Changes that are noticed, from the columns of `change.drift`, and alarms where nothing changed."""
    claims = []
    for move, trickle, most in (("A", 0.0, NOTICED_A), ("B", 0.05, NOTICED_B)):
        row = next(
            place for place, what in enumerate(zip(found["move"], found["trickle"], strict=True))
            if what == (move, trickle)
        )  # fmt: skip
        runs, noticed, median = found["runs"][row], found["noticed"][row], found["median"][row]
        measured = f"{noticed} of {runs}, median {median:,.0f} rounds, 90 % {found['late'][row]:,.0f}"
        claims.append(Promise(f"drift {move}, trickle {trickle:g}: noticed", measured, f"all, median ≤ {most:,}",
                            noticed == runs and median <= most))  # fmt: skip
    false = change.false_alarms(quiet_runs)
    claims.append(Promise(f"{quiet_runs} groups that do not change, 20,000 rounds, error .5: with an alarm", f"{false}",
                        "0 (.05 allowed)", false == 0))  # fmt: skip
    return claims


def cost_claims(rounds: int = COST_ROUNDS) -> list[Promise]:
    """What a round of guided costs, in rounds of procedural: simulated, and asked and told; the quickest of a few."""
    world = BetaRewards(dots_sample(), sd=SD)
    asked, claims = f"≤ {MOST_COST:g}", []
    for words, timed in (("simulated", _timed), ("asked and told", lambda learner, world, _: cost_of(learner, world))):
        guided, procedural = (
            min(timed(make_learner(name, world, rounds, seed=1), world, rounds) for _ in range(TIMES))
            for name in reversed(PAIR)
        )
        ratio = guided / procedural
        words = f"cost of a guided round / a procedural round, {words}"
        claims.append(Promise(words, f"{ratio:.2f}", asked, ratio <= MOST_COST))
    return claims


def _timed(learner: Any, world: Environment, rounds: int) -> float:
    start = time.perf_counter()
    simulate(learner, world, rounds, seed=1, records=10)
    return time.perf_counter() - start


def score_words(found: Columns, row: int) -> list[str]:
    """The scores at each of `AT`, as they are printed: mean and standard error."""
    return [f"{found[f'at_{at}'][row]:.3f} ± {np.nan_to_num(found[f'se_{at}'][row]):.3f}" for at in AT]

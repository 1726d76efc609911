"""Claims about the elimination learner: each with its requirement and what was measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.datasets import load_dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, EliminationLearner, simulate, simulate_many
from isegoria.learning.environments.environment import Environment
from isegoria.learning.simulation.learner_comparison import make_learner, time_round
from isegoria.rules.literals import RuleName
from isegoria.studies.elimination import coverage, rounds_to_resolve, study_instances, taste_changes, theorem3
from isegoria.studies.elimination.play_scores import REWARD_SD, SCORED_ROUNDS, longest_waits_after_resolution

Columns = dict[str, list[Any]]
TIED_RULES: tuple[RuleName, ...] = (
    "procedural",
    "conditional-utilitarian",
    "random-dictatorship",
    "maximum-payment",
)
TIED_ERROR = 0.01
"""The default `error` of the learner: the probability with which any favourite may be lost."""

COMPARED_LEARNERS = ("procedural", "elimination")
LUNCH_WAIT, LUNCH_SCORES = 30, {250: 0.92, 1_000: 0.975}
STARVED_WAIT, STARVED_ROUNDS = 9, 5_000
MAX_DELAY_A_ROUNDS, MAX_DELAY_B_ROUNDS = 400, 7_000
PROTOTYPE_TOLERANCE, MAX_RATIO_TO_BEFORE, MANY_RUNS = 0.15, 1.1, 100
COST_ROUNDS, MAX_COST_RATIO, TIMING_REPEATS = 100_000, 1.5, 5


@dataclass(frozen=True)
class MeasuredGuarantee:
    """One line of the table: the claim, what was measured, what was required, and whether it holds."""

    claim: str
    measured: str
    asked: str
    ok: bool


def check_lunch(played: Columns) -> list[MeasuredGuarantee]:
    """Check the lunch example from the columns of `played.table`: short waits, and arms as played soon fair."""
    row = next(
        place
        for place, what in enumerate(zip(played["world"], played["learner"], strict=True))
        if what == ("lunch, Beta", "elimination ¼")
    )
    most, seeds = played["wait_most"][row], played["seeds"][row]
    claims = [
        MeasuredGuarantee(
            f"lunch, Beta, {seeds} seeds: longest wait of anyone",
            f"{most:.0f}",
            f"≤ {LUNCH_WAIT} in each",
            most <= LUNCH_WAIT,
        )
    ]
    for at, asked in LUNCH_SCORES.items():
        mean, error = played[f"at_{at}"][row], played[f"se_{at}"][row]
        words = f"lunch, Beta, {seeds} seeds: score as played after {at:,} rounds"
        claims.append(MeasuredGuarantee(words, f"{mean:.3f} (se {error:.4f})", f"≥ {asked} in the mean", mean >= asked))
    return claims


def check_starving(seeds: int, workers: int | None = None) -> list[MeasuredGuarantee]:
    """Check the agent with a clear favourite while two others are undecided for thousands of rounds."""
    truth = study_instances.make_starving()
    world = BernoulliRewards(truth)
    learner = EliminationLearner(world.n_agents, world.n_arms)
    traces = simulate_many(learner, world, STARVED_ROUNDS, seeds, workers, keep_arms=True, records=1)
    waits = [int(longest_waits_after_resolution(trace, truth)[2]) for trace in traces]
    least = min(float(trace.realised_voice[2] * 3) for trace in traces)
    words = f"3x3 starving, {seeds} seeds, {STARVED_ROUNDS:,} rounds"
    return [
        MeasuredGuarantee(
            f"{words}: longest wait of agent 3 once resolved",
            f"{max(waits)}",
            f"< {STARVED_WAIT}",
            max(waits) < STARVED_WAIT,
        ),
        MeasuredGuarantee(f"{words}: agent 3's least share of its due", f"{least:.3f}", "≥ 0.9", least >= 0.9),
    ]


def check_rounds(found: Columns) -> list[MeasuredGuarantee]:
    """Check the rounds until every set is one arm, from the columns of `rounds_to_resolve.compute_table`.

    With many runs, the mean must be near that of a prototype. With all exploration lent, it must not be much above that
    of the earlier learner. Over all runs, wrong sets must be rare enough.
    """
    claims = []
    for row, name in enumerate(found["instance"]):
        mean, error, bound, setting = (found[column][row] for column in ("rounds", "se", "bound", "setting"))
        words = f"{name}, {setting}, {found['runs'][row]} seeds: rounds until every set is one arm"
        measured = f"{mean:,.0f} (se {error:,.0f}), {mean / bound:.1f} times {bound:,.0f}"
        prototype = rounds_to_resolve.PROTOTYPE_ROUNDS.get(name, ())
        first = dict(zip(rounds_to_resolve.LEARNER_SETTINGS, prototype, strict=False)).get(setting)
        if first is None or found["runs"][row] < MANY_RUNS:
            claims.append(MeasuredGuarantee(words, measured, "told", True))
        else:
            near = bool(abs(mean - first) <= max(PROTOTYPE_TOLERANCE * first, 2 * error))
            claims.append(MeasuredGuarantee(words, measured, f"{first:,}, to 15 % or two se", near))
        if name in rounds_to_resolve.PREDECESSOR_ROUNDS and setting == ("½" if name == "1x10" else "½, lend 1"):
            most = MAX_RATIO_TO_BEFORE * rounds_to_resolve.PREDECESSOR_ROUNDS[name]
            claims.append(
                MeasuredGuarantee(
                    f"{words}, with all of it lent",
                    f"{mean:,.0f}",
                    f"≤ 1.1 × {rounds_to_resolve.PREDECESSOR_ROUNDS[name]:,}",
                    bool(mean <= most),
                )
            )
    wrong, runs = sum(found["wrong"]), sum(found["runs"])
    claims.append(
        MeasuredGuarantee(
            f"{runs:,} such runs at error .05: with a wrong set", f"{wrong}", "≤ .05 of them", wrong <= 0.05 * runs
        )
    )
    return claims


def check_coverage(runs: int, fault_runs: int) -> list[MeasuredGuarantee]:
    """Check how often a true favourite is lost on exact ties, and that planted faults are detected."""
    claims = []
    for words, world in coverage.COVERAGE_ENVIRONMENTS.items():
        rate = coverage.count_losses(world(), runs) / runs
        claims.append(
            MeasuredGuarantee(
                f"{words}, error {coverage.COVERAGE_ERROR}, {runs:,} runs: a favourite lost in",
                f"{rate:.3f}",
                f"≤ {coverage.MAX_LOSS_RATE}",
                rate <= coverage.MAX_LOSS_RATE,
            )
        )
    for words, offered in coverage.ARM_OFFERS.items():
        rate = coverage.count_losses_with_offers(offered, fault_runs) / fault_runs
        claims.append(
            MeasuredGuarantee(
                f"offered by rewards: {words}, {fault_runs:,} runs: a favourite lost in",
                f"{rate:.3f}",
                f"≤ {coverage.MAX_LOSS_RATE}",
                rate <= coverage.MAX_LOSS_RATE,
            )
        )
    for fault in list(coverage.PLANTED_FAULTS)[1:]:
        rates = [coverage.count_losses_with_fault(fault, arms, fault_runs) / fault_runs for arms in (2, 10)]
        measured = f"{rates[0]:.3f} of two ties, {rates[1]:.3f} of ten"
        claims.append(
            MeasuredGuarantee(
                f"planted fault, {fault_runs:,} runs: {fault}",
                measured,
                f"> {coverage.MIN_FAULT_RATE}: seen",
                max(rates) > coverage.MIN_FAULT_RATE,
            )
        )
    return claims


def check_theorem3(groups: int) -> list[MeasuredGuarantee]:
    """Check Theorem 3 in random groups."""
    found = [theorem3.check_random_group(seed) for seed in range(groups)]
    words = f"Theorem 3, {groups} random groups, {sum(one.resolved for one in found):,} agents resolved"
    wait, plays = max(one.wait for one in found), min(one.plays for one in found)
    score = min(one.score for one in found)
    return [
        MeasuredGuarantee(f"{words}: longest wait / (W·K/w)", f"{wait:.3f}", "< 1", wait < 1),
        MeasuredGuarantee(f"{words}: plays of favourites above (b)", f"{plays:.1f} at least", "> 0", plays > 0),
        MeasuredGuarantee(
            f"{words}: score of the arms as played above (c)", f"{score:.4f} at least", "≥ 0", score >= 0
        ),
    ]


def check_rules_on_ties(runs: int) -> list[MeasuredGuarantee]:
    """Check Theorems 1 and 3 in random groups with tied favourites, for each rule and for one of another's making."""
    return [guarantee for rule in TIED_RULES for guarantee in _check_rule_on_ties(rule, runs)]


def _check_rule_on_ties(rule: RuleName, runs: int) -> list[MeasuredGuarantee]:
    found = [theorem3.check_random_group(seed, rule) for seed in range(runs)]
    dropped, allowed = sum(one.dropped for one in found), TIED_ERROR * runs + 3 * (TIED_ERROR * runs) ** 0.5
    wait, margin = max(one.wait for one in found), min(min(one.plays, one.score) for one in found)
    words = f"{rule}, {runs:,} groups with ties, {sum(one.resolved for one in found):,} agents resolved"
    return [
        MeasuredGuarantee(f"{words}: runs that lost a favourite", f"{dropped}", f"≤ {allowed:.0f}", dropped <= allowed),
        MeasuredGuarantee(f"{words}: longest wait / (W·K/w)", f"{wait:.3f}", "< 1", wait < 1),
        MeasuredGuarantee(f"{words}: plays and score above (b), (c)", f"{margin:.4f}", "≥ 0", margin >= 0),
    ]


def check_drift(found: Columns, quiet_runs: int) -> list[MeasuredGuarantee]:
    """Check that changes are noticed, from the columns of `change.drift`, and that there are no false alarms."""
    claims = []
    for move, trickle, most in (("A", 0.0, MAX_DELAY_A_ROUNDS), ("B", 0.05, MAX_DELAY_B_ROUNDS)):
        row = next(
            place
            for place, what in enumerate(zip(found["move"], found["trickle"], strict=True))
            if what == (move, trickle)
        )
        runs, noticed, median = found["runs"][row], found["noticed"][row], found["median"][row]
        measured = f"{noticed} of {runs}, median {median:,.0f} rounds, 90 % {found['late'][row]:,.0f}"
        claims.append(
            MeasuredGuarantee(
                f"drift {move}, trickle {trickle:g}: noticed",
                measured,
                f"all, median ≤ {most:,}",
                noticed == runs and median <= most,
            )
        )
    false = taste_changes.count_false_alarms(quiet_runs)
    claims.append(
        MeasuredGuarantee(
            f"{quiet_runs} groups that do not change, 20,000 rounds, error .5: with an alarm",
            f"{false}",
            "0 (.05 allowed)",
            false == 0,
        )
    )
    return claims


def check_cost(rounds: int = COST_ROUNDS) -> list[MeasuredGuarantee]:
    """Check the cost of an elimination round relative to a procedural one, simulated and with ask/tell."""
    world = BetaRewards(load_dots_sample(), sd=REWARD_SD)
    asked, claims = f"≤ {MAX_COST_RATIO:g}", []
    for words, timed in (
        ("simulated", _time_simulation),
        ("asked and told", lambda learner, world, _: time_round(learner, world)),
    ):
        elimination, procedural = (
            min(timed(make_learner(name, world, rounds, seed=1), world, rounds) for _ in range(TIMING_REPEATS))
            for name in reversed(COMPARED_LEARNERS)
        )
        ratio = elimination / procedural
        words = f"cost of an elimination round / a procedural round, {words}"
        claims.append(MeasuredGuarantee(words, f"{ratio:.2f}", asked, ratio <= MAX_COST_RATIO))
    return claims


def _time_simulation(learner: Any, world: Environment, rounds: int) -> float:
    start = time.perf_counter()
    simulate(learner, world, rounds, seed=1, records=10)
    return time.perf_counter() - start


def format_scores(found: Columns, row: int) -> list[str]:
    """Format the scores at each of `SCORED_ROUNDS` as mean and standard error."""
    return [f"{found[f'at_{at}'][row]:.3f} ± {np.nan_to_num(found[f'se_{at}'][row]):.3f}" for at in SCORED_ROUNDS]

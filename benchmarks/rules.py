"""Rules beside the unit of the field: one warm `solve` of a table of ten by ten; and what a choice among ties costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time

import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow, time_alternately
from isegoria.analysis.axioms.manipulation import SearchBudget, find_joint_manipulation
from isegoria.analysis.axioms.rule_evaluator import RuleEvaluator
from isegoria.analysis.efficiency import check_efficiency
from isegoria.rules import RULE_GROUPS

GROUPS = 50
ROOT = iso.Welfare("root", value=lambda v, w: w @ np.sqrt(v), gradient=lambda v, w: w / (2 * np.sqrt(v)))


def make_groups(kind: str, agents: int = 10, arms: int = 10) -> list[iso.Instance]:
    """Random groups, ratings or approvals, with what every rule asks for at hand."""
    rng = np.random.default_rng(42)
    made = []
    for _ in range(GROUPS):
        table = rng.random((agents, arms))
        if kind == "approvals":
            table = (table < 0.5).astype(float)
            table[table.sum(axis=1) == 0, 0] = 1
        made.append(iso.Instance(table))
    return made


def call_for_each(ask: Callable[[iso.Instance], object], over: list[iso.Instance]) -> Callable[[], None]:
    """One call that asks every group."""

    def call() -> None:
        for group in over:
            ask(group)

    return call


def time_in_solves(
    ask: Callable[[iso.Instance], object], over: list[iso.Instance], rounds: int = 9
) -> tuple[float, float]:
    """(seconds a group, seconds of one warm `solve` of ratings of ten by ten), measured in turn."""
    unit = make_groups("ratings")
    ours, theirs = time_alternately(call_for_each(ask, over), call_for_each(iso.solve, unit), rounds)
    return ours / len(over), theirs / len(unit)


def make_distinct_approvals(agents: int, arms: int, count: int = 1) -> list[iso.Instance]:
    """Random groups of approvals in which no two agents approve the same set."""
    rng = np.random.default_rng(7)
    sets = 2**arms - 1
    drawn = (rng.choice(sets, agents, replace=False) + 1 for _ in range(count))
    return [iso.Instance((codes[:, None] >> np.arange(arms) & 1).astype(float)) for codes in drawn]


def rows() -> Iterator[BenchmarkRow]:
    """What each question costs, in units or against its plainer form."""
    yield from tie_break_rows()
    yield from question_rows()
    yield from manipulation_rows()


def tie_break_rows() -> Iterator[BenchmarkRow]:
    """The most efficient of the egalitarian policies, against the one of least norm."""
    for kind, asked in {"ratings": 3, "approvals": 8}.items():
        some = make_groups(kind)
        own = call_for_each(lambda group: iso.solve(group, "egalitarian"), some)
        centre = call_for_each(lambda group: iso.solve(group, "egalitarian", "centre"), some)
        yield BenchmarkRow(
            f"egalitarian by default against centre, {kind}", *time_alternately(own, centre), asked, faster=False
        )


def question_rows() -> Iterator[BenchmarkRow]:
    """Rules and axioms of policies."""
    ratings, approvals = make_groups("ratings"), make_groups("approvals")
    six = call_for_each(lambda group: [iso.solve(group, rule) for rule in RULE_GROUPS["paper"]], ratings)
    times = time_alternately(call_for_each(iso.compare, ratings), six, clock=process_time)
    yield BenchmarkRow("compare at 10 × 10, against its six solves", *times, 1.8, faster=False)
    places = {id(group): iso.solve(group).policy for group in [*ratings, *approvals]}

    def shares(group: iso.Instance) -> None:
        for axiom in ("ifs", "ufs", "gfs", "afs", "ex-post"):
            iso.axioms.check(group, places[id(group)], axiom)

    asked: dict[str, tuple[Callable[[iso.Instance], object], list[iso.Instance], float]] = {
        "leximin, approvals": (lambda group: iso.solve(group, "leximin"), approvals, 400),
        "efficiency of a policy": (lambda group: check_efficiency(group, places[id(group)]), ratings, 60),
        "fair shares and ex-post of a policy": (shares, approvals, 30),
        "conditional utilitarian": (lambda group: iso.solve(group, "cut"), approvals, 20),
        "random priority, approvals": (lambda group: iso.solve(group, "rp"), approvals, 500),
        "a welfare of one's own": (lambda group: iso.solve(group, ROOT), ratings[:2], 6_000),
    }
    for name, (ask, over, most) in asked.items():
        yield BenchmarkRow(
            f"{name} at 10 × 10, in solves of such a table", *time_in_solves(ask, over), most, faster=False
        )


def manipulation_rows() -> Iterator[BenchmarkRow]:
    """Everyone's best lie, and that of pairs and triples, under equal voice; half as much again as was aimed at."""
    ten = make_distinct_approvals(10, 10)
    ours, unit = time_in_solves(iso.honesty, ten)
    yield BenchmarkRow("one false report at 10 × 10 approvals, in solves", ours / 10_230, unit, 3, faster=False)
    yield BenchmarkRow("all 10,230 false reports at 10 × 10, in solves", ours, unit, 30_000, faster=False)
    yield BenchmarkRow(
        "all false reports at 10 × 6, in solves",
        *time_in_solves(iso.honesty, make_distinct_approvals(10, 6, 5)),
        1_950,
        faster=False,
    )
    fifty = make_groups("approvals", 50, 6)[:5]
    yield BenchmarkRow(
        "all false reports at 50 × 6, in solves", *time_in_solves(iso.honesty, fifty), 9_750, faster=False
    )
    for size, most, rounds in ((2, 40_000, 5), (3, 300_000, 2)):
        found = time_in_solves(
            lambda group, size=size: find_joint_report(group, size), make_distinct_approvals(10, 4), rounds
        )
        yield BenchmarkRow(f"all joint lies of {size} at 10 × 4, in solves", *found, most, faster=False)


def find_joint_report(group: iso.Instance, size: int) -> None:
    """The best joint lie of groups of one size."""
    budget = SearchBudget.of(10**9, 600)
    find_joint_manipulation(RuleEvaluator.of(group, iso.RULES["procedural"]), size, "shares", False, budget)

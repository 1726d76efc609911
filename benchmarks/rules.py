"""Rules beside the unit of the field: one warm `solve` of a table of ten by ten; and what a choice among ties costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import isegoria as iso
from benchmarks.harness import Row, side_by_side
from isegoria.axioms.efficiency import efficiency_of
from isegoria.axioms.lies import Budget, joint_lie
from isegoria.axioms.people import People

GROUPS = 50
ROOT = iso.Welfare("root", value=lambda v, w: w @ np.sqrt(v), gradient=lambda v, w: w / (2 * np.sqrt(v)))


def groups(kind: str, agents: int = 10, arms: int = 10) -> list[iso.Instance]:
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


def each(ask: Callable[[iso.Instance], object], over: list[iso.Instance]) -> Callable[[], None]:
    """One call that asks every group."""

    def call() -> None:
        for group in over:
            ask(group)

    return call


def in_units(ask: Callable[[iso.Instance], object], over: list[iso.Instance], rounds: int = 9) -> tuple[float, float]:
    """(seconds a group, seconds of one warm `solve` of ratings of ten by ten), measured in turn."""
    unit = groups("ratings")
    ours, theirs = side_by_side(each(ask, over), each(iso.solve, unit), rounds)
    return ours / len(over), theirs / len(unit)


def different(agents: int, arms: int, count: int = 1) -> list[iso.Instance]:
    """Random groups of approvals in which no two agents approve the same set."""
    rng = np.random.default_rng(7)
    sets = 2**arms - 1
    drawn = (rng.choice(sets, agents, replace=False) + 1 for _ in range(count))
    return [iso.Instance((codes[:, None] >> np.arange(arms) & 1).astype(float)) for codes in drawn]


def rows() -> Iterator[Row]:
    """What each question costs, in units or against its plainer form."""
    yield from own_choice()
    yield from questions()
    yield from lies()


def own_choice() -> Iterator[Row]:
    """The most efficient of the egalitarian policies, against the one of least norm."""
    for kind, asked in {"ratings": 3, "approvals": 8}.items():
        some = groups(kind)
        own = each(lambda group: iso.solve(group, "egalitarian"), some)
        centre = each(lambda group: iso.solve(group, "egalitarian", "centre"), some)
        yield Row(f"egalitarian by default against centre, {kind}", *side_by_side(own, centre), asked, faster=False)


def questions() -> Iterator[Row]:
    """Rules and axioms of policies."""
    ratings, approvals = groups("ratings"), groups("approvals")
    places = {id(group): iso.solve(group).policy for group in [*ratings, *approvals]}

    def shares(group: iso.Instance) -> None:
        for axiom in ("ifs", "ufs", "gfs", "afs", "ex-post"):
            iso.axioms.check(group, places[id(group)], axiom)

    asked: dict[str, tuple[Callable[[iso.Instance], object], list[iso.Instance], float]] = {
        "leximin, approvals": (lambda group: iso.solve(group, "leximin"), approvals, 6_000),
        "efficiency of a policy": (lambda group: efficiency_of(group, places[id(group)]), ratings, 3_000),
        "fair shares and ex-post of a policy": (shares, approvals, 30),
        "conditional utilitarian": (lambda group: iso.solve(group, "cut"), approvals, 100),
        "random priority, approvals": (lambda group: iso.solve(group, "rp"), approvals, 3_000),
        "a welfare of one's own": (lambda group: iso.solve(group, ROOT), ratings[:2], 10_000),
    }
    for name, (ask, over, most) in asked.items():
        yield Row(f"{name} at 10 × 10, in solves of such a table", *in_units(ask, over), most, faster=False)


def lies() -> Iterator[Row]:
    """Everyone's best lie, and that of pairs and triples, under equal voice; half as much again as was aimed at."""
    ten = different(10, 10)
    ours, unit = in_units(iso.honesty, ten)
    yield Row("one false report at 10 × 10 approvals, in solves", ours / 10_230, unit, 5.25, faster=False)
    yield Row("all 10,230 false reports at 10 × 10, in solves", ours, unit, 52_500, faster=False)
    yield Row(
        "all false reports at 10 × 6, in solves", *in_units(iso.honesty, different(10, 6, 5)), 1_950, faster=False
    )
    fifty = groups("approvals", 50, 6)[:5]
    yield Row("all false reports at 50 × 6, in solves", *in_units(iso.honesty, fifty), 9_750, faster=False)
    for size, most, rounds in ((2, 52_500, 5), (3, 1_050_000, 2)):
        found = in_units(lambda group, size=size: together(group, size), different(10, 4), rounds)
        yield Row(f"all joint lies of {size} at 10 × 4, in solves", *found, most, faster=False)


def together(group: iso.Instance, size: int) -> None:
    """The best joint lie of groups of one size."""
    budget = Budget.of(10**9, 600)
    joint_lie(People.of(group, iso.RULES["procedural"]), size, "shares", False, budget)

"""Rules beside the unit of the field: one warm `solve` of a table of ten by ten; and what a choice among ties costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import isegoria as iso
from benchmarks.harness import Row, side_by_side
from isegoria.axioms.efficiency import efficiency_of

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


def rows() -> Iterator[Row]:
    """What each question costs, in units or against its plainer form."""
    for kind, asked in {"ratings": 3, "approvals": 8}.items():
        some = groups(kind)
        own = each(lambda group: iso.solve(group, "egalitarian"), some)
        centre = each(lambda group: iso.solve(group, "egalitarian", "centre"), some)
        yield Row(f"egalitarian by default against centre, {kind}", *side_by_side(own, centre), asked, faster=False)
    ratings, approvals = groups("ratings"), groups("approvals")
    unit = each(iso.solve, ratings)
    policies = [iso.solve(group).policy for group in ratings]
    places = {id(group): policy for group, policy in zip(ratings, policies, strict=True)}
    questions = {
        "leximin, approvals": (each(lambda group: iso.solve(group, "leximin"), approvals), 6_000),
        "efficiency of a policy": (each(lambda group: efficiency_of(group, places[id(group)]), ratings), 3_000),
        "conditional utilitarian": (each(lambda group: iso.solve(group, "cut"), approvals), 100),
        "random priority, approvals": (each(lambda group: iso.solve(group, "rp"), approvals), 3_000),
    }
    for name, (ask, asked) in questions.items():
        yield Row(f"{name} at 10 × 10, in solves of such a table", *side_by_side(ask, unit), asked, faster=False)
    few = ratings[:2]
    own = each(lambda group: iso.solve(group, ROOT), few)
    yield Row(
        "a welfare of one's own at 10 × 10, in solves of such a table",
        *side_by_side(own, each(iso.solve, few)),
        10_000,
        faster=False,
    )

"""`make stress`: 10,000 hostile instances, 2,000 wide ones, 400 of clones, 400 of weights over 8 to 12 decades and 140
squares, and 1,000 of ordinary families; every objective, every promise; leximin on the latter; 500 against cvxpy.

It prints a table for people to read and ends with exit code 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.hostile_instances import (
    make_clones,
    make_hostile,
    make_ordinary,
    make_square,
    make_weighty,
    make_wide,
)
from oracles.solution_checks import CLEAR_MARGIN, POLICY_TOLERANCE, build_instance, equivalent_variants, find_violations

EXCEPTIONS_PER_SOLVE = 1e-3
CHUNK = 100
LEXIMIN_GAP = 1e-11
FAMILIES = {
    "wide": make_wide,
    "clones": make_clones,
    "weighty": make_weighty,
    "square": make_square,
    "ordinary": make_ordinary,
}
"""Further families, of which none may raise."""


class Tally:
    """Counts and worst cases, by objective; tallies of chunks add up."""

    def __init__(self):
        self.count, self.worst, self.faults = Counter(), {}, []

    def see(self, key, amount: float) -> None:
        self.worst[key] = max(self.worst.get(key, 0.0), amount)

    def read(self, objective: str, kind: str, *key: str) -> str:
        """A count, or a worst case, as it is printed."""
        return str(self.count[objective, *key]) if kind == "count" else f"{self.worst.get((objective, *key), 0):.2g}"

    def add(self, other: Tally) -> None:
        self.count.update(other.count)
        self.faults += other.faults
        for key, amount in other.worst.items():
            self.see(key, amount)


def solved(tally: Tally, instance, objective: str, number: int, within: str | None = None):
    """The solution, checked and counted; None after an exception of the package's own family."""
    tally.count[objective, "solves"] += 1
    try:
        solution = iso.solve(instance, objective, within=within)
    except iso.IsegoriaError:
        tally.count[objective, "exceptions"] += 1
        return None
    tally.see((objective, "gap"), solution.gap)
    tally.faults += [f"instance {number}, {objective}: {fault}" for fault in find_violations(instance, solution)]
    return solution


def compare_ways(tally: Tally, objective: str, number: int, instances: dict) -> None:
    """Solve both ways of saying an instance, and see whether the answers are the same."""
    base = None
    for name, (one, two) in instances.items():
        first = base if base is not None and name != "a row twice" else solved(tally, one[0], objective, number)
        base = first if name != "a row twice" else base
        second = solved(tally, two[0], objective, number)
        if first is None or second is None:
            continue
        clear = "clear" if first.tie_margin > CLEAR_MARGIN else "near a tie"
        tally.count[objective, clear] += 1
        apart = abs(first.value - second.value)
        tally.see((objective, clear, "value"), apart)
        if clear == "clear":
            apart = np.abs(first.policy[two[1]] - second.policy).max()
            tally.see((objective, clear, "policy"), apart)
        if apart > POLICY_TOLERANCE:
            tally.faults.append(f"instance {number}, {objective}, {name}, {clear}: apart by {apart:.3g}")


def chunk(numbers: range, within_every: int) -> Tally:
    """The tally of some hostile instances; NumPy may not warn."""
    tally = Tally()
    warnings.simplefilter("error")
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for number in numbers:
            means, weights = make_hostile(number)
            said = {}
            ways = {
                name: tuple(
                    (said.setdefault(id(way), build_instance(way.means, way.weights)), way.columns) for way in pair
                )
                for name, pair in equivalent_variants(means, weights, number).items()
            }
            for objective in RULE_GROUPS["paper"]:
                compare_ways(tally, objective, number, ways)
                if number % within_every == 0:
                    solved_fairly(tally, build_instance(means, weights), objective, number)
    return tally


def wide_chunk(numbers: range, family: str = "wide") -> Tally:
    """The tally of some instances of a family, told once and with arms and agents in another order; nothing may be
    raised."""
    tally = Tally()
    warnings.simplefilter("error")
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for number in numbers:
            means, weights = FAMILIES[family](number)
            rng = np.random.default_rng([5, number])
            columns, rows = rng.permutation(means.shape[1]), rng.permutation(len(means))
            turned = np.ascontiguousarray(means[rows][:, columns])
            pair = ((build_instance(means, weights), None), (build_instance(turned, weights[rows]), columns))
            for objective in RULE_GROUPS["paper"]:
                compare_ways(tally, objective, number, {"arms and agents permuted": pair})
                if family == "ordinary" and number % 4 == 0:
                    solved_fairly(tally, pair[0][0], objective, number)
            if family == "ordinary":
                solve_stages(tally, pair[0][0], number)
    raised = [objective for objective in RULE_GROUPS["paper"] if tally.count[objective, "exceptions"]]
    tally.faults += [f"{family} instances {numbers}, {objective}: not certified" for objective in raised]
    return tally


def solve_stages(tally: Tally, instance, number: int) -> None:
    """Solve leximin, which may not raise, and whose minimum is that of the egalitarian rule."""
    try:
        found = iso.solve(instance, "leximin")
    except iso.IsegoriaError as error:
        tally.faults.append(f"instance {number}, leximin: {error}")
        return
    apart = abs(instance.utilities(found.policy).min() - iso.solve(instance, "egalitarian").value)
    if not found.gap <= LEXIMIN_GAP or apart > 2 * LEXIMIN_GAP:
        tally.faults.append(f"instance {number}, leximin: gap {found.gap:.3g}, minimum off by {apart:.3g}")


def solved_fairly(tally: Tally, instance, objective: str, number: int) -> None:
    """The same objective within the fair policies, counted apart."""
    inner = Tally()
    solution = solved(inner, instance, objective, number, within="fair")
    for (_, what), count in inner.count.items():
        tally.count[objective, f"fair {what}"] += count
    tally.faults += inner.faults
    if solution is not None:
        tally.see((objective, "fair gap"), solution.gap)
        short = 1 - iso.score(instance, solution.policy).procedural
        tally.see((objective, "unfair"), short)
        if short > POLICY_TOLERANCE:
            tally.faults.append(f"instance {number}, {objective} within fair: score short of 1 by {short:.3g}")


def against_cvxpy(numbers: range) -> Tally:
    """The worst disagreement with the independent solver."""
    from oracles.cvxpy_rules import AGREEMENT, make_moderate, solve_value

    tally = Tally()
    for number in numbers:
        instance = build_instance(*make_moderate(number))
        for objective in RULE_GROUPS["paper"]:
            ours, theirs = iso.solve(instance, objective).value, solve_value(objective, instance)
            apart = abs(ours - theirs) / max(1.0, abs(ours))
            tally.count[objective, "cvxpy"] += 1
            tally.see((objective, "cvxpy"), apart)
            if apart > AGREEMENT:
                tally.faults.append(f"instance {number}, {objective}: {ours!r}, but cvxpy finds {theirs!r}")
    return tally


TABLES = {
    "Every solve (gap: the worst one)": {
        "solves": ("count", "solves"),
        "raised": ("count", "exceptions"),
        "gap": ("worst", "gap"),
    },
    f"The same instance said otherwise, tie_margin above {CLEAR_MARGIN:g} (how far apart at most)": {
        "pairs": ("count", "clear"),
        "policies": ("worst", "clear", "policy"),
        "values": ("worst", "clear", "value"),
    },
    f"The same, tie_margin at most {CLEAR_MARGIN:g}: only the values must agree": {
        "pairs": ("count", "near a tie"),
        "values": ("worst", "near a tie", "value"),
    },
    "Within the procedurally fair policies (short: of a procedural score of 1)": {
        "solves": ("count", "fair solves"),
        "raised": ("count", "fair exceptions"),
        "gap": ("worst", "fair gap"),
        "short": ("worst", "unfair"),
    },
    "Against cvxpy and Clarabel": {
        "solves": ("count", "cvxpy"),
        "apart": ("worst", "cvxpy"),
    },
}
"""What is printed: a table for each title, with a column for each key of the tally."""


def report(tally: Tally) -> None:
    """Print what was counted, one line for each objective."""
    for title, columns in TABLES.items():
        print(f"\n{title}\n{'':12}" + "".join(f"{heading:>10}" for heading in columns))
        for objective in RULE_GROUPS["paper"]:
            cells = [tally.read(objective, *key) for key in columns.values()]
            print(f"{objective:12}" + "".join(f"{cell:>10}" for cell in cells))
    tally.faults += [
        f"{objective}: {tally.count[objective, kind + 'exceptions']} exceptions {kind}"
        for objective in RULE_GROUPS["paper"]
        for kind in ("", "fair ")
        if tally.count[objective, f"{kind}exceptions"] > EXCEPTIONS_PER_SOLVE * tally.count[objective, f"{kind}solves"]
    ]
    for fault in tally.faults[:50]:
        print("BROKEN:", fault)
    print(f"\n{len(tally.faults)} promises broken")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--instances", type=int, default=10_000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--within-every", type=int, default=10, help="solve within the fair policies on every n-th")
    options.add_argument("--cvxpy", type=int, default=500)
    options.add_argument("--wide", type=int, default=2_000, help="instances of up to 600 arms")
    options.add_argument("--clones", type=int, default=400, help="instances of equal arms, up to 3,000")
    options.add_argument("--weighty", type=int, default=400, help="instances of weights over 8 to 12 decades")
    options.add_argument("--square", type=int, default=140, help="instances of as many arms as agents, with chains")
    options.add_argument("--ordinary", type=int, default=1_000, help="instances of families that groups look like")
    asked = options.parse_args()
    tally = Tally()
    last = asked.first + asked.instances
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        starts = range(asked.first, last, CHUNK)
        jobs = [pool.submit(chunk, range(a, min(a + CHUNK, last)), asked.within_every) for a in starts]
        for family in FAMILIES:
            count = vars(asked)[family]
            jobs += [pool.submit(wide_chunk, range(a, min(a + 20, count)), family) for a in range(0, count, 20)]
        jobs += [pool.submit(against_cvxpy, range(a, min(a + 25, asked.cvxpy))) for a in range(0, asked.cvxpy, 25)]
        for job in jobs:
            tally.add(job.result())
    report(tally)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""`make stress`: 10,000 hostile instances, every objective, every promise; and 500 against an independent solver.

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
from oracles.hostile import hostile
from oracles.promises import CLEAR_MARGIN, SAME, broken, build, otherwise

import isegoria as iso

EXCEPTIONS_PER_SOLVE = 1e-3
CHUNK = 100


class Tally:
    """Counts and worst cases, by objective; tallies of chunks add up."""

    def __init__(self):
        self.count, self.worst, self.faults = Counter(), {}, []

    def see(self, key, amount: float) -> None:
        self.worst[key] = max(self.worst.get(key, 0.0), amount)

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
    tally.faults += [f"instance {number}, {objective}: {fault}" for fault in broken(instance, solution)]
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
        if apart > SAME:
            tally.faults.append(f"instance {number}, {objective}, {name}, {clear}: apart by {apart:.3g}")


def chunk(numbers: range, within_every: int) -> Tally:
    """The tally of some hostile instances; NumPy may not warn."""
    tally = Tally()
    warnings.simplefilter("error")
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for number in numbers:
            means, weights = hostile(number)
            said = {}
            ways = {
                name: tuple((said.setdefault(id(way), build(way.means, way.weights)), way.columns) for way in pair)
                for name, pair in otherwise(means, weights, number).items()
            }
            for objective in iso.OBJECTIVES:
                compare_ways(tally, objective, number, ways)
                if number % within_every == 0:
                    solved_fairly(tally, build(means, weights), objective, number)
    return tally


def solved_fairly(tally: Tally, instance, objective: str, number: int) -> None:
    """The same objective within the fair policies, counted apart."""
    inner = Tally()
    solution = solved(inner, instance, objective, number, within="procedural")
    for (_, what), count in inner.count.items():
        tally.count[objective, f"fair {what}"] += count
    tally.faults += inner.faults
    if solution is not None:
        tally.see((objective, "fair gap"), solution.gap)
        short = 1 - iso.score(instance, solution.policy).procedural
        tally.see((objective, "unfair"), short)
        if short > SAME:
            tally.faults.append(f"instance {number}, {objective} within procedural: score short of 1 by {short:.3g}")


def against_cvxpy(numbers: range) -> Tally:
    """The worst disagreement with the independent solver."""
    from oracles.convex import AGREEMENT, moderate, value

    tally = Tally()
    for number in numbers:
        instance = build(*moderate(number))
        for objective in iso.OBJECTIVES:
            ours, theirs = iso.solve(instance, objective).value, value(objective, instance)
            apart = abs(ours - theirs) / max(1.0, abs(ours))
            tally.count[objective, "cvxpy"] += 1
            tally.see((objective, "cvxpy"), apart)
            if apart > AGREEMENT:
                tally.faults.append(f"instance {number}, {objective}: {ours!r}, but cvxpy finds {theirs!r}")
    return tally


def report(tally: Tally) -> None:
    """Print what was counted, one line for each objective."""
    c, w = tally.count, tally.worst
    print(f"{'objective':12} {'solves':>7} {'raised':>6} {'worst gap':>9} | {'clear':>6} {'policies':>8} {'values':>8}", end="")
    print(f" | {'tied':>6} {'values':>8} | {'fair':>5} {'raised':>6} {'gap':>8} {'unfair':>8} | {'cvxpy':>5} {'apart':>8}")
    for o in iso.OBJECTIVES:
        near = "near a tie"
        print(f"{o:12} {c[o, 'solves']:7} {c[o, 'exceptions']:6} {w.get((o, 'gap'), 0):9.2g}", end=" | ")
        print(f"{c[o, 'clear']:6} {w.get((o, 'clear', 'policy'), 0):8.2g} {w.get((o, 'clear', 'value'), 0):8.2g}", end=" | ")
        print(f"{c[o, near]:6} {w.get((o, near, 'value'), 0):8.2g}", end=" | ")
        print(f"{c[o, 'fair solves']:5} {c[o, 'fair exceptions']:6} {w.get((o, 'fair gap'), 0):8.2g}", end=" ")
        print(f"{w.get((o, 'unfair'), 0):8.2g} | {c[o, 'cvxpy']:5} {w.get((o, 'cvxpy'), 0):8.2g}")
        for kind in ("", "fair "):
            if c[o, f"{kind}exceptions"] > EXCEPTIONS_PER_SOLVE * c[o, f"{kind}solves"]:
                tally.faults.append(f"{o}: {c[o, f'{kind}exceptions']} {kind}exceptions in {c[o, f'{kind}solves']} solves")
    print("clear / tied: pairs of ways to say the same instance (arms or agents permuted, a row twice or with weight 2,")
    print(f"a row split) whose tie_margin is above / at most {CLEAR_MARGIN:g}, and how far apart the answers were at most.")
    for fault in tally.faults[:50]:
        print("BROKEN:", fault)
    print(f"{len(tally.faults)} promises broken")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--instances", type=int, default=10_000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--within-every", type=int, default=10, help="solve within the fair policies on every n-th")
    options.add_argument("--cvxpy", type=int, default=500)
    asked = options.parse_args()
    tally = Tally()
    last = asked.first + asked.instances
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        starts = range(asked.first, last, CHUNK)
        jobs = [pool.submit(chunk, range(a, min(a + CHUNK, last)), asked.within_every) for a in starts]
        jobs += [pool.submit(against_cvxpy, range(a, min(a + 25, asked.cvxpy))) for a in range(0, asked.cvxpy, 25)]
        for job in jobs:
            tally.add(job.result())
    report(tally)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())

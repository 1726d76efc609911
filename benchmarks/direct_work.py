"""The time that an objective takes on three tables of ratings, in a process of its own: prints JSON."""

from __future__ import annotations

import json
import sys
from time import perf_counter

import isegoria as iso
from benchmarks.direct import ratings


def seconds(objective: str, agents: int, arms: int, rated: int) -> float:
    """The slowest of three tables, each the best of three times."""
    slowest = 0.0
    for seed in range(agents, agents + 3):
        instance, times = iso.Instance(ratings(agents, arms, rated, seed)), []
        for _ in range(3):
            start = perf_counter()
            iso.solve(instance, objective)
            times.append(perf_counter() - start)
        slowest = max(slowest, min(times))
    return slowest


if __name__ == "__main__":
    print(json.dumps({"seconds": seconds(sys.argv[1], *map(int, sys.argv[2:]))}))

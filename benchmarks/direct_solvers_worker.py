"""The time that an objective takes on three tables of ratings, in a process of its own: prints JSON."""

from __future__ import annotations

import json
import sys
from time import perf_counter, process_time

import isegoria as iso
from benchmarks.direct_solvers import make_ratings


def time_slowest_table(objective: str, agents: int, arms: int, rated: int) -> dict[str, float]:
    """The slowest of three tables, each the best of five times: in `seconds`, and in those of the `processor`."""
    found = {"seconds": 0.0, "processor": 0.0}
    for seed in range(agents, agents + 3):
        instance = iso.Instance(make_ratings(agents, arms, rated, seed))
        for name, clock in (("seconds", perf_counter), ("processor", process_time)):
            times = []
            for _ in range(5):
                start = clock()
                iso.solve(instance, objective)
                times.append(clock() - start)
            found[name] = max(found[name], min(times))
    return found


if __name__ == "__main__":
    print(json.dumps(time_slowest_table(sys.argv[1], *map(int, sys.argv[2:]))))

"""A large group: 10,000 agents, 20 arms, 10,000 rounds of Algorithm 1. How long, spent on what, in how much memory.

Run alone: python -m benchmarks.large_learning [ROUNDS].
"""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter

import numpy as np

import isegoria as iso
from benchmarks.harness import peak_memory
from isegoria.learning.environments.environment import RewardStream
from isegoria.learning.simulation.recorder import Recorder

AGENTS, ARMS, ROUNDS, SEED = 10_000, 20, 10_000, 7


def main() -> None:
    """The run, in a process of its own, so that its memory can be told."""
    print(f"Algorithm 1 at ({AGENTS:,}, {ARMS}), {ROUNDS:,} rounds; this takes some minutes", flush=True)
    subprocess.run([sys.executable, "-m", "benchmarks.large_learning", str(ROUNDS)], check=True)


def run(rounds: int) -> None:
    """Each agent's means are a permutation of 20 evenly spaced ones, so that sets change in almost every round."""
    means = np.random.default_rng(SEED).permuted(np.tile(np.linspace(0.1, 0.9, ARMS), (AGENTS, 1)), axis=1)
    world, learner = iso.BetaRewards(means), iso.ProceduralLearner(AGENTS, ARMS, seed=SEED)
    parts = {
        "rewards": time_method(RewardStream, "refill"),
        "policies": time_method(iso.ProceduralLearner, "solve"),
        "records": time_method(Recorder, "take"),
    }
    start = perf_counter()
    trace = iso.simulate(learner, world, rounds, seed=SEED)
    total = perf_counter() - start
    spent = {name: sum(times) for name, times in parts.items()}
    spent["sets"] = total - sum(spent.values())
    print(f"{total:.0f} s: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in spent.items()))
    print(f"sets changed in {trace.changes:,} rounds; {peak_memory() / 1e9:.2f} GB of memory at most, under 1 asked")


def time_method(owner: type, name: str) -> list[float]:
    """A list to which every call of a method adds its time from now on."""
    times, plain = [], getattr(owner, name)

    def method(*args, **kwargs):
        start = perf_counter()
        answer = plain(*args, **kwargs)
        times.append(perf_counter() - start)
        return answer

    setattr(owner, name, method)
    return times


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)

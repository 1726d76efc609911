"""Learning, side by side with what one would use instead: `python -m benchmarks.learning`, or as part of `make bench`.

Every ratio is of times measured in this one run, interleaved, best of several. `--quick` leaves out the largest run.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

import isegoria as iso
from isegoria.data import dots_sample
from isegoria.solvers.decision_shares import procedural_policy

ROUNDS = 100_000
SEED = 7


def best(*functions, repeats: int = 5) -> list[float]:
    """The shortest time of each function, taken in turns."""
    times = [[] for _ in functions]
    for _ in range(repeats):
        for function, taken in zip(functions, times, strict=True):
            begin = time.perf_counter()
            function()
            taken.append(time.perf_counter() - begin)
    return [min(taken) for taken in times]


def dots_run() -> None:
    """Algorithm 1 on the Dots voters against the bulk draws alone, and against a plain loop."""
    sample = dots_sample()
    world, learner = iso.BetaRewards(sample), iso.ProceduralLearner(50, 4, seed=SEED)
    pulls = iso.simulate(learner, world, ROUNDS, seed=SEED).pulls[-1]
    a, b = shapes(sample.means)

    def floor():
        rng = np.random.default_rng(SEED)
        for arm, count in enumerate(pulls):
            rng.beta(a[:, arm], b[:, arm], size=(count, 50))

    def ours():
        iso.simulate(learner, world, ROUNDS, seed=SEED)

    drawn, taken = best(floor, ours)
    plain = best(lambda: plain_loop(sample.means, ROUNDS), repeats=1)[0]
    print(f"Algorithm 1, 50 agents, 4 arms, {ROUNDS:,} rounds: {taken:.3f} s")
    say("NumPy drawing the same 5 million Betas in bulk", drawn, taken / drawn, "of it, at most 1.7 wanted")
    say("the same algorithm as a plain NumPy loop", plain, plain / taken, "times slower, at least 5 wanted")


def shapes(means: np.ndarray, sd: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    size = means * (1 - means) / sd**2 - 1
    return means * size, (1 - means) * size


def plain_loop(means: np.ndarray, rounds: int, gamma: float = 0.7) -> np.ndarray:
    """Algorithm 1 as one would write it: a round at a time in NumPy, with the policy of each pattern remembered."""
    rng = np.random.default_rng(SEED)
    n, k = means.shape
    a, b = shapes(means)
    sums = np.stack([rng.beta(a[:, arm], b[:, arm]) for arm in range(k)], axis=1)
    counts, known = np.ones(k), {}
    for t in range(k + 1, rounds + 1):
        explores = rng.random() < t ** (gamma - 1)
        estimates, radius = sums / counts, np.sqrt(2 * np.log(n * k * t) / counts)
        best_arm = estimates.argmax(axis=1)
        lower = estimates[np.arange(n), best_arm] - radius[best_arm]
        sets = estimates + radius >= lower[:, None]
        key = sets.tobytes()
        if key not in known:
            known[key] = procedural_policy(sets)[0]
        arm = rng.integers(k) if explores else rng.choice(k, p=known[key])
        sums[:, arm] += rng.beta(a[:, arm], b[:, arm])
        counts[arm] += 1
    return known[key]


def ask_and_tell() -> None:
    """Rounds per second through the public interface, in units of solving the Nash program once with cvxpy."""
    rng = np.random.default_rng(SEED)
    means = rng.uniform(0.1, 0.9, (10, 4))
    rewards = [np.clip(rng.normal(means.T, 0.1), 0, 1) for _ in range(2000)]
    rounds = 20_000

    def ours():
        learner = iso.ProceduralLearner(10, 4, seed=SEED)
        for index in range(rounds):
            ticket = learner.ask()
            learner.tell(ticket, rewards[index % 2000][ticket.arm])

    favourites = (means >= means.max(axis=1, keepdims=True) - 0.2).astype(float)
    taken, once = best(ours, lambda: by_cvxpy(favourites))
    rate = rounds / taken
    print(f"ask and tell, 10 agents, 4 arms: {rate:,.0f} rounds a second")
    say("cvxpy with Clarabel, the Nash program once", once, rate * once, "times its rate, at least 200 wanted")


def by_cvxpy(favourites: np.ndarray) -> np.ndarray:
    import cvxpy

    policy = cvxpy.Variable(favourites.shape[1], nonneg=True)
    goal = cvxpy.Maximize(cvxpy.sum(cvxpy.log(favourites @ policy)))
    cvxpy.Problem(goal, [cvxpy.sum(policy) == 1]).solve(solver=cvxpy.CLARABEL)
    return policy.value


def many_seeds() -> None:
    """A hundred seeds on one core and on two."""
    learner, world = iso.ProceduralLearner(50, 4), iso.BetaRewards(dots_sample())

    def on(workers):
        return lambda: iso.simulate_many(learner, world, 30_000, seeds=100, workers=workers, records=100)

    one, two = best(on(1), on(2), repeats=2)
    print(f"100 seeds of 30,000 rounds on two cores: {two:.2f} s")
    say("on one core", one, one / two, "times slower, at least 1.7 wanted")


def large_group() -> None:
    """10,000 agents, 20 arms, 100,000 rounds, in a process of its own so that its memory can be seen."""
    print(f"10,000 agents, 20 arms, {ROUNDS:,} rounds (some minutes):", flush=True)
    subprocess.run([sys.executable, "-m", "benchmarks.learning", "--large"], check=True)


def large_run(rounds: int = ROUNDS) -> None:
    """That run, with the time of its parts."""
    from isegoria.learning.environment import RewardStream
    from isegoria.learning.recorder import Recorder

    rng = np.random.default_rng(SEED)
    means = rng.permuted(np.tile(np.linspace(0.1, 0.9, 20), (10_000, 1)), axis=1)
    world, learner = iso.BetaRewards(means), iso.ProceduralLearner(10_000, 20, seed=SEED)
    parts = {
        "rewards": timed(RewardStream, "refill"),
        "policies": timed(iso.ProceduralLearner, "_solved"),
        "records": timed(Recorder, "take"),
    }
    begin = time.perf_counter()
    trace = iso.simulate(learner, world, rounds, seed=SEED)
    total = time.perf_counter() - begin
    spent = {name: sum(times) for name, times in parts.items()}
    spent["sets and the rest"] = total - sum(spent.values())
    print(f"  {total:.0f} s: " + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in spent.items()))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  {trace.changes:,} changes of sets; {memory:.2f} GB of memory at most, under 1 wanted")


def timed(owner: type, name: str) -> list[float]:
    """Have every call of a method add its time to the list that is returned."""
    times, plain = [], getattr(owner, name)

    def method(*args, **kwargs):
        begin = time.perf_counter()
        answer = plain(*args, **kwargs)
        times.append(time.perf_counter() - begin)
        return answer

    setattr(owner, name, method)
    return times


def say(what: str, seconds: float, ratio: float, wanted: str) -> None:
    print(f"  {what}: {seconds:.4g} s; {ratio:,.2f} {wanted}")


def main(arguments: list[str]) -> None:
    if "--large" in arguments:
        large_run()
        return
    dots_run()
    ask_and_tell()
    many_seeds()
    if "--quick" not in arguments:
        large_group()


if __name__ == "__main__":
    main(sys.argv[1:])

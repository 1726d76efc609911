"""Hundreds to thousands of arms, as real elections have them, against what one would use instead; `Instance` included.

Approval ballots name 3 to 16 arms, of which arm k is named in proportion to 1/k; "with bullets" adds one ballot for
every arm alone, so that all arms survive. Rankings are cut off after 5 to 20 places, and the rest is worth nothing.

Of dense ballots, over 100 MB of which those by columns are copied, both sides' own work is timed, without the system's:
what the machine takes to hand out such memory is the same for whoever asks, and on a virtual one it varies tenfold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack
from scipy.sparse import identity as unit

import isegoria as iso
from benchmarks import cvxpy_rules, process
from benchmarks.harness import BenchmarkRow, user_cpu_seconds

BALLOTS = {(17_000, 900): (100, 50), (7_000, 2_000): (50, 20)}
RANKINGS = [(550, 480), (130, 4_000), (4_000, 100)]
TIMEOUT_SECONDS = 10  # seconds for what may take hours
REPEATS = 6  # that work is done in a row whose clock counts by ticks


def make_ballots(agents: int, arms: int, values=(1.0,)) -> csr_array:
    """Approval ballots, or rows of a few distinct values."""
    rng = np.random.default_rng(42)
    sizes_, popular = rng.integers(3, 17, agents), -np.log(np.arange(1, arms + 1))
    names = [np.sort(np.argsort(-(popular + rng.gumbel(size=arms)))[:size]) for size in sizes_]
    starts = np.concatenate([[0], np.cumsum(sizes_)])
    return csr_array((rng.choice(values, starts[-1]), np.concatenate(names), starts), shape=(agents, arms))


def add_bullet_votes(table: csr_array) -> csr_array:
    """The same, and one ballot for every arm alone."""
    return csr_array(vstack([table, unit(table.shape[1])], format="csr"))


def make_rankings(agents: int, arms: int) -> np.ndarray:
    """Truncated rankings of popular arms, worth 1 down to 0 in equal steps."""
    rng, means = np.random.default_rng(42), np.zeros((agents, arms))
    popular = -np.log(np.arange(1, arms + 1))
    for row in means:
        places = np.argsort(-(popular + rng.gumbel(size=arms)))[: rng.integers(5, 21)]
        row[places] = 1 - np.arange(len(places)) / len(places)
    return means


def time_both(ours: Callable, theirs: Callable, rounds: int = 3) -> tuple[float, float]:
    """The best of some rounds of ours, and theirs once: it takes seconds."""
    ours()
    return min(_seconds(ours) for _ in range(rounds)), _seconds(theirs)


def _seconds(work: Callable, clock: Callable[[], float] = perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def _solve(given, objective: str) -> iso.Solution:
    return iso.solve(iso.Instance(given), objective)


def _sparse_nash(values: csr_array) -> None:
    policy = cp.Variable(values.shape[1], nonneg=True)
    cp.Problem(cp.Maximize(cp.sum(cp.log(values @ policy))), [cp.sum(policy) == 1]).solve(solver="CLARABEL")


def _plain_program(means: np.ndarray) -> None:
    agents, arms = means.shape
    linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.hstack([-means, np.ones((agents, 1))]),
        b_ub=np.zeros(agents),
        A_eq=np.append(np.ones(arms), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * arms + [(None, None)],
    )


def rows() -> Iterator[BenchmarkRow]:
    """Ballots, rankings, and what else is asked about a policy."""
    yield from _ballot_rows()
    yield from _ranking_rows()
    yield from _gini_rows()
    yield from _question_rows()


def _gini_rows() -> Iterator[BenchmarkRow]:
    """Halving and linear weights, at (550, 480) and at (20000, 60), against cvxpy."""
    means = make_rankings(550, 480)
    yield BenchmarkRow(
        "gini, rankings (550, 480)", *time_both(lambda: _solve(means, "gini"), lambda: cvxpy_rules.gini(means)), 5
    )

    def linear() -> None:
        assert iso.solve(iso.Instance(means), "gini", gini_weights=linear_weights(len(means))).gap <= 1e-10

    linear()
    theirs = process.run_script("large_profile_worker.py", "convex", 550, 480, patience=TIMEOUT_SECONDS)["seconds"]
    yield BenchmarkRow(f"the same with linear weights{_format_timeout(theirs)}", _seconds(linear), theirs, 5)
    for name, *asked in (("halving",), ("linear", "linear")):
        ours = process.run_script("large_profile_worker.py", "uniform", 20_000, 60, "gini", *asked)
        theirs = process.run_script(
            "large_profile_worker.py", "convex", 20_000, 60, "uniform", name, patience=TIMEOUT_SECONDS
        )["seconds"]
        assert ours["gap"] <= 1e-10
        yield BenchmarkRow(
            f"gini at (20000, 60), {name}, against cvxpy{_format_timeout(theirs)}", ours["seconds"], theirs, 5
        )


def linear_weights(agents: int) -> np.ndarray:
    """Gini weights that fall linearly, and sum to 1."""
    weights = np.arange(agents, 0, -1.0)
    return weights / weights.sum()


def _format_timeout(seconds: float) -> str:
    return f" (ended after {TIMEOUT_SECONDS} s)" if seconds == TIMEOUT_SECONDS else ""


def _ballot_rows() -> Iterator[BenchmarkRow]:
    for shape, (asked, asked_dense) in BALLOTS.items():
        for objective, values in (("procedural", (1.0,)), ("nash", (0.25, 0.5, 1.0))):
            for name, table in (
                ("", make_ballots(*shape, values)),
                (" with bullets", add_bullet_votes(make_ballots(*shape, values))),
            ):
                theirs = _by_both_clocks(lambda table=table: _sparse_nash(table))
                dense = table.toarray()
                forms = {"sparse": table, "dense": dense, "dense, by columns": np.asfortranarray(dense)}
                for form, given in forms.items():
                    needed = (
                        (50 if objective == "nash" and asked == 100 else asked) if form == "sparse" else asked_dense
                    )
                    needed = 20 if objective == "nash" and asked == 50 else needed
                    assert _solve(given, objective).gap <= 1e-9
                    work = lambda given=given, what=objective: _solve(given, what)  # noqa: E731
                    if form == "sparse":
                        ours = min(_seconds(work) for _ in range(3))
                    else:
                        ours = _seconds(lambda work=work: [work() for _ in range(REPEATS)], user_cpu_seconds) / REPEATS
                    yield BenchmarkRow(
                        f"{objective}, ballots {shape}{name}, {form}", ours, theirs[form != "sparse"], needed
                    )


def _by_both_clocks(work: Callable) -> tuple[float, float]:
    """The seconds that pass, and those of this process's own work."""
    start = perf_counter(), user_cpu_seconds()
    work()
    return perf_counter() - start[0], user_cpu_seconds() - start[1]


def _ranking_rows() -> Iterator[BenchmarkRow]:
    for shape in RANKINGS:
        means = make_rankings(*shape)
        for objective, other in (("inequality", cvxpy_rules.inequality), ("nash", cvxpy_rules.nash)):
            times = time_both(lambda m=means, o=objective: _solve(m, o), lambda m=means, f=other: f(m))
            yield BenchmarkRow(f"{objective}, rankings {shape}", *times, 5)
        times = time_both(lambda m=means: _solve(m, "egalitarian"), lambda m=means: _plain_program(m))
        yield BenchmarkRow(f"egalitarian, rankings {shape}, against HiGHS", *times, 1)


def _question_rows() -> Iterator[BenchmarkRow]:
    tables = {f"rankings {shape}": make_rankings(*shape) for shape in RANKINGS}
    tables |= {f"ballots {shape}": make_ballots(*shape) for shape in BALLOTS}
    tables |= {f"ballots {shape} with bullets": add_bullet_votes(make_ballots(*shape)) for shape in BALLOTS}
    for kind, table in tables.items():
        instance = iso.Instance(table)
        compared = _seconds(lambda instance=instance: [entry.scores.values for entry in iso.compare(instance).values()])
        policy = iso.solve(instance, "nash").policy

        def scored(instance=instance, policy=policy):
            scores = iso.score(instance, policy)
            return scores.values, scores.attribution_matrix

        def audited(instance=instance, policy=policy):
            audit = iso.audit(instance, policy)
            return (
                audit.scores.values,
                audit.attribution_matrix,
                audit.neglected_coalition,
                audit.is_proportional,
                audit.agent_sentences,
            )

        questions = {"score with attribution": scored, "audit without cores": audited}
        questions["frontier"] = lambda instance=instance: iso.frontier(instance)
        for name, work in questions.items():
            yield BenchmarkRow(f"{name}, {kind}, against compare", _seconds(work), compared, 1)

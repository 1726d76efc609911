"""BLAS has one thread inside our calls and the user's own outside, and answers do not hang on how many there are.

Threads are counted for a whole process, so every question is asked of a child that begins with a number of its own.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

COUNT = """
import json, time
import numpy as np, scipy.linalg
import isegoria as iso

def threads():
    from threadpoolctl import threadpool_info
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
"""
TABLES = """
def ratings(agents, arms, rated, seed):
    rng = np.random.default_rng(seed)
    means = np.zeros((agents, arms))
    for row in means:
        row[rng.choice(arms, rated, replace=False)] = np.linspace(1, 0.2, rated)
    return iso.Instance(means)
"""


def child(code: str, threads: int) -> list:
    """What a fresh interpreter with so many BLAS threads prints, as JSON."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", COUNT + TABLES + code], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_threads_are_held_inside_a_call_of_ours_and_given_back():
    code = """
seen = [threads()]
from isegoria.solvers.nash import sparse_log_sum
found = sparse_log_sum.maximise_log_sum_sparse
sparse_log_sum.maximise_log_sum_sparse = lambda *given: (seen.append(threads()), found(*given))[1]
iso.solve(ratings(40, 700, 100, 1), "nash")
seen.append(threads())
print(json.dumps(seen))
"""
    before, inside, after = child(code, threads=2)
    assert set(before) == {2}
    assert set(inside) == {1}
    assert before == after


def test_threads_are_given_back_by_a_call_that_fails():
    code = """
from isegoria.utils.threads import single_blas_thread
try:
    with single_blas_thread():
        raise ValueError
except ValueError:
    print(json.dumps(threads()))
"""
    assert set(child(code, threads=2)) == {2}


def test_of_two_calls_at_once_the_last_to_return_gives_back():
    code = """
import threading
from isegoria.utils.threads import single_blas_thread
entered, left = threading.Event(), threading.Event()
def longer():
    with single_blas_thread():
        entered.set()
        left.wait(30)
thread = threading.Thread(target=longer)
with single_blas_thread():
    thread.start()
    entered.wait(30)
still = threads()
left.set()
thread.join()
print(json.dumps([still, threads()]))
"""
    still, after = child(code, threads=2)
    assert set(still) == {1}
    assert set(after) == {2}


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["nash", "procedural", "inequality", "egalitarian"])
def test_one_thread_and_two_find_the_same(objective):
    code = f"""
tables = [ratings(130, 1000, 100, 130), ratings(150, 140, 30, 2)]
found = [iso.solve(table, {objective!r}) for table in tables]
print(json.dumps([[each.policy.tolist(), each.gap, each.tie_margin] for each in found]))
"""
    for one, two in zip(child(code, 1), child(code, 2), strict=True):
        assert max(one[1], two[1]) <= 1e-9
        if min(one[2], two[2]) > 1e-8:
            assert np.array(two[0]) == pytest.approx(np.array(one[0]), abs=1e-9)


@pytest.mark.slow
def test_a_table_whose_last_bits_differ_costs_no_more_than_a_few_times_as_much():
    """With two threads products round otherwise; a search that such bits sent in circles took 1,700 times as long."""
    code = """
table, spent = ratings(130, 4000, 400, 130), []
for _ in range(3):
    start = time.process_time()
    iso.solve(table, "nash")
    spent.append(time.process_time() - start)
print(json.dumps(spent))
"""
    assert min(child(code, threads=2)) <= 5 * min(child(code, threads=1))

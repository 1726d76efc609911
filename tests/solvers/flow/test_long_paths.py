"""A chain of ballots, along which one share must be pushed from end to end: the flow needs no stack of calls for it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import isegoria as iso

CHILD = """
import sys, threading
sys.path.insert(0, {folder!r})
from test_long_paths import solve_chain
threading.stack_size({kilobytes} * 1024)
thread = threading.Thread(target=solve_chain, args=({ballots},))
thread.start()
thread.join()
"""


def chain_instance(ballots: int) -> tuple[iso.Instance, np.ndarray]:
    """Agent i likes arms i and i + 1; one more likes the first and one after the last, which the policy never plays."""
    rows = np.append(np.repeat(np.arange(ballots), 2), [ballots, ballots])
    arms = np.append(np.column_stack([np.arange(ballots), np.arange(ballots) + 1]).ravel(), [0, ballots + 1])
    table = csr_array((np.ones(len(rows)), (rows, arms)), shape=(ballots + 1, ballots + 2))
    policy = np.append(np.full(ballots + 1, 1 / (ballots + 1)), 0.0)
    return iso.Instance(table), policy / policy.sum()


def solve_chain(ballots: int) -> None:
    """What a thread of its own does: print the score, which is 1 up to rounding."""
    print(iso.score(*chain_instance(ballots)).procedural)


@pytest.mark.parametrize(("ballots", "kilobytes"), [(3_000, 128), (60_000, 8_192)])
def test_a_chain_of_ballots_needs_no_deep_stack(ballots, kilobytes):
    code = CHILD.format(ballots=ballots, kilobytes=kilobytes, folder=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, f"the interpreter died with {done.returncode}: {done.stderr[-300:]}"
    assert float(done.stdout) == pytest.approx(1, abs=1e-12)


def test_the_chain_read_backwards_scores_the_same():
    instance, policy = chain_instance(2_000)
    mirrored = iso.Instance(csr_array(instance.means[:, ::-1]))
    assert iso.score(mirrored, policy[::-1].copy()).procedural == pytest.approx(1, abs=1e-12)

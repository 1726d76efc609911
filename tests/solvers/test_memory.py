"""Memory: every refusal is a MemoryError, guard words guard, and code that cannot raise cannot call Python."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from isegoria import solvers
from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.maximin.cuts import RankedCuts, RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.nash.decision_shares import policy_of_codes, policy_of_rows
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.subsampled_newton import maximise_rows
from isegoria.solvers.rows import arena
from isegoria.solvers.ties.face import pick
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.variance.primal_active_set import Variance

ROOM = Path(solvers.__file__).parent
TABLE = np.random.default_rng(0).random((300, 12))
TIED = np.round(TABLE[:4] * 2) / 2
CODES, COUNTS = np.arange(1, 40, dtype=np.uint64), np.ones(39, dtype=np.int64)
ASKED = {
    "maximise": lambda: maximise(TABLE, np.ones(300)),
    "maximise, tied": lambda: maximise(TIED, np.ones(4), "utilitarian", TIED.mean(axis=0)),
    "maximise_rows": lambda: maximise_rows(TABLE),
    "policy_of_codes": lambda: policy_of_codes(CODES, COUNTS, 12),
    "policy_of_rows": lambda: policy_of_rows(TABLE > 0.5, np.ones(300, dtype=np.int64)),
    "pick": lambda: pick(np.ones((12, 12)), np.eye(12)[0], np.zeros(12)),
    "play": lambda: play(RowCuts(TABLE)),
    "RankedCuts": lambda: RankedCuts(TABLE, np.ones(300, dtype=np.int64), np.linspace(0, 1, 301)),
    "Projection": lambda: Projection(12, RowCuts(TABLE), 0.1).nearest(np.zeros(12)),
    "Variance": lambda: Variance(TABLE).minimise(1e-13),
    "fair_flow": lambda: fair_flow(TABLE[:9] > 0.6, np.full(9, 1 / 9), np.full(12, 1 / 12)),
}


@pytest.mark.parametrize("name", ASKED)
def test_no_memory_is_said_whenever_it_is_short(name):
    refused = 0
    try:
        for allocation in range(1, 200):
            arena.fail_at(allocation)
            try:
                ASKED[name]()
                break
            except MemoryError:
                refused += 1
    finally:
        arena.fail_at(0)
    assert 1 <= refused < 199
    ASKED[name]()  # and afterwards all is well


def test_an_array_of_negative_or_absurd_length_is_refused():
    for length in (-1, 2**62):
        with pytest.raises(MemoryError):
            arena.sum_test_arrays([1, length])


def test_long_and_short_arrays_lie_side_by_side():
    counts = [1, 5000, 3, 0, 70, 2000, 8]
    assert arena.sum_test_arrays(counts) == [float(number * count) for number, count in enumerate(counts)]


@pytest.mark.skipif(not arena.has_guard_words(), reason="only a build with guard words can tell")
def test_a_write_past_the_end_stops_the_program():
    words = "from isegoria.solvers.rows.arena import carved; sum_test_arrays([3], overrun=True)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert done.returncode != 0
    assert "wrote outside" in done.stderr or "AddressSanitizer" in done.stderr


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.pyx")), ids=lambda path: path.stem)
def test_what_cannot_raise_cannot_call_python(path):
    """`nogil` lets the compiler see to it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        assert not re.search(r"\bnoexcept\b(?! nogil)", line), line


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.p[yx]*")), ids=lambda path: path.name)
def test_memory_comes_from_the_arena_and_no_type_is_longer_on_some_machines(path):
    if path.suffix in (".pyx", ".pxd", ".py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(malloc|calloc|realloc)\b|long ?double", text) or path.parent.name == "rows"

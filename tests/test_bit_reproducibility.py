"""The same policies, bit for bit, whatever kernels BLAS takes and on however many threads; `make bits` compares all."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bit_digests

EVERY = 30


def test_the_sample_is_a_file_and_not_computed():
    assert hashlib.sha256(bit_digests.SAMPLE.read_bytes()).hexdigest() in bit_digests.digests(300)[0]
    assert len(bit_digests.instances()) == 300
    assert len(bit_digests.digests(300)) == 1 + 18


@pytest.mark.slow
def test_fair_and_leximin_policies_are_close_on_other_machines():
    known, own = bit_digests.settings(), bit_digests.list_close_policies(EVERY)
    name = next(name for name in ("Nehalem", "Haswell", "threads: 2") if name in known)
    assert bit_digests.find_apart(own, bit_digests.under(known[name], EVERY, "--policies")) == []
    moved = [(name, np.inf, np.roll(policy, 1) + np.arange(len(policy))) for name, _, policy in own]
    printed = "\n".join(" ".join([name, "=", *(x.hex() for x in (1.0, *p.tolist()))]) for name, _, p in own)
    assert bit_digests.find_apart(own, printed) == []
    assert bit_digests.find_apart(moved, printed)


@pytest.mark.slow
def test_machines_that_compute_otherwise_find_the_same_bits():
    """A child for each: the oldest kernels of BLAS that this processor has, two threads, plain NumPy."""
    known = bit_digests.settings()
    names = [name for name in ("Nehalem", "Haswell", "threads: 2", "plain NumPy") if name in known]
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda name: bit_digests.under(known[name], EVERY), names))
    own = "\n".join(bit_digests.digests(EVERY)) + "\n"
    assert dict(zip(names, printed, strict=True)) == dict.fromkeys(names, own)

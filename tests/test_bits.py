"""The same policies, bit for bit, whatever kernels BLAS takes and on however many threads; `make bits` compares all."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import bits

EVERY = 30


def test_the_sample_is_a_file_and_not_computed():
    assert hashlib.sha256(bits.SAMPLE.read_bytes()).hexdigest() in bits.digests(300)[0]
    assert len(bits.instances()) == 300
    assert len(bits.digests(300)) == 1 + 18


def test_machines_that_compute_otherwise_find_the_same_bits():
    """A child for each: the oldest kernels of BLAS that this processor has, two threads, plain NumPy."""
    known = bits.settings()
    names = [name for name in ("Nehalem", "Haswell", "threads: 2", "plain NumPy") if name in known]
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda name: bits.under(known[name], EVERY), names))
    own = "\n".join(bits.digests(EVERY)) + "\n"
    assert dict(zip(names, printed, strict=True)) == dict.fromkeys(names, own)

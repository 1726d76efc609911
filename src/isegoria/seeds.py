"""Where chance comes from: a seed, and for each purpose a stream of its own, which no other purpose can disturb."""

from __future__ import annotations

import secrets
from zlib import crc32

import numpy as np

from isegoria.errors import InputError

Seed = int | np.random.Generator | None
"""A whole number from 0 up; None for a fresh one; or a NumPy generator, which is taken from where it stands."""


def checked_seed(seed: Seed) -> int:
    """`seed` as a whole number: a generator gives its next 128 bits, None fresh ones.

    >>> checked_seed(7)
    7
    >>> rng = np.random.default_rng(7)
    >>> checked_seed(rng) == checked_seed(rng)
    False
    """
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, np.random.Generator):
        return int.from_bytes(seed.bytes(16), "little")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}; expected a whole number from 0 up, a NumPy Generator, or None for luck.")
    return int(seed)


def stream(entropy: int, purpose: str) -> np.random.Generator:
    """A random generator for one `purpose`: what other purposes draw never changes what this one does.

    >>> bool(stream(7, "rankings").random() == stream(7, "rewards").random())
    False
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),))))


def stream_from(seed: Seed, purpose: str) -> np.random.Generator:
    """The stream of a seed for one `purpose`; a generator is used as it stands, whatever it is used for.

    >>> rng = np.random.default_rng(7)
    >>> stream_from(rng, "rankings") is rng
    True
    """
    return seed if isinstance(seed, np.random.Generator) else stream(checked_seed(seed), purpose)

"""Random seeds: one seed gives each purpose its own stream, independent of what other purposes draw."""

from __future__ import annotations

import secrets
from zlib import crc32

import numpy as np

from isegoria.errors import InputError

Seed = int | np.random.Generator | None
"""A non-negative integer, None for a fresh seed, or a NumPy generator, which continues from its current state."""


def resolve_seed(seed: Seed) -> int:
    """Return `seed` as an integer: a generator yields its next 128 bits, None yields fresh ones.

    >>> resolve_seed(7)
    7
    >>> rng = np.random.default_rng(7)
    >>> resolve_seed(rng) == resolve_seed(rng)
    False
    """
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, np.random.Generator):
        return int.from_bytes(seed.bytes(16), "little")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}; expected a whole number from 0 up, a NumPy Generator, or None for luck.")
    return int(seed)


def random_stream(entropy: int, purpose: str) -> np.random.Generator:
    """Return a random generator for one `purpose`, unaffected by what other purposes draw.

    >>> bool(random_stream(7, "rankings").random() == random_stream(7, "rewards").random())
    False
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),))))


def stream_for_seed(seed: Seed, purpose: str) -> np.random.Generator:
    """Return the stream of a seed for one `purpose`; a generator is returned as it is, for any purpose.

    >>> rng = np.random.default_rng(7)
    >>> stream_for_seed(rng, "rankings") is rng
    True
    """
    return seed if isinstance(seed, np.random.Generator) else random_stream(resolve_seed(seed), purpose)

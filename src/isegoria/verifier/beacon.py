"""What a drand beacon said, checked with py_ecc (the extra `beacon`): the one check that needs more than the one file.

A random combination of true signatures is true, and of a wrong one is not, but for 1 chance in 2^128; so all rounds of
a record cost one pairing each way. Every point is first seen to lie in its subgroup. If the combination fails, each
signature is asked alone, so that the wrong one can be named.
"""

import sys
from functools import lru_cache
from hashlib import sha256
from importlib import import_module

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
Spoken = tuple[str, int, bytes]
"""A key in hexadecimal, a round, and the signature that the beacon is said to have given in it."""


def wrong_beacons(said: list[Spoken]) -> list[int]:
    """The places of those that the beacon did not say. Raises ImportError where py_ecc is not installed."""
    if not said:
        return []
    _py_ecc()
    return [] if _true(said) else [place for place, one in enumerate(said) if not _true([one])]


def _py_ecc() -> None:
    """Import py_ecc, and undo the recursion limit of 100,000 that it sets: deep JSON would end the whole process."""
    depth = sys.getrecursionlimit()
    import_module("py_ecc.bls")
    sys.setrecursionlimit(depth)


def _true(said: list[Spoken]) -> bool:
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.optimized_bls12_381 import FQ12, G2, Z1, add, multiply, neg, pairing

    seed = sha256(repr(said).encode()).digest()
    left, right = Z1, {}
    for place, (key, number, signature) in enumerate(said):
        point = _decoded("decompress_G1", int.from_bytes(signature, "big"))
        if point is None or _public(key) is None:
            return False
        factor = int.from_bytes(sha256(seed + place.to_bytes(4, "big")).digest()[:16], "big")
        message = hash_to_G1(sha256(number.to_bytes(8, "big")).digest(), TAG, sha256)
        left = add(left, multiply(point, factor))
        right[key] = add(right.get(key, Z1), multiply(message, factor))
    product = pairing(G2, left)
    for key, total in right.items():
        product *= pairing(_public(key), neg(total))
    return product == FQ12.one()


def _public(key: str):
    return _decoded("decompress_G2", (int(key[:96], 16), int(key[96:], 16)))


@lru_cache(maxsize=4096)
def _decoded(decode: str, number):
    """A point of the right subgroup, or None; the point at infinity vouches for nothing."""
    from py_ecc.bls import point_compression
    from py_ecc.bls.g2_primitives import subgroup_check
    from py_ecc.optimized_bls12_381 import is_inf

    try:
        found = getattr(point_compression, decode)(number)
    except ValueError:
        return None
    return found if subgroup_check(found) and not is_inf(found) else None

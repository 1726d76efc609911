"""BLS12-381 by py_ecc (extra `beacon`): points from bytes, a hash onto G1, and one comparison of pairings."""

from __future__ import annotations

import sys
from hashlib import sha256
from typing import Any

_DEPTH = sys.getrecursionlimit()

from py_ecc.bls.g2_primitives import subgroup_check as in_subgroup  # noqa: E402
from py_ecc.bls.hash_to_curve import hash_to_G1  # noqa: E402
from py_ecc.bls.point_compression import compress_G1, compress_G2, decompress_G1, decompress_G2  # noqa: E402
from py_ecc.optimized_bls12_381 import (  # type: ignore[attr-defined]  # noqa: E402
    FQ12,
    G2,
    final_exponentiate,
    is_inf,
    multiply,
    neg,
    pairing,
)

sys.setrecursionlimit(_DEPTH)  # py_ecc sets it to 100,000, where deeply nested JSON would end the whole process

__all__ = ["g1", "g2", "hash_to_g1", "in_subgroup", "is_inf", "same_pairing", "signed"]


def g1(data: bytes) -> Any:
    """The point of G1 in 48 bytes; ValueError where they are none, or not the one way to write it."""
    number: Any = int.from_bytes(data, "big")
    point = decompress_G1(number)
    if int(compress_G1(point)).to_bytes(48, "big") != data:
        raise ValueError("not canonical")
    return point


def g2(data: bytes) -> Any:
    """The point of G2 in 96 bytes; ValueError where they are none, or not the one way to write it."""
    parts: Any = int.from_bytes(data[:48], "big"), int.from_bytes(data[48:], "big")
    point = decompress_G2(parts)
    if tuple(map(int, compress_G2(point))) != parts:
        raise ValueError("not canonical")
    return point


def hash_to_g1(message: bytes, tag: bytes) -> Any:
    """The point that stands for a message (RFC 9380)."""
    hashing: Any = sha256
    return hash_to_G1(message, tag, hashing)


def same_pairing(signature: Any, message: Any, key: Any) -> bool:
    """e(signature, G2) = e(message, key), by one final exponentiation."""
    both = pairing(neg(G2), signature, final_exponentiate=False) * pairing(key, message, final_exponentiate=False)
    return bool(final_exponentiate(both) == FQ12.one())


def signed(secret: int, round_message: bytes, tag: bytes) -> tuple[bytes, bytes]:
    """(signature, public key) of a league of one: for rehearsing with a beacon of one's own."""
    signature = compress_G1(multiply(hash_to_g1(round_message, tag), secret))
    key = b"".join(int(part).to_bytes(48, "big") for part in compress_G2(multiply(G2, secret)))
    return int(signature).to_bytes(48, "big"), key

"""Ed25519 signatures (RFC 8032): signing by `cryptography`, in constant time, and a stricter check in plain Python.

Only seeds are secret, so only signing needs constant time. Verification is plain Python because the record's rule is
stricter than that of most libraries: no small-order points, only canonical encodings, and the cofactored equation.
"""

from __future__ import annotations

from hashlib import sha512
from typing import TYPE_CHECKING

from isegoria.errors import MissingExtraError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)  # a square root of -1

Point = tuple[int, int, int, int]  # (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL_POINT: Point = (0, 1, 1, 0)


def public_key(seed: bytes) -> bytes:
    """Return the public key of a 32-byte seed."""
    return _load_private_key(seed).public_key().public_bytes_raw()


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64-byte signature of `message`. It is deterministic in seed and message.

    >>> seed = bytes(32)
    >>> verify(public_key(seed), b"voice", sign(seed, b"voice"))
    True
    """
    return _load_private_key(seed).sign(message)


def _load_private_key(seed: bytes) -> Ed25519PrivateKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise MissingExtraError("signing needs the extra 'sign': pip install 'isegoria[sign]'.") from None
    return Ed25519PrivateKey.from_private_bytes(seed)


def is_signing_key(key: bytes) -> bool:
    """Return whether these 32 bytes are a key that can sign: the only encoding of a point that is not of small order.

    >>> is_signing_key(public_key(bytes(32))), is_signing_key(bytes([1]) + bytes(31)), is_signing_key(b"\\xff" * 32)
    (True, False, False)
    """
    point = _decode_point(key) if len(key) == 32 else None
    return point is not None and not _has_small_order(point)


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` is by `key`, strictly: S < L, y < p, no small-order points, cofactored equation."""
    if len(key) != 32 or len(signature) != 64:
        return False
    owner, shown = _decode_point(key), _decode_point(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if owner is None or shown is None or answer >= L or _has_small_order(owner) or _has_small_order(shown):
        return False
    challenge = _hash_to_integer(signature[:32] + key + message) % L
    left = _multiply_point(8 * answer, BASE_POINT)
    right = _multiply_point(8, _add_points(shown, _multiply_point(challenge, owner)))
    return _is_same_point(left, right)


def _hash_to_integer(data: bytes) -> int:
    return int.from_bytes(sha512(data).digest(), "little")


def _add_points(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _multiply_point(scalar: int, point: Point) -> Point:
    found = NEUTRAL_POINT
    while scalar:
        if scalar & 1:
            found = _add_points(found, point)
        point = _add_points(point, point)
        scalar >>= 1
    return found


def _is_same_point(p: Point, q: Point) -> bool:
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def _has_small_order(point: Point) -> bool:
    return _is_same_point(_multiply_point(8, point), NEUTRAL_POINT)


def _decode_point(data: bytes) -> Point | None:
    """Decode a point, or return None if the 32 bytes encode none."""
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    x = _square_root((y * y - 1) * pow(D * y * y + 1, P - 2, P) % P) if y < P else None
    if x is None or (x == 0 and odd):
        return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P


def _square_root(square: int) -> int | None:
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_MINUS_ONE % P
    return x if (x * x - square) % P == 0 else None


BASE_POINT = _decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or NEUTRAL_POINT

"""Ed25519 signatures (RFC 8032) in plain Python, so that a witness needs nothing but this package.

A few milliseconds each, which is enough for people. It is not hardened against those who can time it: keys that guard
more than a lunch belong into a device of their own, which signs the same message.
"""

from __future__ import annotations

from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # a square root of -1

Point = tuple[int, int, int, int]  # (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def public_key(seed: bytes) -> bytes:
    """The public key of a 32-byte seed."""
    return _encoded(_times(_secret(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    """The 64-byte signature of `message`; always the same for the same seed and message.

    >>> seed = bytes(32)
    >>> verify(public_key(seed), b"voice", sign(seed, b"voice"))
    True
    """
    scalar, prefix = _secret(seed)
    key = _encoded(_times(scalar, BASE))
    once = _number(prefix + message) % L
    shown = _encoded(_times(once, BASE))
    answer = (once + _number(shown + key + message) * scalar) % L
    return shown + answer.to_bytes(32, "little")


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is the key's, strictly: S < L, y below p, no point of small order, cofactored equation."""
    if len(key) != 32 or len(signature) != 64:
        return False
    owner, shown = _decoded(key), _decoded(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if owner is None or shown is None or answer >= L or _small(owner) or _small(shown):
        return False
    challenge = _number(signature[:32] + key + message) % L
    left = _times(8 * answer, BASE)
    right = _times(8, _plus(shown, _times(challenge, owner)))
    return _same(left, right)


def _secret(seed: bytes) -> tuple[int, bytes]:
    digest = sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, digest[32:]


def _number(data: bytes) -> int:
    return int.from_bytes(sha512(data).digest(), "little")


def _plus(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    found = NEUTRAL
    while scalar:
        if scalar & 1:
            found = _plus(found, point)
        point = _plus(point, point)
        scalar >>= 1
    return found


def _same(p: Point, q: Point) -> bool:
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def _small(point: Point) -> bool:
    return _same(_times(8, point), NEUTRAL)


def _encoded(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decoded(data: bytes) -> Point | None:
    """The point, or None where 32 bytes are none."""
    number = int.from_bytes(data, "little")
    y, odd = number & ((1 << 255) - 1), number >> 255
    x = _root((y * y - 1) * pow(D * y * y + 1, P - 2, P) % P) if y < P else None
    if x is None or (x == 0 and odd):
        return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P


def _root(square: int) -> int | None:
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    return x if (x * x - square) % P == 0 else None


BASE = _decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or NEUTRAL

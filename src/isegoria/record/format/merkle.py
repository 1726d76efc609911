"""What is private enters a record as one hash: the root of a tree whose leaves only their owners hold (RFC 6962)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf, told apart from that of a node by its first byte."""
    return sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two children."""
    return sha256(b"\1" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaves in their order; SHA-256 of nothing where there are none.

    >>> root([]).hex()[:8], root([b"a", b"b", b"c"]) == node_hash(root([b"a", b"b"]), leaf_hash(b"c"))
    ('e3b0c442', True)
    """
    return levels(leaves)[-1][0] if leaves else sha256(b"").digest()


def levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """The hashes from the leaves up to the root; an odd one at the end of a level rises as it is.

    Pairing from the left is the tree of RFC 6962, whose left part is the largest full one.
    """
    return _levels([sha256(b"\0" + leaf).digest() for leaf in leaves])


def path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root, the nearest first."""
    return _path(levels(leaves), index)


def path_of_hashes(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """The same where only the hashes of the leaves were kept, since some of their owners were erased."""
    return _path(_levels(list(hashes)), index)


def _levels(hashes: list[bytes]) -> list[list[bytes]]:
    found = [hashes]
    while len(found[-1]) > 1:
        below = found[-1]
        above = [sha256(b"\1" + below[i] + below[i + 1]).digest() for i in range(0, len(below) - 1, 2)]
        found.append(above + below[len(below) & ~1 :])
    return found


def _path(found: list[list[bytes]], index: int) -> list[bytes]:
    passed = []
    for level in found[:-1]:
        if index ^ 1 < len(level):
            passed.append(level[index ^ 1])
        index >>= 1
    return passed

"""Merkle trees (RFC 6962): private data enters a record as the root of a tree whose leaves only their owners hold."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256


def hash_leaf(leaf: bytes) -> bytes:
    """Return the hash of a leaf. Its first byte differs from that of a node, so the two cannot be confused."""
    return sha256(b"\0" + leaf).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node over its two children."""
    return sha256(b"\1" + left + right).digest()


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """Return the Merkle root over leaves in their order, or SHA-256 of the empty string if there are none.

    >>> merkle_root([]).hex()[:8], merkle_root([b"a", b"b", b"c"]) == hash_node(merkle_root([b"a", b"b"]),
    ... hash_leaf(b"c"))
    ('e3b0c442', True)
    """
    return merkle_root_of_hashes([hash_leaf(leaf) for leaf in leaves])


def merkle_root_of_hashes(hashes: Sequence[bytes]) -> bytes:
    """Return the Merkle root over the leaves that have these hashes."""
    return _build_levels(hashes)[-1][0] if hashes else sha256(b"").digest()


def audit_path(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the hashes that lead from leaf `index` to the root, nearest first.

    Only the hashes of the leaves are needed, because the owners of some leaves may be erased.
    """
    passed = []
    for level in _build_levels(hashes)[:-1]:
        if index ^ 1 < len(level):
            passed.append(level[index ^ 1])
        index >>= 1
    return passed


def _build_levels(hashes: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Return the hashes of each level, from the leaves to the root; an unpaired last hash moves up unchanged.

    Pairing from the left gives the tree of RFC 6962, whose left part is the largest full one.
    """
    found = [hashes]
    while len(found[-1]) > 1:
        below = found[-1]
        above = [hash_node(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        found.append([*above, *below[len(below) & ~1 :]])
    return found

"""One way to write what is hashed, RFC 8785 JSON without floats, and its hashes: of a line, and of a Merkle tree.

So a hash of bytes is a hash of what they say. What is private enters a record as one hash: the root of a tree whose
leaves only their owners hold (RFC 6962). A head is also shown as ten words, which people can compare aloud.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, NoReturn

from isegoria.errors import InputError

LARGEST = 2**53
"""Every number of a record stays below this, so that JavaScript computes with it exactly."""

DEEPEST = 8
LONGEST_DECIMAL = 400
MANY_BRACKETS = 200


def canonical(value: object) -> bytes:
    """`value` (objects, lists, texts, whole numbers, None) in the one form that a record knows.

    >>> canonical({"b": [1, None], "a": "café"}).decode()
    '{"a":"café","b":[1,null]}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("a text of the record has half a character (a lone surrogate); write it anew.") from None


def parsed(line: bytes) -> dict[str, Any]:
    """The object that a canonical line says; anything else is refused with a sentence.

    >>> parsed(b'{"line":"trial"}')
    {'line': 'trial'}
    """
    if line.count(b"[") + line.count(b"{") > MANY_BRACKETS and nesting(line) > DEEPEST:
        raise InputError("it is not JSON in the canonical form.")
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=_pairs, parse_float=_no, parse_constant=_no, parse_int=_whole
        )
        if isinstance(value, dict) and depth(value) <= DEEPEST and canonical(value) == line:
            return value
    except (ValueError, RecursionError):  # UnicodeDecodeError and InputError are ValueErrors
        pass
    raise InputError("it is not JSON in the canonical form.")


def nesting(line: bytes) -> int:
    """How deep brackets nest outside of strings: a parser whose limit was lifted by others would crash on too many."""
    level = deepest = 0
    for bracket in re.sub(rb'"(?:[^"\\]|\\.)*"|[^][{}]', b"", line):
        level += 1 if bracket in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def depth(value: object) -> int:
    """How deep objects and lists are nested, 0 for a plain value; true and false, which no line has, raise."""
    deepest, level = 0, [value]
    while level := [part for part in level if isinstance(part, (dict, list))]:
        deepest += 1
        level = [item for part in level for item in (part.values() if isinstance(part, dict) else part)]
        if any(item is True or item is False for item in level):
            raise ValueError
    return deepest


def decimal(number: object) -> str:
    """The shortest decimal, without exponent, of a whole number, a float, a decimal, or text that is one.

    >>> decimal(0.1), decimal("4.50"), decimal(1e-7), decimal(5)
    ('0.1', '4.5', '0.0000001', '5')
    """
    try:
        value = Decimal(str(number).strip())
        if not value.is_finite() or value.adjusted() < -LONGEST_DECIMAL or value.adjusted() > LONGEST_DECIMAL:
            raise ValueError
        text = format(value, "f")
    except (ArithmeticError, ValueError):
        raise InputError(f"{number!r} is not a number; write a decimal such as 4.5.") from None
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text) > LONGEST_DECIMAL:
        raise InputError(f"{text[:20]}… has more than {LONGEST_DECIMAL} digits; round it.")
    return "0" if text in ("-0", "") else text


def exact(text: str) -> Fraction:
    """The number that a decimal of a record stands for, exactly."""
    return Fraction(Decimal(text))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) or not all(map(str.isascii, value)):
        raise ValueError
    return value


def _whole(text: str) -> int:
    if len(text) > len(str(LARGEST)) or not 0 <= int(text) < LARGEST:
        raise ValueError
    return int(text)


def _no(text: str) -> NoReturn:
    raise ValueError


# -- hashes ------------------------------------------------------------------------------------------------------------


def line_hash(line: bytes) -> bytes:
    """SHA-256 of a line without its newline: 32 bytes."""
    return sha256(line).digest()


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
    return _levels([leaf_hash(leaf) for leaf in leaves])[-1][0] if leaves else sha256(b"").digest()


def path_to_root(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root, the nearest first; of the leaves only the hashes are needed,
    since some of their owners may be erased.
    """
    passed = []
    for level in _levels(hashes)[:-1]:
        if index ^ 1 < len(level):
            passed.append(level[index ^ 1])
        index >>= 1
    return passed


def _levels(hashes: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The hashes from the leaves up to the root; an odd one at the end of a level rises as it is.

    Pairing from the left is the tree of RFC 6962, whose left part is the largest full one.
    """
    found = [hashes]
    while len(found[-1]) > 1:
        below = found[-1]
        above = [node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)]
        found.append([*above, *below[len(below) & ~1 :]])
    return found


CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"


def ten_words(head: bytes) -> str:
    """The first 20 bytes of a hash as ten words, each consonant-vowel-consonant-vowel-consonant.

    >>> ten_words(bytes(32)).split("-") == ["babab"] * 10
    True
    """
    return "-".join(_word(int.from_bytes(head[i : i + 2], "big")) for i in range(0, 20, 2))


def two_rows(words: str) -> str:
    """Ten words in two rows of five, as they are shown.

    >>> print(two_rows(ten_words(bytes(32))))
      babab-babab-babab-babab-babab-
      babab-babab-babab-babab-babab
    """
    parts = words.split("-")
    return f"  {'-'.join(parts[:5])}-\n  {'-'.join(parts[5:])}"


def _word(bits: int) -> str:
    letters = (bits >> 12, bits >> 10, bits >> 6, bits >> 4, bits)
    return "".join(VOWELS[part & 3] if place % 2 else CONSONANTS[part & 15] for place, part in enumerate(letters))

"""A head that people can compare aloud: six words of five letters, 96 bits."""

from __future__ import annotations

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"


def six_words(head: bytes) -> str:
    """The first 12 bytes of a hash as six words, each consonant-vowel-consonant-vowel-consonant.

    >>> six_words(bytes(30) + b"ok")
    'babab-babab-babab-babab-babab-babab'
    """
    return "-".join(_word(int.from_bytes(head[i : i + 2], "big")) for i in range(0, 12, 2))


def _word(bits: int) -> str:
    letters = (bits >> 12, bits >> 10, bits >> 6, bits >> 4, bits)
    return "".join(VOWELS[part & 3] if place % 2 else CONSONANTS[part & 15] for place, part in enumerate(letters))

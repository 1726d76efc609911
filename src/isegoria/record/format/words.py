"""A head that people can compare aloud: ten words of five letters, 160 bits."""

from __future__ import annotations

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

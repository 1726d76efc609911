"""The head of a record as ten words that people can compare aloud."""

from __future__ import annotations

WORD_CONSONANTS, WORD_VOWELS = "bdfghjklmnprstvz", "aiou"


def encode_words(head: bytes) -> str:
    """Return the first 20 bytes of a hash as ten words, each consonant-vowel-consonant-vowel-consonant.

    >>> encode_words(bytes(32)).split("-") == ["babab"] * 10
    True
    """
    return "-".join(_encode_word(int.from_bytes(head[i : i + 2], "big")) for i in range(0, 20, 2))


def format_word_rows(words: str) -> str:
    """Format ten words in two rows of five.

    >>> print(format_word_rows(encode_words(bytes(32))))
      babab-babab-babab-babab-babab-
      babab-babab-babab-babab-babab
    """
    parts = words.split("-")
    return f"  {'-'.join(parts[:5])}-\n  {'-'.join(parts[5:])}"


def _encode_word(bits: int) -> str:
    letters = (bits >> 12, bits >> 10, bits >> 6, bits >> 4, bits)
    return "".join(
        WORD_VOWELS[part & 3] if place % 2 else WORD_CONSONANTS[part & 15] for place, part in enumerate(letters)
    )

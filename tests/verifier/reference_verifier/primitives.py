"""Small things of sections 1, 4 and 13: hashes, numbers as bytes, ten words, and texts that cannot forge a verdict."""

import hashlib
import hmac

MOST = 2**53 - 1


class VerificationError(Exception):
    """(exit code, sentence)"""


def require(holds, sentence: str, code: int = 1) -> None:
    if not holds:
        raise VerificationError(code, sentence)


def digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def hmac_sha256(secret: str, *parts: bytes) -> bytes:
    return hmac.new(bytes.fromhex(secret), b"".join(parts), "sha256").digest()


def b4(number: int) -> bytes:
    return number.to_bytes(4, "big")


def b8(number: int) -> bytes:
    return number.to_bytes(8, "big")


def ten_words(digits: str) -> str:
    bits = f"{int(digits[:40], 16):0160b}"
    found = []
    for start in range(0, 160, 16):
        word, place = "", start
        for letters, width in (("c", 4), ("v", 2), ("c", 4), ("v", 2), ("c", 4)):
            word += {"c": "bdfghjklmnprstvz", "v": "aiou"}[letters][int(bits[place : place + width], 2)]
            place += width
        found.append(word)
    return "-".join(found)


MARKS = {*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)}


def sanitise(given: str) -> str:
    return "".join("\ufffd" if ord(c) in MARKS else c for c in given)


def quote(given: str) -> str:
    return "«" + sanitise(given).replace("«", "\ufffd").replace("»", "\ufffd") + "»"


def join_items(items) -> str:
    shown = [str(one) for one in items]
    return ", ".join(shown[:10] + (["…"] if len(shown) > 10 else []))

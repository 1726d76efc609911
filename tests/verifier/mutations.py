"""What an accident or a clumsy hand does to a file: bits flipped, lines dropped, doubled, swapped, cut."""

import random
from collections.abc import Iterator


def flip_bit(data: bytes, place: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def all_flips(data: bytes) -> Iterator[bytes]:
    """All eight flips of every byte."""
    return (flip_bit(data, place, bit) for place in range(len(data)) for bit in range(8))


def some_flips(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    rng = random.Random(f"flips {seed}")
    return (flip_bit(data, rng.randrange(len(data)), rng.randrange(8)) for _ in range(count))


def rearrange_lines(data: bytes) -> Iterator[bytes]:
    """Every line but the last dropped, every line doubled, every line swapped with every other."""
    lines = data.splitlines(keepends=True)
    for i in range(len(lines)):
        if i < len(lines) - 1:
            yield b"".join(lines[:i] + lines[i + 1 :])
        yield b"".join([*lines[: i + 1], *lines[i:]])
        for j in range(i):
            swapped = list(lines)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            if swapped != lines:
                yield b"".join(swapped)


def truncate_inside(data: bytes, step: int = 1) -> Iterator[bytes]:
    """The file cut anywhere but at the end of a line."""
    return (data[:end] for end in range(1, len(data), step) if data[end - 1] != 10)


def mutate_randomly(data: bytes, rng: random.Random) -> bytes:
    """One mutation of a random sort: of bytes, of lines, or of a token inside a line."""
    lines = data.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    place = rng.randrange(len(data))
    sort = rng.randrange(9)
    if sort < 3:
        return flip_bit(data, place, rng.randrange(8))
    if sort == 3:
        return b"".join(lines[:i] + lines[i + 1 :])
    if sort == 4:
        lines[i], lines[j] = lines[j], lines[i]
        return b"".join(lines)
    if sort == 5:
        return data[:place]
    if sort == 6:
        return data[:place] + rng.choice(TOKENS) + data[place:]
    if sort == 7:
        return data[:place] + rng.choice(TOKENS) + data[place + rng.randrange(1, 12) :]
    return data[:place] + bytes(rng.randrange(256) for _ in range(rng.randrange(1, 4))) + data[place + 1 :]


TOKENS = [
    b"null",
    b"true",
    b"NaN",
    b"-1",
    b"1.5",
    b"1e3",
    b"9007199254740993",
    b'"',
    b"[]",
    b"{}",
    b",",
    b"\n",
    b"\\u0000",
    b"\\ud800",
    b"\xef\xbb\xbf",
    b"[" * 50,
    b"0",
    b"\xff",
    "é".encode(),
    b"\\",
]

"""The vectors that others test against: as the package makes them, and as a few lines written from the page say."""

import json
from hashlib import sha256
from itertools import accumulate

import pytest

from record.vectors import DRAWS, FILE, text

VECTORS = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_file_is_the_one_that_the_package_makes():
    assert FILE.read_text(encoding="utf-8") == text()
    assert len(VECTORS["draws"]) == DRAWS == 100


@pytest.mark.parametrize("number", range(0, 100, 4))
def test_a_draw_follows_from_its_page_by_arithmetic_alone(number):
    """Section 7 of docs/reference/record.md, written down once more, with the drum laid out as a list of ends."""
    given = VECTORS["draws"][number]
    seed = sha256(b"isegoria draw 1\0" + bytes.fromhex(given["freeze_hash"] + given["source_bytes"])).digest()
    count = 0

    def below(bound):
        nonlocal count
        while True:
            x = int.from_bytes(sha256(seed + count.to_bytes(4, "big")).digest()[:8], "big")
            count += 1
            if x < 2**64 - 2**64 % bound:
                return x % bound

    step = given["total"] // given["block"]
    start = below(step)
    balls = [start + j * step for j in range(given["block"])]
    for i in range(given["block"] - 1, 0, -1):
        j = below(i + 1)
        balls[i], balls[j] = balls[j], balls[i]
    assert balls == given["balls"]
    layout = []
    for arm in range(len(given["voices"])):
        layout += [(kind["units"][arm], arm, who) for kind in given["types"] for who in kind["who"]]
        layout.append((given["explore"][arm], arm, None))
    ends = list(accumulate(size for size, _, _ in layout))
    assert ends[-1] == given["total"]
    found = [layout[next(i for i, end in enumerate(ends) if ball < end)] for ball in balls]
    assert [arm for _, arm, _ in found] == given["arms"]
    assert [who for _, _, who in found] == given["voices_drawn"]

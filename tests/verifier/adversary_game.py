"""What an adversary can win, exactly: a game over pages and throws, judged by the verifier's own numbers.

n keys are trusted, c of them false, and an arm has the share p. In each try the adversary takes a source and lets some
keys that are not false be in time on a page of its own; such a key is then bound to that page for ever. The source
speaks; she may show this page, with all who are not yet bound looking in, or go on. False keys are everywhere at once.
She wins if a page is shown with her arm, proved unless b or more keys were false, b > c. Its value, by dynamic
programming in fractions, is p.

python tests/verifier/adversary_game.py [N [WORLDS]]   every quorum, b and c for n up to N (7); then random worlds
"""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

from isegoria.verifier import isegoria_verify as verifier

P = Fraction(2, 5)
SOURCES = ("beacon", "commit_reveal", "dice")
FREEZE, DRAWN = 10, 20  # lines


def numbers(kind: str, n: int, early: int, late: int, quorum: int | None) -> dict:
    """The verifier's numbers of a round that `early` keys had in time, and `late` others saw after its source spoke."""
    keys = [f"key {i}" for i in range(n)]
    timely, others = keys[:early], keys[early : early + late]
    now = SimpleNamespace(
        kind=kind,
        drawn=DRAWN,
        said="what was drawn",
        number=FREEZE,
        commits={i: ("", key) for i, key in enumerate(timely)},
        reveals={i: ("", key) for i, key in enumerate(timely)},
        throws={i: ("what was drawn", key) for i, key in enumerate(timely)},
        seen=set(timely) if kind == "beacon" else {*timely, *others},
    )
    walk = SimpleNamespace(reach=dict.fromkeys([*timely, *others], DRAWN + 1))
    return verifier.count_signatures(walk, now, SimpleNamespace(keys=set(keys), members=n + 1), quorum)


@cache
def is_page_accepted(kind: str, n: int, early: int, late: int, quorum: int | None, b: int) -> bool:
    """Whether such a round is proved with β ≥ b."""
    found = numbers(kind, n, early, late, quorum)
    enough = found["early"] >= found["needed"] and found["since"] >= found["needed_since"]
    return enough and found["beta"] >= b


def optimal_win_probability(n: int, quorum: int, b: int, c: int, tries: int = 4) -> Fraction:
    """The largest probability that a page is shown which is proved with β ≥ b and has her arm."""

    @cache
    def best(free: int, left: int) -> Fraction:
        if left == 0:
            return Fraction(0)
        found = best(free, left - 1)
        for taken in range(free + 1):
            go_on = best(free - taken, left - 1)
            for kind in SOURCES:
                ends = is_page_accepted(kind, n, taken + c, free - taken, quorum, b)
                found = max(found, P * (1 if ends else go_on) + (1 - P) * go_on)
        return found

    return best(n - c, tries)


def iter_parameters(most: int):
    """Every (n, k₀, b, c) with c < b ≤ n."""
    return [
        (n, quorum, b, c)
        for n in range(1, most + 1)
        for quorum in range(1, n + 1)
        for b in range(1, n + 1)
        for c in range(b)
    ]


def play_random_game(rng: random.Random) -> tuple[bool, Fraction]:
    """(whether a random adversary in a random world won, p of that world): forks, late signatures, mixed sources."""
    n = rng.randint(1, 12)
    quorum, c = rng.choice([None, rng.randint(1, n)]), rng.randint(0, n)
    p = Fraction(rng.randint(1, 9), 10)
    free, pages = n - c, []
    for _ in range(rng.randint(1, 5)):
        taken = rng.randint(0, free)
        free -= taken
        pages.append((rng.choice(SOURCES), taken, rng.random() < p))
    won = [(kind, taken) for kind, taken, hers in pages if hers]
    return any(is_page_accepted(kind, n, taken + c, free, quorum, c + 1) for kind, taken in won), p


def simulate_games(count: int, seed: int = 0) -> tuple[float, float, float]:
    """(won, Σp, one standard deviation of it) over so many worlds, as shares: proved with more than c, and won."""
    rng = random.Random(f"worlds {seed}")
    found = [play_random_game(rng) for _ in range(count)]
    spread = float(sum(p * (1 - p) for _, p in found)) ** 0.5
    return sum(won for won, _ in found) / count, float(sum(p for _, p in found)) / count, spread / count


def main(most: int = 7, count: int = 100_000) -> int:
    above = [cell for cell in iter_parameters(most) if optimal_win_probability(*cell) > P]
    print(
        f"{len(iter_parameters(most))} cells with n up to {most}, four tries: {len(above)} above p = {P}. {above[:5]}",
        flush=True,
    )
    won, p, spread = simulate_games(count)
    print(f"{count} worlds: proved and won {won:.4f}, p {p:.4f} ± {spread:.4f}")
    return int(bool(above) or won > p + 3 * spread)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

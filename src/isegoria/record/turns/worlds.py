"""Drawn turns: parallel worlds that exchange balls, so that debts are paid back and the odds stay exactly fair.

Each round draws one block of M balls, one for each world, and the worlds exchange them until no two would be better
served the other way round. All worlds together meet every number of the drum as often as before, and no world is
different from another before its place in the block is drawn; so in each of them, and in the real one (world 0), every
option has exactly the chance that its voices give it, if neither ballots nor overrides depend on earlier draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.record.format.stream import Stream


def laid_out(stream: Stream, total: int, worlds: int) -> tuple[list[int], list[int]]:
    """(balls (M,) evenly spaced and ascending, the world (M,) that each belongs to at first)."""
    step = total // worlds
    start = stream.below(step)
    balls = [start + j * step for j in range(worlds)]
    order = list(range(worlds))
    for i in range(worlds - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return balls, order


def exchanged(balls: Sequence[int], arms: Sequence[int], order: Sequence[int], scores: np.ndarray) -> list[int]:
    """(M,) the ball of each world, after every exchange of two balls that raises the sum of `scores` (M, K).

    It looks at positions in a fixed order and never at the number of a world, which keeps the worlds exchangeable; it
    ends because the sum is a whole number and rises each time.
    """
    worth = [[int(scores[world, arm]) for arm in arms] for world in order]  # of the ball at b for the world at a
    held = list(range(len(balls)))
    moved = True
    while moved:
        moved = False
        for a in range(len(held)):
            for b in range(a + 1, len(held)):
                x, y = held[a], held[b]
                if worth[a][y] + worth[b][x] > worth[a][x] + worth[b][y]:
                    held[a], held[b] = y, x
                    moved = True
    found = [0] * len(balls)
    for position, world in enumerate(order):
        found[world] = balls[held[position]]
    return found

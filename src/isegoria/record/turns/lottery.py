"""Turns by lottery: parallel worlds exchange balls, which repays debts and keeps the odds exactly fair.

Each round draws one block of M balls, one for each world. The worlds exchange balls until no exchange of two balls
improves the total. Together the worlds still hit every number of the drum as often as before, and no world differs
from another before its place in the block is drawn. So in each world, including the real one (world 0), every option
has exactly the chance that its voices give it, if neither ballots nor overrides depend on earlier draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.record.format.draw_stream import DrawStream


def deal_balls(stream: DrawStream, total: int, worlds: int) -> tuple[list[int], list[int]]:
    """Return M balls, evenly spaced and ascending, and the world to which each belongs at first."""
    step = total // worlds
    start = stream.below(step)
    balls = [start + j * step for j in range(worlds)]
    order = list(range(worlds))
    for i in range(worlds - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return balls, order


def exchange_balls(balls: Sequence[int], arms: Sequence[int], order: Sequence[int], scores: np.ndarray) -> list[int]:
    """Return the ball of each world (M,) after all exchanges of two balls that raise the sum of `scores` (M, K).

    The exchanges look at positions in a fixed order, never at the number of a world, so the worlds stay exchangeable.
    They end because the sum is a whole number and rises each time.
    """
    worth = [
        [int(scores[world, arm]) for arm in arms] for world in order
    ]  # worth[a][b]: score of the ball at b for the world at a
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

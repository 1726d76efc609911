"""Draws: uniform to the last unit, turns that come round, the same for the same seed."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import ceil, floor

import numpy as np
import pytest
from scipy.stats import chisquare

import isegoria as iso
from isegoria.record.drawing import locate_ball
from isegoria.record.exact_voices import allocate_voices
from isegoria.record.format.draw_stream import NO_FREEZE_HASH, DrawStream, draw_block


class ScriptedStream:
    """A stream that says what it is told, to enumerate all that can happen."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def below(self, bound):
        number = self.numbers.pop(0)
        assert 0 <= number < bound
        return number


def small_voices(units=60):
    """Four members of three types over three arms, in so few units that every ball can be tried."""
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    shares = np.array([[1.0, 0, 0], [0.25, 0.75, 0], [0, 0.5, 0.5]])
    names = [f"member {i}" for i in range(4)]
    return allocate_voices(sets, shares, [0, 2, 1, 2], units=units, arms=list("abc"), agents=names)


def test_every_number_of_the_drum_belongs_to_one_voice():
    voices = small_voices()
    order = np.argsort(voices.member, kind="stable")
    starts = np.concatenate([[0], np.cumsum(voices.counts)])
    met = Counter()
    for ball in range(voices.total):
        arm, kind, rank = locate_ball(voices, ball)
        met[arm, int(order[starts[kind] + rank])] += 1
    for i, row in enumerate(voices.units.tolist()):
        assert [met[k, i] for k in range(3)] == row
    assert sum(met.values()) == voices.total == 4 * 60


@pytest.mark.parametrize("block", [1, 2, 3, 4])
def test_slot_marginals_are_exactly_the_drum_s_shares(block):
    """Over every start and every order, each slot meets every number of the drum equally often."""
    total = 24
    met = [Counter() for _ in range(block)]
    swaps = [[]]
    for i in range(block - 1, 0, -1):
        swaps = [[*head, j] for head in swaps for j in range(i + 1)]
    for start in range(total // block):
        for order in swaps:
            for slot, ball in enumerate(draw_block(ScriptedStream(start, *order), total, block)):
                met[slot][ball] += 1
    assert all(len(counts) == total and len(set(counts.values())) == 1 for counts in met)


def test_every_order_of_a_block_is_equally_likely():
    orders = Counter(
        tuple(draw_block(ScriptedStream(0, *swap), 4, 4)) for swap in product(range(4), range(3), range(2))
    )
    assert set(orders) == set(permutations(range(4)))
    assert set(orders.values()) == {1}


def test_the_stream_is_uniform_where_numbers_must_be_thrown_back():
    """Three out of four 64-bit numbers are thrown back here, none of the others is favoured."""
    bound = 2**62 + 1  # 2^64 mod bound is large
    stream = DrawStream(NO_FREEZE_HASH, b"uniform")
    numbers = np.array([stream.below(bound) for _ in range(20_000)], dtype=float) / bound
    assert chisquare(np.histogram(numbers, bins=50, range=(0, 1))[0]).pvalue > 1e-3


@pytest.mark.parametrize("block", [1, 7, 20])
def test_balls_of_many_draws_are_uniform(block):
    counts = Counter()
    voices = small_voices(units=840)
    for number in range(6_000 // block):
        drawn = iso.draw(voices, str(number), block)
        counts.update(drawn.arms[:1].tolist())  # one slot of each block: the others are not independent of it
    shares = [float(share) * sum(counts.values()) for share in voices.policy]
    assert chisquare([counts[k] for k in range(3)], shares).pvalue > 1e-3


def test_each_arm_comes_as_often_as_its_share_up_to_one():
    rng = np.random.default_rng(11)
    for number in range(60):
        voices = iso.voices(iso.Instance(rng.integers(0, 3, (9, 5)) / 2))
        for block in (5, 9, 20):
            arms = Counter(iso.draw(voices, f"{number}", block).arms.tolist())
            for k, share in enumerate(voices.policy):
                assert floor(block * share) <= arms[k] <= ceil(block * share)


def test_a_block_of_n_gives_each_member_of_one_favourite_exactly_one_turn():
    voices = iso.voices(iso.Instance(np.eye(5)[[0, 1, 1, 2, 4, 4, 4]]))
    for number in range(50):
        assert sorted(iso.draw(voices, str(number), 7).agents.tolist()) == list(range(7))


def test_a_tied_member_has_one_turn_on_average():
    voices = small_voices(units=12)
    turns = sum(iso.draw(voices, str(number), 4).agents.tolist().count(1) for number in range(3_000))
    assert abs(turns / 3_000 - 1) < 0.05


def test_the_same_seed_draws_the_same_and_text_is_its_bytes():
    voices = small_voices()
    assert iso.draw(voices, b"x", 4).balls.tolist() == iso.draw(voices, "x", 4).balls.tolist()
    assert iso.draw(voices, b"y", 4).balls.tolist() != iso.draw(voices, "x", 4).balls.tolist()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda v: iso.draw(v, b"x", 21), "1 to 20"),
        (lambda v: iso.draw(v, b"x", 0), "1 to 20"),
        (lambda v: iso.draw(v, b"x", True), "1 to 20"),
        (lambda v: iso.draw(v, 7), "seed is 7"),
        (lambda v: iso.draw([1, 2], b"x"), "draw needs Voices, not a list"),
        (lambda v: iso.draw(v, b"x", 7), "does not divide"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(call, sentence):
    with pytest.raises(iso.InputError, match=sentence):
        call(small_voices())


def test_the_policy_is_made_of_fractions():
    assert small_voices().policy == (Fraction(75, 240), Fraction(105, 240), Fraction(60, 240))

"""How long somebody waits: exact chances, against every start and every order of a small drum."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

import isegoria as iso
from isegoria.record.drawing import dry_spell_probability, locate_ball
from isegoria.record.exact_voices import allocate_voices


def small():
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    shares = np.array([[1.0, 0, 0], [0.25, 0.75, 0], [0, 0, 1]])
    return allocate_voices(sets, shares, [0, 1, 1, 2], units=4, arms=list("abc"), agents=list("wxyz"))


@pytest.mark.parametrize(("days", "block"), [(1, 1), (3, 1), (2, 2), (3, 2), (4, 4), (3, 4), (5, 4)])
def test_a_dry_spell_is_as_likely_as_counting_says(days, block):
    """Every start of every block and every order of its balls, counted one by one."""
    voices = small()
    step = voices.total // block
    blocks = [
        order
        for start in range(step)
        for order in permutations([locate_ball(voices, start + j * step)[0] for j in range(block)])
    ]
    dry = total = 0
    for chosen in product(blocks, repeat=-(-days // block)):
        seen = set([arm for one in chosen for arm in one][:days])
        total += 1
        dry += any(not seen & set(np.flatnonzero(held).tolist()) for held in voices.sets)
    assert dry_spell_probability(voices, days, block) == Fraction(dry, total)


def test_the_lunch_of_the_documents():
    voices = iso.voices(iso.read("examples/lunch.csv", scale=(1, 5)))
    assert [round(100 * float(dry_spell_probability(voices, 20, block))) for block in (1, 5, 10)] == [18, 7, 0]


def test_too_many_arms_get_a_sentence():
    with pytest.raises(iso.InputError, match="at most 16"):
        dry_spell_probability(iso.voices(iso.Instance(np.eye(17))), 5)

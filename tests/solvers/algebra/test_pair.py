"""Pairs of doubles against exact fractions: about 32 digits, whatever the doubles are."""

from fractions import Fraction

import numpy as np
import pytest

from isegoria.solvers.algebra.pair_products import products
from isegoria.testing.kernel_bindings import pair_arithmetic

DIGITS = Fraction(1, 2**98)


def to_fraction(pair) -> Fraction:
    return Fraction(pair[0]) + Fraction(pair[1])


def random_pairs(seed: int, count: int = 40):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        hi = rng.normal() * 10.0 ** rng.integers(-20, 20)
        yield hi, hi * 2.0**-54 * rng.uniform(-1, 1)


@pytest.mark.parametrize("seed", range(5))
def test_arithmetic_keeps_its_digits(seed):
    for a, b in zip(random_pairs(seed), random_pairs(seed + 100), strict=True):
        x, y = to_fraction(a), to_fraction(b)
        scale = abs(x) + abs(y)
        assert abs(to_fraction(pair_arithmetic("plus", a, b)) - (x + y)) <= DIGITS * scale
        assert abs(to_fraction(pair_arithmetic("minus", a, b)) - (x - y)) <= DIGITS * scale
        assert abs(to_fraction(pair_arithmetic("times", a, b)) - x * y) <= DIGITS * abs(x * y)
        assert abs(to_fraction(pair_arithmetic("over", a, b)) - x / y) <= DIGITS * abs(x / y)
        root = to_fraction(pair_arithmetic("root", (abs(a[0]), abs(a[1])), b))
        assert abs(root * root - abs(Fraction(a[0])) - abs(Fraction(a[1]))) <= 4 * DIGITS * abs(x)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 7, 64, 129])
def test_sums_of_products_that_cancel(n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=n) * 10.0 ** rng.integers(-8, 9, n), rng.normal(size=n)
    a, b = np.concatenate([a, -a, [1e-12]]), np.concatenate([b, b, [1.0]])
    order = rng.permutation(len(a))
    a, b = a[order], b[order]
    right = sum((Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)), Fraction(0))
    np.testing.assert_allclose(products(np.vstack([a] * 5), b), float(right), rtol=0, atol=1e-20)

"""What the paper proves about Algorithm 1, in numbers for one instance: the quantities of Section 4.2."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isegoria.arguments import checked_instance
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.learning.learners.procedural import checked_alpha, checked_gamma
from isegoria.learning.protocol.checks import whole

PLAIN_TERMS = 100_000
"""Terms of a long sum that are added one by one; after so many, the error of the closed form is below rounding."""


@dataclass(frozen=True)
class Bounds:
    """The regret theorem and what it rests on, for N agents, K arms, T rounds, γ, α and the smallest gap Δ_min.

    N counts those who answer, whatever their weights: each row of the instance once.

    - `expected_exploring`: E[S_T] = Σ_{t=K+1}^T t^-(1-γ); `exploring_limit`, 2 E[S_T], is exceeded with probability at
      most `exploring_failure`, e^(-E[S_T]/3) (Lemma 2).
    - `recovery_round`: τ0, the first integer above [1 + 16(1+α)² γ K ln(NKT) / Δ_min²]^(1/γ), at least K + 1: from
      there on all sets are right, with probability at least `recovery_probability` (Lemma 4). It may lie beyond T:
      the bound then says nothing about T rounds (`vacuous`), and is given all the same.
    - `samples` m_τ0 and `radius` √(4 ln(NKT) / m_τ0): the pulls that exploration alone is expected to give
      every arm, and the radius of all intervals from then on (Lemma 3).
    - `terms` and `rates`: the three terms of Theorem 2, with constants (forced rounds, 2 E[S_T], τ0 − K − 1) and
      without (K, T^γ/γ, ((1+α)² γ K ln(NKT)/Δ_min²)^(1/γ)).
    - `concentration_failure` 3/(NK)³ and `count_failure` K e^(-m_τ0/8), the two events of `recovery_probability`; the
      second is 0 when every agent is indifferent, since there is nothing to find out.
    - `regret`: K plus the third term, at most T. No round is charged for exploring, so the second is not needed.
    """

    agents: int
    arms: int
    rounds: int
    gamma: float
    alpha: float
    gap: float
    expected_exploring: float
    exploring_limit: float
    exploring_failure: float
    recovery_round: float
    samples: float
    radius: float
    concentration_failure: float
    count_failure: float
    terms: tuple[float, float, float]
    rates: tuple[float, float, float]

    @property
    def recovery_probability(self) -> float:
        """At least 1 − 3/(NK)³ − K e^(-m_τ0/8): the sets are right from τ0 on. Nothing in it is left to choose."""
        return max(0.0, 1.0 - self.concentration_failure - self.count_failure)

    @property
    def vacuous(self) -> bool:
        """True when τ0 lies beyond the horizon."""
        return self.recovery_round > self.rounds

    @property
    def regret(self) -> float:
        """The regret that is not exceeded with `recovery_probability`: min(T, K + max(0, τ0 − K − 1))."""
        return min(float(self.rounds), self.terms[0] + self.terms[2])


def bounds(instance: Instance, rounds: int, gamma: float = 0.7, alpha: float = 1.0) -> Bounds:
    """The `Bounds` of Algorithm 1 on `instance` over `rounds` rounds (Lemmas 1 to 4 and Theorem 2).

    >>> from isegoria.data import dots_sample
    >>> theory = bounds(dots_sample(), 100_000)
    >>> theory.recovery_round, theory.vacuous
    (3931889, True)
    """
    checked_instance(instance, "bounds")
    gamma, alpha, rounds = checked_gamma(gamma), checked_alpha(alpha), whole(rounds, "rounds")
    if alpha < 1:
        raise InputError(f"alpha is {alpha:g}; Theorem 2 and its lemmas are for an alpha from 1 up.")
    (n, k), gap = instance.means.shape, instance.smallest_gap
    log_term = math.log(n * k * rounds)
    third = (1 + alpha) ** 2 * gamma * k * log_term / gap**2
    recovery = max(k + 1, _next_integer(_power(1 + 16 * third, 1 / gamma)))
    expected = power_sum(k + 1, rounds, gamma - 1)
    samples = samples_by(recovery, k, gamma)
    return Bounds(
        agents=n,
        arms=k,
        rounds=rounds,
        gamma=gamma,
        alpha=alpha,
        gap=gap,
        expected_exploring=expected,
        exploring_limit=2 * expected,
        exploring_failure=math.exp(-expected / 3),
        recovery_round=recovery,
        samples=samples,
        radius=math.sqrt(4 * log_term / samples),
        concentration_failure=min(1.0, 3 / (n * k) ** 3),
        count_failure=min(1.0, k * math.exp(-samples / 8)) if math.isfinite(gap) else 0.0,
        terms=(float(min(k, rounds)), 2 * expected, float(max(0, recovery - k - 1))),
        rates=(float(k), rounds**gamma / gamma, _power(third, 1 / gamma)),
    )


def samples_by(round_: int, arms: int, gamma: float) -> float:
    """m_τ = 1 + (1/K) Σ_{s=K+1}^{τ-1} s^-(1-γ): the pulls that exploration alone is expected to give every arm."""
    return 1.0 + power_sum(arms + 1, round_ - 1, gamma - 1) / arms


def power_sum(first: int, last: int, exponent: float) -> float:
    """Σ_{s=first}^{last} s^exponent, 0 when there is nothing to add.

    The first terms are added, the rest by the Euler–Maclaurin formula, whose error there is below rounding.

    >>> power_sum(5, 7, -1) == 1 / 5 + 1 / 6 + 1 / 7
    True
    """
    if last < first or math.isinf(last):
        return math.inf if last > first else 0.0
    plain = min(last, first + PLAIN_TERMS)
    total = math.fsum((np.arange(first, plain + 1, dtype=float) ** exponent).tolist())
    if plain < last:
        a, b = float(plain), float(last)
        total += (b ** (exponent + 1) - a ** (exponent + 1)) / (exponent + 1) + (b**exponent - a**exponent) / 2
        total += exponent * (b ** (exponent - 1) - a ** (exponent - 1)) / 12
    return total


def _power(base: float, exponent: float) -> float:
    """base^exponent, infinite where a double ends."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _next_integer(value: float) -> float:
    """The smallest integer above `value`."""
    return math.floor(value) + 1 if math.isfinite(value) else math.inf

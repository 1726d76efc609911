"""The quantities of Section 4.2 of the paper (Lemmas 1 to 4, Theorem 2), computed for one instance."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.validation import require_integer
from isegoria.learning.learners.procedural_learner import require_alpha, require_gamma
from isegoria.profiles import Instance
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.notebook import NotebookView

EXACT_SUM_TERMS = 100_000
"""Terms of a long sum that are added one by one; after so many, the error of the closed form is below rounding."""


@dataclass(frozen=True)
class RegretBounds(NotebookView):
    """The regret bound of Theorem 2 and the quantities it rests on.

    They are computed for N agents, K arms, T rounds, γ, α and the smallest gap Δ_min. N counts each row of the instance
    once, whatever its weight.

    Attributes
    ----------
    agents, arms, rounds : int
        N, K and T.
    gamma, alpha, gap : float
        γ, α and Δ_min.
    expected_exploring : float
        `E[S_T] = Σ_{t=K+1}^T t^-(1-γ)`, the expected number of exploring rounds.
    exploring_limit, exploring_failure : float
        `2 E[S_T]`, and the probability `e^(-E[S_T]/3)` that bounds the chance of exceeding it (Lemma 2).
    recovery_round : float
        τ0, the first integer above `[1 + 16(1+α)² γ K ln(NKT) / Δ_min²]^(1/γ)`, at least K + 1. From this round on, all
        sets are right with probability at least `recovery_probability` (Lemma 4). If it is beyond T, the bound says
        nothing about T rounds (`vacuous`), but it is reported anyway.
    samples, radius : float
        `m_τ0`, the number of pulls that exploration alone is expected to give every arm; and `√(4 ln(NKT) / m_τ0)`, the
        radius of all intervals from then on (Lemma 3).
    concentration_failure, count_failure : float
        `3/(NK)³` and `K e^(-m_τ0/8)`, the probabilities of the two failure events behind `recovery_probability`. The
        second is 0 if every agent is indifferent, because then there is nothing to learn.
    terms : tuple of float
        The three terms of Theorem 2 with constants: forced rounds, `2 E[S_T]`, `τ0 − K − 1`.
    rates : tuple of float
        The same terms without constants: `K`, `T^γ/γ`, `((1+α)² γ K ln(NKT)/Δ_min²)^(1/γ)`.

    Notes
    -----
    `regret` is K plus the third term, at most T. The second term is not needed, because no round is charged for
    exploring.
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

    def view_lines(self) -> list[str]:
        """Return what the bound says."""
        return (
            ["the bound says nothing about so few rounds"]
            if self.vacuous
            else [f"regret of at most {self.regret:,.0f}"]
        )

    def view_rows(self) -> list[dict[str, Any]]:
        """Return every quantity."""
        return [{"quantity": each.name, "value": getattr(self, each.name)} for each in fields(self)]

    @property
    def recovery_probability(self) -> float:
        """A lower bound, `1 − 3/(NK)³ − K e^(-m_τ0/8)`, on the probability that all sets are right from τ0 on.

        It has no free parameter.
        """
        return max(0.0, 1.0 - self.concentration_failure - self.count_failure)

    @property
    def vacuous(self) -> bool:
        """Whether τ0 is beyond the horizon."""
        return self.recovery_round > self.rounds

    @property
    def regret(self) -> float:
        """The regret that is not exceeded with probability `recovery_probability`: min(T, K + max(0, τ0 − K − 1))."""
        return min(float(self.rounds), self.terms[0] + self.terms[2])


@explain_keywords
def regret_bounds(instance: Instance, rounds: int, gamma: float = 0.7, alpha: float = 1.0) -> RegretBounds:
    """Compute the `RegretBounds` of Algorithm 1 on `instance` over `rounds` rounds (Lemmas 1 to 4 and Theorem 2).

    Parameters
    ----------
    instance : Instance
        The true mean rewards.
    rounds : int
        The horizon T.
    gamma : float
        The exploration parameter γ, strictly between 0 and 1.
    alpha : float
        The factor α of the confidence radius, at least 1.

    Returns
    -------
    RegretBounds

    Raises
    ------
    InputError
        If a parameter is out of range; Theorem 2 needs `alpha` of at least 1.

    Examples
    --------
    >>> from isegoria.datasets import load_dots_sample
    >>> theory = regret_bounds(load_dots_sample(), 100_000)
    >>> theory.recovery_round, theory.vacuous
    (3931889, True)
    """
    require_profile(instance, "bounds")
    gamma, alpha, rounds = require_gamma(gamma), require_alpha(alpha), require_integer(rounds, "rounds")
    if alpha < 1:
        raise InputError(f"alpha is {alpha:g}; Theorem 2 and its lemmas are for an alpha from 1 up.")
    (n, k), gap = instance.means.shape, instance.smallest_gap
    log_term = math.log(n * k * rounds)
    third = (1 + alpha) ** 2 * gamma * k * log_term / gap**2
    recovery = max(k + 1, _next_integer(_power_or_inf(1 + 16 * third, 1 / gamma)))
    expected = power_sum(k + 1, rounds, gamma - 1)
    samples = expected_pulls_by(recovery, k, gamma)
    return RegretBounds(
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
        rates=(float(k), rounds**gamma / gamma, _power_or_inf(third, 1 / gamma)),
    )


def expected_pulls_by(round_: int, arms: int, gamma: float) -> float:
    """Return m_τ = 1 + (1/K) Σ_{s=K+1}^{τ-1} s^-(1-γ), the expected pulls of every arm by exploration alone."""
    return 1.0 + power_sum(arms + 1, round_ - 1, gamma - 1) / arms


def power_sum(first: int, last: int, exponent: float) -> float:
    """Return Σ_{s=first}^{last} s^exponent, or 0 if the range is empty.

    The first terms are added one by one. The rest come from the Euler–Maclaurin formula, whose error there is below
    rounding.

    >>> power_sum(5, 7, -1) == 1 / 5 + 1 / 6 + 1 / 7
    True
    """
    if last < first or math.isinf(last):
        return math.inf if last > first else 0.0
    plain = min(last, first + EXACT_SUM_TERMS)
    total = math.fsum((np.arange(first, plain + 1, dtype=float) ** exponent).tolist())
    if plain < last:
        a, b = float(plain), float(last)
        total += (b ** (exponent + 1) - a ** (exponent + 1)) / (exponent + 1) + (b**exponent - a**exponent) / 2
        total += exponent * (b ** (exponent - 1) - a ** (exponent - 1)) / 12
    return total


def _power_or_inf(base: float, exponent: float) -> float:
    """Return base^exponent, or infinity on overflow."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _next_integer(value: float) -> float:
    """Return the smallest integer above `value`."""
    return math.floor(value) + 1 if math.isfinite(value) else math.inf

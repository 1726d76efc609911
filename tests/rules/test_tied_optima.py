"""Procedural and Nash policies that are not unique: each tie-break gives the optimum it names, by an outside judge."""

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso
from isegoria.rules import TIE_BREAKS

EXACT = 1e-8  # of a policy: its product, which is what is certified, is flat at the top and far more exact


def tied_instance(rng, objective):
    """(instance, rows of the product): clones and complements of a few columns, many arms for few agents.

    What an agent gives to its other arms is free for the procedural policy, and one value for the Nash product.
    """
    agents, arms = int(rng.integers(1, 7)), int(rng.integers(4, 14))
    base = rng.random((agents, max(2, arms // 2))) < 0.5
    sets = base[:, rng.integers(0, base.shape[1], arms)]
    other = rng.random(arms) < 0.3
    sets[:, other] = ~sets[:, other]
    sets[~sets.any(axis=1), 0] = True
    below = rng.integers(0, 4, sets.shape if objective == "procedural" else (agents, 1)) / 5
    instance = iso.Instance(np.where(sets, 1.0, below), weights=rng.integers(1, 6, agents))
    return instance, sets * 1.0 if objective == "procedural" else instance.means


def optimal_face(rows, weights, policy):
    """(equalities, arms): the optima are the p ≥ 0 on these arms with the same rows @ p and the sum 1."""
    slope = weights / weights.sum() / (rows @ policy) @ rows
    return np.vstack([rows, np.ones(rows.shape[1])]), slope >= slope.max() - EXACT


def solve_lp(cost, equalities, bounds, arms):
    return linprog(cost[arms], A_eq=equalities[:, arms], b_eq=bounds, method="highs").fun


def find_faults(objective, seed):
    """What is wrong with the three answers to one tied instance, in words; and whether there was a choice at all."""
    instance, rows = tied_instance(np.random.default_rng([seed, 8]), objective)
    weights = instance.weights
    total = weights @ instance.means / weights.sum()
    found = {rule: iso.solve(instance, objective, tie_break=rule).policy for rule in TIE_BREAKS}
    centre, vertex, best = found["centre"], found["vertex"], found["utilitarian"]
    equalities, arms = optimal_face(rows, weights, centre)
    bounds = equalities @ centre
    strays = {rule: max(abs(equalities @ p - bounds).max(), p[~arms].max(initial=0)) for rule, p in found.items()}
    wrong = [f"{rule} is no optimum" for rule, far in strays.items() if far > EXACT]
    if solve_lp(centre, equalities, bounds, arms) < centre @ centre - 1e-7:
        wrong.append("centre is not of least norm")
    played = vertex > EXACT
    if np.linalg.matrix_rank(equalities[:, played]) < played.sum():
        wrong.append("vertex is no vertex")
    if total @ best < -solve_lp(-total, equalities, bounds, arms) - 1e-7:
        wrong.append("utilitarian is not the largest total")
    narrowed = np.vstack([equalities, total])
    if solve_lp(best, narrowed, narrowed @ best, arms) < best @ best - 1e-7:
        wrong.append("utilitarian is not of least norm among the largest totals")
    return wrong, np.linalg.matrix_rank(equalities[:, arms]) < arms.sum()


@pytest.mark.parametrize("objective", ["procedural", "nash"])
def test_each_tie_break_gives_the_optimum_it_names(objective):
    answers = [find_faults(objective, seed) for seed in range(40)]
    assert [(seed, wrong) for seed, (wrong, _) in enumerate(answers) if wrong] == []
    assert sum(choice for _, choice in answers) >= 30

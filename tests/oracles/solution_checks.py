"""What every answer on a hostile instance must keep, and what may not change when the instance is said otherwise."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

import isegoria as iso
from isegoria.rules import RULE_GROUPS

SHARP_GAPS = {"inequality": 1e-12, "utilitarian": 1e-12, "egalitarian": 1e-12, "gini": 1e-10}
MAX_GAPS = {
    id: SHARP_GAPS.get(id, 1e-9) for id in RULE_GROUPS["paper"]
}  # what every objective of the table promises at least
SIMPLEX = 1e-15
FLOW_CUT = 1e-12
CLEAR_MARGIN = 1e-8  # above it no tie is near, and the centre may not move
POLICY_TOLERANCE = 1e-9


class ProfileVariant(NamedTuple):
    """One way of saying an instance: means, weights, and where each of its arms was in the original."""

    means: np.ndarray
    weights: np.ndarray
    columns: np.ndarray


def build_instance(means: np.ndarray, weights: np.ndarray) -> iso.Instance:
    """The instance, without the warning about near ties: they are meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.NearTieWarning)
        return iso.Instance(means, weights=weights)


def equivalent_variants(
    means: np.ndarray, weights: np.ndarray, seed: int
) -> dict[str, tuple[ProfileVariant, ProfileVariant]]:
    """Pairs of ways to say the same: arms or agents in another order, a row twice or with weight 2, a row split."""
    rng = np.random.default_rng([3, seed])
    agents, arms = means.shape
    straight, turned = np.arange(arms), rng.permutation(arms)
    order, row = rng.permutation(agents), int(rng.integers(agents))
    doubled, parts = weights.copy(), np.append(weights, 0)
    doubled[row] *= 2
    parts[-1] = weights[row] // 2
    parts[row] -= parts[-1]
    again = np.vstack([means, means[row]])
    told = ProfileVariant(means, weights, straight)
    pairs = {
        "arms permuted": (told, ProfileVariant(np.ascontiguousarray(means[:, turned]), weights, turned)),
        "agents permuted": (told, ProfileVariant(means[order], weights[order], straight)),
        "a row twice": (
            ProfileVariant(means, doubled, straight),
            ProfileVariant(again, np.append(weights, weights[row]), straight),
        ),
    }
    if weights[row] > 1:
        pairs["a row split"] = (told, ProfileVariant(again, parts, straight))
    return pairs


def find_violations(instance: iso.Instance, solution: iso.Solution) -> list[str]:
    """The promises that a solution breaks: none, we hope."""
    policy, faults = solution.policy, []
    if not (np.isfinite(policy).all() and np.isfinite([solution.value, solution.gap]).all()):
        faults.append("a NaN or an infinity")
    if (policy < 0).any() or not abs(policy.sum() - 1) <= SIMPLEX:
        faults.append(f"the policy is off the simplex: sum {policy.sum():.17g}")
    if not 0 <= solution.gap <= MAX_GAPS[solution.rule]:
        faults.append(f"gap {solution.gap:.3g}")
    flow, cut = iso.score(instance, policy).procedural_interval
    if not abs(flow - cut) <= FLOW_CUT:
        faults.append(f"flow {flow!r} and cut {cut!r}")
    return faults

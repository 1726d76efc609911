"""Maximum partial consensus (MaxParC): ratings are conditional approvals, and each share goes to a compromise."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Instance, Profile, require_instance
from isegoria.rules.builtin.conditional_utilitarian import spend_on_most_supported
from isegoria.rules.inputs import SupportGraph
from isegoria.rules.solution import Solution, direct_solution


def compute_policy(instance: Profile) -> Solution:
    """Spread each share evenly over the approved arms with most approvals (Heitzig, Simmons and Constantino 2024).

    A share goes to an arm that its agent approves, which need not be one of its favourites.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance([[1, 0.6, 0], [0, 0.6, 1]]), "maxparc").policy.tolist()
    [0.0, 1.0, 0.0]
    """
    approved = find_approvals(require_instance(instance).to_dense())
    owner, arm = approved.nonzero()
    wants = SupportGraph(owner, arm, instance.weights, len(instance.arms))
    return direct_solution(
        spend_on_most_supported(wants) / instance.total_weight, "maximum-partial-consensus", "closed form"
    )


def find_approvals(instance: Instance) -> np.ndarray:
    """Return (N, K) booleans: the largest approvals in which i approves k iff fewer than means[i, k] of all do not.

    A favourite counts as rated 1. For each arm, the approving agents are those above some rating. The last rating in
    descending order that exceeds the weight of the agents below it is the threshold of the largest solution.

    >>> import isegoria as iso
    >>> find_approvals(iso.Instance([[1, 0.4], [1, 0.6], [0, 1]])).astype(int).tolist()
    [[1, 1], [1, 1], [0, 1]]
    """
    ratings = np.where(instance.favourites, 1.0, instance.means)
    order = np.argsort(-ratings, axis=0, kind="stable")
    descending = np.take_along_axis(ratings, order, axis=0)
    opposed = instance.total_weight - np.cumsum(instance.weights[order], axis=0)
    consistent = descending > opposed / instance.total_weight
    threshold = np.where(consistent, descending, np.inf).min(axis=0)
    return np.asarray(ratings >= threshold)

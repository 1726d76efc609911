"""An objective: approval voting."""

import numpy as np

import isegoria as iso


class Approval(iso.Objective):
    """the arm that most agents rate at least 1/2"""

    id, label, citation = "approval", "AV", "Brams and Fishburn 1978"

    def evaluate(self, instance, policy):
        return float(_approvals(instance) @ policy)

    def optimise(self, instance, tie_break="centre", within=None):
        if within is not None:
            raise iso.InputError("approval knows no within; leave it out.")
        approvals = _approvals(instance)
        best = approvals == approvals.max()
        if tie_break == "vertex":
            best[np.flatnonzero(best)[1:]] = False
        elif tie_break == "utilitarian":
            totals = np.where(best, instance.weights @ instance.means, -1)
            best = totals == totals.max()
        return iso.Solution(best / best.sum(), "approval", float(approvals.max()), 0.0, tie_break)


def _approvals(instance) -> np.ndarray:
    return instance.weights @ (instance.means >= 0.5) / instance.total_weight

"""Nash: the largest product of the agents' utilities; an agent whose means are all 0 is left out of the product."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.instance import Instance
from isegoria.rows.merge import merge_rows
from isegoria.rows.views import dense
from isegoria.rules.inputs import choice, fair_of
from isegoria.rules.solution import Solution, certified
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.nash.log_sum import maximise


def evaluate(instance: Instance, policy: np.ndarray) -> float:
    """The geometric mean of the utilities U_i(P) of the agents with a positive mean, each counted with its weight."""
    return instance.nash_welfare(policy).geometric_mean


def optimise(instance: Instance, tie_break: str = "centre", within: str | None = None) -> Solution:
    """The policy of the largest product of utilities; if every mean is 0, all policies are optimal, with value 0."""
    found = instance.searched("nash", tie_break, within)
    if found is not None:
        return certified(
            Solution(found.policy, "nash", found.value, found.gap, tie_break, found.margin, within), tolerances.NASH_GAP
        )
    if (instance.is_sparse or instance.means.item(0) == 0) and _nobody_counts(instance):
        return _nobody(instance, tie_break, within)
    asked = choice(instance, tie_break, within)
    if within is not None:
        found = _within(instance, asked)
    elif instance.is_sparse or _has_many_arms(instance):
        found = _on_lists(instance, asked)
    else:
        found = _on_rows(instance, asked)
    return certified(
        Solution(found.policy, "nash", found.value, found.gap, tie_break, found.margin, within), tolerances.NASH_GAP
    )


def _nobody(instance: Instance, tie_break: str, within: str | None) -> Solution:
    """Where every mean is 0 all policies are optimal, and all arms are everybody's favourites."""
    from isegoria.solvers.nash.many_arms import everything_is_best

    found = everything_is_best(len(instance.arms), choice(instance, tie_break))
    return certified(Solution(found.policy, "nash", 0.0, 0.0, tie_break, within=within), tolerances.NASH_GAP)


def _on_rows(instance: Instance, asked: Selection) -> Answer:
    """The answer from the table as it is; what Newton's method gives up has an interior point as its last resort."""
    try:
        if instance.means.size >= sizes.IN_PLACE:
            return _in_place(instance, asked)
        rows, weights, _ = instance.types
        return maximise(rows, weights.astype(float), *asked)
    except CertificationError:
        return _on_lists(instance, asked)


def _nobody_counts(instance: Instance) -> bool:
    """Whether every mean is 0."""
    return instance.means.nnz == 0 if instance.is_sparse else not instance.means.any()


def _has_many_arms(instance: Instance) -> bool:
    """Whether lists of what is not 0 serve a dense table better than the table itself."""
    means = instance.means
    agents, arms = means.shape
    if arms > min(sizes.EVERY_ARM, max(sizes.WIDE_ARMS, 2 * agents)):
        return True
    if arms <= sizes.ROW_ARMS or means.size < sizes.ROW_ENTRIES:
        return False
    sample = means[:: len(means) // sizes.SAMPLE or 1]
    return np.count_nonzero(sample) <= sizes.DENSITY * sample.size


def _on_lists(instance: Instance, asked: Selection) -> Answer:
    """The answer from what is not 0 in the rows alone."""
    from isegoria.rows.listed import listed, merge_lists
    from isegoria.solvers.nash.many_arms import rows_of_many_arms

    rows, weights, _ = merge_lists(listed(instance.means), instance.given_weights)
    return rows_of_many_arms(rows, weights, asked)


def _in_place(instance: Instance, asked: Selection) -> Answer:
    """The answer for a large table: merged if its rows repeat, else read where it lies, again and again.

    A table whose sample misleads (a few agents unlike all others) is merged and solved in memory.
    """
    from isegoria.solvers.nash.subsampled_newton import maximise_rows

    sample = np.ascontiguousarray(instance.means[:: len(instance.means) // sizes.SAMPLE or 1])
    if 2 * len(merge_rows(sample)[0]) > len(sample):
        with suppress(CertificationError):
            return maximise_rows(instance.means, instance.given_weights, *asked)
    rows, weights, _ = instance.types
    return maximise(rows, weights.astype(float), *asked)


def _within(instance: Instance, asked: Selection) -> Answer:
    """The answer among the procedurally fair policies."""
    from isegoria.solvers.nash.fair_nash import nash_within

    rows, weights, _ = instance.types
    rows = dense(rows)
    best = rows.max(axis=1)
    counted = best > 0
    rows, shares = rows[counted] / best[counted, None], weights[counted] / weights[counted].sum()
    found = nash_within(rows, shares, fair_of(instance), asked)
    logs = np.log(best[counted]) + np.log(rows @ found.policy)  # in two parts: their product may underflow
    return found._replace(value=float(np.exp(shares @ logs)))

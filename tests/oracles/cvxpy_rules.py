"""The six objectives as a modeller would write them for cvxpy, solved by Clarabel at tight tolerances."""

from __future__ import annotations

import warnings

import numpy as np

CLARABEL_OPTIONS = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
AGREEMENT = 1e-7


class CvxpyModule:
    """cvxpy, imported when it is first used: tests that need no oracle run without it."""

    def __getattr__(self, name: str):
        if name.startswith("__"):  # whoever looks through modules for doctests asks for such names
            raise AttributeError(name)
        import cvxpy

        return getattr(cvxpy, name)


cp = CvxpyModule()


def solve_value(objective: str, instance) -> float:
    """The optimal value of `objective` by the independent solver."""
    policy = cp.Variable(len(instance.arms), nonneg=True)
    problem, read = MODELS[objective](instance, policy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns when it stops a little short; the value is compared
        cp.Problem(problem, [cp.sum(policy) == 1]).solve(solver=cp.CLARABEL, **CLARABEL_OPTIONS)
    return float(read(policy.value))


def make_moderate(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means, weights) that an interior point solves to 1e-8: values that differ by less than three decades."""
    rng = np.random.default_rng([4, number])
    agents, arms = int(rng.integers(1, 16)), int(rng.integers(1, 11))
    means = 10 ** (-3 * rng.random((agents, arms))) if number % 3 else rng.integers(0, 4, (agents, arms)) / 3
    if number % 4 == 1:
        means[rng.integers(agents)] = means[rng.integers(agents)]
        means[:, rng.integers(arms)] = means[:, rng.integers(arms)]
    return means, rng.integers(1, 4, agents)


def _logs(rows, weights, policy):
    rows = rows / rows.max(axis=1, keepdims=True)  # a factor of a row is a constant of its logarithm
    return cp.Maximize(weights / weights.sum() @ cp.log(rows @ policy))


def _nash_of(values, weights):
    counted = values.max(axis=1) > 0
    rows, w = values[counted], weights[counted]
    if not len(rows):
        return lambda policy: cp.Maximize(0 * cp.sum(policy)), lambda p: 0.0
    return lambda policy: _logs(rows, w, policy), lambda p: np.exp(w @ np.log(rows @ p) / w.sum())


def _nash(instance, policy):
    model, read = _nash_of(instance.means, instance.weights)
    return model(policy), read


def _procedural(instance, policy):
    model, read = _nash_of(instance.favourites.astype(float), instance.weights)
    return model(policy), read


def _inequality(instance, policy):
    u = np.repeat(instance.means, instance.weights, axis=0)
    if len(u) == 1:
        return cp.Minimize(0 * cp.sum(policy)), lambda p: 0.0
    centred = (u - u.mean(axis=0)) * np.sqrt(2 / (len(u) - 1))
    return cp.Minimize(cp.sum_squares(centred @ policy)), lambda p: 2 * np.var(u @ p, ddof=1)


def _utilitarian(instance, policy):
    c = instance.weights @ instance.means / instance.weights.sum()
    return cp.Maximize(c @ policy), lambda p: c @ p


def _egalitarian(instance, policy):
    return cp.Maximize(cp.min(instance.means @ policy)), lambda p: (instance.means @ p).min()


def _gini(instance, policy):
    rows = np.repeat(instance.means, instance.weights, axis=0)
    g = 0.5 ** np.arange(len(rows))
    steps = g - np.append(g[1:], 0)
    welfare = sum(step * cp.sum_smallest(rows @ policy, r + 1) for r, step in enumerate(steps))
    return cp.Maximize(welfare), lambda p: g @ np.sort(rows @ p)


MODELS = {
    "procedural": _procedural,
    "inequality": _inequality,
    "utilitarian": _utilitarian,
    "egalitarian": _egalitarian,
    "nash": _nash,
    "gini": _gini,
}


def least_norm_optimum(objective: str, means: np.ndarray, solution) -> np.ndarray:
    """The shortest policy that is as good as `solution` for inequality, egalitarian or nash, agents of weight 1."""
    policy = cp.Variable(means.shape[1], nonneg=True)
    rows = means - means.mean(axis=0) if objective == "inequality" else means[means.max(axis=1) > 0]
    if objective == "egalitarian":
        kept = means @ policy >= solution.value - 1e-10
    else:
        kept = rows @ policy == rows @ solution.policy  # every optimum gives them the same
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        cp.Problem(cp.Minimize(cp.sum_squares(policy)), [cp.sum(policy) == 1, kept]).solve(
            cp.CLARABEL, **CLARABEL_OPTIONS
        )
    return policy.value

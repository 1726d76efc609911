"""Validation of policies: accepted on the simplex, repaired with a warning close to it, refused otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from isegoria.errors import InputError, PolicyWarning, unknown_name_error
from isegoria.profiles.means import fill_masked_array
from isegoria.utils import tolerances

MAX_PROBABILITY = 1e300
"""Entries above this are refused before they are summed, since the sum might overflow."""
PolicyLike = Sequence[float] | np.ndarray | Mapping[str, float]
"""A policy as passed by users: one probability per arm, or a mapping from arm names to probabilities."""


def validate_policy(policy: Any, arms: Sequence[str], stacklevel: int = 3) -> np.ndarray:
    """Return the policy as a new array (K,) on the simplex: non-negative, with sum 1 to within 1e-15.

    A mapping, or a series labelled by text, gives probabilities by arm name, 0 where an arm is not named. Entries down
    to -1e-9 and sums within 1e-6 of 1 are repaired, with a `PolicyWarning` unless the change is rounding.
    """
    p = _as_array(policy, arms)
    entries = p.tolist()
    if max(map(abs, entries)) > MAX_PROBABILITY:  # their sum might overflow
        _raise_bad_probability(p, int(np.argmax(np.abs(p))), arms)
    if min(entries) >= 0 and abs(fsum(entries) - 1) <= tolerances.SIMPLEX_SUM:  # fast path for the usual case
        return p
    with np.errstate(invalid="ignore"):
        good = p >= -tolerances.POLICY_NEGATIVE
    if not good.all() or not np.isfinite(p).all():
        _raise_bad_probability(p, int(np.argmin(good & np.isfinite(p))), arms)
    total = fsum(p)
    if abs(total - 1) > tolerances.POLICY_SUM + tolerances.POLICY_ROUNDING:  # three times 0.333333 should pass
        raise InputError(
            f"the policy sums to {total:.9g}; probabilities must sum to 1. "
            + (f"Divide it by {total:.9g}." if total > tolerances.POLICY_SUM else "Give some arm a probability.")
        )
    least = float(p.min())
    if max(abs(total - 1), -least) > tolerances.POLICY_ROUNDING:
        warnings.warn(_describe_repair(total, least), PolicyWarning, stacklevel=stacklevel)
    if least >= 0 and abs(total - 1) <= tolerances.SIMPLEX_SUM:
        return p
    from isegoria.solvers.rows.simplex import simplex_point

    return simplex_point(p)


def _as_array(policy: Any, arms: Sequence[str]) -> np.ndarray:
    if all(hasattr(policy, name) for name in ("to_dict", "index")) and getattr(policy, "ndim", 0) == 1:
        policy = _series_to_mapping(policy)  # a data frame's series, whose order may differ
    if isinstance(policy, Mapping):
        policy = _probabilities_by_arm(policy, arms)
    try:
        if np.iscomplexobj(policy):
            raise TypeError
        p = np.array(fill_masked_array(policy), dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"the policy {policy!r} is not a list of numbers; expected one probability for each arm "
            f"({_preview_arms(arms)})."
        ) from None
    if p.shape != (len(arms),):
        size = f"shape {p.shape}" if p.ndim != 1 else "1 entry" if len(p) == 1 else f"{len(p)} entries"
        expected = f"a probability for each of {len(arms)} arms" if len(arms) > 1 else "one for the only arm"
        raise InputError(f"the policy has {size}; expected {expected} ({_preview_arms(arms)}).")
    return p


def _series_to_mapping(series: Any) -> Any:
    """Convert a series to a mapping if its labels are text, such as names of arms; return it as it is otherwise."""
    labelled = series.to_dict()
    if not any(isinstance(label, str) for label in labelled):
        return series
    if len(labelled) < len(series):
        twice = next(label for label in series.index if (series.index == label).sum() > 1)
        raise InputError(f"the policy names arm {twice!r} twice; give each arm one probability.")
    return labelled


def _probabilities_by_arm(policy: Mapping[Any, Any], arms: Sequence[str]) -> list[Any]:
    for name in policy:
        if str(name) not in arms:
            raise unknown_name_error("arm", name, arms)
    named = {str(name): probability for name, probability in policy.items()}
    return [named.get(arm, 0.0) for arm in arms]


def _preview_arms(arms: Sequence[str]) -> str:
    return ", ".join(arms[:4]) + (", …" if len(arms) > 4 else "")


def _raise_bad_probability(p: np.ndarray, k: int, arms: Sequence[str]) -> None:
    raise InputError(
        f"policy[{k}] (arm {arms[k]!r}) is {p[k]:.9g}; probabilities must be numbers from 0 to 1. "
        "Give 0 to an arm that is never played."
    )


def _describe_repair(total: float, least: float) -> str:
    parts = [f"its sum was {total:.9g}"] if abs(total - 1) > tolerances.POLICY_ROUNDING else []
    parts += [f"its least entry was {least:.3g}"] if least < 0 else []
    return f"the policy was a little off the simplex ({' and '.join(parts)}); it was clipped at 0 and scaled to sum 1."

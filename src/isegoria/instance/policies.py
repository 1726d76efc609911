"""Policies that users give: taken when on the simplex, repaired and said when they nearly are, else refused."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError, PolicyWarning, unknown
from isegoria.instance.means import unmasked

PolicyLike = Sequence[float] | np.ndarray | Mapping[str, float]
"""A policy as users give it: one probability for each arm, or probabilities by the names of arms."""


def checked_policy(policy: Any, arms: Sequence[str], stacklevel: int = 3) -> np.ndarray:
    """(K,) a new array on the simplex: non-negative, of sum 1 to 1e-15.

    A mapping, or a series labelled by text, gives probabilities by arm name, 0 where an arm is not named. Entries down
    to -1e-9 and sums within 1e-6 of 1 are repaired, with a `PolicyWarning` unless the change is rounding.
    """
    p = _as_array(policy, arms)
    entries = p.tolist()
    if min(entries) >= 0 and abs(fsum(entries) - 1) <= tolerances.SIMPLEX:  # the usual case, and the quick way
        return p
    with np.errstate(invalid="ignore"):
        good = p >= -tolerances.POLICY_NEGATIVE
    if not good.all() or not np.isfinite(p).all():
        _refuse_entry(p, int(np.argmin(good & np.isfinite(p))), arms)
    total = fsum(p)
    if abs(total - 1) > tolerances.POLICY_SUM + tolerances.POLICY_ROUNDING:  # three times 0.333333 is meant to pass
        raise InputError(
            f"the policy sums to {total:.9g}; probabilities must sum to 1. "
            + (f"Divide it by {total:.9g}." if total > tolerances.POLICY_SUM else "Give some arm a probability.")
        )
    least = float(p.min())
    if max(abs(total - 1), -least) > tolerances.POLICY_ROUNDING:
        warnings.warn(_what_changed(total, least), PolicyWarning, stacklevel=stacklevel)
    if least >= 0 and abs(total - 1) <= tolerances.SIMPLEX:
        return p
    from isegoria.rows.simplex import simplex_point

    return simplex_point(p)


def _as_array(policy: Any, arms: Sequence[str]) -> np.ndarray:
    if all(hasattr(policy, name) for name in ("to_dict", "index")) and getattr(policy, "ndim", 0) == 1:
        policy = _labelled(policy)  # a series of a data frame, which may be in an order of its own
    if isinstance(policy, Mapping):
        policy = _by_name(policy, arms)
    try:
        if np.iscomplexobj(policy):
            raise TypeError
        p = np.array(unmasked(policy), dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"the policy {policy!r} is not a list of numbers; expected one probability for each arm ({_few(arms)})."
        ) from None
    if p.shape != (len(arms),):
        size = f"shape {p.shape}" if p.ndim != 1 else "1 entry" if len(p) == 1 else f"{len(p)} entries"
        expected = f"a probability for each of {len(arms)} arms" if len(arms) > 1 else "one for the only arm"
        raise InputError(f"the policy has {size}; expected {expected} ({_few(arms)}).")
    return p


def _labelled(series: Any) -> Any:
    """A series as a mapping if its labels are text, such as the names of arms; else as it is."""
    labelled = series.to_dict()
    if not any(isinstance(label, str) for label in labelled):
        return series
    if len(labelled) < len(series):
        twice = next(label for label in series.index if (series.index == label).sum() > 1)
        raise InputError(f"the policy names arm {twice!r} twice; give each arm one probability.")
    return labelled


def _by_name(policy: Mapping[Any, Any], arms: Sequence[str]) -> list[Any]:
    for name in policy:
        if str(name) not in arms:
            raise unknown("arm", name, arms)
    named = {str(name): probability for name, probability in policy.items()}
    return [named.get(arm, 0.0) for arm in arms]


def _few(arms: Sequence[str]) -> str:
    return ", ".join(arms[:4]) + (", …" if len(arms) > 4 else "")


def _refuse_entry(p: np.ndarray, k: int, arms: Sequence[str]) -> None:
    raise InputError(
        f"policy[{k}] (arm {arms[k]!r}) is {p[k]:.9g}; probabilities must be numbers from 0 to 1. "
        "Give 0 to an arm that is never played."
    )


def _what_changed(total: float, least: float) -> str:
    parts = [f"its sum was {total:.9g}"] if abs(total - 1) > tolerances.POLICY_ROUNDING else []
    parts += [f"its least entry was {least:.3g}"] if least < 0 else []
    return f"the policy was a little off the simplex ({' and '.join(parts)}); it was clipped at 0 and scaled to sum 1."

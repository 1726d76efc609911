"""What exact voices promise, checked from the outside."""

from __future__ import annotations

import numpy as np
import pytest

import isegoria as iso
from isegoria.record.format.units import UNITS
from oracles.hostile import hostile
from oracles.promises import build

CLOSE = 1e-8
MOST = 2_418_247  # the largest total weight whose units stay below 2^53


def hostile_faults(number: int) -> list[str]:
    """The promises that the voices of hostile instance `number` break; one past 2^53 must say so, and is thinned."""
    means, weights = hostile(number)
    if weights.sum() > MOST:
        with pytest.raises(iso.InputError, match="too large for exact voices"):
            iso.voices(build(means, weights))
        weights = np.maximum(weights * MOST // (2 * weights.sum()), 1)
    return broken_promises(build(means, weights))


def broken_promises(instance: iso.Instance, voices: iso.Voices | None = None, policy=None) -> list[str]:
    """The promises that `voices` (computed if not given) break on `instance`; none, one hopes."""
    policy = iso.solve(instance, "procedural").policy if policy is None else policy
    voices = iso.voices(instance) if voices is None else voices
    broken = []
    if (voices.units.sum(axis=1) != instance.weights * UNITS).any():
        broken.append("a row is not w·U")
    if voices.units.min() < 0 or voices.units[~instance.favourites].any():
        broken.append("units outside favourites")
    if voices.units.sum(axis=0).tolist() != voices.voices.tolist() or voices.total != voices.voices.sum():
        broken.append("totals are not the sums")
    if max(abs(float(share) - p) for share, p in zip(voices.policy, policy, strict=True)) > CLOSE:
        broken.append("not the certified policy")
    return broken

"""What exact voices promise, checked from the outside."""

from __future__ import annotations

import numpy as np
import pytest

import isegoria as iso
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from oracles.hostile_instances import make_hostile
from oracles.solution_checks import build_instance

CLOSE = 1e-8
MOST = 2_418_247  # the largest total weight whose units stay below 2^53


def list_hostile_violations(number: int) -> list[str]:
    """The promises that the voices of hostile instance `number` break; one past 2^53 must say so, and is thinned."""
    means, weights = make_hostile(number)
    if weights.sum() > MOST:
        with pytest.raises(iso.InputError, match="too large for exact voices"):
            iso.voices(build_instance(means, weights))
        weights = np.maximum(weights * MOST // (2 * weights.sum()), 1)
    return list_violations(build_instance(means, weights))


def list_violations(instance: iso.Instance, voices: iso.Voices | None = None, policy=None) -> list[str]:
    """The promises that `voices` (computed if not given) break on `instance`; none, one hopes."""
    policy = iso.solve(instance, "procedural").policy if policy is None else policy
    voices = iso.voices(instance) if voices is None else voices
    broken = []
    if (voices.units.sum(axis=1) != instance.weights * UNITS_PER_VOICE).any():
        broken.append("a row is not w·U")
    if voices.units.min() < 0 or voices.units[~instance.favourites].any():
        broken.append("units outside favourites")
    if voices.units.sum(axis=0).tolist() != voices.voices.tolist() or voices.total != voices.voices.sum():
        broken.append("totals are not the sums")
    if max(abs(float(share) - p) for share, p in zip(voices.policy, policy, strict=True)) > CLOSE:
        broken.append("not the certified policy")
    return broken

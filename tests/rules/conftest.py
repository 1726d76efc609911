"""Every objective of the table on a dozen instances: plain ones, and small whole levels, where ties are everywhere."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS


def _instances():
    rng = np.random.default_rng(20)
    for agents, arms in [(3, 2), (4, 6), (12, 5), (1, 4), (5, 1), (30, 8)]:
        yield iso.Instance(rng.random((agents, arms)), weights=rng.integers(1, 6, agents))
        yield iso.Instance(rng.integers(0, 3, (agents, arms)) / 2, weights=rng.integers(1, 6, agents))


CASES = list(_instances())


@pytest.fixture(params=RULE_GROUPS["paper"])
def objective(request):
    return request.param


@pytest.fixture(params=CASES, ids=lambda case: f"{len(case.agents)}x{len(case.arms)}")
def instance(request):
    return request.param

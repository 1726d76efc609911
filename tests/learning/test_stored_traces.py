"""Learners play what they played when these traces were stored; a state that was saved then goes on so."""

import json

import numpy as np
import pytest
from stored_traces import FOLDER, OPEN_FROM, ROUNDS, born, live, run, told

from isegoria import LEARNERS, learner_from_json
from isegoria.learning.protocol.ticket import Ticket

KEPT = [LEARNERS[path.stem] for path in sorted(FOLDER.glob("*.json"))]
NUMBERS = ("policy", "propensities", "sums", "run_policy")
"""What a linear algebra library may round otherwise on another machine; all else is the same to the bit."""

every_kept = pytest.mark.parametrize("kind", KEPT, ids=lambda kind: kind.id)


def stored(kind) -> dict:
    return json.loads((FOLDER / f"{kind.id}.json").read_text())


def same(found: dict, expected: dict) -> None:
    for name, value in expected.items():
        if name in NUMBERS:
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-12)
        else:
            assert found[name] == value, name


@every_kept
def test_a_life_goes_as_it_went(kind):
    learner = born(kind)
    same(told(live(learner, [], ROUNDS), learner, run(kind)), stored(kind)["told"])


@every_kept
def test_a_state_of_version_1_goes_on_as_it_went(kind):
    kept = stored(kind)
    learner = learner_from_json(kept["state"])
    opened = [Ticket.from_dict(entry) for entry in kept["open"]]
    tickets = live(learner, [None] * OPEN_FROM + opened, ROUNDS)
    same(told(tickets, learner, run(kind)), kept["told"])

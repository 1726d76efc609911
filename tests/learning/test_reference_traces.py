"""Learners play what they played when these traces were stored; a state that was saved then goes on so."""

import json

import numpy as np
import pytest
from reference_traces import FOLDER, OPEN_FROM, ROUNDS, make_learner, play_script, simulate_reference, summarise

from isegoria import LEARNERS, Learner
from isegoria.learning.base.ticket import Ticket

REFERENCE_LEARNERS = [LEARNERS[path.stem] for path in sorted(FOLDER.glob("*.json"))]
NUMBERS = ("policy", "propensities", "sums", "run_policy")
"""What a linear algebra library may round otherwise on another machine; all else is the same to the bit."""

every_kept = pytest.mark.parametrize("kind", REFERENCE_LEARNERS, ids=lambda kind: kind.id)


def load_reference(kind) -> dict:
    return json.loads((FOLDER / f"{kind.id}.json").read_text())


def assert_same_summary(found: dict, expected: dict) -> None:
    for name, value in expected.items():
        if name in NUMBERS:
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-12)
        else:
            assert found[name] == value, name


@every_kept
def test_script_matches_reference(kind):
    learner = make_learner(kind)
    assert_same_summary(
        summarise(play_script(learner, [], ROUNDS), learner, simulate_reference(kind)), load_reference(kind)["told"]
    )


@every_kept
def test_saved_state_continues_reference(kind):
    kept = load_reference(kind)
    learner = Learner.from_json(kept["state"])
    opened = [Ticket.from_dict(entry) for entry in kept["open"]]
    tickets = play_script(learner, [None] * OPEN_FROM + opened, ROUNDS)
    assert_same_summary(summarise(tickets, learner, simulate_reference(kind)), kept["told"])

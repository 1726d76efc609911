"""A saved learner comes back whole, or not at all."""

import json

import pytest

from isegoria.errors import StateError, UnknownNameError
from isegoria.learning.protocol.sealing import seal, unseal

registry = pytest.importorskip("isegoria.learning.registry")


@pytest.fixture
def saved():
    learner = registry.LEARNERS["procedural"](3, 2, seed=4)
    for _ in range(5):
        learner.tell(learner.ask(), [0.1, 0.2, 0.3])
    learner.ask()
    return learner.to_json()


def test_the_round_trip_is_exact(saved):
    assert registry.learner_from_json(saved).to_json() == saved
    assert registry.learner_from_json(saved.encode()).to_json() == saved


def test_every_torn_write_is_refused(saved):
    for length in range(0, len(saved), 37):
        with pytest.raises(StateError):
            registry.learner_from_json(saved[:length])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"format": "isegoria learner", "a": NaN}'])
def test_what_no_reader_should_follow_is_refused_like_any_damage(text):
    with pytest.raises(StateError, match="not complete JSON"):
        registry.learner_from_json(text)


def test_any_changed_entry_is_refused(saved):
    body = json.loads(saved)
    for key in body:
        with pytest.raises(StateError):
            registry.learner_from_json(json.dumps({**body, key: "changed"}))
        with pytest.raises(StateError):
            registry.learner_from_json(json.dumps({name: value for name, value in body.items() if name != key}))


@pytest.mark.parametrize("version", [0, 3, None, "1"])
def test_another_version_is_refused_with_a_clear_sentence(saved, version):
    with pytest.raises(StateError, match=r"version .* reads versions 1 to 2"):
        registry.learner_from_json(json.dumps({**json.loads(saved), "version": version}))


def test_a_state_that_was_sealed_but_does_not_fit_is_refused(saved):
    body = unseal(saved)
    wrong = [
        {"sums": body["sums"][:-1]},
        {"counts": [[-1, 0]] * 3},
        {"settings": {"gamma": 2, "alpha": 1}},
        {"settings": {"delta": 1}},
        {"pending": [[6, 0, 5]]},
        {"pending": [[6, 9, 0]]},
        {"present": [7]},
        {"asked": [1]},
        {"policy": [0.5]},
        {"rounds": 2},
        {"streams": {"play": {}}},
        {"entropy": "x"},
    ]
    for change in wrong:
        with pytest.raises(StateError):
            registry.learner_from_json(seal({**body, **change}))


def test_an_unknown_learner_names_the_known_ones(saved):
    with pytest.raises(UnknownNameError, match="Known: procedural"):
        registry.learner_from_json(seal({**unseal(saved), "learner": "procedure"}))

"""A saved learner comes back whole, or not at all."""

import json

import pytest

import isegoria as iso
from isegoria.errors import FileError, StateError, UnknownNameError
from isegoria.learning.base.state_format import dump_state, dump_state_parts, load_state

registry = pytest.importorskip("isegoria.learning.registry")


@pytest.fixture
def saved():
    learner = registry.LEARNERS["procedural"](3, 2, seed=4)
    for _ in range(5):
        learner.tell(learner.ask(), [0.1, 0.2, 0.3])
    learner.ask()
    return learner.to_json()


def test_the_round_trip_is_exact(saved):
    assert iso.Learner.from_json(saved).to_json() == saved
    assert iso.Learner.from_json(saved.encode()).to_json() == saved


def test_every_torn_write_is_refused(saved):
    for length in range(0, len(saved), 37):
        with pytest.raises(StateError):
            iso.Learner.from_json(saved[:length])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"format": "isegoria learner", "a": NaN}'])
def test_deep_or_nan_json_is_rejected(text):
    with pytest.raises(StateError, match="not complete JSON"):
        iso.Learner.from_json(text)


def test_any_changed_entry_is_refused(saved):
    body = json.loads(saved)
    for key in body:
        with pytest.raises(StateError):
            iso.Learner.from_json(json.dumps({**body, key: "changed"}))
        with pytest.raises(StateError):
            iso.Learner.from_json(json.dumps({name: value for name, value in body.items() if name != key}))


@pytest.mark.parametrize("version", [0, 1, 3, None, "2"])
def test_another_version_is_refused_with_a_clear_sentence(saved, version):
    with pytest.raises(StateError, match=r"version .* reads version 2"):
        iso.Learner.from_json(json.dumps({**json.loads(saved), "version": version}))


def test_a_state_that_was_sealed_but_does_not_fit_is_refused(saved):
    body = load_state(saved)
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
        *({"policy": [bad, *body["policy"][1:]]} for bad in (1e9, -0.5, float(2**70))),
        {"policy": [0] * len(body["policy"])},
        {"rounds": 10**400},
        {"rounds": 2},
        {"streams": {"play": {}}},
        {"entropy": "x"},
    ]
    for change in wrong:
        with pytest.raises(StateError):
            iso.Learner.from_json(dump_state({**body, **change}))


def test_an_unknown_learner_names_the_known_ones(saved):
    with pytest.raises(UnknownNameError, match="Known: procedural"):
        iso.Learner.from_json(dump_state({**load_state(saved), "learner": "procedure"}))


# -- the binary form ---------------------------------------------------------------------------------------------------

SAVED_LEARNERS = {"procedural": {}, "elimination": {"trickle": 0.1, "may_join": True}, "explore-first": {"horizon": 3}}


def make_learner_with_open_tickets(kind="elimination", rounds=9):
    """A learner with open, partly answered and late tickets, in the middle of a sweep."""
    learner = registry.LEARNERS[kind](4, 3, seed=4, agents=["Ann", "Bob", "Cem", "Zoë"], **SAVED_LEARNERS[kind])
    for t in range(rounds):
        learner.tell(learner.ask(), {"Ann": 0.1 * t, "Zoë": 0.9}, close=t % 4 != 3)
    return learner


@pytest.mark.parametrize("kind", SAVED_LEARNERS)
def test_the_binary_form_is_the_same_state(kind):
    learner = make_learner_with_open_tickets(kind)
    twin = iso.Learner.from_json(learner.to_bytes())
    assert twin.to_json() == learner.to_json()
    assert twin.to_bytes() == learner.to_bytes()
    for one in (learner, twin):
        one.tell(one.ask(), [0.2, 0.4, 0.6, 0.8])
    assert twin.to_json() == learner.to_json()


def test_every_torn_or_changed_binary_state_is_refused():
    data = make_learner_with_open_tickets().to_bytes()
    for length in range(0, len(data), 97):
        with pytest.raises(StateError):
            iso.Learner.from_json(data[:length])
    for place in range(0, len(data), 31):
        with pytest.raises(StateError):
            iso.Learner.from_json(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])


@pytest.mark.parametrize(
    "entry",
    [
        {"array": 0, "dtype": "O", "shape": [1], "order": "C", "bytes": 8},
        {"array": 0, "dtype": "<f8", "shape": [1 << 40], "order": "C", "bytes": 8},
        {"array": -8, "dtype": "<f8", "shape": [1], "order": "C", "bytes": 8},
        {"array": 1 << 60, "dtype": "<f8", "shape": [1], "order": "C", "bytes": 8},
        {"array": 0, "dtype": "<f8", "shape": [-1], "order": "C", "bytes": 8},
        {"array": 0},
        {"array": 0, "dtype": "0123 4", "shape": [1], "order": "C", "bytes": 8},
        {"array": 0, "dtype": "<f8", "shape": [10**400], "order": "C", "bytes": 8},
    ],
)
def test_arrays_that_are_no_numbers_or_lie_outside_are_refused(entry):
    """Also where whoever wrote the file has sealed it properly."""
    body = {**load_state(make_learner_with_open_tickets().to_bytes()), "sums": entry}
    with pytest.raises(StateError):
        iso.Learner.from_json(
            b"".join(dump_state_parts({k: v for k, v in body.items() if k not in ("format", "version")}))
        )


def test_a_file_holds_json_or_the_binary_form_by_size(tmp_path, monkeypatch):
    learner, path = make_learner_with_open_tickets(), tmp_path / "state"
    learner.save(path)
    assert path.read_bytes()[:1] == b"{"
    assert iso.load(path).to_json() == learner.to_json()
    monkeypatch.setattr("isegoria.learning.base.state_format.BINARY_MIN_BYTES", 1)
    learner.save(path)
    assert path.read_bytes().startswith(b"isegoria binary 2")
    assert iso.load(path).to_json() == learner.to_json()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StateError, match="state: the state is damaged"):
        iso.load(path)
    with pytest.raises(FileError, match="no such file"):
        iso.load(tmp_path / "none")


def test_very_many_numbered_agents_are_not_written_one_by_one(monkeypatch):
    monkeypatch.setattr("isegoria.learning.base.learner_roster.MAX_LISTED_NAMES", 3)
    learner = registry.LEARNERS["procedural"](5, 2, seed=1)
    learner.join("late")
    twin = iso.Learner.from_json(learner.to_bytes())
    assert "Agent 4" not in learner.to_json()
    assert twin.agents == learner.agents
    assert twin.to_json() != ""

"""Decisions of agents: everyone is heard in turn, ballots of all kinds, saved states, and what is refused."""

import json

import pytest

import isegoria as iso
from isegoria.agents import DecisionEngine

OPTIONS = ["tea", "milk", "mate"]
VOTES = {"Ann": ["tea"], "Ben": ["tea", "milk"], "Cem": ["tea"], "Dan": ["milk"], "Eva": ["mate"]}


def count_heard(engine, rounds, **ballots):
    heard = dict.fromkeys(VOTES, 0)
    for _ in range(rounds):
        for agent in engine.decide(OPTIONS, **ballots).heard:
            heard[agent] += 1
    return heard


@pytest.mark.parametrize("mode", ["deterministic", "lottery"])
def test_everyone_is_heard_as_often_as_due(mode):
    heard = count_heard(DecisionEngine(mode, seed="7"), 100, rankings=VOTES)
    assert heard["Ann"] == heard["Ben"] == heard["Cem"] == pytest.approx(60, abs=3)
    assert heard["Dan"] == pytest.approx(20, abs=3)
    assert heard["Eva"] == pytest.approx(20, abs=3)


def test_weights_are_numbers_of_voices():
    engine = DecisionEngine(weights={"Dan": 4}, seed="7")
    assert count_heard(engine, 80, rankings=VOTES)["Dan"] == pytest.approx(40, abs=2)
    assert engine.decide(OPTIONS, rankings=VOTES).chances == pytest.approx({"tea": 3 / 8, "milk": 1 / 2, "mate": 1 / 8})


def test_rankings_approvals_and_ratings_mean_the_same():
    decisions = [
        DecisionEngine(seed="1").decide(OPTIONS, {name: vote[:1] for name, vote in VOTES.items()}),
        DecisionEngine(seed="1").decide(OPTIONS, approvals={name: set(vote[:1]) for name, vote in VOTES.items()}),
        DecisionEngine(seed="1").decide(OPTIONS, ratings={n: {v[0]: 5} for n, v in VOTES.items()}, scale=(1, 5)),
    ]
    assert decisions[0] == decisions[1] == decisions[2]
    assert decisions[0].heard == ("Ann", "Ben", "Cem")


def test_absent_agent_is_neither_promised_nor_charged():
    engine = DecisionEngine(seed="1")
    engine.decide(OPTIONS, VOTES)
    before = engine.credit
    engine.decide(["sun", "rain"], {"Ann": ["sun"], "Ben": [], "Cem": None, "Fay": ["rain"]})
    assert {name: engine.credit[name] for name in ("Ben", "Cem", "Dan", "Eva")} == {
        name: before[name] for name in ("Ben", "Cem", "Dan", "Eva")
    }
    assert engine.credit["Fay"] != 0


@pytest.mark.parametrize("mode", ["deterministic", "lottery"])
def test_state_survives_json(mode):
    engine = DecisionEngine(mode, {"Dan": 2}, seed="3")
    for _ in range(5):
        engine.decide(OPTIONS, VOTES)
    again = DecisionEngine.from_json(json.dumps(json.loads(engine.to_json())))
    assert [again.decide(OPTIONS, VOTES) for _ in range(20)] == [engine.decide(OPTIONS, VOTES) for _ in range(20)]
    assert json.loads(json.dumps(engine.decide(OPTIONS, VOTES).to_dict()))["round"] == 26


def test_ballots_changed_in_place_are_read_again():
    engine, votes = DecisionEngine(seed="1"), {"Ann": ["tea"], "Ben": ["milk"]}
    engine.decide(OPTIONS, votes)
    votes["Ann"][0] = votes["Ben"][0] = "mate"
    assert engine.decide(OPTIONS, votes).option == "mate"
    votes["Cem"] = ["tea"]
    assert engine.decide(OPTIONS, votes).chances == pytest.approx({"tea": 1 / 3, "milk": 0, "mate": 2 / 3})
    engine.weights["Cem"] = 2
    assert engine.decide(OPTIONS, votes).chances == pytest.approx({"tea": 1 / 2, "milk": 0, "mate": 1 / 2})


@pytest.mark.parametrize("state", ["", "{}", "[1]", iso.Turns().to_json(), '{"format": "isegoria agents"}'])
def test_other_state_is_refused(state):
    with pytest.raises(iso.StateError, match="no state of an engine"):
        DecisionEngine.from_json(state)


def test_speakers_take_turns_by_the_same_call():
    engine, speakers = DecisionEngine(seed="5"), ["Ann", "Ben", "Cem"]
    order = [engine.decide(speakers, {name: [name] for name in speakers}).option for _ in range(9)]
    assert [set(order[i : i + 3]) for i in (0, 3, 6)] == [set(speakers)] * 3


def test_reason_names_option_and_those_heard():
    decision = DecisionEngine(seed="1").decide(OPTIONS, VOTES)
    assert decision.reason.startswith("tea has the largest claim, ")
    assert decision.reason.endswith("and is a favourite of Ann, Ben and Cem.")
    assert (
        DecisionEngine().decide(["tea"], {"Ann": ["tea"]}).reason
        == "tea is the only option, and is a favourite of Ann."
    )
    reason = DecisionEngine("lottery", seed="1").decide(OPTIONS, VOTES).reason
    assert reason == "milk was drawn at odds of 0.2, and is a favourite of Dan."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rankings": {"Ann": ["tae"]}}, "option of agent 'Ann' 'tae' is not known; did you mean 'tea'"),
        ({"rankings": {"Ann": ["tea", "tea"]}}, "ranks an option twice"),
        ({"rankings": {"Ann": [["tea", "milk"], "mate"]}}, r"option of agent 'Ann' \"\['tea', 'milk'\]\" is not known"),
        ({"ratings": {"Ann": {"tea": 1}}, "scale": 5}, "scale is 5; give its two ends"),
        ({"rankings": {"Ann": "tea"}}, "rankings is .*of another shape"),
        ({"rankings": {"Ann": ["tea"]}, "approvals": {"Ann": ["tea"]}}, "agent 'Ann' has two ballots"),
        ({"ratings": {"Ann": {"tea": 7}}}, "agent 'Ann' rates 'tea' 7; expected a number from 0 to 1"),
        ({"ratings": {"Ann": {"tea": float("nan")}}}, "rates 'tea' nan"),
        ({"ratings": {"Ann": {"tea": 1}}, "scale": (1, 1)}, "give the lower end first"),
        ({"rankings": {"Ann": []}}, "no agent voted"),
        ({}, "no agent voted"),
    ],
)
def test_ballot_that_does_not_fit_is_refused(given, message):
    engine = DecisionEngine(seed="1")
    with pytest.raises(iso.InputError, match=message):
        engine.decide(OPTIONS, **given)
    assert engine.turns.round == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "drawn"}, "mode is 'drawn'"),
        ({"weights": [1]}, "give each agent's"),
        ({"weights": {"Ann": 0}}, "whole number from 1 up"),
    ],
)
def test_argument_of_engine_is_checked(given, message):
    with pytest.raises(iso.InputError, match=message):
        DecisionEngine(**given)


def test_options_are_distinct_names():
    for options in ("tea", [], ["tea", "tea"], [1, 2], None):
        with pytest.raises(iso.InputError, match="options"):
            DecisionEngine().decide(options, VOTES)

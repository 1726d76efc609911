"""The audit: the paper's example in words, agreement of its parts, and what people are told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isegoria as iso
from isegoria.analysis import attribution, audit_text, core, scores
from isegoria.analysis import audit as audit_module
from isegoria.profiles import instance as instances
from isegoria.rules import inputs
from isegoria.solvers.flow.network import Network
from isegoria.utils.formatting import format_probabilities, format_share, join_names

TEA = iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"])


def test_a_fair_policy_is_told_as_fair():
    audit = iso.audit(TEA, [2 / 3, 1 / 3])
    assert audit.is_fair
    assert audit.neglected_coalition is None
    assert audit.is_proportional is True
    assert [verdict.stable for verdict in audit.core.values()] == [True, True]
    assert audit.agent_sentences == (
        "Agent 1's third went to tea.",
        "Agent 2's third went to tea.",
        "Agent 3's third went to coffee.",
    )
    assert audit.verdict_sentences[0] == "The policy is fair: every voice is heard in full."


def test_an_unfair_policy_names_whom_it_neglects():
    audit = iso.audit(TEA, [0.8, 0.2])
    assert not audit.is_fair
    assert audit.agent_sentences[2] == "Agent 3's favourite gets 0.20; 0.33 was due."
    assert "Neglected: Agent 3 deserves 0.33; coffee gets 0.20." in audit.sentences
    assert audit.neglected_coalition.agents == ("Agent 3",)
    assert audit.neglected_coalition.arms == ("coffee",)
    assert audit.neglected_coalition.shortfall == pytest.approx(1 - audit.scores.procedural, abs=1e-12)
    assert audit.is_proportional is False
    assert audit.core["shares"].stable is False


def test_its_parts_are_those_of_the_scores():
    audit = iso.audit(TEA, [0.5, 0.5])
    assert audit.attribution_matrix is audit.scores.attribution_matrix
    assert audit.shares.tolist() == [0.5, 0.5, 0.5]
    assert audit.ratios.tolist() == [0.75, 0.75, 1]
    assert not audit.attribution_matrix.flags.writeable
    assert not audit.shares.flags.writeable


@pytest.mark.parametrize("policy", [[2 / 3, 1 / 3], [0.8, 0.2]])
def test_the_policy_is_checked_once_and_the_network_of_voices_built_once(monkeypatch, policy):
    counts = {"checked": 0, "built": 0}

    def counting(what, old):
        def counted(*args, **options):
            counts[what] += 1
            return old(*args, **options)

        return counted

    monkeypatch.setattr(instances, "validate_policy", counting("checked", instances.validate_policy))
    monkeypatch.setattr(inputs, "Network", counting("built", inputs.Network))
    flows = {scores: ("procedural_score", "max_flow"), core: ("max_flow",), attribution: ("fair_flow",)}
    for module, name in ((module, name) for module, names in flows.items() for name in names):
        honest = getattr(module, name)

        def on_a_network(network, *args, honest=honest):
            assert isinstance(network, Network)
            return honest(network, *args)

        monkeypatch.setattr(module, name, on_a_network)
    audit = iso.audit(iso.Instance([[1, 0], [1, 0], [0, 1]]), policy)
    assert audit.sentences
    assert audit.scores.procedural_interval
    assert audit.shares.shape == (3,)
    assert counts == {"checked": 1, "built": 1}


def test_a_verdict_is_only_computed_when_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(audit_module, "decide_core", lambda instance, policy, kind, limit: asked.append(kind))
    audit = iso.audit(TEA, [0.5, 0.5])
    assert audit.scores.procedural < 1
    assert asked == []
    assert audit.core["utilities"] is None
    assert audit.core.utilities is None
    assert asked == ["utilities"]


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ([1, 0, 0], "Ana's third went to tea."),
        ([0.5, 0.5, 0], "Ana's third went to tea (0.17) and milk (0.17)."),
        ([0.1, 0.1, 0.8], "Ana's part of tea and milk is 0.10; 0.33 was due."),
        ([0, 0, 1], "Ana's favourites get nothing; 0.33 was due."),
    ],
)
def test_several_favourites_are_told_apart(policy, sentence):
    instance = iso.Instance([[1, 1, 0], [1, 1, 0], [1, 1, 1]], agents=["Ana", "Ben", "Cy"], arms=["tea", "milk", "ale"])
    assert iso.audit(instance, policy).agent_sentences[0] == sentence


def test_names_of_any_kind_keep_their_grammar():
    names = ["James", "李雷", "Zoë Ólafsdóttir-Hernández of the Reading Room Committee"]
    told = iso.audit(iso.Instance(np.eye(3), agents=names, arms=["ä", "ö", "ü"]), [1 / 3] * 3).agent_sentences
    assert told[0] == "James' third went to ä."
    assert told[1] == "李雷's third went to ö."
    assert told[2] == f"{names[2]}'s third went to ü."


def test_a_crowd_is_told_by_type_and_the_most_neglected_first():
    means = np.eye(3)[[0] * 30 + [1] * 15 + [2] * 5]
    told = iso.audit(iso.Instance(means, arms=["tea", "milk", "ale"]), [0.6, 0.4, 0.0]).agent_sentences
    assert told == (
        "5 agents favour ale, which gets nothing; 0.10 was due.",
        "30 agents favour tea; their three fifths went to tea.",
        "15 agents favour milk; their three tenths went to milk.",
    )


def test_one_alone_in_a_crowd_keeps_the_name():
    means = np.eye(2)[[0] * 30 + [1]]
    agents = [f"voter {i}" for i in range(30)] + ["Ana"]
    told = iso.audit(iso.Instance(means, agents=agents), [1, 0]).agent_sentences
    assert told[0] == "Ana's favourite gets nothing; 0.032 was due."


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_everyone_is_told_something_short_and_neglect_is_told_to_the_neglected(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 9), rng.integers(2, 6)
    instance = iso.Instance(rng.integers(0, 3, (n, k)) / 2, weights=rng.integers(1, 4, n))
    audit = iso.audit(instance, rng.dirichlet(np.ones(k)))
    assert len(audit.agent_sentences) == n
    for sentence, ratio in zip(audit.agent_sentences, audit.ratios, strict=True):
        assert sentence.endswith(".")
        assert len(sentence) <= 120
        assert ("was due" in sentence) == (ratio < 1 - 1e-9)
    assert (audit.neglected_coalition is None) == audit.is_fair == ("The policy is fair" in audit.verdict_sentences[0])


@pytest.mark.parametrize(("policy", "stable"), [([0.5, 0.5], False), ([1, 0], True)])
def test_the_audit_of_a_single_agent_says_what_the_core_says(policy, stable):
    instance = iso.Instance([[1, 0]], agents=["Ann"])
    audit = iso.audit(instance, policy)
    for kind, words in {"shares": "get more say", "utilities": "do better"}.items():
        assert audit.core[kind].stable is iso.core(instance, policy, kind).stable is stable
        assert any(f"Ann could {words} with another policy." in said for said in audit.verdict_sentences) is not stable


@pytest.mark.parametrize("limit", [0, -1, float("nan"), "soon", True])
def test_a_time_limit_that_is_none_is_refused(limit):
    with pytest.raises(iso.InputError, match="time_limit"):
        iso.audit(TEA, [0.5, 0.5], time_limit=limit)


def test_an_unknown_core_is_refused():
    with pytest.raises(iso.UnknownNameError, match="did you mean 'utilities'"):
        iso.audit(TEA, [0.5, 0.5]).core["utility"]


def test_amounts_show_what_differs():
    assert format_probabilities(0.2, 1 / 3) == ["0.20", "0.33"]
    assert format_probabilities(0.33333, 1 / 3) == ["0.333330", "0.333333"]
    assert format_probabilities(0.0, 1 / 800) == ["0.0000", "0.0013"]
    assert format_probabilities(0.25, 0.25) == ["0.25", "0.25"]


def test_fractions_and_lists_read_well():
    assert format_share(1, 2) == "half"
    assert format_share(3, 4) == "three quarters"
    assert format_share(7, 50) == "7/50"
    assert join_names(["a"]) == "a"
    assert join_names(["a", "b", "c", "d"]) == "a, b, c and d"


@pytest.mark.parametrize("weight", [10**11, 10**12, 10**15])
def test_one_voice_among_a_million_million_is_spoken_of(weight):
    told = iso.audit(iso.Instance([[0, 1], [1, 0]], agents=["X", "Y"], weights=[weight, 1]), [0.5, 0.5])
    assert any("went to Arm 1" in sentence for sentence in told.agent_sentences)


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (None, "do better by leaving with its share."),
        (0.031, "by leaving with its share, though none could by more than 0.04 of a member's best."),
        (3.5, "do better by leaving with its share."),
    ],
)
def test_an_undecided_verdict_says_what_is_known(bound, said):
    sentence = audit_text.describe_core(TEA, core.CoreVerdict("utilities", None, "Undecided.", bound=bound))
    assert sentence.startswith("It is undecided whether a group could do better")
    assert sentence.endswith(said)


def test_unstable_sentence_names_the_coalition_that_gains():
    group = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Bob", "Cem"])
    sentences = iso.audit(group, [1, 0]).sentences
    unstable = [sentence for sentence in sentences if sentence.startswith("Not stable")]
    assert len(unstable) == 2
    assert all("Cem could" in sentence for sentence in unstable)

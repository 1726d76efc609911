"""One door to every rule: names in any spelling, options and refusals in a sentence, and packages of others."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS, get_objective, list_objectives

GROUP = iso.Instance([[1, 0.4, 0], [0.2, 1, 1], [0, 1, 0.3]], weights=[2, 1, 1])
SPELLINGS = [(id, name) for id, row in iso.RULES.items() for name in (id, row.label, *row.aliases)]


@pytest.mark.parametrize(("id", "name"), SPELLINGS)
def test_an_id_a_label_and_an_alias_in_any_case_are_one_rule(id, name):
    expected = iso.solve(GROUP, id)
    for spelled in (name, name.upper(), name.lower()):
        found = iso.solve(GROUP, spelled)
        assert found.policy.tobytes() == expected.policy.tobytes()
        assert found.rule == id


@pytest.mark.parametrize(("wrong", "meant"), [("cutt", "cut"), ("nahs", "nash"), ("majoritarain", "majoritarian")])
def test_a_misspelt_name_is_answered_by_the_nearest(wrong, meant):
    with pytest.raises(iso.IsegoriaError, match=f"did you mean '{meant}'"):
        iso.RULES[wrong]


def test_the_contracts_six_are_the_objectives_in_order():
    assert tuple(list_objectives()) == RULE_GROUPS["paper"]
    assert all(isinstance(row, iso.Objective) for row in (iso.RULES[id] for id in RULE_GROUPS["paper"]))
    with pytest.raises(iso.UnknownNameError, match="objective 'cut' is not known"):
        get_objective("cut")
    assert get_objective("NSW") is iso.RULES["nash"]


def test_a_name_that_is_taken_is_refused_with_both_owners():
    for taken in ({"aliases": ("rsd",)}, {"label": "nsw"}):
        with pytest.raises(iso.InputError, match=r"the rule 'mine' cannot be called '\w+': .* of the rule '[a-z-]+'"):
            iso.RULES.add(iso.Rule("mine", **taken, policy=lambda instance: [1, 0, 0]))
    assert "mine" not in iso.RULES


@pytest.mark.parametrize("id", [id for id, row in iso.RULES.items() if id not in RULE_GROUPS["paper"]])
def test_a_rule_that_maximises_nothing_has_one_way_with_ties(id):
    row = iso.RULES[id]
    with pytest.raises(iso.InputError, match=r"ties .*; leave tie_break out"):
        iso.solve(GROUP, id, "vertex")
    assert iso.solve(GROUP, id, row.tie_break if row.tie_break == "centre" else None).tie_break == row.tie_break
    assert np.isnan(iso.solve(GROUP, id).value)
    if row.fair:
        held = iso.solve(GROUP, id, within="fair")
        assert held.policy.tolist() == iso.solve(GROUP, id).policy.tolist()
        assert held.within == "fair"
    elif row.option("within") is None:
        with pytest.raises(iso.InputError, match="does not search within the fair policies"):
            iso.solve(GROUP, id, within="fair")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rule": "cut", "samples": 5}, r"'conditional-utilitarian' takes no samples \(it takes no options\)"),
        ({"rule": "rp", "sample": 5}, "did you mean 'samples'"),
        ({"rule": "rp", "samples": 0}, "samples is 0; give a whole number from 1 up"),
        ({"rule": "rp", "samples": 2.5}, "samples is 2.5, a float; give a whole number"),
        ({"rule": "nash", "gini_weights": [1]}, "'nash' takes no gini_weights .* or ask for gini"),
        ({"rule": "leximin", "within": "procedural"}, "within 'procedural' is not known"),
        ({"rule": "cut", "tie_break": "evne"}, "tie-break 'evne' is not known"),
    ],
)
def test_what_a_rule_does_not_take_is_refused_with_what_it_does(options, said):
    with pytest.raises(iso.InputError, match=said):
        iso.solve(GROUP, **options)


class FailingObjective(iso.Objective):
    """A rule that refuses whatever it can."""

    id, label = "stubborn", "ST"

    def evaluate(self, instance, policy):
        return 0.0

    def optimise(self, instance, tie_break="centre", within=None):
        if within is not None:
            raise NotImplementedError("no within here")
        return instance.means[0] / instance.means[0].sum()


@pytest.fixture
def stubborn():
    iso.RULES.add(FailingObjective())
    yield
    for store in (iso.RULES._entries, iso.RULES._loaded):
        for key in [key for key, row in store.items() if getattr(row, "id", "") == "stubborn"]:
            del store[key]


def test_a_rule_of_others_that_cannot_answer_is_left_out_with_a_note(stubborn):
    assert list(iso.compare(GROUP))[-1] == "stubborn"
    with pytest.warns(
        iso.IsegoriaWarning, match=r"stubborn \(added in this process\) is left out: NotImplementedError"
    ):
        table = iso.compare(GROUP, within="fair")
    assert list(table) == [id for id in RULE_GROUPS["paper"] if id != "stubborn"]
    assert table.skipped_rules == {"stubborn": "NotImplementedError: no within here"}
    assert table.to_dict()["skipped_rules"] == dict(table.skipped_rules)
    with pytest.warns(iso.IsegoriaWarning, match="a scanned table does not keep its means"):
        assert "stubborn" in iso.compare(iso.scan(GROUP)).skipped_rules


def test_a_study_leaves_out_what_cannot_answer_everywhere_and_says_so(stubborn):
    from isegoria.studies.policy_scores import compute_scores, drop_incomplete

    groups = [GROUP, iso.Instance([[0, 0], [1, 0]])]  # of the second it divides by 0
    found = compute_scores(groups)
    assert np.isnan(found[1, -1]).all()
    assert not np.isnan(found[:, :-1]).any()
    with pytest.warns(iso.IsegoriaWarning, match=r"stubborn .* is left out: it had no answer for 1 of 2 groups"):
        kept, ids = drop_incomplete(found)
    assert ids == tuple(id for id in RULE_GROUPS["paper"] if id != "stubborn")
    assert kept.tolist() == [True] * len(ids) + [False]


def test_a_rule_that_was_asked_for_raises_what_it_has_to_say(stubborn):
    for rules in (["stubborn"], [FailingObjective()], "ST"):
        with pytest.raises(NotImplementedError, match="no within here"):
            iso.compare(GROUP, within="fair", rules=rules)
    with pytest.raises(NotImplementedError, match=r"stubborn \(added in this process\): no within here"):
        iso.solve(GROUP, "stubborn", within="fair")


def test_several_rules_go_by_one_name():
    assert list(iso.compare(GROUP, rules="fair")) == [id for id, row in iso.RULES.items() if row.fair]
    assert list(iso.compare(GROUP, rules=["PF", "paper"])) == list(RULE_GROUPS["paper"])
    assert list(iso.compare(GROUP, rules="all")) == list(iso.RULES)
    held = iso.compare(GROUP, rules="baselines")["utilitarian-within-fair"]
    assert held.scores.procedural == pytest.approx(1, abs=1e-9)
    assert held.scores.utilitarian == pytest.approx(
        iso.frontier(GROUP).values[-1], abs=1e-12
    )  # the price of equal voice
    with pytest.raises(iso.UnknownNameError, match="rule 'papr' is not known"):
        iso.compare(GROUP, rules="papr")


def test_pareto_is_about_agents_and_scores_about_scores():
    group = iso.Instance([[1, 0.9, 0], [0, 0.9, 1]])
    middle, ends = [0, 1, 0], [0.5, 0, 0.5]
    assert iso.pareto_dominates(group, middle, ends)
    assert not iso.pareto_dominates(group, ends, middle)
    assert not iso.score_dominates(group, middle, ends)  # its procedural score is 0
    assert iso.pareto_dominates(group, ends, middle, payoff="shares")
    with pytest.raises(iso.UnknownNameError, match="payoff 'share' is not known"):
        iso.pareto_dominates(group, ends, middle, payoff="share")


def test_approvals_are_names_numbers_or_letters():
    by_letters = iso.Instance.from_approvals(["ab", "c"])
    assert by_letters == iso.Instance.from_approvals([["a", "b"], ["c"]], arms=["a", "b", "c"])
    assert iso.Instance.from_approvals([[0, 1], [2]]).means.tolist() == by_letters.means.tolist()
    assert iso.Instance.from_approvals([["tea"], "milk"], arms=["milk", "tea"]).means.tolist() == [[0, 1], [1, 0]]
    for sets, said in (
        ([[], "a"], "approves nothing; leave it out"),
        ([3], "no set of arms"),
        (["x"], "arm in approvals"),
    ):
        with pytest.raises(iso.InputError, match=said):
            iso.Instance.from_approvals(sets, arms=["a", "b"])


@pytest.mark.parametrize("group", [[[1]], [[0, 0]], [[0.5, 0.5]], [[0, 0], [0, 0], [1, 0]]])
@pytest.mark.parametrize("rule", list(iso.RULES))
def test_the_smallest_groups_have_an_answer_without_a_warning(rule, group, recwarn):
    assert iso.solve(iso.Instance(group), rule).policy.sum() == pytest.approx(1, abs=1e-15)
    assert not list(recwarn)

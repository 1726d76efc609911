"""`solve` is one door: what it does not know, or an objective does not take, it refuses in a sentence."""

import pytest

import isegoria as iso
from isegoria.rules import RULE_GROUPS


@pytest.fixture
def instance():
    return iso.Instance([[1, 0], [1, 0], [0, 1]])


def test_the_table_begins_with_the_objectives_of_the_paper_in_its_order():
    assert list(RULE_GROUPS["paper"]) == ["procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini"]
    assert [iso.RULES[id].label for id in RULE_GROUPS["paper"]] == ["PF", "IM", "UT", "EG", "NSW", "GGI"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"rule": "nahs"}, "did you mean 'nash'"),
        ({"rule": None}, "rule 'None' is not known"),
        ({"tie_break": "center"}, "did you mean 'centre'"),
        ({"within": "fiar"}, "did you mean 'fair'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(instance, arguments, sentence):
    with pytest.raises(iso.UnknownNameError, match=sentence):
        iso.solve(instance, **arguments)


def test_an_option_of_another_objective_is_refused(instance):
    with pytest.raises(iso.InputError, match="'utilitarian' takes no gini_weights"):
        iso.solve(instance, "utilitarian", gini_weights=[1, 1, 1])


def test_utilitarian_plays_the_best_arm_and_shares_ties(instance):
    assert iso.solve(instance, "utilitarian").policy.tolist() == [1, 0]
    tied = iso.Instance([[1, 0, 1], [0, 1, 0]])
    assert iso.solve(tied, "utilitarian").policy == pytest.approx([1 / 3] * 3)
    assert iso.solve(tied, "utilitarian", tie_break="vertex").policy.tolist() == [1, 0, 0]


def test_a_bare_table_is_answered_with_how_to_wrap_it():
    with pytest.raises(iso.InputError, match=r"needs an Instance as its first argument, not a list; iso\.Instance"):
        iso.solve([[1, 0], [0, 1]], "nash")

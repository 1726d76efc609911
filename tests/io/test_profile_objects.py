"""Profiles of pref_voting, abcvoting, preflibtools and pabutools in, lotteries out, against the installed packages."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import isegoria as iso

pytestmark = pytest.mark.peers


@pytest.fixture
def pref_voting(monkeypatch):
    """Import pref_voting without its compiler and its plots, whose releases lag behind NumPy's."""
    for name in ("numba", "seaborn"):
        module = ModuleType(name)
        module.jit = lambda *given, **_: given[0] if given and callable(given[0]) else lambda function: function
        module.float32 = float
        if name not in sys.modules:
            monkeypatch.setitem(sys.modules, name, module)
    from pref_voting import grade_profiles, profiles, profiles_with_ties, utility_profiles

    return SimpleNamespace(
        Profile=profiles.Profile,
        ProfileWithTies=profiles_with_ties.ProfileWithTies,
        UtilityProfile=utility_profiles.UtilityProfile,
        GradeProfile=grade_profiles.GradeProfile,
    )


def test_pref_voting_rankings_round_trip(pref_voting):
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = [rng.permutation(4).tolist() for _ in range(5)]
        counts = rng.integers(1, 9, 5).tolist()
        profile = pref_voting.Profile(table, rcounts=counts, cmap=dict(enumerate("abcd")))
        group = iso.read(profile)
        expected = iso.Instance.from_rankings(["".join("abcd"[k] for k in row) for row in table], weights=counts)
        np.testing.assert_allclose(group.means, expected.means, rtol=0, atol=1e-15)
        assert list(group.arms) == list("abcd")
        assert group.weights.tolist() == counts
        again = pref_voting.Profile(np.argsort(-group.means, axis=1).tolist(), rcounts=group.weights.tolist())
        assert all(again.margin(a, b) == profile.margin(a, b) for a in range(4) for b in range(4))
        lottery = iso.solve(group, "random-dictatorship").to_mapping(profile.candidates)
        total = sum(counts)
        assert lottery == pytest.approx({c: n / total for c, n in profile.plurality_scores().items()})


def test_pref_voting_ties_scores_and_grades_are_read(pref_voting):
    tied = pref_voting.ProfileWithTies([{0: 1, 1: 1, 2: 2}, {2: 1}], [1, 2])
    with pytest.raises(iso.InputError, match="does not rank '0'"):
        iso.read(tied)
    assert iso.read(tied, unranked="last").means.tolist() == [[1, 1, 0], [0, 0, 1]]
    scores = pref_voting.UtilityProfile([{0: 1.0, 1: 0.5}, {0: 0, 1: 2}], [1, 2])
    with pytest.raises(iso.InputError, match=r"scores from 0 to 2; give the ends .* scale=\(0, 2\)"):
        iso.read(scores)
    assert iso.Instance.from_profile(scores, scale=(0, 2)).means.tolist() == [[0.5, 0.25], [0, 1]]
    grades = pref_voting.GradeProfile([{0: 1, 1: 2}, {0: 2}], [0, 1, 2], gcounts=[3, 1])
    assert iso.read(grades).means.tolist() == [[0.5, 1], [1, 0]]
    assert iso.read(grades).weights.tolist() == [3, 1]


def test_abcvoting_approvals_round_trip():
    from abcvoting.preferences import Profile, Voter

    profile = Profile(4, cand_names="wxyz")
    profile.add_voters([{0, 1}, {2}, Voter([3], weight=2), []])
    group = iso.read(profile)
    assert list(group.arms) == list("wxyz")
    assert group.means.tolist() == [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    again = Profile(4, cand_names=list(group.arms))
    for row, weight in zip(group.means, group.weights.tolist(), strict=True):
        again.add_voter(Voter(np.flatnonzero(row).tolist(), weight=weight))
    assert [(v.approved, v.weight) for v in again] == [(v.approved, v.weight) for v in profile]
    assert iso.solve(group, "cut").to_pairs(group.arms)[0][0] == "w"
    profile.add_voter(Voter([0], weight=0.5))
    with pytest.raises(iso.InputError, match="weight"):
        iso.read(profile)


def test_example_of_the_page_prints_its_comment():
    page = (Path(__file__).parents[2] / "docs/how-to/prepare-your-data.md").read_text(encoding="utf-8")
    code = page.partition("```python\nfrom abcvoting")[2].partition("```")[0]
    names = {"iso": iso}
    exec(f"from abcvoting{code}", names)
    assert str([(arm, round(share, 3)) for arm, share in names["pairs"]]) == code.partition("# ")[2].strip()


def test_preflibtools_instances_equal_their_files(tmp_path):
    from preflibtools.instances import CategoricalInstance, OrdinalInstance

    ordinal = OrdinalInstance()
    ordinal.append_vote_map({((0,), (1, 2)): 3, ((2,), (1,), (0,)): 2})
    path = tmp_path / "votes.toc"
    ordinal.write(str(path))
    group, same = iso.read(ordinal), iso.read(path)
    np.testing.assert_array_equal(group.means, same.means)
    assert group.weights.tolist() == same.weights.tolist() == [3, 2]
    assert list(group.arms) == list(same.arms)
    categories = CategoricalInstance()
    categories.alternatives_name = {1: "tea", 2: "milk"}
    categories.preferences, categories.multiplicity = [((2,), (1,))], {((2,), (1,)): 4}
    assert iso.read(categories).means.tolist() == [[0, 1]]


def test_pabutools_profiles_and_multiprofiles_agree():
    from pabutools import election

    a, b, c = (election.Project(name, 1) for name in "abc")
    shared = {"instance": election.Instance([a, b, c], budget_limit=2)}
    ballots = {
        "Approval": [{a}, {a, b}, {a}],
        "Cardinal": [{a: 3, b: 1}, {c: 3}, {a: 3, b: 1}],
        "Ordinal": [[b, a, c], [c, a, b], [b, a, c]],
    }
    for kind, given in ballots.items():
        profile = getattr(election, f"{kind}Profile")(
            [getattr(election, f"{kind}Ballot")(each) for each in given], **shared
        )
        group, merged = iso.read(profile), iso.read(profile.as_multiprofile())
        assert group.means.tolist() == group.means[[0, 1, 0]].tolist()
        np.testing.assert_array_equal(merged.means, group.means[:2])
        assert merged.weights.tolist() == [2, 1]
        assert list(group.arms) == ["a", "b", "c"]
    assert iso.read(profile).means.tolist()[0] == [0.5, 1, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": (0, 5)}, "scale is for ratings"),
        ({"missing": "lowest"}, "missing is for files"),
        ({"unranked": "first"}, "unranked"),
        ({"format": "csv"}, "format is for files"),
    ],
)
def test_option_that_a_profile_ignores_is_refused(options, message):
    profile = SimpleNamespace(candidates=[0, 1], cmap={}, rankings_counts=([[0, 1]], [1]))
    with pytest.raises(iso.InputError, match=message):
        iso.read(profile, **options)

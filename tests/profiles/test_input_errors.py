"""What cannot be used is refused with its place, what was expected, and the way out."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import isegoria as iso
from isegoria.profiles.names import NumberedNames, PackedNames
from isegoria.rules import RULE_GROUPS

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("means", "says"),
    [
        ([[0.5, NAN]], r"means\[0, 1\] \(agent 'Agent 1', arm 'Arm 2'\) is nan.*Fill in"),
        ([[0.5, 0.1], [INF, 0]], r"means\[1, 0\].*is inf.*finite"),
        ([[0.5, -INF]], r"means\[0, 1\].*is -inf"),
        ([[0, 5], [1, 2]], r"means\[0, 1\].*is 5.0; means must lie in \[0, 1\]. Rescale.*low = 0 and high = 5"),
        ([[0.5, -1e-300]], r"means\[0, 1\].*is -1e-300"),
        ([[1, 0], [1, 0, 0]], r"means\[1\] has 3 entries where means\[0\] has 2"),
        ([[1, 0], 1], r"means\[1\] is 1, which is not a row"),
        ([[0.5, None]], r"means\[0, 1\].*is nan"),
        ([[0.5, "x"]], r"means\[0, 1\] is 'x'; means must be numbers"),
        ([[0.5, "0.5"]], r"means\[0, 1\] is '0.5'; means must be numbers"),
        ([[0.5, 1j]], r"means\[0, \d\] is .*j"),
        ([], "one row for each agent"),
        ([[]], "means has 1 row and 0 columns; .* at least one of each"),
        (7, "means is an int; expected a table"),
        ([[1, 0], [1]], r"means\[1\] has 1 entry where means\[0\] has 2"),
        (np.zeros((0, 3)), "at least one of each"),
        ([0.5, 0.5], r"one dimension.*\[row\]"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (0.5, "means is a float"),
        (None, "means is a NoneType"),
        ("tea", "means is a str"),
        ({"tea": 1}, "means is a dict"),
        (np.ma.masked_invalid([[0.5, NAN]]), r"means\[0, 1\].*is nan"),
    ],
)
def test_bad_means(means, says):
    with pytest.raises(iso.InputError, match=says):
        iso.Instance(means)


@pytest.mark.parametrize("place", [(0, 0), (3, 2), (7, 4), (8, 6)])
@pytest.mark.parametrize("value", [NAN, -NAN, INF, 1.0000000000000002, -5e-324, 2.0])
def test_the_scan_sees_every_place(place, value):
    means = np.full((9, 7), 0.5)
    means[place] = value
    with pytest.raises(iso.InputError, match=rf"means\[{place[0]}, {place[1]}\]"):
        iso.Instance(means)


def test_numbers_of_any_kind_are_numbers():
    means = [[Fraction(1, 4), Decimal("0.5")], [True, np.float32(0.25)]]
    assert iso.Instance(means).means.tolist() == [[0.25, 0.5], [1, 0.25]]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ({"agents": ["Ana", "Ana"]}, r"agents\[1\] is 'Ana', and so is agents\[0\].*weight"),
        ({"agents": ["Ana"]}, "agents has 1 name for 2 agents; .* Give 2 names"),
        ({"arms": ["tea", "milk"]}, "arms has 2 names for 3 arms"),
        ({"arms": ["tea", " ", "milk"]}, r"arms\[1\] is an empty name"),
        ({"arms": ["tea", "\ud800", "milk"]}, r"arms\[1\] is .*ud800.*cannot be written"),
        ({"arms": "tea"}, "the text 'tea'"),
        ({"arms": 3}, "arms is an int"),
    ],
)
def test_bad_names(names, says):
    with pytest.raises(iso.InputError, match=says):
        iso.Instance([[1, 0, 0], [0, 1, 0]], **names)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1, 0], r"weights\[1\] \(agent 'Agent 2'\) is 0;.*whole numbers from 1 up. Leave"),
        ([1, -2], r"weights\[1\].*is -2"),
        ([1.5, 1], r"weights\[0\].*is 1.5;.*common factor"),
        ([1, NAN], r"weights\[1\].*is nan"),
        ([1, INF], r"weights\[1\].*is inf"),
        ([1, "2"], r"weights\[1\].*is '2'"),
        ([1, None], r"weights\[1\].*is None"),
        ([1], "1 number for 2 agents"),
        (2, r"of shape \(\)"),
        ([1, 2**60], "common factor"),
        ([2**53, 2**53], "add up to more"),
    ],
)
def test_bad_weights(weights, says):
    with pytest.raises(iso.InputError, match=says):
        iso.Instance([[1, 0], [0, 1]], weights=weights)


def test_whole_floats_are_taken_as_weights():
    instance = iso.Instance([[1, 0], [0, 1]], weights=[2.0, 1.0])
    assert instance.weights.dtype == np.int64
    assert instance.total_weight == 3


@pytest.mark.parametrize("tolerance", [-1e-12, NAN, 1, "small", None])
def test_bad_tie_tolerance(tolerance):
    with pytest.raises(iso.InputError, match=r"tie_tolerance is .* from 0 up, and below 1"):
        iso.Instance([[1, 0]], tie_tolerance=tolerance)


def test_ten_million_agents_need_no_ten_million_names():
    names, big = iso.Instance(np.ones((1000, 1))).agents, NumberedNames("Agent", 10_000_000)
    assert isinstance(names, NumberedNames)
    assert len(big) == 10_000_000
    assert (big[0], big[-1], big[5:7]) == ("Agent 1", "Agent 10000000", ("Agent 6", "Agent 7"))
    assert big.index("Agent 10000000") == 9_999_999
    assert "Agent 10000001" not in big
    assert "Agent 0" not in big
    assert "Agent 01" not in big
    assert "Arm 1" not in big
    assert 7 not in big
    assert names == tuple(names)
    assert names == list(names)
    assert names != tuple(reversed(names))
    assert names != list(range(1000))
    with pytest.raises(ValueError, match="not among"):
        big.index("Bo")
    with pytest.raises(IndexError):
        names[1000]
    assert repr(names) == "('Agent 1', 'Agent 2', …, 'Agent 1000')"


@pytest.mark.parametrize("names", [NumberedNames("Agent", 3), PackedNames.of(["Agent 1", "Agent 2", "Agent 3"])])
def test_equal_names_hash_alike(names):
    plain = ("Agent 1", "Agent 2", "Agent 3")
    assert names == plain == names
    assert hash(names) == hash(plain)
    assert {plain: "found"}[names] == {names: "found"}[plain] == "found"
    assert names == NumberedNames("Agent", 3) == PackedNames.of(plain) == names
    assert names != plain[:2]


@pytest.mark.parametrize("objective", RULE_GROUPS["paper"])
def test_memory_of_any_layout_gives_the_same_answer(objective):
    means, weights = np.random.default_rng(5).random((6, 4)).round(1), np.array([3, 1, 2, 1, 1, 4])
    odd = np.frombuffer(b"x" + means.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(means.shape)
    assert not odd.flags.aligned
    tables = (
        odd,
        np.asfortranarray(means),
        means.astype(">f8"),
        np.repeat(means, 2, axis=1)[:, ::2],
        means[::-1][::-1],
    )
    counts = (
        weights,
        weights.astype(">i4"),
        np.repeat(weights, 3)[::3],
        weights[::-1].copy()[::-1],
        weights.astype(float),
    )
    expected = iso.solve(iso.Instance(means, weights=weights), objective)
    for table, count in zip(tables, counts, strict=True):
        instance = iso.Instance(table, weights=count)
        solution = iso.solve(instance, objective)
        assert solution.policy.tolist() == expected.policy.tolist()
        unaligned = np.frombuffer(b"x" + solution.policy.tobytes(), dtype=np.uint8)[1:].view(np.float64)
        for policy in (solution.policy[::-1].copy()[::-1], unaligned):
            assert iso.score(instance, policy).procedural == iso.score(instance, solution.policy).procedural
            assert iso.RULES[objective].evaluate(instance, policy) == pytest.approx(solution.value, abs=1e-12)

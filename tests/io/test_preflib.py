"""PrefLib files: against preflibtools on generated files, by the rules for ranks, and every slip with its line."""

from itertools import pairwise

import numpy as np
import pytest

import isegoria as iso
from isegoria.io import read
from isegoria.io.readers import preflib

pytestmark = pytest.mark.peers
instances = pytest.importorskip("preflibtools.instances")

HEAD = """# FILE NAME: votes.{kind}
# TITLE: Votes
# DATA TYPE: {kind}
# NUMBER ALTERNATIVES: 4
# NUMBER CATEGORIES: 3
# ALTERNATIVE NAME 1: tea
# ALTERNATIVE NAME 2: coffee: black
# ALTERNATIVE NAME 3: milk
# ALTERNATIVE NAME 4: water
"""


@pytest.fixture
def reading(tmp_path):
    def call(body: str, kind: str = "toc", head: str = HEAD, **options):
        path = tmp_path / f"votes.{kind}"
        path.write_text(head.format(kind=kind) + body, encoding="utf-8")
        return read(path, **options)

    return call


def linear(classes, arms, m=None) -> list[float]:
    """The rule in plain words: m classes are worth 1 down to 0 in equal steps, and 1 when m is 1."""
    m = m or len(classes)
    rank = {arm: j for j, members in enumerate(classes) for arm in members}
    return [1.0 if m == 1 else 1 - rank.get(arm, len(classes)) / (m - 1) for arm in arms]


def random_orders(rng, arms: int, ties: bool, complete: bool):
    """Distinct random weak orders, as preflibtools writes them: tuples of tuples."""
    orders = set()
    for _ in range(rng.integers(1, 12)):
        ranked = list(rng.permutation(arms) + 1)[: arms if complete else rng.integers(1, arms + 1)]
        cuts = [0, *(j for j in range(1, len(ranked)) if not ties or rng.random() < 0.6), len(ranked)]
        orders.add(tuple(tuple(map(int, ranked[a:b])) for a, b in pairwise(cuts)))
    return sorted(orders)


@pytest.mark.parametrize(
    ("kind", "ties", "complete"), [("soc", 0, 1), ("toc", 1, 1), ("soi", 0, 0), ("toi", 1, 0)], ids=lambda v: str(v)
)
@pytest.mark.parametrize("seed", range(8))
def test_orders_read_as_preflibtools_reads_them(tmp_path, kind, ties, complete, seed):
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(1, 7))
    oracle = instances.OrdinalInstance()
    for order in random_orders(rng, arms, bool(ties), bool(complete)):
        oracle.orders.append(order)
        oracle.multiplicity[order] = int(rng.integers(1, 1000))
    oracle.data_type, oracle.num_alternatives = kind, arms
    oracle.num_voters, oracle.num_unique_orders = sum(oracle.multiplicity.values()), len(oracle.orders)
    oracle.alternatives_name = {k: f"arm {k}" for k in range(1, arms + 1)}
    oracle.write(str(tmp_path / f"votes.{kind}"))
    again = instances.OrdinalInstance(str(tmp_path / f"votes.{kind}"))
    instance = read(tmp_path / f"votes.{kind}", unranked="last")
    ids = range(1, arms + 1)
    for row, order in enumerate(again.orders):
        m = len(order) + (sum(map(len, order)) < arms)
        assert instance.means[row] == pytest.approx(linear(order, ids, m), abs=1e-15)
        assert instance.weights[row] == again.multiplicity[order]
    assert instance.arms == tuple(again.alternatives_name.values())
    assert instance.total_weight == again.num_voters


@pytest.mark.parametrize("seed", range(8))
def test_categories_read_as_preflibtools_reads_them(tmp_path, seed):
    rng = np.random.default_rng(seed)
    arms, categories = int(rng.integers(2, 7)), int(rng.integers(2, 4))
    oracle = instances.CategoricalInstance()
    for places in {tuple(rng.integers(categories, size=arms).tolist()) for _ in range(5)}:
        ballot = tuple(tuple(k + 1 for k in range(arms) if places[k] == c) for c in range(categories))
        oracle.preferences.append(ballot)
        oracle.multiplicity[ballot] = int(rng.integers(1, 50))
    oracle.data_type, oracle.num_alternatives, oracle.num_categories = "cat", arms, categories
    oracle.num_voters = sum(oracle.multiplicity.values())
    oracle.num_unique_preferences = len(oracle.preferences)
    oracle.alternatives_name = {k: f"arm {k}" for k in range(1, arms + 1)}
    oracle.categories_name = {c: f"category {c}" for c in range(1, categories + 1)}
    oracle.write(str(tmp_path / "votes.cat"))
    again = instances.CategoricalInstance(str(tmp_path / "votes.cat"))
    instance = read(tmp_path / "votes.cat")
    for row, ballot in enumerate(again.preferences):
        expected = linear(ballot, range(1, arms + 1), categories)
        assert instance.means[row] == pytest.approx(expected, abs=1e-15)
        if ballot[0]:
            assert set(np.flatnonzero(instance.favourites[row]) + 1) == set(ballot[0])


def test_counts_are_weights_and_names_say_which_voters(reading):
    instance = reading("3: 1,2,{3,4}\n1: {1, 2, 3, 4}\n2: 4,3,2,1\n")
    assert instance.means.tolist() == [[1, 0.5, 0, 0], [1, 1, 1, 1], [0, 1 / 3, 2 / 3, 1]]
    assert instance.weights.tolist() == [3, 1, 2]
    assert instance.agents == ("Voters 1–3", "Voter 4", "Voters 5–6")
    assert instance.arms == ("tea", "coffee: black", "milk", "water")


def test_rewards_go_to_classes(reading):
    assert reading("3: 1,2,{3,4}\n", rewards=[0.9, 0.63, 0.37]).means.tolist() == [[0.9, 0.63, 0.37, 0.37]]
    with pytest.raises(iso.FileError, match="line 11 has 4 ranks, and rewards has 2 values"):
        reading("3: {1,2},{3,4}\n1: 1,2,3,4\n", rewards=[1, 0.5])
    for wrong in ([0, 1], [1.5], [], "lineal", ["a"], None, [float("nan")]):
        with pytest.raises(iso.InputError, match="rewards"):
            reading("3: 1,2,3,4\n", rewards=wrong)


def test_unranked_arms_are_never_guessed(reading):
    body = "3: 1,2\n1: 4,3,2,1\n2: 2\n"
    with pytest.raises(iso.FileError, match=r"line 10 does not rank 'milk' \(1 more line leaves.*--unranked last"):
        reading(body, "soi")
    assert reading(body, "soi", unranked="last").means.tolist() == [[1, 0.5, 0, 0], [0, 1 / 3, 2 / 3, 1], [0, 1, 0, 0]]
    with pytest.warns(iso.BallotWarning, match="left out 5 of 6 ballots"):
        instance = reading(body, "soi", unranked="drop")
    assert instance.agents == ("Voter 4",)
    with pytest.raises(iso.FileError, match="leaves none"):
        reading("3: 1,2\n", "soi", unranked="drop")


def test_categories_keep_their_meaning(reading):
    body = "2: {1,2},3,4\n1: {},{1,2},{3,4}\n1: 1,{2,3,4}\n"
    instance = reading(body, "cat")
    assert instance.means.tolist() == [[1, 1, 0.5, 0], [0.5, 0.5, 0, 0], [1, 0.5, 0.5, 0.5]]
    approvals = reading("2: {1,2}\n", "cat", unranked="last", head=HEAD.replace("CATEGORIES: 3", "CATEGORIES: 2"))
    assert approvals.means.tolist() == [[1, 1, 0, 0]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "a header and no ballots"),
        ("3, 1,2,3,4\n", "line 10: '3, 1,2,3,4' is no ballot; expected a count"),
        ("0: 1,2,3,4\n", "is no ballot"),
        ("3: 1,2,3,5\n", "line 10: alternative '5' is not in the header, which has 1, 2, 3, 4"),
        ("3: 1,2,,4\n", "line 10: alternative ''"),
        ("3: 1,2,3,1\n", "line 10 has an alternative twice"),
        ("3: 1,{2,3,4\n", "line 10: the braces or commas do not match"),
        ("3: 1,2}3,4\n", "line 10: the braces or commas do not match"),
        ("3: 1,{},{2,3,4}\n", "line 10 has empty braces"),
        ("# NUMBER VOTERS: 9\n3: 1,2,3,4\n", "says 9 voters and the ballots add up to 3; the file may be cut off"),
        ("# NUMBER VOTERS: many\n3: 1,2,3,4\n", "'# NUMBER VOTERS' says 'many'"),
        ("# ALTERNATIVE NAME 9: rum\n3: 1,2,3,4\n", "ALTERNATIVE"),
        ("# ALTERNATIVE NAME 2: tea\n3: 1,2,3,4\n", "two alternatives are named 'tea'"),
    ],
)
def test_a_slip_is_named_with_its_line(reading, body, said):
    with pytest.raises(iso.FileError, match=f"votes.toc.*{said}"):
        reading(body)


def test_strict_kinds_refuse_ties_and_the_old_format_is_named(reading):
    with pytest.raises(iso.FileError, match="line 10 has a tie, and soc orders are strict"):
        reading("3: 1,{2,3},4\n", "soc")
    with pytest.raises(iso.FileError, match="current PrefLib format"):
        reading("4\n1,tea\n2,coffee\n800,800,24\n129,1,2\n", "soc", head="")


@pytest.mark.parametrize("count", ["1000000000", "5"])
def test_more_alternatives_than_names_and_ballots_bear_out_are_refused_at_once(reading, count):
    body = "3: 1,2,3,4\n"
    with pytest.raises(iso.FileError, match=f"ALTERNATIVES {count} and 4 lines .* and the ballots rank 4"):
        reading(body, head=HEAD.replace("ALTERNATIVES: 4", f"ALTERNATIVES: {count}"))
    with pytest.raises(iso.FileError, match="and 0 lines ALTERNATIVE NAME, and the ballots rank 4; mend"):
        reading(body, head=f"# NUMBER ALTERNATIVES: {count}\n")


def test_the_number_of_voters_may_be_left_out(reading):
    assert reading("3: 1,2,3,4\n").total_weight == 3
    assert reading("# NUMBER VOTERS: 3\n3: 1,2,3,4\n").total_weight == 3


def test_alternatives_without_names_are_called_by_number(reading):
    assert reading("1: 2,1\n", "soc", head="# NUMBER ALTERNATIVES: 2\n").arms == ("1", "2")


ZERO = """# NUMBER ALTERNATIVES: 3
# NUMBER CATEGORIES: 3
# CATEGORY NAME 1: Disapproved
# CATEGORY NAME 2: Neutral
# CATEGORY NAME 3: Approved
# ALTERNATIVE NAME 0: tea
# ALTERNATIVE NAME 1: coffee
# ALTERNATIVE NAME 2: milk
"""


def test_alternatives_are_numbered_from_0_or_from_1(reading):
    instance = reading("3: 0,{1,2}\n1: 2,1,0\n", head=ZERO)
    assert instance.arms == ("tea", "coffee", "milk")
    assert instance.means.tolist() == [[1, 0, 0], [0, 0.5, 1]]
    assert reading("1: 1,0\n", "soc", head="# NUMBER ALTERNATIVES: 2\n").arms == ("0", "1")
    with pytest.raises(iso.FileError, match="alternative '3' is not in the header, which has 0, 1, 2"):
        reading("3: 0,{1,3}\n", head=ZERO)


def test_names_that_contradict_the_order_of_the_categories_are_pointed_out(reading):
    body = "2: 0,1,2\n1: {},{0,1},2\n"
    with pytest.warns(iso.BallotWarning, match=r"first is taken as the best.*--best-category 'Approved'"):
        assert reading(body, "cat", head=ZERO).means.tolist() == [[1, 0.5, 0], [0.5, 0.5, 0]]
    for name in ("Approved", " approved"):
        instance = reading(body, "cat", head=ZERO, best_category=name)
        assert instance.means.tolist() == [[0, 0.5, 1], [0.5, 0.5, 1]]
    assert reading(body, "cat", head=ZERO, best_category="Disapproved").means.tolist()[0] == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("cat", "Neutral", "stands between others"),
        ("cat", "Aproved", "did you mean 'Approved'"),
        ("toc", "Approved", "best_category is for categories"),
    ],
)
def test_a_best_category_that_says_nothing_is_refused(reading, kind, name, said):
    with pytest.raises(iso.InputError, match=said):
        reading("2: 0,1,2\n", kind, head=ZERO, best_category=name)


@pytest.mark.parametrize("kind", ["soc", "soi", "toc", "toi", "cat"])
def test_the_scan_and_the_line_by_line_reader_agree(kind):
    """On good lines they find the same; on mutilated ones the scan gives up wherever the other refuses."""
    rng = np.random.default_rng(5)
    arms = {str(k): f"arm {k}" for k in range(4)}
    for _ in range(3_000):
        text = list(rng.choice(["2: 0,1,2,3", "1: {0,1},3", " 3 :2 , {1,0} ", "1: {},{2},0", "7: 3"]))
        for _ in range(rng.integers(3)):
            text[rng.integers(len(text))] = rng.choice(list("0123{},: x9")).item()
        lines = preflib.DataLines("".join(text), [1])
        if not lines.body.strip():
            continue
        quick = preflib._scan_fast(lines, arms, kind)
        try:
            slow = preflib._parse_with_errors(lines, arms, "votes", kind)
        except iso.FileError:
            assert quick is None
            continue
        if quick is not None:
            assert all(np.array_equal(a, b) for a, b in zip(quick, slow, strict=True))


def test_good_files_are_read_by_the_scan(monkeypatch, reading):
    monkeypatch.setattr(preflib, "_parse_with_errors", None)
    assert reading("3: 1,2,{3,4}\r\n\n1: { 1, 2 },3,4\n").weights.tolist() == [3, 1]

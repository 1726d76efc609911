"""The ledger of the paper: complete, true of the package at a small size, and the figures that it names."""

import importlib
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import isegoria
from isegoria.figures.registry import FIGURES
from isegoria.learning import BernoulliRewards, ProceduralLearner, simulate
from isegoria.studies.claims import algorithm_checks, data_checks, formula_checks, judge_claims
from isegoria.studies.claims.paper_items import load_paper_items

ITEMS = load_paper_items()
PACKAGE, ROOT = Path(isegoria.__file__).parent, Path(__file__).parents[2]
SMALL_CHECKS = {
    "data": lambda: data_checks.check_generator(2_000, 42) | data_checks.check_voters(),
    "bounds": algorithm_checks.check_bounds,
    "rewards": lambda: algorithm_checks.check_rewards(20_000, 42),
    "lines": lambda: algorithm_checks.check_algorithm(3_000, 42),
    "formulas": lambda: formula_checks.check_formulas(40, 42),
}
"""What is measured of formulas, lines and data, at the size of a test; cheap ones first."""


measure_small = cache(lambda name: SMALL_CHECKS[name]())
MEASURED = [id for id, item in ITEMS.items() if "test_formulas_agree_with_the_package" in item.test]


@pytest.mark.slow
@pytest.mark.parametrize("id", MEASURED)
def test_formulas_agree_with_the_package(id):
    bounds, numbers = ITEMS[id].cases[0].bounds, {}
    for name in SMALL_CHECKS:
        if not {bound.number for bound in bounds} <= set(numbers):
            numbers |= measure_small(name)
    for bound in bounds:
        assert bound.met(numbers), f"{bound}: {numbers[bound.number]}"


def test_every_item_names_code_test_and_fault():
    assert len(ITEMS) >= 90
    assert len(MEASURED) >= 45
    for item in ITEMS.values():
        path, _, name = item.code.partition(":")
        assert (PACKAGE / path).exists(), item.id
        if path.endswith(".py"):
            owner = importlib.import_module("isegoria." + path.removesuffix(".py").replace("/", "."))
            for part in name.split("."):
                known = part in getattr(owner, "__annotations__", {}) or part in getattr(
                    owner, "__dataclass_fields__", {}
                )
                owner = None if known else getattr(owner, part)
        else:
            assert name.split(".")[-1] in (PACKAGE / path).read_text(encoding="utf-8"), item.id
        file, _, test = item.test.partition("::")
        assert not test or f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), item.id
        assert not item.example or (ROOT / "examples" / "paper" / item.example).exists(), item.id
        assert item.fault, item.id


def test_every_item_has_its_verdict_on_the_page():
    page = (ROOT / "docs" / "reference" / "paper.md").read_text(encoding="utf-8")
    judged = judge_claims(ROOT / "docs" / "reference" / "paper-numbers")
    assert list(judged) == list(ITEMS)
    for one in judged.values():
        assert f"**{one.verdict}" in page
        assert one.measured in page, one


def test_every_numbered_statement_of_the_paper_is_an_item():
    places = " ".join(item.place for item in ITEMS.values())
    for kind, count in (("Definition", 10), ("Theorem", 6), ("Lemma", 5), ("Proposition", 3), ("Table", 2)):
        for number in range(1, count + 1):
            assert re.search(rf"{kind}s? (\d and )?{number}\b", places), (kind, number)
    for place in ("Corollary 1", "Figure 1", "Figure 2", "Figure 3(a)", "Figure 3(b)", "§5.2", "§8.3"):
        assert place in places, place
    lines = re.findall(r"Algorithm 1, lines? (\d+)(?: (to|and) (\d+))?", places)
    covered = {n for first, _, last in lines for n in range(int(first), int(last or first) + 1)}
    assert {1, 2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 15, 17, 19, 20, 21, 22, 24} <= covered


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    scores = {name: rng.random(6).tolist() for name in ("procedural", "equality", "utilitarian")}
    return {"policy": ["PF", "IM", "UT", "EG", "NSW", "GGI"]} | scores


def test_figure_1_bars_are_the_means(table):
    pytest.importorskip("matplotlib")
    spread = {f"{name}_sd": np.linspace(0.01, 0.06, 6).tolist() for name in ("procedural", "equality", "utilitarian")}
    [axes] = FIGURES["scores"].draw(table | spread).axes
    heights = sorted(bar.get_height() for bar in axes.patches)
    assert heights == pytest.approx(sorted(value for name in list(table)[1:] for value in table[name]))
    lengths = sorted(
        (points[:, 1].max() - points[:, 1].min()) / 2
        for lines in axes.collections
        for points in lines.get_segments()
        if len(points)
    )
    assert lengths == pytest.approx(sorted(value for values in spread.values() for value in values))


def test_figure_2_bars_have_no_whiskers(table):
    pytest.importorskip("matplotlib")
    [axes] = FIGURES["dots"].draw(table).axes
    assert len(axes.patches) == 18
    assert not axes.collections


def test_figure_3_rolls_over_a_thousand_rounds():
    means = np.array([[0.9, 0.6], [0.1, 0.9], [0.2, 0.8]])
    learner = ProceduralLearner(3, 2, seed=4)
    trace = simulate(learner, BernoulliRewards(means), 3_000, seed=4, records=3_000)
    scores, policy = trace.rolling_scores(), trace.rolling_policy([1 / 3, 2 / 3])
    for end in (1_000, 1_700, 3_000):
        window = slice(end - 1_000, end)
        assert scores["procedural"][end - 1] == pytest.approx(trace.scores[window, 0].mean())
        assert scores["procedural_sd"][end - 1] == pytest.approx(trace.scores[window, 0].std(), abs=1e-6)
        name = f"p_{trace.arm_names[0]}"
        assert policy[name][end - 1] == pytest.approx(trace.policies[window, 0].mean())
        assert policy[f"{name}_sd"][end - 1] == pytest.approx(trace.policies[window, 0].std(), abs=1e-6)
    assert np.ptp(trace.policies[:1_000, 0]) > 0

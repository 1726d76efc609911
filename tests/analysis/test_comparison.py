"""`compare`: six policies in the table's order, and domination that rounding can neither make nor hide."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.dominance import find_outscored
from isegoria.rules import RULE_GROUPS
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.tolerances import SCORE_DOMINANCE


def test_the_table_is_a_mapping_in_the_registrys_order():
    table = iso.compare(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    assert list(table) == list(RULE_GROUPS["paper"])
    assert [row["label"] for row in table.to_rows()] == [iso.RULES[id].label for id in RULE_GROUPS["paper"]]
    for name, entry in table.items():
        assert entry.solution.rule == name
        assert entry.scores.procedural == iso.score(table._instance, entry.solution.policy).procedural
    with pytest.raises(TypeError):
        table["nash"] = None
    with pytest.raises(iso.UnknownNameError, match="did you mean 'nash'"):
        table["nahs"]
    assert "nahs" not in table
    assert table.get("nahs") is None
    assert list(pickle.loads(pickle.dumps(table))) == list(table)


def test_a_policy_is_marked_exactly_when_another_is_better_on_one_score_and_worse_on_none():
    rng, marked = np.random.default_rng(3), 0
    for _ in range(60):
        table = iso.compare(iso.Instance(rng.random((rng.integers(2, 9), rng.integers(2, 6)))))
        points = {name: np.array([getattr(entry.scores, s) for s in SCORE_LABELS]) for name, entry in table.items()}
        for name, entry in table.items():
            marked += bool(entry.score_dominated_by)
            for other, better in points.items():
                gain = better - points[name]
                if (gain >= 0).all() and (gain > SCORE_DOMINANCE).any():
                    assert other in entry.score_dominated_by
                if other in entry.score_dominated_by:
                    assert gain.min() >= -SCORE_DOMINANCE
                    assert gain.max() > SCORE_DOMINANCE
                    assert name not in table[other].score_dominated_by
    assert marked > 0


def test_nothing_that_is_best_on_a_score_is_dominated_through_rounding():
    rng = np.random.default_rng(4)
    for _ in range(60):
        table = iso.compare(iso.Instance(rng.choice([0, 0.3, 1], (rng.integers(2, 9), rng.integers(2, 6)))))
        same = {name: entry.solution.policy for name, entry in table.items()}
        for name, entry in table.items():
            for other in entry.score_dominated_by:
                assert np.abs(same[name] - same[other]).max() > SCORE_DOMINANCE


def test_equal_scores_up_to_rounding_dominate_neither_way():
    scores = (0.7, 0.8, 0.9)
    nudged = tuple(x + SCORE_DOMINANCE / 10 for x in scores)
    ahead = (0.7, 0.8, 0.9 + 3 * SCORE_DOMINANCE)
    found = find_outscored({"same": scores, "nudged": nudged, "ahead": ahead})
    assert found == {"same": ("ahead",), "nudged": ("ahead",), "ahead": ()}


def test_within_procedural_every_policy_is_fair():
    table = iso.compare(iso.Instance([[1, 0.2, 0.6], [1, 0, 0.9], [0.1, 0.3, 1]]), within="fair")
    assert [entry.scores.procedural for entry in table.values()] == pytest.approx(
        [1] * len(RULE_GROUPS["paper"]), abs=1e-9
    )


def test_comparing_imports_neither_scipy_nor_matplotlib():
    code = (
        "import sys, isegoria as iso; iso.compare(iso.Instance([[1, 0], [0, 1]]));"
        "print({'scipy', 'matplotlib'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_small_losses_of_an_agent_are_no_dominance():
    before, after = [0.5, 0.5], [0.5 + 2e-9, 0.5 - 2e-9]
    assert iso.pareto_dominates(iso.Instance([[1, 0], [0.4, 0.4]]), after, before)
    assert not iso.pareto_dominates(iso.Instance([[1, 0], [0.4, 0.5]]), after, before)  # the second loses 2e-10

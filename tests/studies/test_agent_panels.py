"""The study of agents that decide together: its measures, its table, and the numbers of its page."""

import math
from pathlib import Path

import numpy as np
import pytest

import isegoria as iso
from isegoria.studies import agent_panels
from isegoria.studies.agent_panels import PANEL_COUNTS, PANEL_RULES, PANEL_TASKS, Panel, measure_panel
from isegoria.studies.registry import STUDIES, StudyOptions

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "agents.md"
SHOWN_CELLS = [
    ("equals", "accuracy", ".2f"),
    ("expert", "accuracy", ".2f"),
    ("minority", "least_heard", ".2f"),
    ("minority", "longest_wait", ".1f"),
    ("minority", "satisfaction", ".2f"),
]


def render_page_rows(table):
    place = {key: row for row, key in enumerate(zip(table["task"], table["rule"], strict=True))}
    for rule, (label, _) in PANEL_RULES.items():
        cells = [format(table[measure][place[task, rule]], digits) for task, measure, digits in SHOWN_CELLS]
        yield f"| {label} | {' | '.join(cells)} |"


@pytest.mark.slow
def test_page_shows_the_numbers_of_the_study():
    table = agent_panels.compute_table(42, PANEL_COUNTS["short"], None)
    page = PAGE.read_text(encoding="utf-8")
    for row in render_page_rows(table):
        assert row in page
    value = {key: row for row, key in enumerate(zip(table["task"], table["rule"], strict=True))}
    assert table["accuracy"][value["equals", "majority"]] > table["accuracy"][value["equals", "turns"]]
    assert table["longest_wait"][value["minority", "majority"]] > table["longest_wait"][value["minority", "turns"]]
    assert table["satisfaction"][value["minority", "majority"]] > table["satisfaction"][value["minority", "turns"]]


def test_measures_of_a_small_panel():
    ratings = np.tile([[1.0, 0.0], [0.5, 1.0]], (4, 1, 1))
    found = measure_panel(Panel(ratings, np.array([0, 0, 1, 1])), [0, 0, 0, 1])
    assert found == pytest.approx((0.75, 0.25, 3, (3 * 0.75 + 0.5) / 4))
    assert math.isnan(measure_panel(Panel(ratings, None), [0, 0, 0, 1]).accuracy)


def test_rules_decide_as_they_are_named():
    table = np.array([[1, 0.8, 0], [1, 0.8, 0], [0, 0.8, 1], [0.1, 1, 0]])
    rng = np.random.default_rng(0)
    decided = {name: play(np.tile(table, (12, 1, 1)), rng) for name, (_, play) in PANEL_RULES.items()}
    assert set(decided["majority"]) == set(decided["plurality"]) == {0}
    assert set(decided["approval"]) == {1}
    assert set(decided["borda"]) == {0, 1}  # five points each
    assert sorted(decided["turns"]) == [0] * 6 + [1] * 3 + [2] * 3
    assert set(decided["lottery"]) == set(decided["turns-approvals"]) == {1}
    assert set(decided["dictator"]) == {0, 1, 2}


def test_study_writes_a_section_and_reads_juries(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_panels, "PANEL_COUNTS", {"short": 2, "full": 2})
    monkeypatch.setattr(agent_panels, "ROUNDS", 6)
    (tmp_path / "habermas").mkdir()
    lines = ["# NUMBER ALTERNATIVES: 2", "# ALTERNATIVE NAME 1: x", "# ALTERNATIVE NAME 2: y", "2: 1,2", "1: 2,1", ""]
    for name in ("a", "b"):
        (tmp_path / "habermas" / f"{name}.soc").write_text("\n".join(lines), encoding="utf-8")
    study = STUDIES["agents"]
    study.produce(tmp_path / "agents", StudyOptions(short=True, data=tmp_path, command="isegoria reproduce agents"))
    text = study.section(tmp_path / "agents")
    for task in PANEL_TASKS.values():
        assert task.what[1:] in text
    assert "isegoria reproduce agents" in text
    found = {(each.policy, each.statistic): each.value for each in study.findings(tmp_path / "agents")}
    assert found["majority", "juries: heard least"] == 0
    assert found["turns", "juries: heard least"] == pytest.approx(1 / 3)


def test_data_without_juries_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_panels, "compute_table", lambda *given: {"task": [], "rule": []})
    with pytest.warns(iso.ReadingWarning, match="has no folder habermas"):
        agent_panels.produce(tmp_path / "agents", StudyOptions(short=True, data=tmp_path))


def test_page_names_the_engine_of_the_package():
    assert iso.agents.DecisionEngine.__name__ in PAGE.read_text(encoding="utf-8")

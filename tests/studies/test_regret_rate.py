"""The study of the regret theorem: its groups are what it says, its slopes slopes, its page says how long it ran."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.figures.regret_rate_figure import PANEL_LABELS, draw_regret_panels
from isegoria.studies import regret_rate
from isegoria.studies.provenance import read_provenance
from isegoria.studies.registry import STUDIES, StudyOptions
from isegoria.studies.regret_rate.slopes import fit_slope
from isegoria.studies.sections.regret_rate_section import findings, section

TINY = regret_rate.RateSize("short", 2_000, 2)


def test_the_groups_have_the_gap_they_say_and_one_compromise():
    for gap in regret_rate.VARIED_VALUES["gap"]:
        instance = regret_rate.RateSetting(agents=7, arms=4, gap=gap).instance()
        assert instance.smallest_gap == pytest.approx(gap)
        assert (instance.favourites.sum(axis=1) == 1).all()
        assert not instance.favourites[:, 0].any()
        assert (np.argsort(instance.means, axis=1)[:, -2] == 0).all()


def test_a_slope_is_found_with_its_interval_and_unfinished_runs_are_left_out():
    rng, x = np.random.default_rng(0), np.repeat([0.1, 0.2, 0.4, 0.8], 5)
    regret = 3 * x**-2.0 * np.exp(rng.normal(0, 0.05, len(x)))
    regret[:2] = 1000
    found = fit_slope(
        "gap", {"panel": ["gap"] * 20, "x": list(x), "regret": list(regret), "bound": list(x**-3.0)}, 1000
    )
    assert found.low < -2 < found.high
    assert found.high - found.low < 0.2
    assert found.theory == pytest.approx(-3)
    assert (found.points, found.unfinished) == (18, 2)


def test_against_rounds_slopes_are_within_runs_and_runs_are_counted_once():
    rounds = [10.0**power for power in range(2, 6)]
    rows = {"panel": [], "x": [], "seed": [], "regret": [], "bound": []}
    for seed, level in ((1, 40.0), (2, 4000.0), (3, None)):  # levels differ a hundredfold; the third never finishes
        for at in (*rounds, 2e4, 5e4):
            for name, value in zip(rows, ("rounds", at, seed, level or at, at), strict=True):
                rows[name].append(value)
    found = fit_slope("rounds", rows, 100_000)
    assert found.unfinished == 1
    flat = {name: [value for value, seed in zip(rows[name], rows["seed"], strict=True) if seed != 3] for name in rows}
    assert fit_slope("rounds", flat, 100_000).slope == pytest.approx(0, abs=1e-9)
    assert fit_slope("rounds", flat, 100_000).high < 0.01


def test_the_figure_has_a_panel_for_each_dependence_and_says_its_slope(tmp_path):
    rng = np.random.default_rng(1)
    columns = {"panel": [], "x": [], "regret": [], "bound": [], "seed": []}
    for panel in PANEL_LABELS:
        for x in (0.5, 0.6, 0.8) if panel != "rounds" else 10.0 ** np.arange(2, 7):
            for seed in range(3):
                values = (panel, x, 100 * x**0.5 * np.exp(rng.normal(0, 0.01)), 300 * x, seed)
                for name, value in zip(columns, values, strict=True):
                    columns[name].append(value)
    slopes = [fit_slope(panel, columns, 10**9) for panel in PANEL_LABELS]
    figure = draw_regret_panels(columns, slopes)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [ax.get_xlabel() for ax in figure.axes] == list(PANEL_LABELS.values())
    assert titles[1].startswith("slope 0.5")
    assert titles[1].endswith("bound 1.00")
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["100", "1k", "10k", "100k", "1M"]
    figure.savefig(tmp_path / "rate.png")


def test_the_study_in_small_writes_its_page_and_a_full_one_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(regret_rate, "SHORT_SIZE", TINY)
    monkeypatch.setattr(
        regret_rate,
        "VARIED_VALUES",
        {"gap": (0.5, 0.7, 0.9), **{k: v[:2] for k, v in regret_rate.VARIED_VALUES.items() if k != "gap"}},
    )
    options = StudyOptions(pictures=False, short=True)
    assert regret_rate.produce(tmp_path, options)
    assert "short version" in section(tmp_path)
    told = {finding.statistic: finding.value for finding in findings(tmp_path)}
    assert told["log-log slope of regret against smallest gap Δ"] < -1
    monkeypatch.setattr(regret_rate, "FULL_SIZE", regret_rate.RateSize("full", 2_000, 1))
    regret_rate.produce(tmp_path, StudyOptions(pictures=False))
    regret_rate.produce(tmp_path, options)  # returns at once: the full one is there
    assert read_provenance(tmp_path)["settings"]["size"] == "full"


def test_the_bound_is_that_of_the_theorem():
    monkey = regret_rate.run(regret_rate.RateSize("short", 400, 1))
    base = iso.regret_bounds(
        regret_rate.BASE_SETTING.instance(), 400, regret_rate.BASE_SETTING.gamma, regret_rate.BASE_SETTING.alpha
    )
    row = next(
        i
        for i, (p, x) in enumerate(zip(monkey.points["panel"], monkey.points["x"], strict=True))
        if (p, x) == ("gap", 0.3)
    )
    assert monkey.points["bound"][row] == base.terms[0] + base.terms[2]


def test_it_is_a_study_like_the_others():
    assert STUDIES["rate"].heading == "The regret theorem, seen"

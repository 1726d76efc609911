"""In a cell: plots that are axes, rankings that become a table, and a matrix without names on the command line."""

import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria import preferences
from isegoria.cli.compare import command as compare
from isegoria.errors import InputError, ReadingWarning
from isegoria.figures import theme
from isegoria.figures.learner_figures import LEARNER_STYLES

GROUP = iso.Instance([[1, 0, 0.5], [0.2, 1, 0.5], [0, 1, 0.6]], arms=["tea", "mate", "milk"])


def results():
    turns = iso.Turns(mode="deterministic")
    turns.draw(turns.propose(GROUP), seed=b"")
    trace = iso.simulate(iso.EliminationLearner(3, 3, seed=1), iso.BernoulliRewards(GROUP), 60, seed=1, records=20)
    return {
        "Comparison": iso.compare(GROUP),
        "Audit": iso.audit(GROUP, [0.2, 0.5, 0.3]),
        "Frontier": iso.frontier(GROUP),
        "Trace": trace,
        "Turns": turns,
        "Study": iso.study(rules=["nash", "gini"], groups=GROUP),
    }


@pytest.fixture(scope="module")
def found():
    return results()


@pytest.mark.parametrize("name", ["Comparison", "Audit", "Frontier", "Trace", "Turns", "Study"])
def test_a_result_plots_into_axes_of_its_own_or_given_ones(found, name, tmp_path):
    own = found[name].plot()
    assert type(own).__name__ == "Axes"
    assert theme.save_figure(own.figure, tmp_path / "own.png").stat().st_size > 2000
    given = theme.make_figure("page", height=3.0, columns=2)[1][1]
    assert found[name].plot(ax=given) is given
    assert given.has_data() or given.patches or given.texts
    theme.save_figure(given.figure, tmp_path / "given.png")


@pytest.mark.parametrize("name", ["Comparison", "Audit", "Frontier", "Trace", "Turns", "Study"])
def test_a_result_is_a_table_in_a_notebook_and_short_in_a_terminal(found, name):
    assert found[name]._repr_html_().startswith("<div")
    assert len(repr(found[name]).splitlines()) < 15


def test_no_two_policies_share_a_colour(found):
    table = iso.compare(GROUP, rules=["paper", "fair", "baselines"])
    looks = theme.styles_for_labels([entry.label for entry in table.values()])
    used = [looks[entry.label].colour for entry in table.values()]
    assert len(set(used)) == len(used) >= 12
    learners = [look["color"] for look in LEARNER_STYLES.values()]
    assert len(set(learners)) == len(learners) >= 15


def test_the_frontier_takes_the_policies_along(found):
    axes = found["Frontier"].plot(policies=found["Comparison"])
    assert {"PF", "UT"} <= {word for text in axes.texts for word in text.get_text().split(", ")}


def test_rankings_become_rewards_by_place_and_ties_share_the_better():
    dots = (0.9, 0.63, 0.37, 0.1)
    table = iso.Instance.from_rankings([[2, 0, 1, 3], [3, 2, 1, 0]], rewards=dots)
    assert table.means.tolist() == [[0.63, 0.37, 0.9, 0.1], [0.1, 0.37, 0.63, 0.9]]
    tied = iso.Instance.from_rankings([[["a", "b"], "c"], ["c", "a", "b"]], weights=[2, 1])
    assert tied.means.tolist() == [[1.0, 1.0, 0.0], [0.5, 0.0, 1.0]]
    assert tied.total_weight == 3
    assert tied.favourites.tolist() == [[True, True, False], [False, False, True]]


def test_rankings_of_the_models_fit():
    rankings = preferences.sample("mallows:0.4", agents=6, arms=4, seed=3)
    table = iso.Instance.from_rankings(rankings)
    assert (np.argsort(-table.means, axis=1) == rankings).all()


@pytest.mark.parametrize(
    ("orders", "options", "advice"),
    [
        ([["a", "b"], ["a"]], {}, "every arm once"),
        ([["a", "b"], ["a", "a"]], {}, "every arm once"),
        ([["tea", "mlk"]], {"arms": ["tea", "milk"]}, "did you mean 'milk'"),
        (["ab"], {"rewards": [0.1, 0.9]}, "none above the last"),
        ([3], {}, "best first"),
        ([], {}, "is empty"),
    ],
)
def test_what_is_no_ranking_is_refused(orders, options, advice):
    with pytest.raises(InputError, match=advice):
        iso.Instance.from_rankings(orders, **options)


def test_a_matrix_without_names_is_read_and_said(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1,0,0.5\n0,1,0.5\n1,0.2,0.3\n")
    with pytest.warns(ReadingWarning, match="only numbers"):
        table = iso.read(path)
    assert table.means.tolist() == [[1, 0, 0.5], [0, 1, 0.5], [1, 0.2, 0.3]]
    assert table.arms == ("Arm 1", "Arm 2", "Arm 3")
    assert list(table.agents) == ["Agent 1", "Agent 2", "Agent 3"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = CliRunner().invoke(compare, [str(path)], catch_exceptions=False)
    assert shown.exit_code == 0
    assert "Arm 3" in shown.stdout


def test_a_wrong_number_in_a_matrix_is_found_by_its_line(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1,0\n0,1\n1,7\n")
    with pytest.raises(InputError, match=r"line 3|Agent 3"):
        iso.read(path)

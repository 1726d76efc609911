"""The theme: equal figures give equal bytes, and policies can be told apart without colour."""

import itertools

import pytest

from isegoria.errors import InputError
from isegoria.figures import theme
from isegoria.figures.registry import FIGURES


@theme.apply_theme
def picture():
    fig, ax = theme.make_figure("column", height=1.5)
    for look in theme.policy_styles().values():
        ax.plot([0, 1], [0, 1], color=look.colour, label=look.label)
    ax.legend()
    return fig


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_equal_figures_are_equal_files(tmp_path, suffix):
    first = theme.save_figure(picture(), tmp_path / f"a.{suffix}").read_bytes()
    second = theme.save_figure(picture(), tmp_path / "new" / f"b.{suffix}").read_bytes()
    assert first == second


def test_other_suffixes_and_widths_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        theme.save_figure(picture(), tmp_path / "a.bmp")
    with pytest.raises(InputError, match="column, page"):
        theme.make_figure("huge")


def test_drawing_leaves_the_users_settings_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    picture()
    assert dict(matplotlib.rcParams) == before


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_no_two_policies_look_alike_in_grey():
    for one, two in itertools.combinations(theme.policy_styles({str(k): str(k) for k in range(24)}).values(), 2):
        assert (one.marker, one.line) != (two.marker, two.line)
    for one, two in itertools.combinations(list(theme.policy_styles().values())[:6], 2):
        assert one.marker != two.marker
        assert one.line != two.line
        assert abs(luminance(one.colour) - luminance(two.colour)) > 0.03, (one, two)


def test_a_policy_that_is_not_installed_any_more_has_a_look_of_its_own():
    looks = theme.styles_for_labels(["PF", "of last year", "NSW", "another"])
    assert looks["PF"] == theme.policy_styles()["procedural"]
    assert len({(look.marker, look.line) for look in looks.values()}) == len(looks)


@pytest.mark.parametrize("most", [62.0, 62_000.0])
def test_costs_of_any_spread_stand_under_plain_numbers(most):
    spans = {"learner": ["procedural", "elimination"], "median": [9.0, most], "low": [9.0, most], "high": [9.0, most]}
    figure = FIGURES["contest-cost"].draw(spans)
    figure.canvas.draw()
    [axes] = figure.axes
    shown = [label.get_text() for label in axes.get_xticklabels(which="both") if label.get_text()]
    assert {"10"} < set(shown)
    assert not any("×" in text or "$" in text for text in shown)

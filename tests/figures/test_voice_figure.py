"""The picture of voices: what it shows adds up, and a crowd still fits on a page."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.figures.theme import save_figure
from isegoria.figures.voice_figure import _spread_labels, draw_voice
from isegoria.figures.voice_flows import MAX_LABEL_LENGTH, MAX_STRIPS, compute_flows, format_strip_label


def crowd(n, k, seed=0):
    rng = np.random.default_rng(seed)
    return iso.audit(iso.Instance(rng.integers(0, 3, (n, k)) / 2), rng.dirichlet(np.full(k, 0.3)))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 2), (50, 4), (800, 5), (800, 40)])
def test_all_voice_and_all_chance_is_shown(n, k):
    report = crowd(n, k)
    shown = compute_flows(report)
    assert len(shown.strips) <= MAX_STRIPS
    assert len(shown.arms) <= MAX_STRIPS
    assert sum(strip.due for strip in shown.strips) == pytest.approx(1)
    assert shown.chances.sum() == pytest.approx(1)
    assert sum(strip.carried.sum() for strip in shown.strips) == pytest.approx(report.scores.procedural, abs=1e-9)
    assert sum(strip.unheard for strip in shown.strips) == pytest.approx(1 - report.scores.procedural, abs=1e-8)


def test_nobody_who_is_neglected_is_put_among_the_heard():
    shown = compute_flows(crowd(800, 40))
    heard = [strip for strip in shown.strips if "other groups" in strip.label]
    assert all(strip.unheard == 0 for strip in heard)


def test_long_names_are_cut_and_numbers_kept():
    name = "The Honourable Society for the Improvement of Afternoon Tea"
    report = iso.audit(iso.Instance([[1, 0], [0, 1]], agents=[name, "Ben"]), [0.2, 0.8])
    label = format_strip_label(compute_flows(report).strips[0])
    assert label.endswith("…  0.20 of 0.50")
    assert len(label) <= MAX_LABEL_LENGTH + len("  0.20 of 0.50")


def test_labels_keep_their_distance_and_their_order():
    placed = _spread_labels(np.array([1.2, 0.5, 0.49, 0.48, 0.01, 0.0]), 0.1)
    assert (np.diff(placed) <= -0.1 + 1e-12).all()
    assert placed.min() >= 0


def test_equal_audits_give_equal_pictures(tmp_path):
    first = save_figure(draw_voice(crowd(50, 4)), tmp_path / "a.svg").read_bytes()
    assert first == save_figure(draw_voice(crowd(50, 4)), tmp_path / "b.svg").read_bytes()


def test_names_in_any_script_and_with_any_sign_are_drawn(tmp_path):
    instance = iso.Instance([[1, 0], [0, 1]], agents=["李雷", "$x_{ & <b>"], arms=["पानी", "50 $ or $ 60_"])
    assert save_figure(draw_voice(iso.audit(instance, [0.8, 0.2])), tmp_path / "names.png").stat().st_size > 0

"""What a notebook shows: every result as a small table, escaped, and short for a large group."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import isegoria as iso

NASTY = '<script>alert("x")</script>'


def results(instance):
    learner = iso.ProceduralLearner(len(instance.means), len(instance.arms), seed=1, arms=instance.arms)
    yield instance
    yield iso.solve(instance)
    yield iso.score(instance, iso.solve(instance).policy)
    yield iso.compare(instance, policies={NASTY: iso.solve(instance, "nash").policy})
    yield iso.audit(instance, np.eye(len(instance.arms))[0])
    yield iso.frontier(instance)
    yield iso.simulate(learner, iso.PointRewards(instance), 50, seed=1)


class Balanced(HTMLParser):
    """Raises where a tag is not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("place", range(7))
def test_every_result_is_shown_as_escaped_html(place):
    instance = iso.Instance([[1, 0.2], [0.1, 1], [1, 0]], [NASTY, "Ben", "Cy & Co"], ["tea", f"{NASTY}2"])
    result = list(results(instance))[place]
    page = result._repr_html_()
    reader = Balanced()
    reader.feed(page)
    assert not reader.open
    assert "<script" not in page
    assert type(result).__name__ in reader.text
    assert not re.search(r"(?<!-)color:(?!inherit)|background:(?!transparent)", page)  # the page's own colours


def test_a_large_group_is_shortened():
    rng = np.random.default_rng(1)
    shown = iso.Instance(rng.random((100_000, 40)))._repr_html_()
    assert len(shown) < 40_000
    assert "99,988 more rows" in shown
    assert "more columns" in shown
    group = iso.Instance(rng.random((300, 5)))
    assert len(iso.audit(group, [1, 0, 0, 0, 0])._repr_html_()) < 20_000

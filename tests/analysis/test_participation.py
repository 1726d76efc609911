"""Abstention, indifference and unknown ratings in audits, and the page of an audit."""

import re
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli.audit import command
from isegoria.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::isegoria.errors.ReadingWarning")

SILENT = "agent,tea,coffee\nann,5,1\nben,,\ncem,,\ndee,3,3\n"


def read(text, tmp_path, **options):
    (tmp_path / "ratings.csv").write_text(text)
    return iso.read(tmp_path / "ratings.csv", scale=(1, 5), **options)


def test_an_agent_who_stated_nothing_abstains(tmp_path):
    found = read(SILENT, tmp_path, missing="abstain")
    assert list(found.agents) == ["ann", "dee"]
    assert found.abstentions == ("ben", "cem")
    assert found.total_weight == 2
    counted = read(SILENT, tmp_path, missing="lowest")
    assert iso.solve(found).policy == pytest.approx(iso.solve(counted).policy)
    with pytest.raises(InputError, match="everybody abstains"):
        read("agent,tea,coffee\nann,,\n", tmp_path, missing="abstain")


@pytest.mark.parametrize("missing", ["abstain", "lowest"])
def test_audits_print_three_scores(missing, tmp_path):
    judged = iso.audit(read(SILENT, tmp_path, missing=missing), [0, 1])
    found = judged.participation
    assert (found.agents, found.silent, found.indifferent) == (4, 2, 3)
    assert found.everybody == pytest.approx(0.75)
    assert found.without_silent == pytest.approx(0.5)
    assert found.with_preference == pytest.approx(0)
    text = str(judged)
    assert "2 of 4 agents stated nothing and 1 is indifferent" in text
    assert "ben's" not in text
    assert "0.750 with everybody" in text
    assert "0.500 without the silent" in text


def test_weights_count_in_abstentions(tmp_path):
    text = "agent,tea,coffee,weight\nann,5,1,2\nben,,,7\n"
    assert iso.audit(read(text, tmp_path, missing="abstain"), [0, 1]).participation.silent == 7


def test_unknown_ratings_bound_the_score(tmp_path):
    text = "agent,tea,coffee,milk\nann,5,,\nben,2,,3\ncem,1,4,2\ndee,,,\n"
    instance = read(text, tmp_path, missing="unknown")
    policy = [0.2, 0.5, 0.3]
    found = iso.audit(instance, policy).participation
    assert found.unknown == 2  # ann stated the maximum
    low, high = found.interval
    scores = []
    for b, d in product((0, 0.25, 1), product((0, 0.25, 1), repeat=3)):
        means = [[1, 0, 0], [0.25, b, 0.5], [0, 0.75, 0.25], list(d)]
        scores.append(iso.score(iso.Instance(means), policy).procedural)
    assert low <= min(scores)
    assert high == pytest.approx(max(scores))
    assert low == pytest.approx(0.2 + 0.25)  # ann on tea up to its chance, and cem; nobody else is heard
    assert "2 of 4 agents (50%) have unknown ratings" in str(iso.audit(instance, policy))


def test_unknown_ratings_of_known_agents_change_nothing(tmp_path):
    instance = read("agent,tea,coffee\nann,5,\nben,1,5\n", tmp_path, missing="unknown")
    found = iso.audit(instance, [0.3, 0.7]).participation
    assert found.interval == (iso.score(instance, [0.3, 0.7]).procedural,) * 2


def test_sentences_count_agents_and_not_rows():
    weights = [1, 100, 100, 100, 100, 100]
    instance = iso.Instance([[1, 0]] + [[0, 1]] * 5, agents=list("abcdef"), arms=["tea", "coffee"], weights=weights)
    text = str(iso.audit(instance, [1, 0]))
    assert "500 of 501 agents together deserve" in text
    assert "others" not in text
    assert "an equal part of the best possible" in text


class PageReader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read_page(path):
    reader = PageReader()
    reader.feed(path.read_text(encoding="utf-8"))
    assert not reader.open
    assert not [
        tag for tag, attributes in reader.tags if tag == "script" or "src" in attributes or "href" in attributes
    ]
    return " ".join(" ".join(reader.text).split())


def test_the_page_says_what_the_audit_found(tmp_path):
    instance = read(SILENT.replace("tea", "<tea>"), tmp_path, missing="lowest")
    text = read_page(iso.audit(instance, [0, 1]).report(tmp_path / "page.html"))
    assert "Not fair: 75 % of the say is honoured, and 0 % among agents with a preference." in text
    assert "agents whose favourite is <tea> 1 0 % 25 %" in text
    assert "gaps count as 1, the lowest rating" in text
    assert iso.__version__ in text
    assert re.search(r"[0-9a-f]{64}", text)
    for part in ("What was decided", "By which data", "Who loses", "What equal voice would cost", "Method"):
        assert part in text


def test_the_page_of_a_fair_policy(tmp_path):
    text = read_page(iso.audit(iso.Instance(np.eye(3)), [1 / 3] * 3).report(tmp_path / "page.html", "Our <plan>"))
    assert "Our <plan> Fair: all of the say is honoured." in text
    assert "Nobody: every agent's share" in text


def test_the_command_writes_the_page(tmp_path):
    (tmp_path / "ratings.csv").write_text(SILENT)
    arguments = [str(tmp_path / "ratings.csv"), "--scale", "1,5", "--missing", "abstain", "--policy", "0,1"]
    shown = CliRunner().invoke(command, [*arguments, "--report", str(tmp_path / "page.html")])
    assert shown.exception is None
    assert "The procedural score is 0.750 with everybody" in " ".join(shown.stdout.split())
    assert "Not fair: 75 %" in read_page(tmp_path / "page.html")

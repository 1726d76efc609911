"""Exports of Polis: both tables of votes, gaps, and what is refused."""

import numpy as np
import pytest

import isegoria as iso

MATRIX = """participant,group-id,n-comments,n-votes,n-agree,n-disagree,0,1,12
7,0,2,3,2,1,1,1,-1
8,,0,1,0,0,0,,
9,1,0,2,1,1,-1,,1
"""
LOG = """timestamp,datetime,comment-id,voter-id,vote
30,Mon Jul 17,0,9,-1
20,Mon Jul 17,0,7,1
10,Mon Jul 17,0,7,-1
20,Mon Jul 17,1,7,1
20,Mon Jul 17,12,7,-1
25,Mon Jul 17,0,8,0
26,Mon Jul 17,12,9,1
"""

pytestmark = pytest.mark.filterwarnings("ignore::isegoria.ReadingWarning")


@pytest.fixture
def save(tmp_path):
    def save_text(text, name="votes.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return save_text


@pytest.mark.parametrize(
    "text", [MATRIX, LOG, "\ufeff" + MATRIX.replace("participant,", '"participant",'), MATRIX + "\n\n"]
)
def test_polis_tables_hold_the_same_votes(save, text):
    group = iso.read(save(text))
    assert list(group.agents) == ["participant 7", "participant 8", "participant 9"]
    assert list(group.arms) == ["statement 0", "statement 1", "statement 12"]
    assert group.means.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert group.stated.stated.tolist() == [[True, True, True], [False] * 3, [True, False, True]]


def test_polis_passes_abstain_on_request(save):
    group = iso.read(save(MATRIX), missing="abstain")
    assert group.abstentions == ("participant 8",)
    assert len(group.agents) == 2


def test_audit_of_polis_gives_an_interval(save):
    audit = iso.audit(iso.read(save(MATRIX)), "utilitarian")
    assert "the procedural score is between" in str(audit)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (MATRIX.replace("9,1,0,2,1,1,-1,,1", "9,1,0,2,1,1,-1,,yes"), {}, "line 4 has the vote 'yes'"),
        (MATRIX + "10,1\n", {}, "line 5 has 2 cells; expected 9"),
        (MATRIX + '"10,1\n', {}, "not CSV"),
        (MATRIX + "7,0,0,0,0,0,1,1,1\n", {}, "participant 7"),
        (MATRIX.partition("\n")[0] + "\n", {}, "no line below its header"),
        (MATRIX.replace(",0,1,12", ",a,b,c"), {}, "no column for a statement"),
        (LOG.replace("30,Mon", "noon,Mon"), {}, "timestamp that is not a whole number"),
        (MATRIX, {"scale": (-1, 1)}, "give no option except missing"),
    ],
)
def test_damaged_polis_export_is_refused(save, text, options, message):
    with pytest.raises(iso.InputError, match=message):
        iso.read(save(text), **options)


@pytest.mark.slow
def test_large_polis_export_reads_and_audits(save):
    rng = np.random.default_rng(0)
    votes = rng.choice(["1", "-1", "0", ""], p=[0.15, 0.08, 0.07, 0.7], size=(2_000, 300))
    head = ["participant", "group-id", "n-comments", "n-votes", "n-agree", "n-disagree", *map(str, range(300))]
    lines = [f"{i},0,0,0,0,0,{','.join(row)}" for i, row in enumerate(votes.tolist())]
    group = iso.read(save("\n".join([",".join(head), *lines, ""])))
    np.testing.assert_array_equal(group.means == 1, votes == "1")
    audit = iso.audit(group, "utilitarian")
    assert audit.scores.procedural == pytest.approx(iso.score(group, "utilitarian").procedural)

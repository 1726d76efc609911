"""Pabulib's votes are read as pabutools reads them, for every type of vote; a policy is never called a funded set."""

import warnings

import numpy as np
import pytest

import isegoria as iso

META = "META\nkey;value\ndescription;A town\nbudget;1000\nvote_type;{}\n{}"
PROJECTS = (
    "PROJECTS\nproject_id;cost;category;name\n"
    "p1;100;green,old;Trees; by the road\n7;250,5;none;Benches\nx;600;;A bridge\n4;90;;Lamps\n"
)
HEADS = {
    "approval": "voter_id;age;vote",
    "choose-1": "voter_id;vote",
    "ordinal": "voter_id;vote",
    "cumulative": "voter_id;vote;points",
    "scoring": "voter_id;vote;points",
}


def text(kind: str, seed: int) -> str:
    """A .pb file with random votes of this kind."""
    rng = np.random.default_rng(seed)
    ids, lines = ["p1", "7", "x", "4"], []
    for voter in range(30):
        size = 1 if kind == "choose-1" else int(rng.integers(1, 5))
        chosen = ",".join(rng.permutation(ids)[:size])
        points = ",".join(map(str, rng.integers(1, 6, size)))
        middle = ";33;" if kind == "approval" else ";"
        lines.append(f"v{voter}{middle}{chosen}" + (f";{points}" if kind in ("cumulative", "scoring") else ""))
    quoted = PROJECTS.replace("Trees; by the road", '"Trees; by the road"')
    return META.format(kind, "num_votes;30\n") + quoted + "VOTES\n" + HEADS[kind] + "\n" + "\n".join(lines) + "\n"


def read(tmp_path, content: str, **options):
    path = tmp_path / "town.pb"
    path.write_text(content, encoding="utf-8-sig")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.ReadingWarning)
        return iso.read(path, **options)


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("seed", range(4))
def test_votes_are_read_as_pabutools_reads_them(tmp_path, kind, seed):
    from pabutools.election import parse_pabulib

    content = text(kind, seed)
    instance = read(tmp_path, content)
    election, profile = parse_pabulib(str(tmp_path / "town.pb"))
    order = ["p1", "7", "x", "4"]
    assert set(order) == {project.name for project in election}
    assert instance.arms == ("Trees; by the road", "Benches", "A bridge", "Lamps")
    assert len(profile) == len(instance.agents) == 30
    most = 5.0 if kind in ("cumulative", "scoring") else 1.0
    for row, ballot in zip(instance.means, profile, strict=True):
        if kind == "ordinal":
            ranked = [project.name for project in ballot]
            classes = len(ranked) + (len(ranked) < 4)
            expected = {name: (classes - 1 - i) / max(classes - 1, 1) for i, name in enumerate(ranked)}
        elif kind in ("cumulative", "scoring"):
            expected = {project.name: float(points) / most for project, points in ballot.items()}
        else:
            expected = {project.name: 1.0 for project in ballot}
        assert row.tolist() == pytest.approx([expected.get(id_, 0.0) for id_ in order])


def test_the_note_says_what_a_lottery_over_projects_is(tmp_path):
    instance = read(tmp_path, text("approval", 1).replace(";33;", ";33;", 1))
    assert instance.import_notes == ("a policy over 4 projects says what to do next, or how to share the budget of 1000; it is no funded set",)  # fmt: skip  # noqa: E501


def test_ranks_are_worth_what_rewards_says(tmp_path):
    content = (
        META.format("ordinal", "") + PROJECTS.replace("; by the road", "") + "VOTES\nvoter_id;vote\na;x,4\nb;none\n"
    )
    instance = read(tmp_path, content, rewards=[1, 0.5])
    assert instance.means.tolist() == [[0, 0, 1, 0.5], [0, 0, 0, 0]]
    assert "1 ballot that names no project counts as indifferent" in instance.import_notes


def test_whatever_else_was_decided_is_noted(tmp_path):
    votes = META.format("{}", "") + PROJECTS.replace("; by the road", "") + "VOTES\nvoter_id;vote{}\n"
    unranked = read(tmp_path, votes.format("ordinal", "") + "a;x,4\nb;x,4,7,p1\n")
    assert unranked.import_notes[1:] == ("a project that a ballot does not rank is worth 0",)
    without_points = read(tmp_path, votes.format("scoring", ";points") + "a;x,4;3,1\nb;x\n")
    assert without_points.import_notes[1:] == ("1 ballot that gives no points counts as indifferent",)
    assert without_points.means[1].tolist() == [0, 0, 0, 0]
    twice = read(tmp_path, votes.format("approval", "") + "a;x\na;4\n")
    assert twice.import_notes[1:] == ("some voter_id is empty or comes twice, so voters are numbered",)
    assert list(twice.agents) == ["Voter 1", "Voter 2"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("META", "MATA"), "line 1 is 'MATA'; expected the section META first"),
        (("vote_type;approval", "vote_type;aproval"), "did you mean 'approval'"),
        (("num_votes;30", "num_votes;31"), "may be cut off"),
        (("v0;33;", "v0;33;nine,"), "project 'nine' is not in the section PROJECTS"),
        (("v0;33;", "v0;33;x,x,"), "has a project twice"),
        (("7;250,5", "p1;250,5"), "has the project_id p1 of another line"),
        (("VOTES\n", "VOTE\n"), "nothing in the section VOTES"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, change, said):
    with pytest.raises(iso.FileError, match=said):
        read(tmp_path, text("approval", 3).replace(*change, 1))


def test_points_that_do_not_fit_are_named(tmp_path):
    content = META.format("scoring", "") + PROJECTS + "VOTES\nvoter_id;vote;points\na;x,4;5\n"
    with pytest.raises(iso.FileError, match="line 14 has 1 number of points for 2 projects"):
        read(tmp_path, content)
    with pytest.raises(iso.FileError, match="'many' among its points"):
        read(tmp_path, content.replace(";5\n", ";5,many\n"))
    with pytest.raises(iso.InputError, match="rewards are for orders"):
        read(tmp_path, content.replace(";5\n", ";5,2\n"), rewards=[1, 0])


def test_options_of_tables_are_refused(tmp_path):
    with pytest.raises(iso.InputError, match="scale is for ratings, and pb holds votes; leave it out"):
        read(tmp_path, text("approval", 3), scale=(0, 5))

"""Real groups: readers on small made files, what is measured by hand, and a page that says the uncomfortable first."""

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli.reproduce import command
from isegoria.errors import FileError
from isegoria.studies.real_groups import budgets, juries, polis, tourism

RATINGS = """user,item,rating,rank
007,D1,10,1
007,D2,1,2
8,D1,1,2
8,D2,10,1
9,D1,10,1
9,D2,4,2
9,D3,5,3
"""
JURY = """# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 5
# ALTERNATIVE NAME 1: one
# ALTERNATIVE NAME 2: two
# ALTERNATIVE NAME 3: three
2: 1,2,3
2: 3,2,1
1: 2,1,3
"""
BUDGET = """META
key;value
vote_type;approval
num_projects;3
num_votes;4
budget;100
PROJECTS
project_id;cost;votes;name;selected
1;75;2;park;1
2;25;1;pool;1
3;90;1;path;0
VOTES
voter_id;vote
a;1
b;1
c;2
d;3
"""
VOTES = """participant,group-id,n-comments,n-votes,n-agree,n-disagree,0,1,2
0,0,0,3,2,1,1,1,-1
1,0,0,2,1,0,1,0,
2,1,0,2,1,1,-1,1,
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("tourism", "habermas", "polis/talk", "pabulib"):
        (folder / name).mkdir(parents=True)
    files = {
        "tourism/ratings.csv": RATINGS,
        "tourism/group_choices.csv": "group_id,item,rank\n1,D1,1.0\n1,D2,2.0\n2,D1,1.0\n",
        "tourism/group_composition.csv": "group,person\n1,7\n1,08\n1,9\n2,404\n",
        "tourism/user_feedback.csv": "user_id,choice_sat\n7,5\n8,2\n9,4.5\n",
        "habermas/00070-1.soc": JURY,
        "polis/talk/participants-votes.csv": VOTES,
        "pabulib/town.pb": BUDGET,
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_groups_that_talked_are_read_whatever_the_zeros_in_front(data):
    (group,) = tourism.read_groups(data / "tourism")
    assert list(group.table.agents) == ["7", "8", "9"]
    assert group.table.arms == ("D1", "D2")  # what all of them rated
    assert group.table.means.tolist() == [[1, 0], [0, 1], [1, 1 / 3]]
    assert (group.chosen, group.satisfaction.tolist()) == ("D1", [5, 2, 4.5])
    table = tourism.group_columns([group])
    assert table["chosen_procedural"] == pytest.approx([2 / 3])
    fair = iso.solve(group.table, "procedural").policy
    assert table["fair_utilitarian"] == pytest.approx([iso.score(group.table, fair).utilitarian])


def test_satisfaction_is_regressed_and_clustered():
    rng, rows = np.random.default_rng(0), []
    for group in range(60):
        voice = rng.random()
        for _ in range(4):
            utility, favourite = rng.random(), float(rng.random() < 0.4)
            rows.append((f"g{group}", "x", 2 + 1.5 * utility + rng.normal(0, 0.3), utility, favourite, voice))
    people = dict(
        zip(
            ("group", "person", "satisfaction", "utility", "favourite", "voice"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )
    found = tourism.regress_satisfaction(people)
    t = dict(zip(found["on"], found["t"], strict=True))
    assert t["utility"] > 10
    assert abs(t["favourite"]) < 3.5
    assert found["coefficient"][1] == pytest.approx(1.5, abs=0.25)
    design = np.column_stack([np.ones(len(rows)), *(people[name] for name in ("utility", "favourite", "voice"))])
    assert found["coefficient"] == pytest.approx(
        np.linalg.lstsq(design, np.array(people["satisfaction"]), rcond=None)[0]
    )


def test_a_jury_elects_by_beat_paths(data):
    table = juries.jury_columns(juries.read_juries(data / "habermas"))
    assert table["not_favourite"] == [4]  # "two" beats both others, and is the favourite of one
    assert table["chosen_procedural"] == pytest.approx([0.2])
    cycle = iso.Instance.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[3, 2, 2])
    assert juries.schulze_winner(cycle) == 0


def test_not_asked_is_not_dislike(data):
    votes = polis.read_conversations(data / "polis")["talk"]
    assert np.isnan(votes).sum() == 2
    table = polis.conversation_columns({"talk": votes})
    assert table["people_kept"] == [1]  # of three statements only one person saw all
    assert table["most_agreed"] == [1.0]
    assert polis.select_complete_votes(votes, 2).shape == (3, 2)


def test_money_is_a_lottery_over_projects(data):
    table = budgets.budget_columns(budgets.read_budgets(data / "pabulib"))
    assert table["nothing_funded"] == [0.25]
    assert table["spent_procedural"] == pytest.approx([0.75])  # 1/2 for the park, 1/4 for the pool


def test_the_page_says_what_people_felt_first(data, tmp_path):
    shown = CliRunner().invoke(command, ["world", "--data", str(data), "--out", str(tmp_path)], catch_exceptions=False)
    assert shown.exit_code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.index("What people felt, first") < page.index("Who was heard")
    assert (tmp_path / "world" / "world.png").exists()


def test_what_is_missing_is_asked_for(tmp_path):
    with pytest.raises(FileError, match="--data"):
        CliRunner().invoke(command, ["world", "--out", str(tmp_path)], catch_exceptions=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="tourism, habermas"):
        CliRunner().invoke(
            command, ["world", "--data", str(tmp_path / "empty"), "--out", str(tmp_path)], catch_exceptions=False
        )
    with pytest.raises(FileError, match=r"ratings\.csv"):
        tourism.read_groups(tmp_path)

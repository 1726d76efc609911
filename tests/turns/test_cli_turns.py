"""`isegoria turns`: files of rounds are replayed, the next round is decided, and mistakes get one sentence."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main
from isegoria.figures.turn_debts import draw_debt_history
from isegoria.record.turns.history_file import read_history

NIGHTS = Path("examples/film-nights.csv")
HEAD = "round,member,option,rating,chosen\n"


def run(*args, code=0):
    answer = CliRunner().invoke(main, ["turns", *map(str, args)])
    assert answer.exit_code == code, answer.output
    return answer.stdout if code == 0 else answer.stderr


def write_file(tmp_path, text, name="rounds.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_a_file_of_rounds_is_the_turns_themselves():
    turns = iso.Turns("deterministic")
    for each in read_history([NIGHTS])[:3]:
        turns.charge(turns.propose(each.instance), each.chosen)
    turns.draw(turns.propose(read_history([NIGHTS])[3].instance), "7")
    answer = json.loads(run(NIGHTS, "--mode", "deterministic", "--seed", "7", "--format", "json"))
    assert {row["member"]: row["owed"] for row in answer["members"]} == {n: float(x) for n, x in turns.owed.items()}
    assert answer["turn"]["round"] == 4
    assert answer["rounds"] == 4


def test_one_table_a_round_is_one_file_with_all_of_them(tmp_path):
    rounds = read_history([NIGHTS])
    paths = [iso.write(each.instance, tmp_path / f"{place}.csv") for place, each in enumerate(rounds)]
    said = run(*paths, "--chosen", "Alien,Dune,Fargo", "--mode", "deterministic", "--seed", "7", "--format", "json")
    assert json.loads(said) == json.loads(run(NIGHTS, "--mode", "deterministic", "--seed", "7", "--format", "json"))


def test_json_says_the_same(tmp_path):
    rounds = []
    for each in read_history([NIGHTS]):
        told = {
            name: dict(zip(each.instance.arms, row, strict=True))
            for name, row in zip(each.instance.agents, each.instance.means.tolist(), strict=True)
        }
        rounds.append({"options": list(each.instance.arms), "ratings": told, "chosen": each.chosen})
    path = write_file(tmp_path, json.dumps({"rounds": rounds}), "rounds.json")
    assert run(path, "--seed", "7", "--format", "json") == run(NIGHTS, "--seed", "7", "--format", "json")


def test_a_state_goes_on_where_it_stopped(tmp_path):
    state = tmp_path / "state.json"
    rounds = [each.instance for each in read_history([NIGHTS])]
    tables = [iso.write(instance, tmp_path / f"{place}.csv") for place, instance in enumerate(rounds)]
    turns = iso.Turns()
    for night, (instance, table) in enumerate(zip(rounds, tables, strict=True)):
        run(table, "--state", state, "--seed", str(night))
        turns.draw(turns.propose(instance), str(night))
        assert state.read_text() == turns.to_json() + "\n"
    answer = CliRunner().invoke(main, ["turns", str(NIGHTS), "--state", str(state)])
    assert f"{state} has 4 rounds already; what is given here comes after them." in answer.stderr
    assert answer.stdout.startswith("Round 8: ")


def test_a_missing_rating_is_no_favourite(tmp_path):
    path = write_file(tmp_path, "round,member,option,rating\n1,Ann,tea,0\n1,Ben,tea,1\n1,Ben,mate,0\n")
    (only,) = read_history([path])
    assert only.instance.favourites.tolist() == [[True, False], [True, False]]


def test_odds_are_said_of_drawn_rounds_and_scores_of_settled_ones():
    assert "Before anything was drawn, " in run(NIGHTS, "--seed", "1")
    assert "could not pay back" in run(NIGHTS, "--seed", "1")  # rounds decided elsewhere leave equal worlds
    settled = run(NIGHTS, "--mode", "deterministic", "--seed", "1")
    assert "Played because its supporters have most on their side" in settled
    assert "Before anything was drawn" not in settled


def test_a_plan_needs_the_table_of_the_coming_rounds(tmp_path):
    assert "planned" in run("examples/meeting-slots.csv", "--plan", "4")
    past = write_file(tmp_path, HEAD + "1,Ann,tea,1,1\n1,Ben,tea,0,1\n1,Ben,mate,1,0\n")
    assert "--plan needs options that are known" in run(past, "--plan", "3", code=2)
    assert f"{past} holds many rounds; give it alone" in run(past, "examples/meeting-slots.csv", "--plan", "3", code=2)


def test_the_figure_is_drawn(tmp_path):
    run(NIGHTS, "--seed", "1", "--plot", tmp_path / "owed.png")
    assert (tmp_path / "owed.png").read_bytes().startswith(b"\x89PNG")
    ticks = draw_debt_history({"Ann": [0.3, -0.4]}, ["Alien", "Brazil"]).axes[0].get_xticks()
    assert all(tick == round(tick) for tick in ticks)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1,Ann,tea,1,1\n1,Ann,mate,1,1\n", "round 1: two options are marked chosen."),
        ("1,Ann,tea,5,0\n", "rating is 5; expected a number from 0 to 1"),
        ("1,Ann,tea,x,0\n", "rating is 'x'; expected a number"),
        ("1,Ann,tea,1,yes\n", "chosen is 'yes'"),
        ("1,Ann,tea,1,0\n1,Ann,tea,1,0\n", "Ann rates 'tea' twice in round 1"),
        ("5,Ann,tea,,0\n", "round 5 has no ratings at all."),
        ("1,Ann,tea,1,0\n2,Ann,tea,1,0\n", "round 2 comes after the round that is to be decided"),
    ],
)
def test_mistakes_in_a_file_are_told_with_their_place(tmp_path, lines, message):
    assert message in run(write_file(tmp_path, HEAD + lines), code=2)


def test_mistakes_on_the_command_line(tmp_path):
    table = iso.write(read_history([NIGHTS])[0].instance, tmp_path / "a.csv")
    wrong = run(table, "--chosen", "Alein", code=2)
    assert "round 1: \"chosen\" is 'Alein', which is no option of that round; did you mean 'Alien'?" in wrong
    assert "worlds is 25; choose 1 to 20." in run(table, "--worlds", "25", code=2)
    assert f"{table}: this is no state of turns" in run(table, "--state", table, code=2)
    assert "--seed is empty" in run(table, "--seed", "", code=2)
    assert "deterministic has one world; leave worlds out." in run(
        table, "--mode", "deterministic", "--worlds", "2", code=2
    )

"""The page's modules against the library: lotteries, units, records, turns, files."""

import json
import random

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.attribution import compute_attribution
from isegoria.record.format.merkle import merkle_root
from isegoria.record.format.voice_units import round_rows
from one_page.modules import ask_page
from one_page.trials import check_rounds, check_tables

LUNCH = ["pizza", "salad", "curry"]
TOC_TEXT = "# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: milk\n# ALTERNATIVE NAME 3: juice\n2: 1,{2,3}\n1: 3,1,2\n"
PB_TEXT = (
    "META\nkey;value\nvote_type;approval\nPROJECTS\nproject_id;cost;name\n1;5;Tree\n2;6;Bench\n"
    "VOTES\nvoter_id;vote\nv1;1,2\nv2;2\n"
)
SOUND_TEXTS = {
    "a.csv": "agent,tea,coffee,weight\nAnn,1,0.25,2\nBob,0,1,1\n",
    "b.csv": "agent;tea;coffee\nAnn;0,5;1\nBob;1;0\n",
    "c.csv": "agent,arm,value\nAnn,tea,1\nAnn,milk,0\nBob,tea,0\nBob,milk,1\n",
    "d.toc": TOC_TEXT,
    "e.pb": PB_TEXT,
    "f.json": '{"means": [[1, 0], [0, 1]], "arms": ["tea", "milk"], "agents": ["Ann", "Bob"], "weights": [1, 3]}',
}


def test_lotteries_equal_the_library_with_certificates():
    count, worst, faults = check_tables(range(400))
    assert faults == []
    assert count > 150
    assert worst["gap"] <= 1e-9


def test_rounds_pass_all_three_readers():
    count, faults = check_rounds(range(20))
    assert faults == []
    assert count > 20


def test_a_wrong_ball_is_noticed_by_the_trials(monkeypatch):
    from one_page import trials

    honest = trials.ask_page

    def lie(requests):
        answers = honest(requests)
        answers[0]["drawn"][0][0]["arm"] += 1
        return answers

    monkeypatch.setattr(trials, "ask_page", lie)
    assert len(check_rounds(range(2))[1]) >= 2


def test_attribution_hears_the_least_heard_first():
    requests, expected = [], []
    for seed in range(60):
        rng = np.random.default_rng([64, seed])
        means = (rng.random(rng.integers(1, [20, 8])) < 0.4).astype(float)
        weights, policy = rng.integers(1, 4, len(means)), rng.dirichlet(np.full(means.shape[1], 0.3))
        found = compute_attribution(iso.Instance(means, weights=weights), policy)
        expected.append((found.ratios, found.total))
        requests.append(
            {"ask": "judge", "means": means.tolist(), "weights": weights.tolist(), "policy": policy.tolist()}
        )
    for answer, (ratios, total) in zip(ask_page(requests), expected, strict=True):
        np.testing.assert_allclose(answer["ratios"], ratios, atol=1e-10)
        assert answer["score"] == pytest.approx(total, abs=1e-10)


def test_units_and_roots_equal_the_writers():
    rng = np.random.default_rng(65)
    rows = [np.where(rng.random(6) < 0.3, 0, rng.random(6) ** 3) + np.eye(6)[0] * 1e-9 for _ in range(200)]
    totals = [int(rng.integers(1, 2**53)) for _ in rows]
    leaves = [[f"leaf {k} é" for k in range(count)] for count in range(12)]
    answers = ask_page(
        [{"ask": "round", "row": row.tolist(), "total": total} for row, total in zip(rows, totals, strict=True)]
        + [{"ask": "root", "leaves": some} for some in leaves]
    )
    for row, total, units in zip(rows, totals, answers, strict=False):
        assert units == round_rows(row[None], np.array([total]))[0].tolist()
    assert answers[len(rows) :] == [merkle_root([leaf.encode() for leaf in some]).hex() for some in leaves]


@pytest.mark.parametrize("mode", ["lottery", "deterministic"])
def test_turns_go_on_where_the_library_stopped(mode):
    rng = np.random.default_rng(66)
    names, turns, rounds, expected = ["Ann", "Ben", "Cem é", "Dan"], iso.Turns(mode), [], []
    for number in range(12):
        # One favourite each: there the lottery is exact in both, so that the ledgers agree to the last unit.
        sets = [[int(rng.integers(3))] for _ in names]
        rounds.append({"arms": LUNCH, "names": names, "sets": sets, "seed": f"dice {number}"})
        means = [[float(k in own) for k in range(3)] for own in sets]
        instance = iso.Instance(means, arms=LUNCH, agents=names)
        turn = turns.draw(turns.propose(instance), f"dice {number}")
        expected.append((turn.option, turn.voice))
        if number == 5:
            middle = turns.to_json()
    (whole,) = ask_page([{"ask": "turns", "mode": mode, "rounds": rounds}])
    assert [(one["option"], one["name"]) for one in whole["decided"]] == expected
    assert whole["state"] == turns.to_json()
    (later,) = ask_page([{"ask": "turns", "state": json.loads(middle), "rounds": rounds[6:]}])
    assert later["state"] == turns.to_json()
    assert iso.Turns.from_json(later["state"]).round == 13


def test_files_are_read_as_the_library_reads_them(tmp_path):
    answers = ask_page([{"ask": "read", "text": text} for text in SOUND_TEXTS.values()])
    for (name, text), found in zip(SOUND_TEXTS.items(), answers, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
        expected = read_quietly(tmp_path / name)
        np.testing.assert_allclose(found["means"], expected.means)
        assert found["arms"] == list(expected.arms)
        assert found["weights"] == list(expected.weights)
        for suffix in ("csv", "json"):
            back = tmp_path / f"back.{suffix}"
            back.write_text(found[suffix], encoding="utf-8")
            again = iso.read(back)
            np.testing.assert_array_equal(np.asarray(again.means), np.array(found["means"], dtype=float))
            assert list(again.agents) == found["agents"]


def read_quietly(path):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return iso.read(path)


def test_a_table_without_names_gets_numbers(tmp_path):
    text = "1,0,0\n0,1,0\n0,0,1\n"
    (found,) = ask_page([{"ask": "read", "text": text}])
    (tmp_path / "bare.csv").write_text(text)
    assert found["means"] == read_quietly(tmp_path / "bare.csv").means.tolist()
    assert (found["arms"][0], found["agents"][0], found["notes"]) == ("Option 1", "#1", [["n_no_names"]])


def test_forms_are_read_with_their_ticks():
    ticks = 'Timestamp,Name,What do you like?\n1,Ann,"Pizza, Curry"\n2,Bob,Curry\n'
    stars = "Timestamp,Your name,Rate [Pizza],Rate [Curry]\n1,Ann,5,3\n2,Bob,1,5\n"
    first, second = ask_page([{"ask": "read", "text": ticks}, {"ask": "read", "text": stars}])
    assert (first["arms"], first["agents"], first["means"]) == (["Pizza", "Curry"], ["Ann", "Bob"], [[1, 1], [0, 1]])
    assert second["means"] == [[1, 0.5], [0, 1]]


@pytest.mark.parametrize(
    ("text", "refused", "values"),
    [
        ("agent,tea,milk\nAnn,1,0\nBob,splendid,0\n", "t_cell", [3, "Bob", "tea", "splendid"]),
        ("agent,tea,weight\nAnn,1,0.5\n", "t_weight", [2, "Ann", "0.5"]),
        ('agent,tea\n"Ann,1\n', "t_quote", [2]),
        ("agent,tea\nAnn,1,2\n", "t_wide", [2, "Ann", 3, 2]),
        ("agent,arm,value\nAnn,tea,1\nAnn,tea,0\n", "t_twice", [3, "Ann", "tea"]),
        ("# ALTERNATIVE NAME 1: tea\n1: 1,7\n", "t_alternative", [2, 7]),
        ("round,member,option,rating\n1,Ann,tea,1\n", "t_history", []),
        ('{"means": [[1, 0], [1]]}', "t_means", []),
        ("{", "t_json", []),
        ("  \n", "t_empty", []),
        ("Ann,1,0\nBob,0,1\n", "t_heading", []),
        ("name,tea,milk\nAnn,5,2\nBob,x,4\n", "t_cell", [3, "Bob", "tea", "x"]),
        ("participant,n-votes,0,1\n0,2,1,-1\n", "t_polis", []),
    ],
)
def test_a_refusal_names_the_place(text, refused, values):
    assert ask_page([{"ask": "read", "text": text}]) == [{"refused": refused, "values": values}]


def test_damaged_texts_are_refused_or_read_but_never_crash():
    rng, sound = random.Random(68), [*SOUND_TEXTS.values()]
    texts = []
    for _ in range(3000):
        text = list(rng.choice(sound))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text) + 1)
            match rng.randrange(3):
                case 0:
                    text.insert(at, rng.choice('0123456789,;\n"{}[]:#abc-. \t|%\ufeff\u2028é'))
                case 1:
                    del text[at : at + 1]
                case 2:
                    del text[at : at + rng.randrange(20)]
        texts.append("".join(text))
    answers = ask_page([{"ask": "read", "text": text} for text in texts])
    tables = [one for one in answers if "means" in one]
    assert 300 < len(tables) < 2700
    for table in tables:
        means = np.array(table["means"], dtype=float)
        assert means.shape == (len(table["agents"]), len(table["arms"]))
        assert ((means >= 0) & (means <= 1)).all()
        assert all(weight > 0 for weight in table["weights"])


def test_a_chat_draws_once_all_numbers_are_shown():
    question = {"title": "Lunch?", "options": LUNCH, "names": ["Ann", "Ben", "Cem"], "salt": "abc"}
    given = {"ask": "chat", "question": question, "answers": [[0], [0, 1], [2]]}
    whole, silent = ask_page([{**given, "reveal": [2, 0, 1]}, {**given, "reveal": [0, 2]}])
    assert (whole["count"], whole["fits"], whole["missing"]) == (3, True, [])
    assert whole["drawn"]["option"] in LUNCH
    assert (silent["missing"], silent["drawn"]) == ([1], None)
    assert whole["length"] <= 150
    other = {**question, "names": ["Ann", "Ben", "Dan"]}
    answer = whole["text"].replace("-A-", "-X-", 1)  # an answer that was taken out after the closing
    changed, foreign = ask_page(
        [
            {"ask": "chat-read", "question": question, "text": answer},
            {"ask": "chat-read", "question": other, "text": whole["text"]},
        ]
    )
    assert changed["fits"] is False
    assert foreign["count"] == 0

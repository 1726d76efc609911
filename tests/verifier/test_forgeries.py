"""Nothing that was changed is accepted: bits, lines, each key of each kind, each say."""

import copy
import random

import forgeries
import mutations
import pytest
from record_maker import dump_lines, rechain_lines
from sample_records import (
    make_eventful_record,
    make_plain_record,
    make_random_record,
    make_random_request,
    verify_bytes,
)

from isegoria.verifier.isegoria_verify import verify

GOOD = [
    make_plain_record(70, "dice", members=3, rounds=1),
    make_plain_record(71, "commit_reveal", members=3, rounds=1, privacy="open"),
]


def refused(answer: dict) -> bool:
    said = answer["sentence"]
    return answer["exit_code"] in (1, 2) and said.count("\n") == 0 and said.endswith(".") and "Traceback" not in said


def test_the_victims_are_good():
    for made in forgeries.victims().values():
        answer = verify_bytes(made.bytes(), trust=["members"], head=[made.head(2)])
        assert answer["exit_code"] == 0, answer["sentence"]


@pytest.mark.parametrize("made", GOOD, ids=["ballots", "open"])
def test_no_flipped_bit_is_accepted(made):
    for flipped in mutations.some_flips(made.bytes(), 250, seed=1):
        assert refused(verify_bytes(flipped)), flipped


@pytest.mark.parametrize(
    "made", [*GOOD, make_eventful_record(72, "commit_reveal")], ids=["ballots", "open", "eventful"]
)
def test_no_line_dropped_doubled_or_swapped_is_accepted(made):
    for data in random.Random(1).sample(list(mutations.rearrange_lines(made.bytes())), 90):
        assert refused(verify_bytes(data))


def test_a_file_cut_inside_a_line_is_unreadable():
    for data in mutations.truncate_inside(GOOD[0].bytes(), step=7):
        assert verify_bytes(data)["exit_code"] == 2


def named(change) -> str:
    return "-".join(change[:3])


@pytest.mark.parametrize("forged", forgeries.CHANGES, ids=named)
def test_a_changed_key_is_found_with_its_sentence(forged):
    victim, kind, _, change, code, sentence = forged
    data, number = forgeries.changed(victim, kind, change)
    answer = verify_bytes(data)
    assert answer["exit_code"] == code, answer["sentence"]
    assert answer["sentence"].endswith(sentence), answer["sentence"]
    if sentence not in (forgeries.HISTORY, forgeries.DOUBT) and "version 2" not in sentence and number > 2:
        assert f"line {number} " in answer["sentence"]
    made = forgeries.victims()[victim]
    kept = verify_bytes(data, head=[made.head(number)])
    assert kept["exit_code"] == 2 or kept["sentence"] == "False: the kept head is not on this chain."


def test_the_table_has_every_key_of_every_kind():
    keys = {(line["line"], key) for made in forgeries.victims().values() for line in made.lines for key in line}
    told = {(kind, key) for _, kind, key, *_ in forgeries.CHANGES}
    rest = {(kind, key) for kind, key in keys - told if key not in ("line", "prev") and kind != "statement"}
    assert rest == set()


@pytest.mark.parametrize(
    ("victim", "what"), [("dice", "seen"), ("dice", "dice"), ("commit_reveal", "commit"), ("commit_reveal", "reveal")]
)
def test_a_forged_say_is_found(victim, what):
    for name, data, sentence in forgeries.say_forgeries(victim, what):
        answer = verify_bytes(data)
        assert answer["exit_code"] == 1, (name, answer["sentence"])
        assert answer["sentence"].endswith(sentence), (name, answer["sentence"])


@pytest.mark.parametrize("victim", ["commit_reveal", "dice", "beacon", "guided"])
def test_a_left_out_line_is_found_by_the_next_say(victim):
    made = forgeries.victims()[victim]
    for place in range(2, len(made.lines) - 1):
        lines = rechain_lines([*made.lines[:place], *made.lines[place + 1 :]], place)
        answer = verify_bytes(dump_lines(lines))
        assert answer["exit_code"] == 1, (place, answer["sentence"])


def test_the_wrong_prev_is_named():
    made = forgeries.victims()["dice"]
    lines = copy.deepcopy(made.lines)
    lines[4]["prev"] = "0" * 64
    said = f'False: line 5 ({lines[4]["line"]}): "prev" is not the hash of the line before.'
    assert verify_bytes(dump_lines(lines))["sentence"] == said


def test_a_kind_that_the_format_has_not_is_unreadable():
    made = forgeries.victims()["dice"]
    for kind in ("void", "close", "witness", "commit", "reveal"):
        lines = [*made.lines, {"line": kind, "round": 1, "prev": made.head()}]
        assert verify_bytes(dump_lines(lines))["exit_code"] == 2


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_file_holds_there_is_an_answer(seed):
    rng = random.Random(seed)
    made = make_random_record(2000 + seed)
    for turn in range(40):
        data = mutations.mutate_randomly(made.bytes(), rng)
        answer = verify(data, **make_random_request(made, turn))
        assert answer["exit_code"] in (0, 1, 2, 3)
        assert "\n" not in answer["sentence"]

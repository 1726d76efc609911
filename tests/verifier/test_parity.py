"""Two verifiers from one text: Python, Node and Chromium say the same on good and on mutated records."""

import parity
import pytest
from engines import verify_with_node, verify_with_python, verify_with_reference
from record_maker import RecordMaker, canonical
from sample_records import FAST, LATER, league, make_plain_record
from test_records import ODD


@pytest.mark.slow
def test_they_agree_on_good_and_mutated_records(page):
    cases = parity.make_good_cases(36) + parity.make_mutated_cases(64)
    assert not parity.find_differences(cases, page)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_python_node_and_the_third_reader_agree_on_more(part):
    """With those above 150 records and 1,000 mutants; `make mutants` has 2,000 and 10,000."""
    assert not parity.find_differences(
        parity.make_good_cases(19, start=36 + 19 * part) + parity.make_mutated_cases(156, seed=part + 1)
    )


def test_they_agree_on_odd_input():
    cases = [{"record": data} for data, _ in ODD.values()]
    made = make_plain_record(12, "dice", rounds=1)
    data, receipt = made.bytes(), made.receipt(0)
    for options in [
        {"head": "abc"},
        {"beacon": b"00"},
        {"receipt": b""},
        {"receipt": b"[" * 9999 + b"\n"},
        {"receipt": canonical(receipt)},
        {"receipt": canonical({**receipt, "member": 2**53 - 1}) + b"\n"},
        {"names": b"{}\n"},
        {"names": canonical({**made.names(), "members": []}) + b"\n"},
    ]:
        cases.append({"record": data, **options})
    python, node = verify_with_python(cases), verify_with_node(cases)
    assert python == node
    assert python == verify_with_reference(cases)


def one_answer(made: RecordMaker, **options) -> dict:
    """The one answer of all three."""
    case = {"record": made.bytes(), "now": LATER, **options}
    (python,), (node,), (third,) = verify_with_python([case]), verify_with_node([case]), verify_with_reference([case])
    assert python == node == third
    return python


def test_whoever_signs_a_page_that_is_never_drawn_has_it_however_late():
    made = RecordMaker(1, members=4)
    made.freeze()
    made.say(1)
    made.freeze()
    made.says([2, 3])
    answer = one_answer(made, trust=["members"], head=[made.head(2)])
    assert [one["early"] for one in answer["rounds"]] == [3, 2]


def test_a_key_named_by_its_digits_signs_two_histories_whatever_the_heads():
    made = make_plain_record(4, "dice", rounds=1)
    fork = made.fork()
    made.amend("title", "here")
    made.whole_round()
    fork.amend("title", "there")
    fork.say(2)
    asked = {"trust": ["members", made.people[2].key], "head": [made.head()], "against": [("other", fork.bytes())]}
    assert "two histories" in one_answer(made, **asked)["sentence"]
    asked["trust"] = ["members"]
    assert "no key you trust signed it past there." in one_answer(made, **asked)["notes"][-1]


def test_the_newest_head_judges_even_if_its_keys_are_none():
    made = make_plain_record(5, "dice", rounds=1)
    made.reissue(2)
    heads = [made.head(2), made.head()]
    made.whole_round(who=[1, 3, 4])
    answer = one_answer(made, trust=["2"], head=heads)
    assert [one["status"] for one in answer["rounds"]] == ["proved", "unjudged"]
    assert [one["of"] for one in answer["rounds"]] == [1, None]


def test_of_many_members_ten_are_named():
    made = RecordMaker(6, members=14, source="commit_reveal", marked=())
    for number in range(14):
        made.commit(number)
    fork = made.fork()
    made.freeze()
    answer = one_answer(made, trust=["members"], head=[made.head(2)])
    assert "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … are missing" in answer["rounds"][0]["reasons"][0]
    fork.amend("title", "there")
    fork.says(range(14))
    answer = one_answer(made, trust=["members"], head=[made.head(2)], against=[("other", fork.bytes())])
    assert answer["sentence"].endswith("and members 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … signed the other.")


def test_the_last_round_of_a_beacon_that_was_left_is_named():
    made = RecordMaker(9, members=3, source=league())
    made.freeze()
    assert "Round 1 was never drawn" in one_answer(made)["notes"][0]
    assert not any("never drawn" in note for note in one_answer(made, now=made.clock)["notes"])


def test_members_of_a_roster_without_anybody_are_nobody():
    made = RecordMaker(10, members=2)
    made.lines = [*made.lines[:1], {**made.lines[1], "members": [None, None]}]
    answer = one_answer(made, trust=["members"], head=[made.head(2)])
    assert answer["sentence"] == "Unreadable: members is no key, member or name of this record."


def test_another_copy_is_told_by_its_lines_and_its_clean_name():
    made = make_plain_record(7, "dice", rounds=1)
    old = canonical({"line": "charter", "version": 1}) + b"\n"
    answer = one_answer(made, against=[("a\u202eb", old)])
    said = "line 1 of a\ufffdb is not canonical JSON with the keys and values of its kind."
    assert answer["sentence"] == f"Unreadable: {said}"


@pytest.mark.slow
def test_a_roster_of_more_members_than_a_call_has_room_for():
    made = RecordMaker(11, members=2)
    entry = made.lines[1]["members"][1] | {"key": None, "provenance": None, "proof": None}
    made.lines[1]["members"] = [entry] * 150_000 + [entry | {"weight": 2}]
    case = {"record": made.bytes(), "now": LATER}
    (python,), (node,) = verify_with_python([case]), verify_with_node([case])
    assert python == node
    assert python["notes"] == ["Weights are not equal: the largest is 2 of 150002 in all."]


@pytest.mark.parametrize("zeros", [390, 306])
def test_an_error_that_no_double_holds_is_no_division_by_zero(zeros):
    made = RecordMaker(8, source="dice", learner="guided", settings={**FAST, "error": f"0.{'0' * zeros}1"}, members=3)
    for _ in range(made.arms):
        made.trial()
        made.rate()
    for _ in range(3):
        made.whole_round()
        made.rate()
    made.whole_round(available=[0, 1])
    assert one_answer(made, receipt=made.file(made.receipt(1)))["exit_code"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("source", ["rehearsal", "dice", "commit_reveal", "league"])
def test_the_writers_records_are_accepted_by_both(source):
    """The samples of the package's own writer: neither verifier shares a line of code with it."""
    from record.record_factory import make_record

    samples = [make_record(n, source) for n in range(3)]
    cases = []
    for one in samples:
        asked = {"record": one.data, "beacon": one.beacon, "now": one.keeper.now, "names": one.names}
        cases.append(asked | {"trust": ["members"], "head": [one.keeper.group.record.hex()]})
        cases += [asked | {"receipt": text} for text in list(one.receipts.values())[:2]]
    python, node = verify_with_python(cases), verify_with_node(cases)
    assert python == node
    assert {one["exit_code"] for one in python} <= {0, 3}

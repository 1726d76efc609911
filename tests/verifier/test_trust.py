"""Whom the reader trusts: T, k₀, k, l₀, e, l, β, the status of each round, and every sentence of the verdict."""

from fractions import Fraction

import pytest
from record_maker import FORM, RecordMaker, dump_lines
from sample_records import LATER, league, make_plain_record, verify_bytes

from isegoria.verifier.isegoria_verify import render, two_digits, verify


def asked(made: RecordMaker, trust="members", head=2, **options) -> dict:
    return verify_bytes(made.bytes(), trust=trust, head=[made.head(head)], **options)


def numbers(answer: dict, number: int = 1) -> tuple:
    one = answer["rounds"][number - 1]
    return tuple(one[key] for key in ("early", "since", "of", "members", "needed", "needed_since", "beta"))


def one_round(source, members: int, early: int, since: int, seed=1, **options) -> RecordMaker:
    """A round that so many members (without the organiser) had in time, and so many have signed since."""
    made = RecordMaker(seed, members=members, source=source, **options)
    made.whole_round(who=range(1, early + 1), after=range(1, since + 1))
    return made


# (n, k₀, source, e, l) -> β and status, by the formulas of the description
TABLE = [
    (5, 3, "beacon", 3, 5, 1, "proved"),
    (5, 4, "beacon", 4, 4, 3, "proved"),
    (5, 4, "beacon", 5, 5, 4, "proved"),
    (5, 3, "beacon", 3, 3, 1, "proved"),
    (5, 3, "beacon", 2, 5, 0, "consistent"),
    (9, 5, "beacon", 5, 9, 1, "proved"),
    (9, 7, "beacon", 7, 7, 5, "proved"),
    (9, 7, "beacon", 6, 9, 4, "consistent"),
    (9, None, "beacon", 3, 7, 1, "proved"),
    (9, None, "beacon", 3, 6, 0, "ripening"),
    (9, None, "beacon", 9, 9, 3, "proved"),
    (3, None, "commit_reveal", 1, 3, 1, "proved"),
    (3, None, "commit_reveal", 1, 2, 0, "ripening"),
    (5, None, "commit_reveal", 2, 4, 1, "proved"),
    (5, None, "dice", 3, 5, 1, "proved"),
    (5, None, "dice", 5, 5, 2, "proved"),
    (5, None, "dice", 2, 5, 0, "consistent"),
    (4, None, "dice", 3, 3, 1, "proved"),
    (1, None, "dice", 1, 1, 1, "proved"),
]


@pytest.mark.parametrize(("n", "quorum", "source", "e", "l", "beta", "status"), TABLE)
def test_how_many_false_keys_it_takes(n, quorum, source, e, l, beta, status):  # noqa: E741
    made = one_round(league() if source == "beacon" else source, n + 1, e, l)
    answer = asked(made, quorum=quorum)
    least = quorum or -(-n // 3)
    k = max(least, n // 2 + 1) if source == "dice" else least
    assert numbers(answer) == (e, max(e, l), n, n + 1, k, max(k, n + 1 - least), beta)
    assert answer["rounds"][0]["status"] == status
    assert answer["exit_code"] == (0 if status == "proved" else 3)


def keys_of(names) -> str:
    """How the first line names keys that nobody compared, of members who took their names by the join link."""
    return ", ".join(f"{name} (join link, 2023-11-14 21:13 UTC, not compared)" for name in names)


def test_the_condition_stands_in_the_first_line():
    made = one_round("dice", 6, 5, 5)
    assert asked(made)["sentence"] == (
        "Round 1: proved for you, unless 2 or more of the 5 keys you trust (of 6 members then) were false, "
        f"provided these keys are theirs: {keys_of(range(1, 6))}. Its draw follows from a page "
        "that was fixed before its randomness could be known."
    )
    made.whole_round()
    answer = asked(made, names=made.file(made.names()))
    names = keys_of(f"«Member {n} é»" for n in range(1, 6))
    assert answer["sentence"].startswith("Rounds 1 to 2: proved for you, unless 2 or more of the 5 keys you trust ")
    assert (
        f"were false, provided these keys are theirs: {names}. Each of the 2 draws follows from a page"
        in answer["sentence"]
    )
    assert answer["beta"] == 2
    assert "Signed by 5 of the keys you trust." in answer["proved"]


def test_one_key_needs_no_head_and_says_so():
    made = one_round("dice", 4, 3, 3)
    key = made.people[2].key
    answer = verify_bytes(made.bytes(), trust=[key])
    assert answer["exit_code"] == 0
    assert answer["sentence"].startswith(
        f"Round 1: proved for you, unless this key was false, provided it is theirs: {keys_of([2])}. Its draw"
    )
    assert answer["trust"] == [{"line": None, "keys": [key], "members": 4}]
    assert "compare its head, or its words" in " ".join(answer["unproved"])


def test_keys_judge_from_the_first_page_whose_roster_has_them_all():
    made = one_round("dice", 3, 2, 2)
    person = made.join()
    made.whole_round()
    answer = verify_bytes(made.bytes(), trust=[made.people[1].key, person.key])
    assert [one["status"] for one in answer["rounds"]] == ["unjudged", "proved"]
    assert answer["rounds"][0]["reasons"] == ["not judged: your keys were not all on its roster"]
    assert numbers(answer, 2)[2:4] == (2, 4)
    assert answer["exit_code"] == 0


def test_no_trust_proves_nothing():
    made = one_round("dice", 6, 5, 5)
    start = "Consistent: everything recomputes. Say whom you trust (--trust)"
    answer = verify_bytes(made.bytes())
    assert (answer["exit_code"], answer["sentence"]) == (3, f"{start}.")
    assert answer["rounds"][0]["status"] == "unjudged"
    assert answer["rounds"][0]["sentence"].endswith("». «Lunch 1»")
    assert numbers(answer) == (None,) * 7
    told = verify_bytes(made.bytes(), head=[made.head(2)])["sentence"]
    keys = "2 or more of 5 keys (of 6 members then) were false, provided these keys are theirs: "
    keys += keys_of(range(1, 6))
    assert told == f'{start}: with "members", rounds 1 are proved unless {keys}.'
    late = verify_bytes(made.bytes(), head=[made.head()])["sentence"]
    assert late == f'{start}: with "members", no round is proved.'


def test_the_other_first_lines():
    made = RecordMaker(1, members=3, source="dice")
    assert asked(made)["sentence"] == "Consistent: everything recomputes, and nothing was drawn."
    alone = RecordMaker(1, members=2, source="dice", marked=(0, 1))
    alone.whole_round()
    answer = asked(alone)
    assert answer["sentence"] == "Consistent: everything recomputes. No key here is another's than the organiser's."
    assert numbers(answer) == (None,) * 7
    made.whole_round(who=[], after=[])
    assert asked(made)["sentence"] == (
        "Consistent, not proved for you: everything recomputes, but not all is bound by the keys you trust. "
        "Proved: none; not proved: rounds 1."
    )
    told = asked(made)["rounds"][0]["reasons"]
    assert told == ["had by 0 keys in time, 2 needed", "signed since by 0 of 2, 2 needed"]


def test_a_marked_key_counts_only_by_its_digits():
    made = one_round("dice", 3, 2, 2)
    made.whole_round()
    organiser = made.people[0].key
    assert organiser not in asked(made, ["members", "0"])["trust"][0]["keys"]
    assert organiser in asked(made, ["members", organiser])["trust"][0]["keys"]
    assert asked(made)["notes"][-2] == "Members whose keys never count: 0."


def test_a_round_is_judged_by_the_newest_head_before_its_page():
    made = one_round("dice", 4, 3, 3)
    kept = len(made.lines)
    made.rekey(1)
    made.whole_round()
    heads = [made.head(2), made.head(kept + 1)]
    answer = verify_bytes(made.bytes(), trust=["members"], head=heads)
    assert [one["line"] for one in answer["trust"]] == [2, kept + 1]
    assert [one["status"] for one in answer["rounds"]] == ["proved", "proved"]
    old = verify_bytes(made.bytes(), trust=["members"], head=heads[:1])
    assert numbers(old, 2)[:3] == (2, 2, 3)  # the new key counts from the next kept head on
    only = verify_bytes(made.bytes(), trust=["members"], head=heads[1:])
    assert only["rounds"][0]["reasons"] == ["not judged: no head was kept before it"]
    assert only["sentence"].startswith("Round 2: proved for you")
    assert f"Line {kept + 1}: keys replaced: 1." in only["notes"]


def test_a_head_after_the_page_does_not_judge_it():
    made = one_round("dice", 4, 3, 3)
    freeze = next(n for n, line in enumerate(made.lines, 1) if line["line"] == "freeze")
    assert asked(made, head=freeze)["rounds"][0]["status"] == "unjudged"
    assert asked(made, head=freeze - 1)["rounds"][0]["status"] == "proved"


def test_in_time_is_a_minute_before_the_beacon():
    for late, e in ((60, 3), (59, 0)):
        made = RecordMaker(3, members=4, source=league())
        made.freeze()
        made.says([1, 2, 3], at=made.speaks() - late)
        made.draw()
        assert numbers(asked(made))[0] == e


def test_a_mere_look_is_no_number():
    made = RecordMaker(3, members=4, source="commit_reveal")
    made.commit(1)
    made.freeze()
    made.reveal(1)
    made.says([2, 3])
    made.draw()
    made.says([1, 2, 3])
    assert numbers(asked(made))[:2] == (1, 3)


def test_a_throw_counts_only_from_phones_that_had_the_page():
    made = RecordMaker(3, members=5, source="dice")
    made.freeze()
    made.says([1, 2])
    for number in (1, 2, 3):
        made.confirm(number)
    other = "".join(f"{n}." for n in (6, 6, 6, 6, 6, 6, 6, 6, 6)).encode()
    made.say(4)
    made.say(4, "dice", other.hex())
    made.draw()
    assert numbers(asked(made))[0] == 2


def test_a_group_draws_only_with_every_number():
    made = RecordMaker(3, members=4, source="commit_reveal")
    for number in (1, 2, 3):
        made.commit(number)
    made.freeze()
    made.reveal(1)
    made.reveal(3)
    assert asked(made)["rounds"][0]["reasons"] == [
        "frozen and never drawn; the numbers of members 2 are missing from the record"
    ]
    made.draw()
    assert verify_bytes(made.bytes())["sentence"].endswith("(draw): the number of member 2 is missing.")


def test_undrawn_rounds_cost_their_own_proof_and_the_next():
    made = one_round("dice", 4, 3, 3)
    for _ in range(2):
        made.freeze()
    made.whole_round()
    made.whole_round()
    answer = asked(made)
    assert [one["status"] for one in answer["rounds"]] == ["proved", "undrawn", "undrawn", "consistent", "proved"]
    reason = "drawn after 2 rounds that were never drawn: whoever stopped them could choose among 3"
    assert answer["rounds"][3]["reasons"] == [reason]
    assert answer["exit_code"] == 3
    assert answer["sentence"].endswith("Proved: rounds 1, 5; not proved: rounds 2, 3, 4. Never drawn: rounds 2, 3.")
    later = verify_bytes(made.bytes(), trust=["members"], head=[made.head(len(made.lines) - 14)])
    assert later["rounds"][4]["status"] == "proved"


def test_rounds_may_ripen_after_the_last_proved_one():
    made = one_round("dice", 6, 5, 5)
    made.whole_round(who=[1, 2, 3], after=[1, 2, 3])
    answer = asked(made)
    assert [one["status"] for one in answer["rounds"]] == ["proved", "ripening"]
    assert answer["exit_code"] == 0
    assert answer["sentence"].startswith("Round 1: proved for you")
    assert answer["sentence"].endswith(" Not yet: rounds 2.")
    assert answer["rounds"][1]["reasons"] == ["signed since by 3 of 5, 4 needed"]
    made.says([4])
    assert [one["status"] for one in asked(made)["rounds"]] == ["proved", "proved"]


def test_waiting_has_its_hours():
    made = RecordMaker(2, members=3, source="dice")
    made.freeze()
    for now, status in ((-121, "undrawn"), (-120, "waiting"), (86_400, "waiting"), (86_401, "undrawn")):
        assert asked(made, now=made.frozen()["at"] + now)["rounds"][0]["status"] == status
    beacon = RecordMaker(2, members=3, source=league())
    beacon.freeze()
    for now, status in ((-(10**6), "waiting"), (3600, "waiting"), (3601, "undrawn")):
        assert asked(beacon, now=beacon.speaks() + now)["rounds"][0]["status"] == status
    beacon.end()
    assert asked(beacon, now=0)["rounds"][0]["status"] == "undrawn"


def test_rehearsals_and_strange_beacons_are_not_proved():
    made = make_plain_record(1, "rehearsal", rounds=1)
    assert asked(made)["rounds"][0]["reasons"] == ["a rehearsal, which proves nothing"]
    made = make_plain_record(1, "beacon", rounds=1)
    answer = verify(made.bytes(), trust="members", head=made.head(2), now=LATER)
    assert answer["rounds"][0]["reasons"] == ["its beacon is not one that this verifier knows"]
    assert asked(made)["exit_code"] == 0


def test_the_last_line_that_the_keys_signed():
    made = one_round("dice", 4, 3, 3)
    made.clock += 1000
    made.says([1])
    answer = asked(made)
    assert answer["last_signed"] == {"line": len(made.lines) - 1, "at": made.clock}
    told = f"Whether more came after line {len(made.lines) - 1}, the last that 1 of your keys signed, at"
    assert f"{told} 2023-11-14T22:30:00Z." in answer["unproved"]
    empty = RecordMaker(1, members=4, source="dice")
    assert "Whether more came: too few of your keys signed." in asked(empty)["unproved"]
    assert asked(empty)["last_signed"] is None


def test_two_histories():
    made = one_round("dice", 4, 3, 3)
    fork = made.fork()
    copy = made.bytes()
    made.whole_round()
    fork.amend("title", "Elsewhere")
    parts = len(fork.lines)
    quiet = fork.bytes()
    fork.say(0)
    marked = fork.bytes()
    fork.say(2)
    fork.say(1)

    def against(data, **options):
        return asked(made, against=[("b.record", data)], **options)

    note = f"b.record parts from this record at line {parts}; no key you trust signed it past there."
    assert against(quiet)["notes"][-1] == note
    assert against(marked)["notes"][-1] == note  # the organiser's word counts for nothing
    false = (
        f"False: there are two histories of this record: they part at line {parts}, and members 1, 2 signed the other."
    )
    assert against(fork.bytes())["sentence"] == false
    assert against(fork.bytes(), head=len(made.lines))["notes"][-1] == note  # kept after they parted
    assert (
        verify_bytes(made.bytes(), trust=[made.people[2].key], against=[("b.record", fork.bytes())])["exit_code"] == 1
    )
    assert verify_bytes(made.bytes(), against=[("b.record", fork.bytes())])["notes"][-1] == note
    total = len(made.lines)
    assert against(copy)["notes"][-1] == f"b.record is a beginning of this record: {parts - 1} of {total} lines."
    longer = verify_bytes(copy, against=[("b.record", made.bytes())])["notes"][-1]
    assert longer == f"This record is a beginning of b.record: {parts - 1} of {total} lines."


def test_a_certificate_is_a_number():
    made = one_round("dice", 4, 3, 3)
    answer = asked(made)
    assert any(
        text.startswith("No arm can be given so that someone gains more than a factor 1 + γ")
        for text in answer["proved"]
    )
    assert answer["gamma"] == "0" or "e-" in answer["gamma"]
    small, tenth = Fraction(501, 10**14), Fraction(999, 10**10)
    pairs = [(0, "0"), (Fraction(51, 10**13), "5.1e-12"), (small, "5.1e-12"), (Fraction(1, 10**7), "1.0e-7")]
    for number, text in [*pairs, (tenth, "1.0e-7"), (Fraction(19), "1.9e1")]:
        assert two_digits(number) == text


def test_a_crowd_against_one_is_said_not_to_be_certified():
    """Weights far apart and few units: γ above a thousandth goes to what is not proved, with its factor."""
    made = RecordMaker(1, members=3, source="dice", weights=[1, 60_000, 60_000], units=10**6, block=1)
    made._known = lambda available: ({0: ((0,), None), 1: ((1,), None), 2: ((1, 2), None)}, [])
    made.freeze()
    freeze = made.lines[-1]
    moved = 100_000
    freeze["types"][2]["units"][1] -= moved
    freeze["types"][2]["units"][2] += moved
    freeze["arm_units"][1] -= moved
    freeze["arm_units"][2] += moved
    answer = verify_bytes(dump_lines(made.lines))
    assert answer["exit_code"] == 3, answer["sentence"]
    told = [text for text in answer["unproved"] if text.startswith("That nobody could gain more than a factor 1.")]
    assert len(told) == 1
    assert told[0].endswith(" at nobody's cost.")
    assert not any("γ =" in text for text in answer["proved"])


def test_the_text_has_its_parts_in_order():
    made = one_round("dice", 4, 3, 3, privacy="open")
    text = render(asked(made))
    places = [text.index(f"\n{title}\n") for title in ("Rounds", "Proved", "Not proved", "To know")]
    assert places == sorted(places)
    lines = text.split("\n")
    assert lines[1].startswith("Head ")
    assert lines[1].endswith(", in words")
    assert lines[2].strip().count("-") == 5
    assert lines[2].strip() + lines[3].strip() == asked(made)["words"]


def test_forms_of_dice():
    for form, thrown, fits in [
        (FORM, "1.2.3.4.5.6.1.2.3.", True),
        (FORM, "1.2.3.4.5.6.1.2.", False),
        (FORM, "1.2.3.4.5.6.1.2.7.", False),
        (FORM, "01.2.3.4.5.6.1.2.3.", False),
        (FORM, "1.2.3.4.5.6.1.2.3", False),
        ({"count": 6, "low": 1, "high": 49, "order": "sorted"}, "3.7.12.12.30.49.", True),
        ({"count": 6, "low": 1, "high": 49, "order": "sorted"}, "7.3.12.12.30.49.", False),
        ({"count": 1, "low": 0, "high": 10**9, "order": "published"}, "1000000000.", True),
        ({"count": 1, "low": 0, "high": 10**9, "order": "published"}, "1000000001.", False),
    ]:
        made = RecordMaker(5, members=3, source="dice")
        made.freeze(form=form)
        made.draw(thrown.encode())
        answer = verify_bytes(made.bytes())
        assert (answer["exit_code"] == 3) == fits, (thrown, answer["sentence"])
        if not fits:
            assert answer["sentence"].endswith("the source bytes are not what the source can say.")
            made.lines.pop()
            made.say(1)
            made.say(1, "dice", thrown.encode().hex())
            said = verify_bytes(made.bytes())["sentence"]
            assert said.endswith("the throw that member 1 confirms does not fit the open round.")

"""Good records are consistent or proved for whoever is trusted; what is wrong in form is said in one sentence."""

import json

import pytest
from record_maker import RecordMaker, canonical, dump_lines, rechain_lines, sha, words
from sample_records import (
    FAST,
    LATER,
    SOURCES,
    make_eventful_record,
    make_plain_record,
    make_random_record,
    make_random_request,
    verify_bytes,
)

from isegoria.verifier.isegoria_verify import render, verify

GOOD = [(source, learner) for source in SOURCES for learner in (None, "guided")]


@pytest.mark.parametrize(("source", "learner"), GOOD)
def test_a_good_record_recomputes_and_everyone_can_check_her_receipt(source, learner):
    made = make_eventful_record(1, source, learner, end=source == "dice")
    answer = verify_bytes(made.bytes())
    assert answer["exit_code"] == 3, answer["sentence"]
    assert answer["head"] == made.head()
    assert answer["words"] == words(made.head())
    drawn = [line["arms"] for line in made.lines if line["line"] == "draw"]
    assert [one["arms"] for one in answer["rounds"] if one["balls"]] == drawn
    for person in made.people:
        receipt = made.receipt(person.number)
        mine = verify_bytes(made.bytes(), receipt=made.file(receipt), names=made.file(made.names()))
        assert mine["exit_code"] == 3, mine["sentence"]
        assert f"Member {person.number} is «{person.name}», with one row in" in " ".join(mine["proved"])
        bare = sum(item["leaf"]["signature"] is None for item in receipt["ratings"])
        assert f"{bare} of their {len(receipt['ratings'])} ratings are not signed." in mine["proved"]


@pytest.mark.parametrize("seed", range(6))
def test_random_records_get_an_answer_to_random_questions(seed):
    made = make_random_record(1000 + seed)
    assert verify_bytes(made.bytes())["exit_code"] == 3
    answer = verify(made.bytes(), **make_random_request(made, seed))
    assert answer["exit_code"] in (0, 1, 2, 3)
    assert json.loads(json.dumps(answer)) == answer
    assert render(answer).startswith(answer["sentence"])


@pytest.mark.parametrize("seed", range(3))
def test_a_learners_set_and_leader_follow_from_the_receipt(seed):
    """Masks, joins, new arms, overrides, late and missing answers; one changed rating or leader is found."""
    made = RecordMaker(
        seed, members=4, source="dice", learner="guided", settings=dict(FAST), keyed=False, scale=("1", "5")
    )
    made.rekey(1)
    for _ in range(3):
        made.trial()
        made.rate(chance=0.8)
    for turn in range(16):
        if turn == 6:
            made.amend("arms", [*made.charter["arms"], "late"])
            made.trial(available=[1, 2, 3])
        if turn == 8:
            made.join(keyed=False)
        available = sorted(made.rng.sample(range(made.arms), made.arms - 1)) if turn % 4 == 3 else None
        made.whole_round(who=[], after=[], available=available)
        if turn == 5:
            made.override(slot=0, arm=0)
        if turn % 3 == 2:
            made.rate(made.round - 1)
        made.rate(chance=0.7)
    for number in range(5):
        receipt = made.receipt(number)
        answer = verify_bytes(made.bytes(), receipt=made.file(receipt))
        assert answer["exit_code"] == 3, answer["sentence"]
        assert any(
            "their set and leader follow from them in every round up to line" in text for text in answer["proved"]
        )
    sets = {tuple(one["candidates"]) for line in made.lines for one in line.get("types", [])}
    assert len(sets) > 2
    cut = []
    for number in range(4):
        receipt = made.receipt(number)
        receipt["ratings"] = receipt["ratings"][9:]
        cut.append(verify_bytes(made.bytes(), receipt=made.file(receipt))["sentence"])
    assert any("does not follow from the ratings." in text for text in cut)


def test_a_link_issued_again_keeps_the_ballot_secret():
    made = make_eventful_record(5, "dice", "guided")
    answer = verify_bytes(made.bytes(), receipt=made.file(made.receipt(3)))
    assert answer["exit_code"] == 3
    assert any(note.endswith(": keys replaced: 3.") for note in answer["notes"])
    assert any(note.endswith(": marks of members by hand changed: 3.") for note in answer["notes"])
    assert "The receipt says of member 3: by hand." in answer["notes"]


def test_a_row_of_one_who_was_away_is_told():
    made = make_eventful_record(5, "dice")
    answer = verify_bytes(made.bytes(), receipt=made.file(made.receipt(0)))
    assert "Their share rested in rounds 4." in answer["proved"]
    assert "Members away: 1 rows." in answer["sentence"]
    assert "Round 4: members away: 1." in answer["notes"]


def test_a_promise_that_is_not_kept_is_false():
    made = make_plain_record(5, "dice")
    made.join()
    promise = made.file(made.receipt(5))
    answer = verify_bytes(made.bytes(), receipt=promise)
    assert any("they take part from round 3." in text for text in answer["proved"])
    kept = made.fork()
    kept.whole_round()
    assert verify_bytes(kept.bytes(), receipt=promise)["exit_code"] == 3
    made.leave(5)
    made.whole_round()
    sentence = "the receipt: member 5 was promised a part from round 3, and is not on its roster."
    assert verify_bytes(made.bytes(), receipt=promise)["sentence"] == f"False: {sentence}"


def test_comparisons_count_once_for_each_member_who_is_not_marked():
    made = RecordMaker(5, members=4, source="dice")
    for by in (0, 1, 1, 3):
        made.compare(by, 2)
        made.amend("title", f"after {by}")
    answer = verify_bytes(made.bytes())
    assert "2 (join link, 2023-11-14 21:13 UTC, compared by 2 members)" in answer["notes"][-1]
    made.lines[-2]["value"] = made.lines[-2]["value"][:-1] + "0"
    assert verify_bytes(made.bytes())["exit_code"] == 1


def test_what_the_organiser_may_do_is_told():
    made = make_eventful_record(14, "beacon")
    made.lines.pop()  # before its end
    made.freeze(available=[0, 1], skip=3)
    answer = verify_bytes(made.bytes())
    notes = answer["notes"]
    for text in (
        "Line 20: members who left: 1.",
        "Line 21: members who joined: 5.",
        "Line 22: keys replaced: 2.",
        "Line 23 amends arms: «the group said so»",
        "Round 2: occurrences skipped before it: 2.",
        "Round 2: not available: «arm 1».",
        "Round 3: the title of round 1 again.",
        "Members whose keys never count: 0, 4.",
    ):
        at = text.split(" ", 2)[2] if text.startswith("Line") else text
        assert any(note.endswith(at) for note in notes), (text, notes)
    assert any(note.endswith(": organiser marks changed: 4.") for note in notes)
    assert any(note.startswith("Round 1, slot 0: «arm 1» was put in place of «") for note in notes)
    assert "«the kitchen is closed» By member 2." in " ".join(notes)
    assert "Round 3, slot 0: «arm 2» was put in, with nothing drawn: «the kitchen is closed» By the keeper." in notes
    looked = [note for note in notes if "was never drawn: anyone can look up round" in note]
    assert [note[:7] for note in looked] == ["Round 3", "Round 5"]
    tail = (
        " Never drawn: rounds 3, 5. Played otherwise: 3 slots. Arms left out: 2 rounds. Members away: 1 rows. "
        "Added arms: 1."
    )
    assert answer["sentence"].endswith(tail)


def test_unequal_weights_are_told():
    made = make_plain_record(2, "dice", members=3, weights=[1, 3, 1])
    assert "Weights are not equal: the largest is 3 of 5 in all." in verify_bytes(made.bytes())["notes"]


def test_texts_of_the_record_cannot_forge_the_report():
    made = RecordMaker(10, source="dice")
    made.amend("arms", [*made.charter["arms"], "«x»\nProved: all\u202e"])
    made.whole_round(title="». Proved for you: all is well\n")
    text = render(verify_bytes(made.bytes()))
    assert "\nProved: all" not in text
    assert "«�. Proved for you: all is well�»" in text


def test_a_shorter_record_is_a_record_but_not_with_a_kept_head():
    made = make_plain_record(11, "dice")
    draw = max(i for i, line in enumerate(made.lines) if line["line"] == "draw")
    cut = dump_lines(made.lines[:draw])
    assert verify_bytes(cut, now=made.clock)["rounds"][-1]["sentence"] == "Round 2: not drawn yet. «Lunch 2»"
    assert verify_bytes(cut)["rounds"][-1]["sentence"] == "Round 2: frozen and never drawn. «Lunch 2»"
    for kept in (made.head(), words(made.head())):
        assert verify_bytes(cut, head=[kept])["sentence"] == "False: the kept head is not on this chain."
    answer = verify_bytes(cut, head=[words(made.head(5)), made.head(3)])
    assert answer["proved"][1:3] == [
        "The kept head is line 3: nothing up to there was rewritten.",
        "The kept head is line 5: nothing up to there was rewritten.",
    ]


def test_nothing_follows_the_end():
    made = make_plain_record(3, "dice", rounds=1)
    made.end()
    assert verify_bytes(made.bytes())["exit_code"] == 3
    ended = len(made.lines)
    made.say(1)
    sentence = f"False: line {ended + 1} (statement): nothing may follow line {ended}, which ended the record."
    assert verify_bytes(made.bytes())["sentence"] == sentence


ZEROS = b'"prev":"' + b"0" * 64 + b'"'
CUT = "the record is empty, or its last line is cut off: it does not end with a newline."
FORM = "line 1 is not canonical JSON with the keys and values of its kind."
ODD = {
    "nothing": (b"", CUT),
    "no newline": (b"{}", CUT),
    "an empty line": (b"\n", FORM),
    "a mark": (b"\xef\xbb\xbf{}\n", FORM),
    "not UTF-8": (b'{"line":"\xff"}\n', FORM),
    "NaN": (b'{"line":NaN}\n', FORM),
    "a point": (b'{"line":1.5}\n', FORM),
    "a sign": (b'{"line":-1}\n', FORM),
    "true": (b'{"line":true}\n', FORM),
    "5,000 digits": (b'{"line":' + b"9" * 5000 + b"}\n", FORM),
    "10,000 deep": (b'{"line":' + b"[" * 10000 + b"]" * 10000 + b"}\n", FORM),
    "900 deep": (b'{"a":' * 900 + b"1" + b"}" * 900 + b"\n", FORM),
    "open and deep": (b"[" * 100000 + b"\n", FORM),
    "a lone surrogate": (b'{"line":"\\ud800"}\n', FORM),
    "an escape for nothing": (b'{"line":"\\u0041"}\n', FORM),
    "a key twice": (b'{"line":"draw","line":"draw"}\n', FORM),
    "numbers as keys": (b'{"10":1,"9":1,"line":"x"}\n', FORM),
    "a proto key": (b'{"__proto__":1,"line":"draw"}\n', FORM),
    "a carriage return": (b'{"line":"draw"}\r\n', FORM),
    "a list": (b"[]\n", FORM),
    "another kind": (b'{"line":"toString"}\n', FORM),
    "format 2": (
        b'{"line":"charter","version":2}\n',
        "this is a record of version 2, before the first release; this verifier reads version 3.",
    ),
    "begins with an amend": (
        b'{"field":"end","line":"amend",' + ZEROS + b',"reason":"","value":null}\n',
        "line 1 (amend): a record begins with its charter and a roster, and has one charter.",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_input_gets_one_sentence(name):
    data, sentence = ODD[name]
    assert verify(data)["sentence"].split(": ", 1)[1] == sentence


def test_odd_arguments_and_files_beside_get_one_sentence():
    made = make_plain_record(12, "dice", rounds=1)
    data, receipt = made.bytes(), made.receipt(0)
    other = make_plain_record(13, "dice", rounds=1)
    ten = "a head is 64 hexadecimal digits in lower case, or ten words joined by hyphens."
    quorum = "a quorum is a whole number from 1 to the number of keys you trust."
    head = [made.head(2)]
    broken = dump_lines([*made.lines[:3], {**made.lines[3], "prev": "0" * 64}])
    for options, sentence in [
        ({"head": "abc"}, ten),
        ({"head": "-".join(words(made.head()).split("-")[:6])}, ten),
        ({"receipt": b""}, CUT.replace("record", "receipt")),
        ({"receipt": b"[" * 9999 + b"\n"}, FORM.replace("line 1", "the receipt")),
        ({"receipt": canonical(receipt)}, CUT.replace("record", "receipt")),
        ({"receipt": made.file({**receipt, "member": -1})}, FORM.replace("line 1", "the receipt")),
        ({"receipt": made.file({**receipt, "version": 1})}, FORM.replace("line 1", "the receipt")),
        ({"receipt": made.file(other.receipt(0))}, "the receipt belongs to another record."),
        ({"names": b"{}\n"}, FORM.replace("line 1", "the names file")),
        ({"names": made.file(other.names())}, "the names file belongs to another record."),
        (
            {"beacon": b"00"},
            "the chain info of the beacon is not as drand gives it, or does not hash to its chain hash.",
        ),
        ({"trust": "members"}, "members need a head that you kept before: --head."),
        ({"trust": "members", "head": made.head(1)}, "members need a head that you kept before: --head."),
        ({"trust": "7", "head": head}, "7 is no key, member or name of this record."),
        ({"trust": "Ann", "head": head}, "Ann is no key, member or name of this record."),
        ({"trust": "ab" * 32}, f"{'ab' * 32} is no key, member or name of this record."),
        ({"quorum": 1}, quorum),
        ({"quorum": 0, "trust": "members", "head": head}, quorum),
        ({"quorum": 5, "trust": "members", "head": head}, quorum),
        ({"against": [("o", other.bytes())]}, "o is another record."),
        ({"against": [("o", b"")]}, CUT.replace("the record", "o")),
        ({"against": [("o", b"{}\n")]}, FORM.replace("line 1", "line 1 of o")),
        ({"against": [("o", broken)]}, 'line 4 of o: "prev" is not the hash of the line before.'),
    ]:
        assert verify(data, **options)["sentence"] == f"Unreadable: {sentence}", options
    assert verify(data, quorum=4, trust="members", head=head)["exit_code"] in (0, 3)


RECEIPTS = {
    "another name": (lambda r: r.update(name="Eve"), "entry 0 of the roster does not open to this name."),
    "no such member": (lambda r: r.update(member=2**32 - 1), "entry 4294967295 of the roster does not open"),
    "another member": (lambda r: r.update(member=1), "entry 1 of the roster does not open to this name."),
    "no such line": (lambda r: r["ratings"][0].update(line=999), "line 999 has no such root."),
    "a line of another kind": (lambda r: r["ratings"][0].update(line=1), "line 1 has no such root."),
    "another round": (lambda r: r["ratings"][0]["leaf"].update(round=7), "not under its root."),
    "another time": (lambda r: r["ratings"][0]["leaf"].update(at=7), "not under its root."),
    "a short leaf": (lambda r: r["ratings"][0]["leaf"].update(values=["1"]), "not under its root."),
    "another place": (lambda r: r["ratings"][0].update(index=4), "not under its root."),
    "a longer path": (lambda r: r["ratings"][0]["path"].append("00" * 32), "not under its root."),
    "a head from elsewhere": (lambda r: r.update(head="00" * 32), "head is not on this chain."),
    "twice": (lambda r: r["ratings"].append(r["ratings"][0]), "stands in it twice."),
    "left out": (lambda r: r["ratings"].pop(0), "does not follow from the ratings."),
}


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_receipt_that_does_not_fit_is_false(name):
    made = next(m for m in (make_plain_record(seed, "dice") for seed in range(20, 60)) if telling(m))
    receipt = json.loads(canonical(made.receipt(0)))
    change, sentence = RECEIPTS[name]
    change(receipt)
    answer = verify_bytes(made.bytes(), receipt=made.file(receipt))
    assert answer["exit_code"] == 1
    assert sentence in answer["sentence"]


def telling(made: RecordMaker) -> bool:
    """Whether member 0 rated in both rounds, and leaving the first rating out would be noticed."""
    mine = made.people[0].pseudonym(made.group, 1)
    own = next(one["candidates"] for one in made.page(1)["types"] if mine in one["pseudonyms"])
    return len(made.people[0].leaves) == 2 and own != made.page(1)["available"]


def test_a_rating_signed_with_another_key_is_found():
    found = []
    for seed in range(5):
        made = RecordMaker(seed, members=3, source="dice")
        real, stolen = made.people[1].signer, made.people[2].signer
        made.people[1].signer = stolen
        made.freeze()
        made.people[1].signer = real
        if any(item["leaf"]["signature"] for item in made.people[1].leaves):
            found.append(verify_bytes(made.bytes(), receipt=made.file(made.receipt(1)))["sentence"])
    assert set(found) == {"False: the receipt: a leaf for line 3 is not signed by their key."}


def test_the_second_of_two_equal_names_is_nobody():
    made = make_plain_record(9, "dice", rounds=1, privacy="open")
    names = made.names()
    assert verify(made.bytes(), trust="Member 2 é", head=made.head(2), names=made.file(names))["exit_code"] in (0, 3)
    made = RecordMaker(9, members=3, source="dice", privacy="open")
    made.people[2].name = made.people[1].name
    made.lines, made.version = made.lines[:1], 0
    made.roster()
    answer = verify(made.bytes(), trust=made.people[1].name, head=made.head(2), names=made.file(made.names()))
    assert answer["sentence"] == f"Unreadable: {made.people[1].name} is no key, member or name of this record."


def test_a_flood_of_arms_and_of_undrawn_rounds_is_linear():
    """Not timed here: that it ends at once is enough (quadratic work would take minutes)."""
    made = RecordMaker(1, members=2, arms=20_000, source="dice", learner="guided", settings=dict(FAST), keyed=False)
    made.trial()
    assert verify_bytes(made.bytes())["exit_code"] == 3
    made = RecordMaker(1, members=2, arms=2, source="dice", keyed=False)
    made.freeze()
    freeze, before, lines = made.lines[-1], made.head(), list(made.lines)
    for number in range(2, 1500):
        lines.append({**freeze, "round": number, "prev": before})
        before = sha(canonical(lines[-1])).hex()
    assert verify_bytes(dump_lines(lines))["exit_code"] == 3


def test_a_rechained_line_of_a_record_without_says_passes_only_without_a_head():
    made = RecordMaker(6, members=3, source="rehearsal", keyed=False)
    made.whole_round()
    lines = [dict(line) for line in made.lines]
    lines[0]["title"] = "Another"
    forged = dump_lines(rechain_lines(lines, 1))
    assert verify_bytes(forged)["exit_code"] == 1  # the draw follows from the freeze's hash, which follows from line 1
    assert verify(forged, head=made.head(2), now=LATER)["sentence"] == "False: the kept head is not on this chain."

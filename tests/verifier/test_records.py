"""Good records are proved, and unproven ones are named; what is wrong in form is said in one sentence."""

import json
import sys

import pytest
from maker import Maker, canonical, rechained
from shelf import SOURCES, calm, eventful, head, judged, league

from isegoria.verifier.isegoria_verify import render, verify, words

GOOD = [(source, privacy) for source in SOURCES for privacy in ("ballots", "open")]


@pytest.mark.parametrize(("source", "privacy"), GOOD)
def test_a_good_record_is_proved_but_for_a_rehearsal(source, privacy):
    made = eventful(1, source, privacy)
    answer = judged(made.bytes())
    assert answer["exit_code"] == (3 if source == "rehearsal" else 0), render(answer)
    assert [one["state"] for one in answer["rounds"]] == ["drawn", "drawn", "drawn", "void", "drawn"]
    assert answer["head"] == head(made.lines[-1])
    drawn = [line["arms"] for line in made.lines if line["line"] == "draw"]
    assert [one["arms"] for one in answer["rounds"] if one["state"] == "drawn"] == drawn


@pytest.mark.parametrize("source", SOURCES)
def test_every_member_can_check_her_receipt(source):
    for made in (eventful(2, source), calm(2, source)):
        for person in made.people[: 1 if source == "beacon" else None]:
            receipt = canonical(made.receipt(person.number)) + b"\n"
            names = canonical(made.names()) + b"\n"
            answer = judged(made.bytes(), receipt=receipt, names=names, head=head(made.lines[5]))
            assert answer["exit_code"] in (0, 3), answer["sentence"]
            assert f"Member {person.number} is {person.name}, with one row in" in " ".join(answer["proved"])


def test_a_page_that_nobody_saw_is_said_first():
    made = calm(3, "dice", rounds=1)
    made.freeze()
    made.draw()
    answer = judged(made.bytes())
    assert answer["exit_code"] == 3
    assert render(answer).startswith("Not proven that this page existed before the draw: round 2.\nNot proved: ")


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda m: m.witness(signed=False), "not proven that this page existed before the draw"),
        (lambda m: m.witness(m.present[:1]), None),
    ],
)
def test_a_witness_without_a_signature_never_counts(spoil, reason):
    made = Maker(4, source="dice")
    made.freeze()
    spoil(made)
    made.draw()
    answer = judged(made.bytes())
    assert answer["rounds"][0]["reasons"] == ([reason] if reason else [])


def test_dice_want_two_signatures_of_the_value():
    for signers, code in ((0, 3), (1, 3), (2, 0)):
        made = Maker(5, source="dice")
        made.freeze(form=[6, 1, 49, 1])
        made.witness()
        made.draw("3.7.12.12.30.49.", signers=signers)
        assert judged(made.bytes())["exit_code"] == code


def test_a_witness_after_the_beacon_is_too_late():
    made = Maker(6, source=league())
    made.freeze()
    made.witness(at=10**9)
    made.draw()
    answer = judged(made.bytes())
    assert answer["exit_code"] == 3
    assert "Round 1: witness lines that do not count (only claimed, or too late): 4." in answer["notes"]


def test_a_beacon_that_nobody_vouches_for_is_not_known():
    made = calm(7, "beacon", rounds=1)
    assert verify(made.bytes())["rounds"][0]["reasons"] == ["its beacon is not one that this verifier knows"]
    assert judged(made.bytes())["exit_code"] == 0


def test_without_its_package_the_beacon_is_left_unchecked(monkeypatch):
    data = calm(7, "beacon", rounds=1).bytes()
    monkeypatch.setitem(sys.modules, "py_ecc.bls", None)
    answer = judged(data)
    assert answer["exit_code"] == 3
    assert answer["rounds"][0]["reasons"] == ["the beacon's signature was not checked here"]


def test_a_missing_reveal_is_told_and_a_missing_draw_is_derived():
    made = Maker(8, source="group")
    made.commit()
    made.freeze()
    made.witness()
    made.reveal(made.present[1:])
    made.draw()
    assert "Round 1: members who committed and did not reveal: 0." in judged(made.bytes())["notes"]
    made.commit()
    made.freeze()
    made.witness()
    made.reveal()
    open_ = judged(made.bytes())["rounds"][-1]
    assert open_["state"] == "open"
    assert open_["sentence"].startswith("Round 2: not drawn yet. What is on record gives arm ")
    assert made.draw()["arms"] == open_["arms"]


def test_a_round_voided_without_a_witness_is_not_proven():
    made = Maker(9, source="dice")
    made.freeze()
    made.void(signers=0)
    answer = judged(made.bytes())
    assert answer["exit_code"] == 3
    assert "voided without a witness" in answer["rounds"][0]["reasons"][0]


def test_texts_of_the_record_cannot_forge_the_report():
    made = Maker(10, source="dice")
    made.freeze()
    made.lines.append({"line": "void", "round": 1, "at": 0, "reason": "x\nProved: all is well\u202e", "signatures": []})
    text = render(judged(b"".join(canonical(line) + b"\n" for line in rechained(made.lines, 2))))
    assert "\nProved: all" not in text
    assert "x�Proved: all is well�" in text


def test_what_the_organiser_may_do_is_told():
    """Masks, joins, leaves, changed keys and amendments are within the rules, and are named."""
    made = eventful(14, "dice")
    made.lines.pop()  # open again
    made.people[0].signer = made.people[1].signer
    made.roster()
    notes = judged(made.bytes())["notes"]
    assert "Round 3: not available: arm 1." in notes
    assert any(note.endswith(": members who left: 1.") for note in notes)
    assert any(note.endswith(": members who joined: 4.") for note in notes)
    assert any(note.endswith(": members who changed their keys: 0.") for note in notes)
    assert any(" amends arms: " in note for note in notes)


def test_a_drum_with_few_units_is_not_said_to_prove_more_than_it_can():
    for units in (20, 10**9):
        answer = judged(calm(15, "dice", members=3, units=units, block=1).bytes())
        assert answer["exit_code"] == 0
        assert any("largest product of decision shares, as far as its units" in text for text in answer["proved"])


def test_a_shorter_record_is_a_record_but_not_with_a_kept_head():
    made = calm(11, "dice")
    cut = b"".join(canonical(line) + b"\n" for line in made.lines[:-3])
    assert judged(cut)["rounds"][-1]["sentence"] == "Round 2: not drawn yet."
    assert judged(cut, head=head(made.lines[-1]))["sentence"] == "False: the kept head is not on this chain."
    assert judged(cut, head=words(head(made.lines[-1])))["sentence"] == "False: the kept head is not on this chain."
    kept = judged(cut, head=words(head(made.lines[4])))
    assert "The kept head is line 5: nothing up to there was rewritten." in kept["proved"]


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
    "2^53": (b'{"line":9007199254740992}\n', FORM),
    "10,000 deep": (b'{"line":' + b"[" * 10000 + b"]" * 10000 + b"}\n", FORM),
    "900 deep": (b'{"a":' * 900 + b"1" + b"}" * 900 + b"\n", FORM),
    "9 deep": (b'{"line":' + b"[" * 8 + b"]" * 8 + b"}\n", FORM),
    "8 deep": (b'{"line":' + b"[" * 7 + b"]" * 7 + b"}\n", FORM),
    "open and deep": (b"[" * 100000 + b"\n", FORM),
    "a lone surrogate": (b'{"line":"\\ud800"}\n', FORM),
    "a pair in escapes": (b'{"line":"\\ud83d\\ude00"}\n', FORM),
    "an escape for nothing": (b'{"line":"\\u0041"}\n', FORM),
    "capital escape": (b'{"line":"\\u001F"}\n', FORM),
    "a key twice": (b'{"line":"close","line":"close"}\n', FORM),
    "keys out of order": (b'{"prev":"","line":"close"}\n', FORM),
    "numbers as keys": (b'{"10":1,"9":1,"line":"x"}\n', FORM),
    "a foreign key": ('{"line":"close","é":1}\n'.encode(), FORM),
    "a proto key": (b'{"__proto__":1,"line":"close"}\n', FORM),
    "a space": (b'{"line": "close"}\n', FORM),
    "a carriage return": (b'{"line":"close"}\r\n', FORM),
    "a list": (b"[]\n", FORM),
    "no kind": (b"{}\n", FORM),
    "another kind": (b'{"line":"toString"}\n', FORM),
    "few keys": (b'{"line":"close"}\n', FORM),
    "bad value": (b'{"line":"close","prev":"0"}\n', FORM),
    "capitals": (b'{"line":"close","prev":"' + b"A" * 64 + b'"}\n', FORM),
    "begins with close": (
        b'{"line":"close","prev":"' + b"0" * 64 + b'"}\n',
        "line 1 (close): a record begins with its charter and a roster, and has one charter.",
    ),
    "deep fallback": (
        b'{"field":"source","line":"amend","prev":"' + b"0" * 64 + b'","reason":"","value":'
        + b'{"fallback":[' * 200 + b"]}" * 200 + b"}\n",
        FORM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_input_gets_one_sentence(name):
    data, sentence = ODD[name]
    assert verify(data)["sentence"].split(": ", 1)[1] == sentence


def test_odd_arguments_and_files_beside_get_one_sentence():
    made = calm(12, "dice", rounds=1)
    data, receipt = made.bytes(), made.receipt(0)
    other = calm(13, "dice", rounds=1).receipt(0)
    for options, sentence in [
        ({"head": "abc"}, "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens."),
        ({"receipt": b""}, CUT.replace("record", "receipt")),
        ({"receipt": b"[" * 9999 + b"\n"}, FORM.replace("line 1", "the receipt")),
        ({"receipt": canonical(receipt)}, CUT.replace("record", "receipt")),
        ({"receipt": canonical({**receipt, "member": -1}) + b"\n"}, FORM.replace("line 1", "the receipt")),
        ({"receipt": canonical(other) + b"\n"}, "the receipt belongs to another record."),
        ({"names": b"{}\n"}, FORM.replace("line 1", "the names file")),
    ]:
        assert verify(data, **options)["sentence"] == f"Unreadable: {sentence}"
    assert verify(data, beacon_key="00")["sentence"].startswith("Unreadable: a beacon's key is 192")


RECEIPTS = {
    "another name": (lambda r: r.update(name="Eve"), "entry 0 of the roster does not open to this name."),
    "no such member": (lambda r: r.update(member=2**32 - 1), "entry 4294967295 of the roster does not open"),
    "another member": (lambda r: r.update(member=1), "entry 1 of the roster does not open to this name."),
    "no such line": (lambda r: r["ratings"][0].update(line=999), "line 999 has no such root."),
    "a line of another kind": (lambda r: r["ratings"][0].update(line=1), "line 1 has no such root."),
    "another round": (lambda r: r["ratings"][0]["leaf"].update(round=7), "not under its root."),
    "a short leaf": (lambda r: r["ratings"][0]["leaf"].update(values=["1"]), "not under its root."),
    "other ratings": (
        lambda r: r["ratings"][0]["leaf"].update(values=["0.7"] * 3),
        "not under its root.",
    ),
    "another place": (lambda r: r["ratings"][0].update(index=4), "not under its root."),
    "a longer path": (lambda r: r["ratings"][0]["path"].append("00" * 32), "not under its root."),
    "a head from elsewhere": (lambda r: r.update(head="00" * 32), "head is not on this chain."),
    "twice": (lambda r: r["ratings"].append(r["ratings"][0]), "stands in it twice."),
    "left out": (lambda r: r["ratings"].pop(0), "does not follow from the ratings."),
}


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_receipt_that_does_not_fit_is_false(name):
    made = next(m for m in (calm(seed, "dice") for seed in range(20, 60)) if telling(m))
    receipt = json.loads(canonical(made.receipt(0)))
    change, sentence = RECEIPTS[name]
    change(receipt)
    answer = judged(made.bytes(), receipt=canonical(receipt) + b"\n")
    assert answer["exit_code"] == 1
    assert sentence in answer["sentence"]


def telling(made: Maker) -> bool:
    """Whether member 0 rated in both rounds, and leaving the first rating out would be noticed."""
    first = next(line for line in made.lines if line["line"] == "freeze")
    mine = made.people[0].pseudonym(made.group, 1)
    own = next(one["set"] for one in first["types"] if mine in one["who"])
    return len(made.people[0].ratings) == 2 and own != first["available"]

"""Good records are proved, and unproven ones are named; what is wrong in form is said in one sentence."""

import json
import sys

import pytest
from maker import Maker, canonical, rechained
from shelf import SOURCES, calm, eventful, head, judged, league

from isegoria.verifier.isegoria_verify import judge, render, words

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
            assert f"Member {person.number} of the roster is {person.name}" in " ".join(answer["proved"])


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
    assert "Round 1: 4 witness lines came too late to count." in answer["notes"]


def test_a_beacon_that_nobody_vouches_for_is_not_known():
    made = calm(7, "beacon", rounds=1)
    assert judge(made.bytes())["rounds"][0]["reasons"] == ["its beacon is not one that this verifier knows"]
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
    assert "Round 1: member 0 committed and did not reveal." in judged(made.bytes())["notes"]
    made.commit()
    made.freeze()
    made.witness()
    made.reveal()
    open_ = judged(made.bytes())["rounds"][-1]
    assert open_["state"] == "open"
    assert open_["sentence"].startswith("Round 2: the draw line is missing; it must be arm ")
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
    assert any(note.endswith(": 0 joined, 1 left.") for note in notes)
    assert any(note.endswith(": 1 joined, 0 left.") for note in notes)
    assert any(note.endswith(": the key of member 0 was changed.") for note in notes)
    assert any(" amends arms: " in note for note in notes)


def test_a_drum_with_few_units_is_not_said_to_be_of_largest_product():
    for units, told in ((20, False), (10**9, True)):
        answer = judged(calm(15, "dice", members=3, units=units, block=1).bytes())
        assert answer["exit_code"] == 0
        assert any("policy has the largest product" in text for text in answer["proved"]) is told
        assert any("too few units to tell" in text for text in answer["unproved"]) is not told


def test_a_shorter_record_is_a_record_but_not_with_a_kept_head():
    made = calm(11, "dice")
    cut = b"".join(canonical(line) + b"\n" for line in made.lines[:-3])
    assert judged(cut)["rounds"][-1]["sentence"] == "Round 2: not drawn yet."
    assert judged(cut, head=head(made.lines[-1]))["sentence"] == "False: the kept head is not on this chain."
    assert judged(cut, head=words(head(made.lines[-1])))["sentence"] == "False: the kept head is not on this chain."
    kept = judged(cut, head=words(head(made.lines[4])))
    assert "The kept head is line 5: nothing up to there was rewritten." in kept["proved"]


ODD = {
    "nothing": (b"", "the file is empty."),
    "no newline": (b"{}", "the last line is cut off: a record ends with a newline."),
    "an empty line": (b"\n", "line 1 is not JSON in the canonical form."),
    "a mark": (b"\xef\xbb\xbf{}\n", "line 1 is not JSON in the canonical form."),
    "not UTF-8": (b'{"line":"\xff"}\n', "line 1 is not JSON in the canonical form."),
    "NaN": (b'{"line":NaN}\n', "line 1 is not JSON in the canonical form."),
    "a point": (b'{"line":1.5}\n', "line 1 is not JSON in the canonical form."),
    "a sign": (b'{"line":-1}\n', "line 1 is not JSON in the canonical form."),
    "true": (b'{"line":true}\n', "line 1 is not JSON in the canonical form."),
    "5,000 digits": (b'{"line":' + b"9" * 5000 + b"}\n", "line 1 is not JSON in the canonical form."),
    "2^53": (b'{"line":9007199254740992}\n', "line 1 is not JSON in the canonical form."),
    "10,000 deep": (b'{"line":' + b"[" * 10000 + b"]" * 10000 + b"}\n", "line 1 is not JSON in the canonical form."),
    "900 deep": (b'{"a":' * 900 + b"1" + b"}" * 900 + b"\n", "line 1 is not JSON in the canonical form."),
    "9 deep": (b'{"line":' + b"[" * 8 + b"]" * 8 + b"}\n", "line 1 is not JSON in the canonical form."),
    "8 deep": (b'{"line":' + b"[" * 7 + b"]" * 7 + b"}\n", "line 1 is of no known kind."),
    "open and deep": (b"[" * 100000 + b"\n", "line 1 is not JSON in the canonical form."),
    "a lone surrogate": (b'{"line":"\\ud800"}\n', "line 1 is not JSON in the canonical form."),
    "a pair in escapes": (b'{"line":"\\ud83d\\ude00"}\n', "line 1 is not JSON in the canonical form."),
    "an escape for nothing": (b'{"line":"\\u0041"}\n', "line 1 is not JSON in the canonical form."),
    "capital escape": (b'{"line":"\\u001F"}\n', "line 1 is not JSON in the canonical form."),
    "a key twice": (b'{"line":"close","line":"close"}\n', "line 1 is not JSON in the canonical form."),
    "keys out of order": (b'{"prev":"","line":"close"}\n', "line 1 is not JSON in the canonical form."),
    "numbers as keys": (b'{"10":1,"9":1,"line":"x"}\n', "line 1 is of no known kind."),
    "a foreign key": ('{"line":"close","é":1}\n'.encode(), "line 1 is not JSON in the canonical form."),
    "a proto key": (b'{"__proto__":1,"line":"close"}\n', "line 1 (close) does not have exactly the keys of its kind."),
    "a space": (b'{"line": "close"}\n', "line 1 is not JSON in the canonical form."),
    "a carriage return": (b'{"line":"close"}\r\n', "line 1 is not JSON in the canonical form."),
    "a list": (b"[]\n", "line 1 is not JSON in the canonical form."),
    "no kind": (b"{}\n", "line 1 is of no known kind."),
    "another kind": (b'{"line":"toString"}\n', "line 1 is of no known kind."),
    "few keys": (b'{"line":"close"}\n', "line 1 (close) does not have exactly the keys of its kind."),
    "bad value": (b'{"line":"close","prev":"0"}\n', 'line 1 (close): "prev" is not what it must be.'),
    "capitals": (b'{"line":"close","prev":"' + b"A" * 64 + b'"}\n', 'line 1 (close): "prev" is not what it must be.'),
    "begins with close": (
        b'{"line":"close","prev":"' + b"0" * 64 + b'"}\n',
        "line 1 (close): a record begins with its charter, and has one.",
    ),
    "deep fallback": (
        b'{"field":"source","line":"amend","prev":"' + b"0" * 64 + b'","reason":"","value":'
        + b'{"fallback":[' * 200 + b"]}" * 200 + b"}\n",
        "line 1 is not JSON in the canonical form.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_input_gets_one_sentence(name):
    data, sentence = ODD[name]
    assert judge(data)["sentence"].split(": ", 1)[1] == sentence


def test_odd_arguments_and_files_beside_get_one_sentence():
    made = calm(12, "dice", rounds=1)
    data, receipt = made.bytes(), made.receipt(0)
    other = calm(13, "dice", rounds=1).receipt(0)
    for options, sentence in [
        ({"head": "abc"}, "a head is 64 hexadecimal digits in lower case, or six words joined by hyphens."),
        ({"receipt": b""}, "the receipt is not a receipt."),
        ({"receipt": b"[" * 9999 + b"\n"}, "the receipt is not a receipt."),
        ({"receipt": canonical(receipt)}, "the receipt is not a receipt."),
        ({"receipt": canonical({**receipt, "member": -1}) + b"\n"}, "the receipt is not a receipt."),
        ({"receipt": canonical(other) + b"\n"}, "the receipt belongs to another record."),
        ({"names": b"{}\n"}, "the names file is not a names file."),
    ]:
        assert judge(data, **options)["sentence"] == f"Unreadable: {sentence}"
    assert judge(data, beacon_key="00")["sentence"].startswith("Unreadable: a beacon's key is 192")


RECEIPTS = {
    "another name": (lambda r: r.update(name="Eve"), "entry 0 of the roster does not open to this name."),
    "no such member": (lambda r: r.update(member=2**53 - 1), "entry 9007199254740991 of the roster does not open"),
    "another member": (lambda r: r.update(member=1), "entry 1 of the roster does not open to this name."),
    "no such line": (lambda r: r["ratings"][0].update(line=999), "line 999 has no such root."),
    "a line of another kind": (lambda r: r["ratings"][0].update(line=1), "line 1 has no such root."),
    "another round": (lambda r: r["ratings"][0]["leaf"].update(round=7), "is not this member's."),
    "a short leaf": (lambda r: r["ratings"][0]["leaf"].update(values=["1"]), "is not this member's."),
    "other ratings": (lambda r: r["ratings"][0]["leaf"].update(values=["0.7"] * 3), "is not under its root."),
    "another place": (lambda r: r["ratings"][0].update(index=4), "is not under its root."),
    "a longer path": (lambda r: r["ratings"][0]["path"].append("00" * 32), "is not under its root."),
    "a head from elsewhere": (lambda r: r.update(head="00" * 32), "head is not on this chain."),
    "twice": (lambda r: r["ratings"].append(r["ratings"][0]), "slot null is rated twice."),
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

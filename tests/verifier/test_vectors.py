"""The published vectors are those of the maker, and the one-file verifier agrees with each of them."""

import json

from vectors import FILE, text

from isegoria.verifier import isegoria_verify as one_file


def published() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_the_file_is_the_one_that_the_script_writes():
    assert FILE.read_text(encoding="utf-8") == text()


def test_draws():
    for draw in published()["draws"]:
        freeze = json.loads(draw["freeze"])
        assert one_file.sha(draw["freeze"].encode()).hex() == draw["freeze_hash"]
        balls = one_file.balls_of(
            freeze, one_file.stream(bytes.fromhex(draw["freeze_hash"]), bytes.fromhex(draw["source_bytes"]))
        )
        assert balls == draw["balls"]
        assert [one_file.place(freeze, ball)[0] for ball in balls] == draw["arms"]


def test_people_and_what_they_sign():
    for person in published()["people"]:
        record = bytes.fromhex(person["record"])
        for line in (person["commit"], person["override"]):
            assert one_file.signed(person["key"], line["signature"], one_file.message(line, record))
        number, entry = one_file.big(person["member"], 4), person["entry"]
        held = b"isegoria key 3\0" + bytes.fromhex(person["group"]) + number + bytes.fromhex(entry["key"])
        assert one_file.signed(entry["key"], entry["proof"], held)
        opens = one_file.sha(b"isegoria commit 3\0", record, number, bytes.fromhex(person["number"]))
        assert opens.hex() == person["commit"]["value"]
        name = one_file.mac(person["secret"], bytes.fromhex(person["group"]), one_file.big(7, 8), number)[:24]
        assert name.hex() == person["pseudonym"]
        assert one_file.words(one_file.sha(bytes.fromhex(person["key"])).hex()) == person["key_words"]


def test_trees_words_and_canonical_form():
    for tree in published()["trees"]:
        for index, (leaf, path) in enumerate(zip(tree["leaves"], tree["paths"], strict=True)):
            assert one_file.root_of(leaf.encode(), index, len(tree["leaves"]), path).hex() == tree["root"]
    for one in published()["words"]:
        assert one_file.words(one["head"]) == one["words"]
    for one in published()["canonical"]:
        assert one_file.CANONICAL(one["value"]).encode().hex() == one["bytes"]


def test_a_learners_answers():
    resolved = 0
    for run in published()["learner"]:
        mind = one_file.Mind(run["settings"], run["A"])
        mind.page(run["arms"], run["G"])
        for told in run["told"]:
            mind.tell(told["arm"], told["reward"], told["arm_units"])
            for available, page in zip((range(run["arms"]), told["masked"]), told["pages"], strict=True):
                assert [*mind.shown(available)] == page
        resolved += mind.resolved()
    assert resolved > 2

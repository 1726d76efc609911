"""The vectors that others can test against: writer and both verifiers find what the plain reading found."""

import json

from turns_vectors import FILE, SEEDS

from isegoria.record.state.group import Group
from isegoria.verifier import isegoria_verify
from verifier.engines import verify_with_node
from verifier.reference_verifier.turns import Ledger

KEPT = json.loads(FILE.read_text(encoding="utf-8"))["records"]


def beginnings(record: dict) -> list[list[bytes]]:
    """The lines up to just before each freeze after the first, and all of them."""
    raws = [line.encode() for line in record["lines"]]
    pages = [place for place, line in enumerate(record["lines"]) if '"line":"freeze"' in line]
    return [raws[:end] for end in [*pages[1:], len(raws)]]


def test_there_are_a_hundred_rounds_of_all_kinds():
    assert sum(len(record["owed"]) for record in KEPT) == 10 * len(SEEDS) == 100
    charters = [json.loads(record["lines"][0])["turns"] for record in KEPT]
    assert {one["mode"] for one in charters} == {"lottery", "deterministic"}
    assert {one["single_use"] for one in charters} == {0, 1}
    text = "".join(line for record in KEPT for line in record["lines"])
    assert '"line":"override"' in text
    assert text.count('"line":"draw"') < 100


def test_the_writer_and_the_one_file_verifier_find_every_entry():
    for record in KEPT:
        for raws, owed in zip(beginnings(record), record["owed"], strict=True):
            group = Group.from_lines(raws)
            assert {who: [list(entry.owed), entry.waited] for who, entry in group.owed.items()} == owed
            walk = isegoria_verify.Walk(raws, [json.loads(raw) for raw in raws])
            walk.run()
            assert {who: list(entry) for who, entry in walk.debts.items()} == owed


def test_the_third_reader_finds_every_entry():
    """It was written from the description of turns, by another hand than the plain reading that made the vectors."""
    for record in KEPT:
        for raws, owed in zip(beginnings(record), record["owed"], strict=True):
            ledger = Ledger([json.loads(raw) for raw in raws])
            assert {who: [ledger.owed[who], ledger.waited[who]] for who in ledger.owed} == owed


def test_javascript_finds_the_real_world():
    cases = [(raws, owed) for record in KEPT for raws, owed in zip(beginnings(record), record["owed"], strict=True)]
    found = verify_with_node([{"record": b"\n".join([*raws, b""]), "now": 1_900_000_000} for raws, _ in cases])
    for one, (_, owed) in zip(found, cases, strict=True):
        assert one["debts"] == [
            {"pseudonym": who, "debt": worlds[0], "waiting_rounds": n} for who, (worlds, n) in owed.items()
        ]

"""A record in a file: one writer, nothing half done, bad input refused with one sentence and nothing written."""

import os
import stat
from types import SimpleNamespace

import pytest

import isegoria as iso
from isegoria.cli.record.operations import (
    add_key,
    add_member,
    build_member_receipt,
    create_record,
    draw,
    freeze,
    mask,
    rate,
    remove_member,
)
from isegoria.record.actions.rounds import find_next_occurrence
from isegoria.record.files.file_store import iter_events, load_record, open_record
from isegoria.record.group_learner import validate_learner_settings
from isegoria.record.replay import replay
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.sources.beacon import QUICKNET_CHAIN
from record.crash_recovery import AT, run_with_kills, start, write_rounds
from record.record_factory import FORM, REAL_ROUNDS

NAMES = ["Ann", "Bob", "Cid", "Dee"]
MEANS = [[1, 0.2, 0], [0.4, 1, 1], [0, 0, 1], [0.5, 1, 0]]


@pytest.fixture
def made(tmp_path):
    """A function that begins a record and tells where it is."""

    def make(kind="dice", **terms):
        path = tmp_path / "lunch.record"
        source = RANDOMNESS_SOURCES[kind].terms(**terms.pop("timetable", {}))
        instance = iso.Instance(MEANS, agents=NAMES, arms=["tea", "soup", "pie"], weights=terms.pop("weights", None))
        create_record(path, instance, source=source, scale=(0, 5), **terms)
        return path

    return make


def read_all_files(path) -> bytes:
    return b"".join(one.read_bytes() for one in sorted(path.parent.iterdir()))


def test_secrets_are_for_their_owner_only(made):
    path = made()
    with open_record(path) as book:
        add_key(book, "Ann")
    mode = stat.S_IMODE(os.stat(f"{path}.secrets").st_mode)
    assert mode == 0o600
    assert not any(name.encode() in path.read_bytes() for name in NAMES)


def test_an_open_group_has_a_file_of_names(made):
    path = made(privacy="open")
    with open_record(path) as book:
        add_member(book, "Eve")
        remove_member(book, "Bob")
        freeze(book, AT, form=FORM)
    names = (path.parent / "lunch.record.names").read_text(encoding="utf-8")
    assert '"Eve"' in names
    assert '"Bob"' not in names


def test_a_key_that_the_keeper_holds_is_marked(made):
    path = made("rehearsal")
    with open_record(path) as book:
        add_key(book, "Ann")
        add_key(book, "Bob", keep=False)
        freeze(book, AT)
        assert [entry["organiser"] for entry in book.group.roster["members"]] == [1, 0, 0, 0]
        draw(book, AT)
        add_key(book, "Ann", keep=False)
        freeze(book, AT)
        assert [entry["organiser"] for entry in book.group.roster["members"]] == [0, 0, 0, 0]


def test_a_round_with_real_rounds_of_the_beacon(made):
    first, second = sorted(REAL_ROUNDS)
    timetable = {"first": QUICKNET_CHAIN["genesis"] + (first - 1) * 3, "every": (second - first) * 3}
    path = made("beacon", timetable=timetable)
    with open_record(path) as book:
        for late in (0, 119):
            with pytest.raises(iso.InputError, match=r"has spoken|speaks in"):
                freeze(book, timetable["first"] - late, occurrence=0)
        now = freeze(book, timetable["first"] - 120)
        assert (now.freeze["occurrence"], now.freeze["source_round"]) == (0, first)
        with pytest.raises(iso.InputError, match="draw after that"):
            draw(book, now.speaks_at - 1, REAL_ROUNDS[first])
        with pytest.raises(iso.InputError, match="not what the beacon said"):
            draw(book, now.speaks_at, REAL_ROUNDS[second])
        with pytest.raises(iso.InputError, match="however late"):
            freeze(book, now.speaks_at + 5, undrawn=True)
        draw(book, now.speaks_at, REAL_ROUNDS[first])
        later = freeze(book, timetable["first"] + 5)
        assert later.freeze["source_round"] == second
    for now, last, expected in ((1131, 1, 3), (890, 5, 6), (690, None, 0), (885, None, 1)):
        source = {"first_at": 1000, "interval_seconds": 100, "genesis": 0, "period": 3}
        group = SimpleNamespace(terms={"source": source}, last_occurrence=last)
        assert find_next_occurrence(group, now) == expected


@pytest.mark.parametrize("learner", [None, "guided"])
def test_every_page_is_made_again_from_the_record_and_the_secrets(tmp_path, learner):
    path = start(tmp_path, learner)
    write_rounds(path, 9)
    with open_record(path) as book:
        found = replay(iter_events(book), book.secrets.people)
        assert (found.exit_code, found.pages) == (0, 9)
        assert build_member_receipt(book, "Ann", AT).endswith(b"\n")


def test_a_learner_s_group_comes_and_goes(tmp_path):
    path = start(tmp_path, "guided")
    write_rounds(path, 5)
    with open_record(path) as book:
        add_member(book, "Eve")
        remove_member(book, "Bob")
        mask(book, ["b"])
        freeze(book, AT)
        assert len(book.group.open.freeze["available"]) == 2
        assert sum(len(kind["pseudonyms"]) for kind in book.group.open.freeze["types"]) == 3
        draw(book, AT)
        rate(book, "Eve", {book.group.arms[book.group.rounds[-1].played[0]]: "3"}, now=AT)
        steps_before = len(book.group.lines)
        freeze(book, AT)
        assert book.group.parsed[steps_before]["line"] == "ratings"


@pytest.mark.parametrize("learner", ["nash", "uniform", "posterior", "procedural"])
def test_a_learner_that_explores_with_everybody_s_rounds_is_refused(learner):
    with pytest.raises(iso.InputError, match="take guided"):
        validate_learner_settings(learner, {})


@pytest.mark.parametrize("setting", [{"error": 0}, {"error": 1}, {"resolution": 1}, {"explore": 0}, {"rate": "0.5"}])
def test_a_setting_out_of_its_range_is_refused(setting):
    with pytest.raises(iso.InputError, match="expected"):
        validate_learner_settings("guided", setting)


BAD_STEPS = {
    "draw before freeze": (lambda b: draw(b, AT, "123456"), "no round is open"),
    "an unknown member": (lambda b: add_key(b, "Anne"), "did you mean 'Ann'"),
    "an unknown arm": (lambda b: mask(b, ["te"]), "did you mean 'tea'"),
    "all arms masked": (lambda b: mask(b, ["tea", "soup", "pie"]), "leave at least one"),
    "a rating off the scale": (lambda b: rate(b, "Ann", {"tea": "6"}), "expected 0 to 5"),
    "a rating that is no number": (lambda b: rate(b, "Ann", {"tea": "nan"}), "not a number"),
    "a second Ann": (lambda b: add_member(b, "Ann"), "'Ann' is a member already"),
    "no name": (lambda b: add_member(b, " "), "needs a name"),
    "no form": (lambda b: freeze(b, AT), "dice need a form"),
    "a form with few outcomes": (lambda b: freeze(b, AT, form={**FORM, "count": 2}), "only 36 outcomes"),
    "an occurrence under dice": (lambda b: freeze(b, AT, occurrence=3, form=FORM), "no occurrence"),
    "an event that is too long": (lambda b: freeze(b, AT, event="x" * 81, form=FORM), "81 characters"),
    "a key that is none": (lambda b: add_key(b, "Ann", public="zz"), "64 hexadecimal"),
}


@pytest.mark.parametrize("name", BAD_STEPS)
def test_a_bad_step_is_refused_and_nothing_is_written(made, name):
    path = made()
    before = read_all_files(path)
    call, sentence = BAD_STEPS[name]
    with open_record(path) as book, pytest.raises(iso.InputError, match=sentence):
        call(book)
    assert read_all_files(path) == before


@pytest.mark.parametrize("value", ["12345678", "1 2 3", "12345678x", "", "１２３４５６１２３", "7,1,1,1,1,1,1,1,1"])
def test_a_throw_must_fit_its_form(made, value):
    path = made()
    with open_record(path) as book:
        freeze(book, AT, form=FORM)
        head = book.group.head
        with pytest.raises(iso.InputError, match="9 numbers from 1 to 6"):
            draw(book, AT, value)
        assert book.group.head == head


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: b"{}\n",
        lambda data: data.replace(b'"salt":"', b'"salt":"0'),
        lambda data: data.replace(b'"name":"Ann"', b'"name":"Eve"'),
        lambda data: b"\xff" + data,
    ],
)
def test_damaged_secrets_get_a_sentence(made, damage):
    path = made()
    secrets = path.parent / "lunch.record.secrets"
    secrets.write_bytes(damage(secrets.read_bytes()))
    with pytest.raises(iso.FileError, match=r"damaged|does not open member"), open_record(path):
        pass


def test_secrets_of_another_record_and_missing_ones_get_a_sentence(made, tmp_path):
    path = made()
    with open_record(path) as book:
        freeze(book, AT, form=FORM)
    other = tmp_path / "other"
    other.mkdir()
    start(other, None)
    secrets = path.parent / "lunch.record.secrets"
    secrets.write_bytes((other / "calm.record.secrets").read_bytes())
    with pytest.raises(iso.FileError, match="another record"), open_record(path):
        pass
    secrets.unlink()
    with pytest.raises(iso.FileError, match="no such file"), open_record(path):
        pass


def test_files_that_cannot_be_read_get_a_sentence(made):
    path = made()
    with pytest.raises(iso.FileError, match="has no lines yet; its first freeze begins the record"):
        load_record(path)
    with pytest.raises(iso.FileError, match="cannot read"):
        load_record(path.parent)
    with open_record(path) as book:
        told = {"member": 0, "round": 9, "slot": 0, "at": AT, "signature": None, "key": None, "values": {"0": "1"}}
        book.secrets.private_events.append({"line_count": 0, "at": AT, "kind": "rate", "body": told})
        book.save()
    with pytest.raises(iso.FileError, match="it rates a round that never was"), open_record(path):
        pass


def test_a_second_writer_is_refused(made):
    path = made()
    with open_record(path), pytest.raises(iso.FileError, match="someone else"), open_record(path):
        pass


def test_nothing_is_overwritten(made):
    path = made()
    before = read_all_files(path)
    with pytest.raises(iso.FileError, match="exists already"):
        made()
    assert read_all_files(path) == before


def test_a_line_that_was_cut_off_is_as_if_it_had_never_begun(made):
    path = made("rehearsal")
    with open_record(path) as book:
        freeze(book, AT)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.warns(iso.IsegoriaWarning, match="cut off"), open_record(path) as book:
        freeze(book, AT)
    assert path.read_bytes() == whole


def test_a_full_disk_leaves_the_record_as_it_was(made, monkeypatch):
    path = made("rehearsal")
    before = path.read_bytes()
    real = os.write

    def half(descriptor, data):
        real(descriptor, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with open_record(path) as book:
        monkeypatch.setattr(os, "write", half)
        with pytest.raises(iso.FileError, match="no space left"):
            freeze(book, AT)
        monkeypatch.undo()
    assert path.read_bytes() == before


@pytest.mark.parametrize(("learner", "rounds"), [(None, 12), ("guided", 8)])
def test_a_killed_writer_loses_nothing(tmp_path, learner, rounds):
    outcome = run_with_kills(tmp_path, 8, rounds, learner)
    assert (outcome.kills, outcome.same) == (8, True)

"""The record: lines in order, nothing out of turn, and the same bytes whoever keeps them."""

import pytest

import isegoria as iso
from isegoria.record import fixing
from isegoria.record.format import lines
from isegoria.record.format.lines import voice_of
from isegoria.record.group import Group
from record.records import Scribe, good_record


@pytest.mark.parametrize("number", range(10))
def test_a_record_is_read_as_it_was_written(number):
    sample = good_record(number)
    again = Group.from_bytes(sample.data)
    assert again.lines == sample.scribe.record.lines
    assert again.head == sample.scribe.record.head
    assert [one.state for one in again.rounds] == [one.state for one in sample.scribe.record.rounds]


def test_steps_change_nothing_and_a_copy_goes_its_own_way():
    scribe = Scribe(1, "rehearsal")
    twin = scribe.record.snapshot()
    scribe.freeze()
    assert twin.open is None
    twin.append(lines.close(twin))
    assert not scribe.record.ended
    before = scribe.record.head
    lines.void(scribe.record, 1, "never appended")
    assert scribe.record.head == before
    assert scribe.record.open.number == 1


def test_every_member_holds_exactly_her_units_and_balls_name_voices():
    scribe = Scribe(2, "rehearsal", members=7, weights=[1, 2, 1, 1, 3, 1, 1])
    scribe.freeze()
    freeze = scribe.record.open.freeze
    assert all(sum(kind["units"]) == kind["weight"] * 3724680960 for kind in freeze["types"])
    scribe.draw()
    drawn = scribe.record.rounds[0].draw
    voices = [voice_of(freeze, ball) for ball in drawn["balls"]]
    assert [arm for arm, _ in voices] == drawn["arms"]
    assert all(name in {who for kind in freeze["types"] for who in kind["who"]} for _, name in voices)


def test_small_units_are_drawn_as_the_charter_says():
    scribe = Scribe(3, "rehearsal", units=60, block=5)
    scribe.freeze()
    assert sum(scribe.record.open.freeze["voices"]) == 300
    scribe.draw()
    assert len(scribe.record.rounds[0].draw["balls"]) == 5


def test_exploration_is_what_the_charter_allows_and_divides_evenly():
    for number in range(12):
        record = good_record(number, kind="rehearsal").scribe.record
        for one in record.rounds:
            explore = one.freeze["explore"]
            assert all(units % one.freeze["block"] == 0 for units in explore)
            assert 5 * sum(explore) <= sum(explore) + sum(one.freeze["voices"])
            assert len(set(explore) - {0}) <= 1


OUT_OF_TURN = {
    "a second freeze": (lambda s: s.freeze(), "round 1 is still open"),
    "a commit under dice": (lambda s: lines.commit(s.record, 0, "0" * 64), "not the group"),
    "a reveal under dice": (lambda s: lines.reveal(s.record, 0, bytes(32), None), "not the group"),
    "an amendment": (lambda s: lines.amend(s.record, "title", "x", "y"), "round 1 is still open"),
    "closing": (lambda s: lines.close(s.record), "round 1 is still open"),
    "rating what was not drawn": (lambda s: lines.ratings(s.record, 1, [b"{}"]), "has not been drawn"),
    "overriding what was not drawn": (lambda s: lines.override(s.record, 1, 0, 0, "x"), "has not been drawn"),
    "a stranger": (lambda s: lines.witness(s.record, 99, 1, None), "member 99 is not on the roster"),
    "a wrong signature": (lambda s: lines.witness(s.record, 0, 1, bytes(64)), "signature of member 0 is wrong"),
    "too few digits": (lambda s: lines.draw(s.record, b"12345"), "6 to 200 digits"),
    "no digits": (lambda s: lines.draw(s.record, b"1234x6"), "6 to 200 digits"),
    "no value": (lambda s: lines.draw(s.record, None), "needs what its source said"),
    "a second charter": (lambda s: s.take(s.record.lines[0]), "prev"),
}


@pytest.mark.parametrize("name", OUT_OF_TURN)
def test_a_step_out_of_turn_gets_a_sentence_and_changes_nothing(name):
    scribe = Scribe(4, "dice")
    scribe.freeze()
    head = scribe.record.head
    call, sentence = OUT_OF_TURN[name]
    with pytest.raises(iso.InputError, match=sentence):
        call(scribe)
    assert scribe.record.head == head


def test_between_rounds_there_is_nothing_to_witness_reveal_draw_or_void():
    scribe = Scribe(5, "group")
    for call in (
        lambda: lines.witness(scribe.record, 0, 1, None),
        lambda: lines.reveal(scribe.record, 0, bytes(32), None),
        lambda: lines.draw(scribe.record, b"x"),
        lambda: lines.void(scribe.record, 1, "x"),
    ):
        with pytest.raises(iso.InputError, match="no round is open"):
            call()
    with pytest.raises(iso.InputError, match="nobody has committed"):
        lines.freeze(scribe.record, fixing.known(scribe.record, list(scribe.people.values()), scribe.ratings))


def test_who_everyone_has_heard_cannot_be_voided():
    scribe = Scribe(6, "group", members=2)
    scribe.freeze()
    scribe.reveal(0)
    lines.void(scribe.record, 1, "one is missing")
    scribe.reveal(1)
    with pytest.raises(iso.InputError, match="must be drawn"):
        lines.void(scribe.record, 1, "all have spoken")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda entries: entries[:-1], "come last"),
        (lambda entries: [{**entries[0], "weight": 2}, *entries[1:]], "come last"),
        (lambda entries: [None] * len(entries), "nobody would be on the roster"),
        (lambda entries: [entries[0], {**entries[1], "key": entries[0]["key"]}, *entries[2:]], "one key"),
    ],
)
def test_a_roster_follows_from_the_one_before(change, sentence):
    scribe = Scribe(7, "dice")
    with pytest.raises(iso.InputError, match=sentence):
        lines.roster(scribe.record, change(scribe.entries()))


def test_a_cut_or_empty_file_is_refused():
    data = good_record(0).data
    for cut, sentence in ((data[:-1], "cut off"), (b"", "empty"), (data[:200] + b"\n", "canonical")):
        with pytest.raises(iso.InputError, match=sentence):
            Group.from_bytes(cut)


def test_every_flip_of_a_line_but_the_last_breaks_the_chain():
    data = bytearray(good_record(1).data)
    end = data[:-1].rfind(b"\n")
    for place in range(0, end, 97):
        data[place] ^= 1
        with pytest.raises(iso.InputError):
            Group.from_bytes(bytes(data))
        data[place] ^= 1

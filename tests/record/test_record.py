"""The record: lines in order, nothing out of turn, and what the writer writes holds for a stranger."""

import pytest
from record_maker import words

import isegoria as iso
from isegoria.record.actions import members, rounds
from isegoria.record.format import lines
from isegoria.record.format.canonical_json import SAFE_INTEGER_LIMIT
from isegoria.record.format.head_words import encode_words
from isegoria.record.format.lines import locate_voice
from isegoria.record.format.voice_units import UNITS_PER_VOICE, build_exploring_row, compute_units_per_voice
from isegoria.record.freeze import compute_gap
from isegoria.record.state.group import Group
from record.record_factory import RecordBuilder, forge_statement, make_record, prove_key


@pytest.mark.parametrize("number", range(6))
def test_a_record_is_read_as_it_was_written(number):
    sample = make_record(number, rounds_=2)
    group, again = sample.keeper.group, Group.from_bytes(sample.data)
    assert (again.lines, again.head, again.record) == (group.lines, group.head, group.record)
    assert [one.state for one in again.rounds] == [one.state for one in group.rounds]
    assert [one.early for one in again.rounds] == [one.early for one in group.rounds]


def verdict(keeper, path, **asked):
    path.write_bytes(keeper.bytes())
    head = keeper.group.record.hex()
    return iso.verify(path, trust="members", head=head, now=keeper.now, **asked)


@pytest.mark.parametrize("source", ["dice", "commit_reveal"])
def test_what_everyone_signed_is_proved(source, tmp_path):
    keeper = RecordBuilder(1, source)
    keeper.whole_round()
    found = verdict(keeper, tmp_path / "r")
    assert (found.exit_code, found.beta) == (0, 1)
    assert found.words == words(keeper.group.head.hex()) == encode_words(keeper.group.head)


def test_line_two_binds_everyone_and_every_key_there_is(tmp_path):
    keeper = RecordBuilder(2, "dice")
    assert keeper.bytes() == b""
    keeper.join()
    keeper.freeze()
    kinds = [said["line"] for said in keeper.group.parsed]
    assert kinds == ["charter", "roster", "freeze"]
    entries = keeper.group.parsed[1]["members"]
    assert [entry["organiser"] for entry in entries] == [1, 0, 0, 0, 0]
    assert [entry["key"] is None for entry in entries] == [True, False, False, False, False]
    assert keeper.group.record == keeper.group.hashes[1]


def test_changes_of_people_are_gathered_into_one_line():
    keeper = RecordBuilder(3, "rehearsal")
    keeper.whole_round()
    keeper.join()
    keeper.leave(2)
    keeper.key(1)
    assert keeper.group.parsed[-1]["line"] == "statement"
    keeper.freeze()
    assert [said["line"] for said in keeper.group.parsed[-2:]] == ["roster", "freeze"]
    assert [bool(entry) for entry in keeper.group.roster["members"]] == [True, True, False, True, True]


def test_a_link_issued_again_takes_the_key_and_keeps_the_ballot_secret(tmp_path):
    keeper = RecordBuilder(4, "rehearsal", privacy="open")
    keeper.whole_round()
    old = keeper.receipt(1)
    keeper.act(members.reissue_link, body={"member": 1})
    del keeper.devices[1]
    keeper.freeze()
    keeper.draw()
    found = verdict(keeper, tmp_path / "r")
    assert any("keys replaced: 1." in one for one in found.notes)
    (tmp_path / "old").write_bytes(old)
    assert iso.verify(tmp_path / "r", receipt=tmp_path / "old").exit_code == 3
    (tmp_path / "new").write_bytes(keeper.receipt(1))
    found = iso.verify(tmp_path / "r", receipt=tmp_path / "new")
    assert any("with one row in each of their rounds: 2." in one for one in found.proved)


def test_a_key_that_nobody_proved_to_hold_is_refused():
    keeper = RecordBuilder(4, "rehearsal")
    key, proof = keeper.devices[1].key, prove_key(keeper.group, 2, keeper.devices[1].seed)
    for number, body in ((2, {"key": keeper.devices[3].key, "proof": proof}), (1, {"key": "00" * 32, "proof": proof})):
        with pytest.raises(iso.InputError, match=r"not proved|could ever sign"):
            keeper.act(members.register_key, number, body)
    assert keeper.group.members[1]["key"] == key


def test_a_member_who_is_away_rests_and_a_member_by_hand_counts(tmp_path):
    keeper = RecordBuilder(8, "rehearsal", privacy="open", resting=1)
    keeper.act(members.set_away, body={"member": 2, "until": keeper.now + 5000})
    keeper.act(members.set_by_hand, body={"member": 3, "by_hand": 1})
    del keeper.devices[3]
    keeper.whole_round()
    assert [len(one["pseudonyms"]) for one in keeper.group.last.freeze["absent"]] == [1]
    played = set(keeper.group.last.played)
    assert keeper.group.member_state(2, keeper.now) == ("away", None, keeper.group.away[2])
    assert keeper.group.member_state(3, keeper.now)[0] == "by_hand"
    keeper.now += 2 * 86_400
    keeper.whole_round()
    assert keeper.group.last.freeze["absent"] == []
    assert played == {0, 1, 2} or not played & set(keeper.group.last.freeze["available"])
    (tmp_path / "receipt").write_bytes(keeper.receipt(2))
    (tmp_path / "record").write_bytes(keeper.bytes())
    found = iso.verify(tmp_path / "record", receipt=tmp_path / "receipt")
    assert "Their share rested in rounds 1." in found.proved
    assert "Members by hand, whose answers the organiser enters: 3." in found.notes


def test_a_member_who_joins_is_promised_a_part(tmp_path):
    keeper = RecordBuilder(9, "rehearsal")
    keeper.whole_round()
    number = keeper.join()
    (tmp_path / "receipt").write_bytes(keeper.receipt(number))
    (tmp_path / "record").write_bytes(keeper.bytes())
    found = iso.verify(tmp_path / "record", receipt=tmp_path / "receipt")
    assert any("nothing of theirs is in a round yet; they take part from round 2." in one for one in found.proved)
    keeper.act(members.remove_member, body={"member": number})
    keeper.devices.pop(number)
    keeper.whole_round()
    (tmp_path / "record").write_bytes(keeper.bytes())
    found = iso.verify(tmp_path / "record", receipt=tmp_path / "receipt")
    assert found.exit_code == 1
    assert "was promised a part from round 2, and is not on its roster" in found.sentence


def test_nobody_takes_part_where_everybody_is_away():
    keeper = RecordBuilder(10, "rehearsal", members=2)
    for number in range(2):
        keeper.act(members.set_away, body={"member": number, "until": None})
    with pytest.raises(iso.InputError, match="takes part in round 1"):
        keeper.freeze()


def test_units_are_the_finest_that_fit_and_every_row_adds_up():
    keeper = RecordBuilder(5, "rehearsal", members=7, weights=[1, 2, 1, 1, 3, 1, 1])
    keeper.freeze()
    freeze = keeper.group.open.freeze
    assert freeze["units"] == compute_units_per_voice(10) == 900_717_248_471_040
    assert all(sum(kind["units"]) == kind["weight"] * freeze["units"] for kind in freeze["types"])
    assert compute_gap(freeze["types"], freeze["units"]) < 1e-11
    keeper.draw()
    drawn = keeper.group.rounds[0].draw
    named = [locate_voice(freeze, ball) for ball in drawn["balls"]]
    assert [arm for arm, _ in named] == drawn["arms"]
    assert all(name in {who for kind in freeze["types"] for who in kind["pseudonyms"]} for _, name in named)


@pytest.mark.parametrize("weight", [1, 10, 999, 2_418_247])
def test_units_fit_into_exact_numbers(weight):
    units = compute_units_per_voice(weight)
    assert units % UNITS_PER_VOICE == 0
    assert weight * units < SAFE_INTEGER_LIMIT
    assert weight * (units + UNITS_PER_VOICE) >= SAFE_INTEGER_LIMIT


def test_a_group_too_large_for_exact_numbers_is_refused():
    with pytest.raises(iso.InputError, match="too large"):
        compute_units_per_voice(2_418_248)


@pytest.mark.parametrize(
    ("arms", "held", "leader", "total"), [(4, [0, 1, 3], 1, 10), (5, [0, 1, 2, 4], 4, 7), (2, [1], 1, 9)]
)
def test_a_doubter_spends_her_own_units_by_the_rule(arms, held, leader, total):
    from fractions import Fraction

    for explore in (Fraction(1, 4), Fraction(1, 3), Fraction(1)):
        row = build_exploring_row(arms, held, leader, total, explore)
        each = total * explore / max(len(held) - 1, 1)
        assert sum(row) == total
        assert all(row[k] == 0 for k in range(arms) if k not in held)
        if len(held) > 1:
            assert all(abs(row[k] - (total * (1 - explore) if k == leader else each)) < 1 for k in held)


OUT_OF_TURN = {
    "a commit under dice": (
        lambda k: (
            k.slip(1, "commit")
            and k.act(rounds.add_statement, body=forge_statement(k, 1, kind="commit", value="0" * 64))
        ),
        "not the members",
    ),
    "a reveal under dice": (
        lambda k: k.act(rounds.add_statement, body=forge_statement(k, 1, kind="reveal", value="0" * 64)),
        "no round under commit_reveal",
    ),
    "rating what was not drawn": (lambda k: lines.build_ratings_line(k.group, 1, [b"{}"]), "has not been drawn"),
    "a stranger": (
        lambda k: k.act(rounds.add_statement, body={**forge_statement(k, 1), "member": 99}),
        "member 99 is not on the roster",
    ),
    "no key": (lambda k: k.act(rounds.add_statement, body={**forge_statement(k, 1), "member": 0}), "has no key"),
    "another's signature": (
        lambda k: k.act(rounds.add_statement, body={**forge_statement(k, 1), "member": 2}),
        "did not sign",
    ),
    "another history": (
        lambda k: k.act(rounds.add_statement, body=forge_statement(k, 1, head="0" * 64)),
        "another history",
    ),
    "lines to come": (lambda k: k.act(rounds.add_statement, body=forge_statement(k, 1, size=99)), "another history"),
    "a throw that does not fit": (
        lambda k: k.act(rounds.add_statement, body=forge_statement(k, 1, kind="dice", value=b"7.".hex())),
        "expected|asks for",
    ),
    "too few dice": (lambda k: k.act(rounds.draw, body={"value": "1,2,3"}), "asks for"),
    "a second charter": (lambda k: k.group.append(k.group.lines[0]), "prev"),
    "a slot that is not there": (lambda k: k.override(1, 9, "pizza"), "slots 0 to"),
    "a round that is not there": (lambda k: k.override(2, 0, "pizza"), "has not been frozen"),
    "a freeze that leaves a round": (lambda k: k.freeze(), "never drawn"),
}


@pytest.mark.parametrize("name", OUT_OF_TURN)
def test_a_step_out_of_turn_gets_a_sentence_and_changes_nothing(name):
    keeper = RecordBuilder(6, "dice")
    keeper.freeze()
    head = keeper.group.head
    call, sentence = OUT_OF_TURN[name]
    with pytest.raises(iso.InputError, match=sentence):
        call(keeper)
    assert keeper.group.head == head


def test_sizes_ascend_and_nothing_is_said_twice():
    keeper = RecordBuilder(7, "dice")
    keeper.freeze()
    first = forge_statement(keeper, 1)
    keeper.sign([2])
    later = forge_statement(keeper, 1)
    keeper.act(rounds.add_statement, body=later)
    for slip in (first, later):
        with pytest.raises(iso.InputError, match="said this before, or something of a later line"):
            keeper.act(rounds.add_statement, body=slip)


def test_a_round_that_is_left_is_never_drawn_and_costs_the_next_its_proof(tmp_path):
    keeper = RecordBuilder(8, "dice")
    keeper.freeze()
    keeper.whole_round(undrawn=True)
    keeper.whole_round()
    found = verdict(keeper, tmp_path / "r")
    assert [one["status"] for one in found.rounds] == ["undrawn", "consistent", "proved"]
    assert keeper.group.rounds[0].state == "never drawn"


def test_a_commit_of_one_who_left_stops_the_round_for_ever():
    keeper = RecordBuilder(9, "commit_reveal")
    keeper.freeze()
    keeper.sign([1], what="reveal")
    with pytest.raises(iso.InputError, match="is missing"):
        keeper.draw()
    keeper.sign([2, 3], what="reveal")
    assert len(keeper.draw()) == 4


def test_an_override_before_the_next_page_counts_as_played_a_later_one_does_not():
    keeper = RecordBuilder(10, "rehearsal", block=2)
    keeper.freeze()
    keeper.override(1, 0, "salad", by=1)
    keeper.draw()
    keeper.override(1, 1, "salad")
    keeper.freeze()
    keeper.draw()
    first = keeper.group.rounds[0]
    assert first.played == [2, 2]
    keeper.freeze()
    keeper.override(2, 0, "noodles")
    assert keeper.group.rounds[1].played == keeper.group.rounds[1].drawn


def test_nothing_follows_the_end():
    keeper = RecordBuilder(11, "rehearsal")
    keeper.whole_round()
    keeper.act(rounds.end_record)
    for call in (keeper.freeze, lambda: keeper.override(1, 0, "pizza"), keeper.sign):
        with pytest.raises(iso.InputError, match=r"ended|closed"):
            call()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda entries: [{**entries[0], "weight": 2}, *entries[1:]], "come last"),
        (lambda entries: [None] * len(entries), "nobody would be on the roster"),
        (lambda entries: [entries[0], {**entries[1], "key": entries[2]["key"]}, *entries[2:]], "one key"),
    ],
)
def test_a_roster_follows_from_the_one_before(change, sentence):
    keeper = RecordBuilder(12, "dice")
    keeper.freeze()
    with pytest.raises(iso.InputError, match=sentence):
        lines.build_roster_line(keeper.group, change(keeper.group.entries))


def test_a_cut_or_empty_file_is_refused():
    data = make_record(0, rounds_=1).data
    for cut, sentence in ((data[:-1], "cut off"), (b"", "empty"), (data[:200] + b"\n", "canonical")):
        with pytest.raises(iso.InputError, match=sentence):
            Group.from_bytes(cut)


def test_every_flip_of_a_line_but_the_last_breaks_the_chain():
    data = bytearray(make_record(1, rounds_=1).data)
    end = data[:-1].rfind(b"\n")
    for place in range(0, end, 97):
        data[place] ^= 1
        with pytest.raises(iso.InputError):
            Group.from_bytes(bytes(data))
        data[place] ^= 1


def test_every_page_is_made_again_and_a_dropped_member_is_named():
    sample = make_record(4, rounds_=3)
    found = sample.keeper.replay()
    assert (found.exit_code, found.pages) == (0, 3)
    keeper = RecordBuilder(13, "rehearsal")
    keeper.freeze()
    untold = [one for one in keeper.log if not (one[0] == "rate" and one[1]["member"] == 2)]
    keeper.log[:] = untold
    found = keeper.replay()
    assert found.exit_code == 1
    assert found.sentence.startswith("Line 3 (freeze) does not follow from what was told")

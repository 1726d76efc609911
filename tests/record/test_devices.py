"""A device signs by its rules, and the keeper takes what fits: each refusal, with a set clock."""

import os

import pytest

import isegoria as iso
from isegoria.record.actions import members, rounds
from isegoria.record.format.canonical_json import dump_canonical, parse_canonical
from isegoria.record.signing.device import Device, sign_record
from record.record_factory import LEAGUE, RecordBuilder, forge_statement, prove_key


def test_it_signs_no_second_record():
    keeper, other = RecordBuilder(1, "dice"), RecordBuilder(14, "dice")
    keeper.freeze()
    keeper.sign([1])
    other.devices[1] = keeper.devices[1]
    other.act(
        members.register_key,
        1,
        {"key": keeper.devices[1].key, "proof": prove_key(other.group, 1, keeper.devices[1].seed)},
    )
    other.freeze()
    with pytest.raises(iso.InputError, match="signed another record"):
        other.slip(1)


def test_a_fork_of_the_same_record_is_refused():
    keeper = RecordBuilder(2, "dice")
    keeper.act(rounds.write_roster)
    twin = RecordBuilder(2, "dice")
    twin.act(rounds.write_roster)
    assert twin.group.record == keeper.group.record
    keeper.freeze(event="one page")
    keeper.sign([1])
    twin.devices = dict(keeper.devices)
    twin.freeze(event="another page")
    with pytest.raises(iso.InputError, match="another history of this record, at line 3"):
        twin.slip(1)
    shorter = RecordBuilder(2, "dice")
    shorter.act(rounds.write_roster)
    shorter.devices = dict(keeper.devices)
    with pytest.raises(iso.InputError, match="another history"):
        shorter.slip(1)


def test_asked_again_it_says_the_same():
    keeper = RecordBuilder(3, "dice")
    keeper.freeze()
    first = keeper.slip(1)
    keeper.now += 30
    assert keeper.slip(1) == first
    assert len(keeper.devices[1].statements) == 1


def test_over_a_beacon_it_signs_only_until_a_minute_before_the_word():
    keeper = RecordBuilder(4, "league")
    keeper.freeze()
    speaks = keeper.group.open.speaks_at
    keeper.now = speaks - 59
    with pytest.raises(iso.InputError, match="sign again after the draw"):
        keeper.slip(1)
    keeper.now = speaks - 60
    assert keeper.slip(1)["at"] == speaks - 60
    keeper.draw()
    keeper.sign([1])


def test_a_throw_is_confirmed_once_and_only_after_the_page_was_signed():
    keeper = RecordBuilder(5, "dice")
    keeper.freeze()
    with pytest.raises(iso.InputError, match="had not signed this page"):
        keeper.slip(1, "dice", "123456123")
    keeper.sign([1, 2])
    first = keeper.slip(1, "dice", "123456123")
    with pytest.raises(iso.InputError, match="only the first one counts"):
        keeper.slip(1, "dice", "666666666")
    assert keeper.slip(1, "dice", "1,2,3,4,5,6,1,2,3") == first
    keeper.draw("666666666")
    with pytest.raises(iso.InputError, match="another throw"):
        keeper.slip(1)


def test_a_number_is_revealed_only_by_who_committed_it():
    keeper = RecordBuilder(6, "commit_reveal")
    keeper.freeze()
    keeper.devices[1] = Device(keeper.devices[1].seed)
    with pytest.raises(iso.InputError, match="has not committed"):
        keeper.slip(1, "reveal")
    assert keeper.slip(2, "reveal") == keeper.slip(2, "reveal")


def test_what_it_did_not_tell_is_asked_for_and_what_was_lost_is_red():
    keeper = RecordBuilder(7, "rehearsal")
    keeper.freeze()
    with pytest.raises(iso.InputError, match="were not told by this device"):
        keeper.slip(1, yes=False)
    keeper.draw()
    keeper.now += 60
    keeper.rate(1, {"pizza": 5})
    keeper.freeze()
    assert keeper.slip(1, yes=False)["kind"] == "seen"
    keeper.devices[2] = keeper.devices[2].remember(None, None, keeper.now - 10, ["1", "1", "1"])
    with pytest.raises(iso.InputError, match="does not hold what this device told last"):
        keeper.slip(2)
    told = keeper.devices[1].sent_ratings[-1]
    keeper.devices[1] = keeper.devices[1].remember(None, None, told["at"], ["0", "0", "0"])
    keeper.devices[1].sent_ratings.pop(-2)
    with pytest.raises(iso.InputError, match="other ratings than this device told"):
        keeper.slip(1)


def test_the_roster_must_have_its_key():
    keeper = RecordBuilder(8, "rehearsal")
    keeper.freeze()
    keeper.devices[1] = Device("11" * 32)
    with pytest.raises(iso.InputError, match="does not have this key"):
        keeper.slip(1)


def test_nothing_is_signed_before_the_record_begins_or_where_nothing_is_asked():
    keeper = RecordBuilder(17, "dice")
    receipt = {"member": 1, "ratings": []}
    with pytest.raises(iso.InputError, match="the record has not begun"):
        sign_record(keeper.devices[1], keeper.group, receipt, keeper.now)
    keeper.freeze()
    with pytest.raises(iso.InputError, match="no round under commit_reveal is open"):
        keeper.slip(1, "reveal")
    keeper.sign([1])
    with pytest.raises(iso.InputError, match="say what the dice showed"):
        keeper.slip(1, "dice")


def test_a_device_is_kept_whole(tmp_path):
    keeper = RecordBuilder(9, "commit_reveal")
    keeper.freeze()
    keeper.sign([1], what="reveal")
    keeper.devices[1].write(tmp_path / "key")
    assert Device.read(tmp_path / "key") == keeper.devices[1]
    assert os.name == "nt" or (tmp_path / "key").stat().st_mode & 0o077 == 0  # there the rights of the folder decide
    said = parse_canonical((tmp_path / "key").read_bytes()[:-1])
    (tmp_path / "key").write_bytes(dump_canonical({**said, "seed": "0"}) + b"\n")
    with pytest.raises(iso.FileError, match="not the file of a key"):
        Device.read(tmp_path / "key")


# -- the keeper --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [-61, 61])
def test_the_service_refuses_a_say_whose_clock_is_off(off):
    keeper = RecordBuilder(10, "dice")
    keeper.freeze()
    slip = forge_statement(keeper, 1, at=keeper.now + off)
    body = {key: value for key, value in slip.items() if key != "member"}
    with pytest.raises(iso.InputError, match="differ by 61 s"):
        keeper.act(rounds.submit_statement, 1, body)
    good = forge_statement(keeper, 1, at=keeper.now + off // abs(off) * 60)
    keeper.act(rounds.submit_statement, 1, {key: value for key, value in good.items() if key != "member"})


def test_nobody_signs_between_the_beacon_s_word_and_the_draw(tmp_path):
    keeper = RecordBuilder(11, "league")
    keeper.freeze()
    keeper.sign([2])
    early = keeper.slip(1)
    keeper.now = keeper.group.open.speaks_at
    late = forge_statement(keeper, 3)
    with pytest.raises(iso.InputError, match="has spoken; sign again after the draw"):
        keeper.act(rounds.submit_statement, 3, {key: value for key, value in late.items() if key != "member"})
    with pytest.raises(iso.InputError, match="--late"):
        keeper.act(rounds.add_statement, body=early)
    keeper.act(rounds.add_statement, body={**early, "late": True})
    keeper.act(rounds.add_statement, body={**late, "late": True})
    keeper.draw()
    keeper.sign()
    (tmp_path / "r").write_bytes(keeper.bytes())
    head = keeper.group.record.hex()
    (tmp_path / "chain.json").write_bytes(LEAGUE.chain_info())
    found = iso.verify(tmp_path / "r", trust="members", head=head, beacon=tmp_path / "chain.json", now=keeper.now)
    assert found.rounds[0]["early"] == 2  # the time that was signed decides, not the time of adding
    assert found.exit_code == 0


def test_a_freeze_comes_two_minutes_before_the_beacon():
    keeper = RecordBuilder(12, "league")
    first = keeper.terms("league")["first_at"]
    keeper.now = first - 3600 - 100
    with pytest.raises(iso.InputError, match="speaks in"):
        keeper.freeze(occurrence=0)
    keeper.freeze()
    assert keeper.group.open.freeze["occurrence"] == 1


def test_events_name_the_day_and_are_new_in_the_record():
    keeper = RecordBuilder(13, "rehearsal", title="Lunch " + "x" * 100)
    for _ in range(3):
        keeper.freeze(undrawn=True)
    events = [one.freeze["title"] for one in keeper.group.rounds]
    assert len(set(events)) == 3
    assert all(len(event) <= 80 for event in events)
    assert events[0].endswith("…, 2027-01-15")


def test_a_rating_given_while_away_is_not_missed():
    keeper = RecordBuilder(18, "rehearsal")
    keeper.whole_round()
    keeper.act(members.set_away, body={"member": 1, "until": None})
    keeper.now += 60
    keeper.rate(1, {"pizza": 5})
    keeper.whole_round()
    keeper.act(members.set_away, body={"member": 1, "until": 0})
    keeper.whole_round()
    assert [len(one.freeze["absent"]) for one in keeper.group.rounds] == [0, 1, 0]
    keeper.devices[1] = keeper.devices[1].remember(None, None, keeper.now - 1, ["5", "5", "5"])
    with pytest.raises(iso.InputError, match="does not hold what this device told last"):
        keeper.slip(1)

"""What a store keeps of a long group: the next process begins there, reads little, and finds what a replay finds."""

import contextlib
import json
import pickle
import threading
from base64 import b64encode
from collections import Counter
from zlib import compress

import pytest
from api_clients import SampleGroup, make_client

from isegoria.record.state import round_log as past_rounds
from isegoria.record.state import snapshot
from isegoria.service.backup.backup_file import write_backup
from isegoria.service.backup.restore_backup import restore
from isegoria.service.groups import group_snapshots, repository, voice_history
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.store import open_store
from isegoria.service.store.transaction import Transaction


@pytest.fixture
def short(monkeypatch):
    """Windows and parts that a test can fill."""
    for room, name, value in (
        (past_rounds, "RECENT_ROUNDS", 20),
        (past_rounds, "ANCHOR_INTERVAL_ROUNDS", 2),
        (past_rounds, "ARCHIVE_CHUNK_ROUNDS", 4),
        (group_snapshots, "ARCHIVE_CHUNK_ROUNDS", 4),
        (repository, "SNAPSHOT_INTERVAL_EVENTS", 24),
        (voice_history, "TALLY_SAVE_INTERVAL_ROUNDS", 8),
    ):
        monkeypatch.setattr(room, name, value)


@pytest.fixture
def store(tmp_path):
    return open_store(f"sqlite:///{tmp_path / 'groups.db'}")


def make_group_with_rounds(client, rounds, lunch=None, **changes):
    """A group that has decided so often."""
    lunch = lunch or SampleGroup(client, **changes)
    for number in range(rounds):
        lunch["Ann"].rate({"Thai": number % 6, "Pizza": 5})
        lunch["Bob"].rate({"Salad": None if number % 5 == 3 else 5})
        lunch.decide()
    return lunch


def wait_for_background_work(client):
    """Wait until nothing is being kept any more: every thread that writes has come to the same point."""
    service = client.app.state.service
    barrier = threading.Barrier(service.settings.threads)
    for one in [service.writers.hand(barrier.wait, 30) for _ in range(service.settings.threads)]:
        one.result()


def collect_responses(lunch):
    """All that members and others are told of a group."""
    found = [lunch["Ann"].get(path).content for path in ("voice", "receipt", "receipt?last=3", "")]
    return [*found, lunch.organiser.get("export").content, lunch.nobody.get("calendar.ics").status_code, lunch.record()]


def reopen_group(store, lunch, client):
    """The same group as another process finds it."""
    lunch.client = client
    for one in (lunch.organiser, lunch.nobody, *lunch.members.values()):
        one.client = client
    return lunch


def count_store_reads(monkeypatch):
    """What is read of the store from now on, by what it is: events, lines, parts of the past, counts."""
    found = Counter()

    def counting(name, size):
        asked = getattr(Transaction, name)

        def counts(self, *arguments):
            answer = asked(self, *arguments)
            found[name] += size(answer)
            return answer

        monkeypatch.setattr(Transaction, name, counts)

    counting("events", len)
    for name in ("line_behind", "body_behind", "kept"):
        counting(name, lambda answer: 1)
    return found


@pytest.mark.parametrize("rounds", [30, 60])
def test_a_first_look_after_a_restart_reads_as_little_however_long_the_group_is(short, store, monkeypatch, rounds):
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, rounds)
        assert lunch["Ann"].get("voice").status_code == 200
        wait_for_background_work(client)
        client.app.state.service.groups.keep(lunch.group)
        make_group_with_rounds(client, 5, lunch)  # what came since
        wait_for_background_work(client)
        before = collect_responses(lunch)
    with make_client(store) as client, monkeypatch.context() as patch:
        reopen_group(store, lunch, client)
        found = count_store_reads(patch)
        voice = lunch["Ann"].get("voice").content
        assert voice == before[0]
        assert 0 < found["events"] < repository.SNAPSHOT_INTERVAL_EVENTS + 8  # of some 140 or 260
        assert found["kept"] <= 4  # the group, and the part with the last round that was counted
        assert found["line_behind"] == found["body_behind"] == 0
        state = client.app.state.service.groups._cached[lunch.group].group
        assert len(state.rounds) == rounds + 5
        assert len(state.rounds.here) <= past_rounds.RECENT_ROUNDS + past_rounds.ARCHIVE_CHUNK_ROUNDS + 6
        assert collect_responses(lunch) == before
    with store.writing() as session:
        session._run("DELETE FROM kept", ())
        session._run("DELETE FROM counts", ())
    with make_client(store) as client:
        assert collect_responses(reopen_group(store, lunch, client)) == before  # by a replay of the whole log


@pytest.mark.parametrize("changes", [{"learner": "guided"}, {"turns": {"mode": "lottery"}}], ids=["learner", "turns"])
def test_learners_and_turns_are_taken_up_too(short, store, monkeypatch, changes):
    with make_client(store) as client:
        lunch = SampleGroup(client, **changes)
        for number in range(30):
            if "learner" in changes:
                for due in lunch["Ann"].get().json()["you"]["to_rate"][:2]:
                    lunch["Ann"].rate({due["arm"]: number % 6}, due["round"], due["slot"])
            else:
                lunch["Ann"].rate({"Thai": number % 6, "Pizza": 5})
            lunch.decide()
        client.app.state.service.groups.keep(lunch.group)
        before = collect_responses(lunch)
    with make_client(store) as client, monkeypatch.context() as patch:
        found = count_store_reads(patch)
        assert collect_responses(reopen_group(store, lunch, client)) == before
        assert (
            client.app.state.service.groups._cached[lunch.group].group.rounds.away >= past_rounds.ARCHIVE_CHUNK_ROUNDS
        )
        assert found["events"] == 0
        reopen_group(store, lunch, client).decide()
    with store.writing() as session:
        session._run("DELETE FROM kept", ())
    with make_client(store) as client:
        later = collect_responses(reopen_group(store, lunch, client))
        assert later[-1].startswith(before[-1])


def test_a_round_of_long_ago_can_still_be_overridden(short, store):
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 30)
        client.app.state.service.groups.keep(lunch.group)
        answer = lunch.organiser.post("override", {"round": 2, "slot": 0, "arm": "Salad", "reason": "closed"})
        assert answer.status_code in (200, 201), answer.text
        again_ = lunch.organiser.post("override", {"round": 2, "slot": 0, "arm": "Thai", "reason": "closed"})
        assert again_.status_code == 409
        client.app.state.service.groups.keep(lunch.group)
    with make_client(store) as client:
        state = reopen_group(store, lunch, client).organiser.get("export").json()
        assert state["rounds"][1]["slots"][0]["reason"] == "closed"
        refused = lunch.organiser.post("override", {"round": 2, "slot": 0, "arm": "Thai", "reason": "closed"})
        assert refused.status_code == 409


def load_snapshot_rows(store, group):
    with store.reading() as session:
        places = [row[0] for row in session._run("SELECT place FROM kept WHERE grp = ?", (group,))[0]]
        return {place: session.kept(group, snapshot.SNAPSHOT_VERSION, place)[1] for place in places}


def write_snapshot_row(store, group, place, text, seals=True):
    """Put a text in the place of a stored snapshot, sealed as if this server had written it."""
    with store.writing() as session:
        seq, program = session._run("SELECT seq, program FROM kept WHERE grp = ? AND place = ?", (group, place))[0][0]
        if seals:
            session.keep(group, program, place, seq, 0, text)
        else:
            session._run("UPDATE kept SET state = ? WHERE grp = ? AND place = ?", (text, group, place))


def test_what_is_erased_is_in_no_copy(short, address):
    store = open_store(address)
    with make_client(store) as client:
        lunch, keeper = make_group_with_rounds(client, 26), client.app.state.service.groups
        lunch.organiser.post("coorganisers", {"name": "Zacharias Quux"})
        assert lunch["Ann"].get("voice").status_code == 200
        wait_for_background_work(client)
        keeper.keep(lunch.group)
        with store.reading() as session:
            assert session.count(lunch.group, 0) is not None
        state = snapshot.load_group(load_snapshot_rows(store, lunch.group)[-1], keeper._cached[lunch.group].fresh())
        assert state.coorganisers == {1: "Zacharias Quux"}
        assert state.names == {}
        assert lunch.organiser.post("coorganisers/dismiss", {"number": 1}).status_code == 200
        wait_for_background_work(client)
        for text in load_snapshot_rows(store, lunch.group).values():
            assert b"Quux" not in snapshot.zlib.decompress(snapshot.b64decode(text))
        assert lunch.organiser.post("people/erase", {"member": 0}).status_code == 200
        with store.reading() as session:
            assert session.count(lunch.group, 0) is None
        wait_for_background_work(client)
        assert -1 in load_snapshot_rows(store, lunch.group)  # it is kept again, without her
        counts = group_snapshots.DatabaseTallyStore(lunch.group, store, client.app.state.service.later)
        person = repository._to_person(
            repository.PersonRow(0, "Ann", json.dumps({"secret": "ab" * 32, "salt": "00"})), 1
        )
        counts._write(person, "{}")  # counted just before, and late
        with store.reading() as session:
            assert session.count(lunch.group, 0) is None


@pytest.mark.parametrize("few", [3, 2])
def test_in_a_small_group_who_never_looked_waits_for_little_too(short, store, monkeypatch, few):
    monkeypatch.setattr("isegoria.service.groups.voice_tallies.SMALL_GROUP_MEMBERS", few)
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 40)
        client.app.state.service.groups.keep(lunch.group)
        wait_for_background_work(client)
    with make_client(store) as client, monkeypatch.context() as patch:
        found = count_store_reads(patch)
        assert reopen_group(store, lunch, client)["Cem"].get("voice").json()["silent"] >= 40
        assert (found["kept"] <= 3) == (few == 3)  # the group and one part of its past; else every part


def test_whoever_counts_a_long_voice_holds_nobody_up(store, monkeypatch):
    free, take = [], voice_history.VoiceTally.take
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 3)
        lock = client.app.state.service.groups._cached[lunch.group].lock

        def taking(*arguments):
            other = threading.Thread(target=lambda: free.append(lock.acquire(timeout=5)) or lock.release())
            other.start()
            other.join()
            return take(*arguments)

        monkeypatch.setattr(voice_history.VoiceTally, "take", taking)
        assert lunch["Ann"].get("voice").status_code == 200
        assert client.get(f"/g/{lunch.group}/voice", headers=lunch["Ann"].headers(None)).status_code == 200
    assert len(free) >= 3
    assert all(free)


def test_whoever_keeps_a_group_holds_no_reader_up(store, monkeypatch):
    with make_client(store) as client:
        lunch, looked, keeper = make_group_with_rounds(client, 3), [], client.app.state.service.groups
        of = group_snapshots.GroupSnapshot.of

        def slowly(group):
            reader = threading.Thread(target=lambda: looked.append(lunch.nobody.get().status_code))
            reader.start()
            reader.join(20)
            return of(group)

        monkeypatch.setattr(group_snapshots.GroupSnapshot, "of", slowly)
        keeper.keep(lunch.group)
        assert looked == [200]
        assert keeper._cached[lunch.group].kept > 0


def test_a_group_that_is_restored_under_a_running_server_is_read_anew(short, store, tmp_path):
    with make_client(store) as client:
        lunch, keeper = make_group_with_rounds(client, 30), client.app.state.service.groups
        keeper.keep(lunch.group)
        before = collect_responses(lunch)
        write_backup(store, tmp_path / "all.backup")
        with store.writing() as session:
            session.remove_group(lunch.group)
        restore(store, tmp_path / "all.backup")
        client.app.state.service.voices.cache.clear()
        assert keeper._cached[lunch.group].group.rounds.away
        keeper._cached[lunch.group].archive.forget()
        answers = [lunch["Ann"].get("voice").status_code for _ in range(2)]
        assert answers in ([503, 200], [200, 200])
        assert collect_responses(lunch) == before


@pytest.mark.parametrize("harm", ["code", "cut", "large", "other", "class", "unsealed", "past"])
def test_a_copy_that_cannot_be_read_is_not_used_and_runs_nothing(short, store, tmp_path, harm, caplog, monkeypatch):
    class Code:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 26)
        other = make_group_with_rounds(client, 3)
        client.app.state.service.groups.keep(lunch.group)
        client.app.state.service.groups.keep(other.group)
        before = collect_responses(lunch)
    texts = {
        "code": b64encode(compress(pickle.dumps(Code()))).decode(),
        "cut": load_snapshot_rows(store, lunch.group)[-1][:100],
        "large": b64encode(compress(bytes(1_000_001))).decode(),
        "other": load_snapshot_rows(store, other.group)[-1],
        "class": b64encode(compress(b'[["Group","x"],["list",[0]]]')).decode(),
        "unsealed": load_snapshot_rows(store, lunch.group)[-1],
        "past": "",
    }
    if harm == "large":
        monkeypatch.setattr("isegoria.record.state.snapshot.MAX_SNAPSHOT_BYTES", 1_000_000)
    write_snapshot_row(store, lunch.group, 0 if harm == "past" else -1, texts[harm], seals=harm != "unsealed")
    with make_client(store) as client:
        again = reopen_group(store, lunch, client)
        if harm == "past":
            with contextlib.suppress(RuntimeError):  # it may be found out in the middle of an answer
                again["Ann"].get("receipt")
        assert collect_responses(again) == before
    assert not (tmp_path / "ran").exists()
    assert harm == "other" or "not used" in caplog.text


def test_copies_of_another_version_are_not_read_and_go_after_a_day(short, store, monkeypatch):
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 26)
        client.app.state.service.groups.keep(lunch.group)
        before = collect_responses(lunch)
    for module in ("groups.group_snapshots", "scheduling.retention"):
        monkeypatch.setattr(f"isegoria.service.{module}.SNAPSHOT_VERSION", "another")
    with make_client(store) as client:
        assert collect_responses(reopen_group(store, lunch, client)) == before
        service = client.app.state.service
        now = int(service.groups.clock())
        service.scheduler.retention.sweep(now)
        assert load_snapshot_rows(store, lunch.group)
        service.scheduler.retention.sweep(now + 2 * 86400)
        with store.reading() as session:
            rows = session._run("SELECT DISTINCT program FROM kept", ())[0]
        assert [row[0] for row in rows] in ([], ["another"])


def test_two_processes_share_what_one_of_them_keeps(short, address):
    store = open_store(address)
    with make_client(store) as client:
        lunch = make_group_with_rounds(client, 30)
        mine, other = client.app.state.service.groups, GroupRepository(open_store(address))
        with other.reading(lunch.group) as (state, _):
            assert len(state.rounds) == 30
        mine.keep(lunch.group)
        make_group_with_rounds(client, 6, lunch)
        with other.reading(lunch.group) as (state, _):  # it goes on from what it has
            assert [one.number for one in state.rounds] == list(range(1, 37))
        other.keep(lunch.group)
        with mine.reading(lunch.group) as (state, _):
            assert [one.number for one in state.rounds] == list(range(1, 37))
        other.store.close()

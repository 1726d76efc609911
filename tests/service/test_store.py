"""The contract of every store: what a group entrusts to it comes back, once, whole, and in order."""

import sqlite3
import threading
from pathlib import Path

import pytest
from api_clients import GroupClient, SampleGroup, make_client

from isegoria.errors import InputError
from isegoria.service.backup.backup_file import write_backup
from isegoria.service.store import (
    EventRow,
    GroupRow,
    LearnerSnapshotRow,
    PersonRow,
    ResponseRow,
    StoreError,
    TokenRow,
    open_store,
)
from isegoria.service.store.migrations import load_migrations

LUNCH = GroupRow("lunch", 100, 100, 0, 0, "0" * 64, None, "{}")


def event(seq: int, key: str = "", **fields) -> EventRow:
    return EventRow(
        **{
            "seq": seq,
            "key": key or f"rate:{seq}",
            "kind": "rate",
            "actor": "lunch:member:1",
            "at": 100 + seq,
            "body": "{}",
        }
        | fields
    )


@pytest.fixture
def lunch(store):
    with store.writing() as session:
        assert session.add_group(LUNCH)
    return LUNCH


def test_a_name_is_given_to_one_group(store, lunch):
    with store.writing() as session:
        assert not session.add_group(LUNCH._replace(made=200))
    with store.reading() as session:
        assert session.group("lunch") == LUNCH
        assert session.group("supper") is None
        assert session.groups() == ["lunch"]


def test_events_come_back_in_order_and_count(store, lunch):
    row = lunch
    with store.writing() as session:
        for seq in (1, 2, 3):
            row = session.append(row, event(seq))
    with store.reading() as session:
        assert session.group("lunch") == row
        assert (row.length, row.lines, row.touched) == (3, 0, 103)
        assert [found.seq for found in session.events("lunch", after=1)] == [2, 3]
        assert session.events("lunch")[0] == event(1)


def test_a_key_is_taken_once_and_a_line_is_followed_once(store, lunch):
    with store.writing() as session:
        row = session.append(lunch, event(1, "freeze:1", line="{}", prev="0" * 64), "a" * 64)
        assert (row.head, row.lines) == ("a" * 64, 1)
        assert session.append(row, event(2, "freeze:1")) is None
        assert session.append(row, event(2, "freeze:2", line="{}", prev="0" * 64), "b" * 64) is None
        assert session.append(row, event(1, "other")) is None
        assert session.group("lunch") == row
        assert [line for _, line in session.lines("lunch")] == ["{}"]


def test_a_transaction_that_fails_leaves_nothing(store, lunch):
    def failing() -> None:
        with store.writing() as session:
            session.append(lunch, event(1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    with store.reading() as session:
        assert session.events("lunch") == []
        assert session.group("lunch").length == 0


def test_a_statement_that_fails_is_said_in_a_sentence_and_the_store_goes_on(store, lunch):
    token = TokenRow("h", "lunch", "member", 1, 1, None)
    with pytest.raises(StoreError, match="did not take it"), store.writing() as session:
        session.add_tokens([token, token])
    with store.reading() as session:
        assert session.tokens("lunch") == []


def test_rivals_for_one_key_have_one_winner(store, lunch):
    won, lost = [], []

    def rival(number: int) -> None:
        with store.writing() as session:
            row = session.group("lunch", lock=True)
            after = session.append(row, event(row.length + 1, "freeze:1", actor=str(number)))
            (won if after else lost).append(number)

    threads = [threading.Thread(target=rival, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)
    with store.reading() as session:
        assert [found.actor for found in session.events("lunch")] == [str(won[0])]


def test_writers_queue_and_no_place_is_lost(store, lunch):
    def write(name: int) -> None:
        for number in range(20):
            with store.writing() as session:
                row = session.group("lunch", lock=True)
                assert session.append(row, event(row.length + 1, f"rate:{name}:{number}"))

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as session:
        assert [found.seq for found in session.events("lunch")] == list(range(1, 81))


def test_people_are_kept_changed_and_erased(store, lunch):
    with store.writing() as session:
        session.keep_person("lunch", PersonRow(1, "Ann", "{}"))
        session.keep_person("lunch", PersonRow(2, "Bob ☕ \u202e<b>", "{}"))
        session.keep_person("lunch", PersonRow(1, None, None))
    with store.reading() as session:
        assert session.people("lunch") == [PersonRow(1, None, None), PersonRow(2, "Bob ☕ \u202e<b>", "{}")]


def test_tokens_are_found_by_hash_and_revoked_by_person(store, lunch):
    rows = [TokenRow(f"h{number}", "lunch", "member", number, 100, None) for number in (1, 2)]
    with store.writing() as session:
        session.add_tokens(rows)
        session.used("h2", 150)
        assert session.revoke("lunch", "member", 1) == 1
    with store.reading() as session:
        assert session.token("h1") is None
        assert session.token("h2") == rows[1]._replace(used=150)
        assert [token.hash for token in session.tokens("lunch")] == ["h2"]


def test_answers_are_kept_per_actor(store, lunch):
    first, key = ResponseRow("digest", 200, "{}"), "k" * 22
    with store.writing() as session:
        assert session.keep_answer("lunch:member:1", key, first, 100)
        assert not session.keep_answer("lunch:member:1", key, first._replace(body="[]"), 101)
        assert session.keep_answer("lunch:member:2", key, first._replace(digest="other"), 102)
        assert session.keep_answer("lunch:member:3", "short", first, 103)
    with store.writing() as session:
        assert session.answer("lunch:member:1", key) == first
        assert session.answer("lunch:member:3", "short") == first._replace(body=""), "it could be guessed"
        assert session.forget_answers(102) == 1
        assert session.answer("lunch:member:1", key) is None


def test_snapshots_replace_each_other(store, lunch):
    with store.writing() as session:
        session.keep_snapshot("lunch", LearnerSnapshotRow(1, "a", "old"))
        session.keep_snapshot("lunch", LearnerSnapshotRow(2, "b", "new"))
        assert session.snapshot("lunch") == LearnerSnapshotRow(2, "b", "new")
        session.keep_snapshot("lunch", None)
        assert session.snapshot("lunch") is None


def test_the_timetable_finds_what_is_due(store, lunch):
    with store.writing() as session:
        session.add_group(LUNCH._replace(id="supper"))
        session.set_due("supper", 50)
        session.set_due("lunch", 60)
        assert session.due(49) == []
        assert session.due(60) == ["supper", "lunch"]
        session.set_due("supper", None)
        assert session.due(60) == ["lunch"]


def test_a_removed_group_leaves_nothing(store, lunch):
    with store.writing() as session:
        session.append(lunch, event(1))
        session.keep_person("lunch", PersonRow(1, "Ann", "{}"))
        session.add_tokens([TokenRow("h", "lunch", "member", 1, 1, None)])
        session.keep_answer("lunch:member:1", "k", ResponseRow("d", 200, "{}"), 1)
        session.keep_snapshot("lunch", LearnerSnapshotRow(1, "a", "s"))
        assert session.remove_group("lunch")
        assert not session.remove_group("lunch")
    with store.reading() as session:
        assert session.group("lunch") is None
        assert session.events("lunch") == session.people("lunch") == session.tokens("lunch") == []
        assert session.answer("lunch:member:1", "k") is session.snapshot("lunch") is session.token("h") is None


def test_what_was_written_is_there_after_opening_again(address):
    first = open_store(address)
    with first.writing() as session:
        session.add_group(LUNCH)
    first.close()
    second = open_store(address)
    with second.reading() as session:
        assert session.group("lunch") == LUNCH
    second.close()


def test_many_may_open_a_new_store_at_once(address):
    opened, failed = [], []

    def opening() -> None:
        try:
            opened.append(open_store(address))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=opening) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in opened:
        each.close()
    assert not failed
    assert len(opened) == 4


# -- migrations --------------------------------------------------------------------------------------------------------

OLD = Path(__file__).parent / "data" / "version-1.sql"


def run_script(store, path: Path) -> None:
    with store.writing() as session:
        for statement in path.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                session._run(statement, ())


def test_an_old_database_is_brought_up_to_date_with_all_it_holds(address, monkeypatch):
    monkeypatch.setattr("isegoria.service.store.list_pending", lambda version: [])
    monkeypatch.setattr("isegoria.service.store.Store._load_key", lambda *arguments: None)
    empty = open_store(address)
    run_script(empty, OLD)
    empty.close()
    monkeypatch.undo()
    store = open_store(address)
    assert store.migrate() == len(load_migrations())
    with store.writing() as session:
        assert session.group("lunch-old").lines == 2
        assert [found.key for found in session.events("lunch-old")] == ["charter", "roster:1", "rate:0:1:1"]
        assert [person.name for person in session.people("lunch-old")] == ["Ann", "Bob"]
        session.keep_snapshot("lunch-old", LearnerSnapshotRow(3, "head", "state"))
        assert session.due(2**40) == ["lunch-old"]
    store.close()


def test_groups_of_a_record_that_is_read_no_more_say_so_and_others_go_on(tmp_path, caplog):
    """A store of the program before, as it wrote it: schema 2, and a group whose record is of version 1."""
    path, old = tmp_path / "old.db", "lunch-nctte9"
    first = sqlite3.connect(path)
    first.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
    first.executescript((OLD.parent / "record-1.sql").read_text(encoding="utf-8"))
    first.close()
    store = open_store(f"sqlite:///{path}")
    assert store.migrate() == len(load_migrations())
    with make_client(store, retention=30) as client:
        service, passed = client.app.state.service, [0.0]
        service.groups.clock = lambda: 1_794_955_039 + passed[0]  # when it was written
        service.scheduler.monotonic = lambda: passed[0]
        ann = GroupClient(client, old, "5P_d5h7Br5xJeQgMyxtFgbZT")
        organiser = GroupClient(client, old, "rwDa44R5Aj111dWaT1Q96rou")
        asked = [ann.get(), ann.get("voice"), ann.rate({"Thai": 1}), organiser.post("freeze")]
        for answer in (*asked, client.get(f"/g/{old}")):
            assert answer.status_code == 400
            assert "version 1" in answer.text
        assert organiser.get("record").content.count(b"\n") == 4  # what is written stays readable
        assert organiser.get("export").status_code == 200
        lunch = SampleGroup(client, block=1)
        table = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "lead": 60}
        lunch.organiser.post("timetable", {"timetable": table})
        for _ in range(3 * 24):
            passed[0] += 3600
            service.scheduler.tick()
        assert lunch.organiser.get().json()["round"] >= 2
        assert 3 <= caplog.text.count(f"group {old}: a step failed") < 80  # an hour apart, and not every second
        assert service.scheduler.health["ok"]
        assert "Traceback" not in caplog.text
        assert write_backup(store, tmp_path / "all.backup") == {
            "groups": 2,
            "events": 7 + lunch_events(store, lunch.group),
        }
        for days in (31, 33):
            passed[0] = days * 86400
            service.scheduler.retention.sweep(int(service.groups.clock()))
        assert ann.get().status_code == 404  # it is not for ever: nobody used it for a month
        assert lunch.nobody.get().status_code == 200
    store.close()


def lunch_events(store, group: str) -> int:
    with store.reading() as session:
        return session.group(group).length


def test_a_newer_database_is_refused_in_a_sentence(address):
    store = open_store(address)
    with store.writing() as session:
        session._run("INSERT INTO schema_version (version) VALUES (?)", (999,))
    with pytest.raises(InputError, match=r"version 999.*install the newer"):
        store.migrate()
    store.close()


def test_migrations_are_numbered_without_a_hole():
    assert [step.number for step in load_migrations()] == list(range(1, len(load_migrations()) + 1))


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "text.db").write_text("not a database, but long enough to be looked at as one" * 10)
    with pytest.raises(StoreError, match=r"cannot open the store .*text\.db: file is not a database"):
        open_store(f"sqlite:///{tmp_path / 'text.db'}")


def test_the_file_is_for_its_owner_only_and_synced(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    assert (tmp_path / "a.db").stat().st_mode & 0o077 == 0
    connection = store._local.connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    store.close()


def test_a_database_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(StoreError, match=r"cannot open the store postgresql://ann@127\.0\.0\.1:1/x: .*refused") as told:
        open_store("postgresql://ann:hidden@127.0.0.1:1/x")
    assert "hidden" not in str(told.value)


def test_first_letters_are_counted_for_a_day(store):
    with store.writing() as session:
        limits = {"to_one": 2, "in_all": 3}
        sent = [session.add_first_letter(one, 100, **limits, since=0) for one in ("a", "a", "a", "b", "c")]
        assert sent == [True, True, False, True, False]
        assert session.add_first_letter("a", 101, **limits, since=100), "a day later"

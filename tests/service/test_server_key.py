"""The server key: what the store, its log of writes, a backup and the program's log hold, and what they do not."""

import hashlib
import json
import logging
import re

import pytest
from api_clients import GroupClient, SampleGroup, make_client
from test_mail_and_webhooks import ServiceWithDelivery, chat, close_service, postman, wait_until  # noqa: F401

from isegoria.errors import FileError, InputError
from isegoria.service.backup.backup_file import write_backup
from isegoria.service.backup.restore_backup import restore
from isegoria.service.http.tokens import make_cookie_name
from isegoria.service.store import open_store
from isegoria.service.store.server_key import load_server_key

SEED = hashlib.sha256(b"a device of Ann").digest()


def read_raw_store(store, server) -> bytes:
    """Every byte that the database has on disk, its write-ahead log included."""
    if store.address.startswith("sqlite"):
        files = sorted(store.path.parent.glob(f"{store.path.name}*"))
        return b"".join(path.read_bytes() for path in files if path.suffix != ".key")
    with store.writing() as session:
        tables = session._run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", ())[0]
        rows = [row for (name,) in tables for row in session._run(f"SELECT * FROM {name}", ())[0]]
    raw = repr(rows).encode()
    if server.given:
        return raw
    with store._connect() as connection:
        connection.execute("CHECKPOINT")
    folders = [server.home / "data" / name for name in ("base", "pg_wal")]
    return raw + b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def test_no_secret_is_in_store_backup_or_log(address, request, postman, chat, caplog, tmp_path):  # noqa: F811
    caplog.set_level(logging.DEBUG)
    server = None if address.startswith("sqlite") else request.getfixturevalue("postgres")
    with close_service(ServiceWithDelivery(address, postman, chat)) as town:
        lunch, client = town.group, town.client
        secrets = [*lunch.made["members"].values(), lunch.made["organiser"], lunch.made["join"], SEED.hex()]
        assert lunch.organiser.post("settings", {"webhook": chat.address, "results": True}).is_success
        key = lunch.key("Ann", SEED)
        assert lunch["Ann"].post("keys", key).is_success
        assert town.address(1, "bob@example.org").is_success
        town.confirm(1)
        wait_until(lambda: len(postman.letters) >= 2)
        secrets += re.findall(r"/(?:mail|stop)/([\w-]{22,})", "".join(one.get_content() for one in postman.letters))
        joined = client.post(
            f"/api/groups/{lunch.group}/join/take",
            json={"token": lunch.made["join"], "member": 2},
            headers={"idempotency-key": "join"},
        )
        secrets += [joined.cookies[make_cookie_name(lunch.group, False)]]
        client.cookies.clear()
        secrets += [lunch.organiser.post("links", {"number": 0}).json()["token"]]
        secrets += [lunch.organiser.post("coorganisers", {"name": "Wanda"}).json()["token"]]
        assert lunch["Bob"].rate({"Thai": 5}).is_success
        for hour in (11, 12.5):
            town.at(hour)
        wait_until(lambda: chat.got)
        town.service.groups.keep(lunch.group)
        with town.store.reading() as session:
            people, group = session.people(lunch.group), session.group(lunch.group)
            assert session.events(lunch.group)
        secrets += [value for row in people for value in json.loads(row.secrets).values()]
        secrets += [json.loads(group.vault)["secret"], "bob@example.org", chat.address]
        write_backup(town.store, tmp_path / "day.backup")
        raw = read_raw_store(town.store, server)
        backup = (tmp_path / "day.backup").read_bytes()
        assert b"Lunch" in raw, "what is not secret is found in this way"
        assert b"Lunch" in backup
        assert len(set(secrets)) >= 17
        others = ("httpx", "mail", "asyncio")  # what the test itself asks with, and the server that takes its letters
        log = "".join(one.getMessage() for one in caplog.records if not one.name.startswith(others))
        for secret in secrets:
            assert secret.encode() not in raw, secret
            assert secret.encode() not in backup, secret
            assert secret not in log, secret


@pytest.fixture
def kept(quick, tmp_path):
    """A group with a webhook and a drawn round, and its backup."""
    lunch = SampleGroup(quick)
    lunch["Ann"].rate({"Thai": 5})
    lunch.decide()
    store = quick.app.state.service.store
    write_backup(store, tmp_path / "b.jsonl")
    return lunch, tmp_path / "b.jsonl"


def test_restore_without_the_key_issues_links_again(kept, tmp_path):
    lunch, path = kept
    again = open_store(f"sqlite:///{tmp_path / 'again.db'}", secret_file=tmp_path / "other.key")
    with pytest.raises(FileError, match=r"another server key.*--secret-file.*--new-record"):
        restore(again, path)
    done = restore(again, path, new_record=True)
    ((old, new),) = done.renewed.items()
    assert old == lunch.group
    with make_client(again) as client:
        names = GroupClient(client, new, None).post("join", {"token": done.join_tokens[new]}).json()["people"]
        assert [one["name"] for one in names] == ["Ann", "Bob", "Cem"]
        assert GroupClient(client, new, lunch["Ann"].token).get("voice").status_code == 401


def test_a_changed_backup_is_refused_by_its_code(kept, tmp_path):
    _, path = kept
    *lines, end = path.read_bytes().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if line.startswith(b'{"token"'))
    row = json.loads(lines[place])["token"]
    lines[place] = json.dumps({"token": ["0" * 64, *row[1:]]}).encode() + b"\n"
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    path.write_bytes(b"".join(lines) + json.dumps(json.loads(end) | {"end": digest}).encode() + b"\n")
    with pytest.raises(FileError, match="was changed"):
        restore(open_store(f"sqlite:///{tmp_path / 'again.db'}"), path)


def test_a_store_opens_with_its_own_key_only(quick, tmp_path):
    SampleGroup(quick)
    address = quick.app.state.service.store.address
    with pytest.raises(InputError, match=r"another server key.*no such file.*--secret-file"):
        open_store(address, secret_file=tmp_path / "gone.key")
    assert not (tmp_path / "gone.key").exists()
    load_server_key(tmp_path / "other.key", create=True)
    with pytest.raises(InputError, match="another server key"):
        open_store(address, secret_file=tmp_path / "other.key")


def test_a_server_key_is_for_its_owner_only(tmp_path):
    path = tmp_path / "server.key"
    assert load_server_key(path, create=False) is None
    load_server_key(path, create=True)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(InputError, match="chmod 600"):
        load_server_key(path, create=True)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        load_server_key(path, create=True)


def test_a_secret_in_another_place_is_refused(quick):
    lunch, store = SampleGroup(quick), quick.app.state.service.store
    with store.writing() as session:
        (secrets,) = session._run("SELECT secrets FROM people WHERE number = 0", ())[0][0]
        session._run("UPDATE people SET secrets = ? WHERE number = 1", (secrets,))
    assert lunch["Bob"].get("receipt").status_code == 503

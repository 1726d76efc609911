"""The service for those who operate it: log, metrics, settings, errors without internals, copies before migrations."""

import contextlib
import io
import json
import logging
import os
import re
import sqlite3
import stat
import subprocess
import sys
import urllib.request

import pytest
from api_clients import LUNCH_GROUP, SampleGroup, make_client
from click.testing import CliRunner
from postgres_server import PostgresServer
from starlette.testclient import TestClient
from test_serve import fetch, start, stop  # noqa: F401
from test_store import OLD

from isegoria.cli import main
from isegoria.service.http.event_log import AccessLog, RepeatCounter, configure_logging
from isegoria.service.store import open_store
from isegoria.service.store.migrations import load_migrations

log = logging.getLogger("isegoria.service")
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@contextlib.contextmanager
def captured_log(log_format: str = "text", access: bool = False):
    """The lines that the service would write on standard error."""
    stream = io.StringIO()
    undo = configure_logging(log_format, access, stream)
    try:
        yield stream
    finally:
        undo()


def test_log_line_has_time_and_level():
    with captured_log() as stream:
        log.warning("the outbox waits: %s", "no space")
    assert re.fullmatch(rf"{TIME} WARNING isegoria\.service: the outbox waits: no space\n", stream.getvalue())


def test_json_log_is_one_object_a_line():
    with captured_log("json") as stream:
        log.info("started")
        try:
            raise ValueError("two\nlines")
        except ValueError:
            log.exception("a fault")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["level"], first["logger"], first["message"]) == ("info", "isegoria.service", "started")
    assert re.fullmatch(TIME, first["time"])
    assert second["traceback"].endswith("ValueError: two\nlines")


def test_repeated_warning_is_counted():
    with captured_log() as stream:
        for _ in range(17):
            log.warning("the store failed: disk I/O error")
        log.warning("another")
        for _ in range(2):
            log.info("news")
    messages = [line.split(": ", 1)[1] for line in stream.getvalue().splitlines()]
    assert messages == [
        "the store failed: disk I/O error",
        "another",
        "news",
        "news",
        "the store failed: disk I/O error (16 more in 60 s)",
    ]


def test_warning_is_written_again_after_its_interval():
    stream = io.StringIO()
    counter = RepeatCounter(logging.StreamHandler(stream), interval=3600)
    record = logging.LogRecord("isegoria", logging.WARNING, "", 0, "late", None, None)
    for _ in range(2):
        counter.handle(record)
    counter.pass_count(("isegoria", logging.WARNING, "late"))
    counter.handle(record)
    assert stream.getvalue().splitlines() == ["late", "late (1 more in 3600 s)", "late"]
    counter.close()


def test_access_log_has_no_tokens(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    with make_client(store) as plain:
        token = SampleGroup(plain).made["organiser"]
        client = TestClient(AccessLog(plain.app), base_url="http://localhost", client=("2001:db8:1:2:3:4:5:6", 5000))
        with captured_log("json", access=True) as stream:
            client.get(f"/calendar/{token}.ics?k={token}")
            client.get("/healthz")
        with captured_log(access=False) as silent:
            client.get("/healthz")
    missing, health = map(json.loads, stream.getvalue().splitlines())
    assert token not in stream.getvalue()
    assert (missing["path"], missing["status"]) == ("/calendar/….ics", 404)
    assert (health["method"], health["path"], health["status"]) == ("GET", "/healthz", 200)
    assert health["client"] == "2001:db8:1:2::"
    assert health["bytes"] > 20
    assert silent.getvalue() == ""


def test_serve_writes_json_and_serves_metrics(start):  # noqa: F811
    process, notes, site = start("--log-format", "json", "--access-log", "--metrics", "127.0.0.1:0")
    for line in notes.splitlines():
        assert json.loads(line)["level"] == "info"
    entry = json.loads(process.stderr.readline())
    while "metrics at" not in entry["message"]:
        entry = json.loads(process.stderr.readline())
    assert fetch(f"{site}/api/groups", LUNCH_GROUP, **{"Idempotency-Key": "key-1"})[0] == 201
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(f"{site}/metrics")
    shown = fetch(entry["message"].removeprefix("metrics at "))[1]
    assert 'isegoria_requests_total{method="POST",route="/api/groups",status="201"} 1.0' in shown
    assert 'isegoria_request_seconds_count{method="POST",route="/api/groups"} 1.0' in shown
    assert "isegoria_store_up 1.0" in shown
    assert 'isegoria_workers_in_use{pool="reads"}' in shown
    log_lines = [json.loads(line) for line in stop(process)[1].splitlines() if line.startswith("{")]
    assert [(line["path"], line["status"]) for line in log_lines] == [("/api/groups", 201), ("/metrics", 404)]


def test_lines_at_the_start_have_time_and_level(start):  # noqa: F811
    process, notes, _ = start()
    assert re.match(rf"{TIME} INFO isegoria\.service: serving on http://", notes)
    stop(process)


@pytest.mark.parametrize("address", ["9100", "here:", "127.0.0.1:99999"])
def test_bad_metrics_address_is_told(tmp_path, address):
    command = [sys.executable, "-m", "isegoria", "serve", "--port", "0", "--metrics", address]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"--metrics is '{address}'; give HOST:PORT" in done.stderr


def show_settings(*words: str, **environment: str) -> str:
    done = CliRunner().invoke(main, ["serve", *words, "--show-settings"], env=environment)
    assert done.exit_code == 0, done.output
    return done.output


def test_settings_come_from_command_line_then_environment_then_file(tmp_path):
    file = tmp_path / "isegoria.toml"
    file.write_text('host = "0.0.0.0"\nport = 9001\nretention = 30\nallow-host = ["a.example", "b.example"]\n')
    shown = show_settings("--config", str(file), "--port", "9003", ISEGORIA_PORT="9002", ISEGORIA_RETENTION="60")
    lines = shown.splitlines()
    assert "port = 9003  # command line" in lines
    assert "retention = 60  # environment" in lines
    assert 'host = "0.0.0.0"  # file' in lines
    assert 'allow-host = ["a.example", "b.example"]  # file' in lines
    assert "closed = false  # default" in lines
    assert "# smtp is not set" in lines


def test_shown_settings_are_a_file_that_gives_them_again(tmp_path):
    words = ("--port", "9003", "--closed", "--proxy", "127.0.0.1", "--site", "https://lunch.example")
    file = tmp_path / "isegoria.toml"
    file.write_text(show_settings(*words))
    again = show_settings("--config", str(file))
    assert re.sub(r"  # .*", "", again) == re.sub(r"  # .*", "", file.read_text())


def test_password_is_not_shown():
    shown = show_settings(ISEGORIA_SMTP="smtps://me:hidden@mail.example", ISEGORIA_STORE="postgresql://u:hidden@h/db")
    assert 'smtp = "smtps://me:…@mail.example"  # environment' in shown
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 1", "did you mean 'port'?"),
        ('allow-host = "a"', "allow-host in"),
        ("port = [1]", "give one value"),
        ("port = ", "is not TOML"),
        ('port = "many"', "'many' is not a valid integer"),
    ],
)
def test_bad_settings_file_is_told(tmp_path, text, words):
    file = tmp_path / "isegoria.toml"
    file.write_text(text)
    done = CliRunner().invoke(main, ["serve", "--config", str(file)])
    assert done.exit_code == 2
    assert words in done.output


def test_every_option_has_its_variable_in_the_help():
    shown = re.sub(r"\s+", " ", CliRunner().invoke(main, ["serve", "--help"]).output)
    for option in ("STORE", "ALLOW_HOST", "NO_TIMETABLE", "LOG_FORMAT", "CONFIG"):
        assert f"ISEGORIA_{option}" in shown


@pytest.mark.peers
def test_lost_database_shows_no_internals():
    server = PostgresServer(own=True)
    try:
        store = open_store(server.database())
        with captured_log() as stream, make_client(store) as client:
            group = SampleGroup(client)
            server.kill()
            answers = [client.get("/healthz"), group.organiser.get(), group["Ann"].rate({"Thai": 3})]
            for answer in answers[1:]:
                assert answer.status_code == 503
            for answer in answers:
                assert str(server.home) not in answer.text
                assert not re.search(r"port|socket|connection to", answer.text)
        assert "the store failed: " in stream.getvalue()
    finally:
        server.stop()


def test_store_is_copied_before_migration(tmp_path, caplog):
    path = tmp_path / "groups.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        old.execute("INSERT INTO schema_version (version) VALUES (1)")
        old.executescript(
            OLD.read_text(encoding="utf-8").replace(
                "CREATE TABLE schema_version", "CREATE TABLE IF NOT EXISTS schema_version"
            )
        )
        old.commit()
    store = open_store(f"sqlite:///{path}")
    store.close()
    copy = tmp_path / "groups.db.version-1"
    with contextlib.closing(sqlite3.connect(copy)) as kept, contextlib.closing(sqlite3.connect(path)) as new:
        assert kept.execute("SELECT max(version) FROM schema_version").fetchone() == (1,)
        assert new.execute("SELECT max(version) FROM schema_version").fetchone() == (len(load_migrations()),)
        assert (
            kept.execute("SELECT count(*) FROM events").fetchone()
            == new.execute("SELECT count(*) FROM events").fetchone()
        )
    if os.name == "posix":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert f"as it was it is kept as {copy}" in caplog.text
    open_store(f"sqlite:///{path}").close()
    assert sorted(each.name for each in tmp_path.glob("*version*")) == [copy.name]

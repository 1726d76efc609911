"""`isegoria serve` as a person starts it: it says where it is, keeps its secrets off the logs, and refuses in words."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement


@pytest.fixture
def start(tmp_path):
    """Starts the service in a folder of its own: the process, its notes, and its address. None outlives the test."""
    started = []

    def start(*arguments: str, files: int | None = None) -> tuple[subprocess.Popen, str, str]:
        limited = [] if files is None else ["bash", "-c", f'ulimit -n {files}; exec "$@"', "bash"]
        process = subprocess.Popen(
            [*limited, sys.executable, "-m", "isegoria", "serve", "--port", "0", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        notes = []
        for line in process.stderr:
            notes.append(line)
            if found := re.search(r"serving on (http://\S+);", line):
                return process, "".join(notes), found[1]
        raise AssertionError("".join(notes))

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def stop(process: subprocess.Popen) -> tuple[str, str]:
    """Interrupt it; on Windows, where that takes a console, end it."""
    process.terminate() if os.name == "nt" else process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)


def fetch(address: str, body: dict | None = None, **headers) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, answer.read().decode()


def test_a_rush_of_idle_sockets_takes_no_files_from_others(start):
    """Of those that come at once only some are accepted before it is asked whether there is room: nobody is a fault."""
    process, _, site = start(files=300)
    port, opened = int(site.rpartition(":")[2]), []
    try:
        process.send_signal(signal.SIGSTOP)  # so that they all come in one moment
        for _ in range(400):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
            opened.append(one)
        for number, one in enumerate(opened):
            with contextlib.suppress(OSError):
                one.send(b"GET /api/groups/a/events HTTP/1.1\r\nhost: localhost\r\n" + b"\r\n" * (number % 2))
        process.send_signal(signal.SIGCONT)
        assert fetch(f"{site}/healthz")[0] == 200
    finally:
        process.send_signal(signal.SIGCONT)
        for one in opened:
            one.close()
    _, log = stop(process)
    assert "out of system resource" not in log
    assert "Traceback" not in log


def test_it_serves_and_stops_cleanly(tmp_path, start):
    process, _, site = start()
    assert json.loads(fetch(f"{site}/healthz")[1])["status"] == "ok"
    stop(process)
    assert process.returncode in (0, 130, -2)
    assert (tmp_path / "isegoria.db").exists()


def test_no_start_link_is_printed_where_a_log_would_keep_it(start):
    process, notes, site = start("--closed")
    body = {"title": "Lunch", "arms": ["Thai"], "members": ["Ann"]}
    with pytest.raises(urllib.error.HTTPError, match="401"):
        fetch(f"{site}/api/groups", body, **{"idempotency-key": "k"})
    out, err = stop(process)
    assert "#k=" not in out + notes + err
    assert "isegoria link --start" in notes


def test_the_demonstration_lives(tmp_path, start):
    process, _, site = start("--demo")
    try:
        link = next(line for line in process.stdout if "organiser" in line).split()[1]
        group, token = re.fullmatch(r".*/g/([^#]+)#k=(\S+)", link).groups()
        state = json.loads(fetch(f"{site}/api/groups/{group}", authorization=f"Bearer {token}")[1])
        assert state["round"] == 54  # a year, and the page that was left undrawn
        assert state["plan"][-1]["date"] >= state["date"]
        assert fetch(f"{site}/example")[0] == 200
        assert len(state["people"]) == 5
    finally:
        stop(process)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, sentence in (
            (["--port", port], "take another --port"),
            (["--store", "mysql://x"], "did you mean 'sqlite'"),
            (["--store", f"sqlite:///{tmp_path}"], "cannot open the store"),
            (["--demo", "--closed"], "exclude each other"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "isegoria", "serve", *arguments], capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 2, done.stderr
            assert sentence in done.stderr
            assert done.stderr.count("\n") == 1


def closure(requirements: list[str]) -> set[str]:
    """The names of all distributions that these requirements bring here."""
    found, waiting = set(), list(requirements)
    while waiting:
        wanted = Requirement(waiting.pop())
        name = wanted.name.lower().replace("_", "-")
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += distribution(name).requires or []
    return found


def test_the_extra_is_small():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    added = closure(project["optional-dependencies"]["serve"]) - closure(project["dependencies"])
    assert len(added) <= 13, sorted(added)
    files = [file.locate() for name in added for file in distribution(name).files]
    assert sum(Path(file).stat().st_size for file in files if Path(file).is_file()) <= 27_000_000

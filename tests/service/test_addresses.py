"""The address is right: what the server prints can be opened by others, and links lead there."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
from api_clients import make_client

from isegoria.errors import InputError
from isegoria.service.http.network_addresses import (
    is_loopback,
    list_network_addresses,
    list_reachable_urls,
    render_terminal_qr,
    validate_site_url,
)
from isegoria.service.server import format_startup_lines, resolve_addresses
from isegoria.service.settings import Settings
from isegoria.service.store import open_store

NEW = {"key": "k", "title": "Lunch", "arms": "Thai\nPizza", "members": "Ann\nBob"}
TRIAL = """
    import atexit, json, re, signal, subprocess, sys, urllib.parse, urllib.request
    if {inside}:
        for command in ("link set lo up", "addr add 10.77.0.1/32 dev lo", "addr add 10.77.0.2/32 dev lo"):
            subprocess.run(["ip", *command.split()], check=True)
    server = subprocess.Popen([sys.executable, "-m", "isegoria", "serve", "--host", "0.0.0.0", "--port", "0"],
                              stderr=subprocess.PIPE, text=True)
    atexit.register(server.kill)
    notes = []
    for line in server.stderr:
        notes.append(line)
        if "on this computer" in line or "only this computer" in line:
            break
    printed = re.findall(r"http://[0-9.]+:[0-9]+", "".join(notes))
    answers = [urllib.request.urlopen(site + "/healthz").status for site in printed]
    here = next(site for site in printed if "127.0.0.1" in site)
    form = urllib.parse.urlencode({new}).encode()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    page = browser.open(here + "/new", form).read().decode()
    links = re.findall(r'href="(http[^"]+#k=[^"]+)" id=', page)
    opened = [urllib.request.urlopen(link.partition("#")[0]).status for link in links]
    server.send_signal(signal.SIGINT)
    server.wait(20)
    found = dict(printed=printed, answers=answers, page=page, links=links, opened=opened)
    print(json.dumps(found | dict(notes="".join(notes))))
"""


def namespace() -> list[str]:
    """What runs a command in a network of its own, where this machine can; else nothing."""
    inside = ["unshare", "-rn"]
    able = shutil.which("unshare") and shutil.which("ip")
    return inside if able and subprocess.run([*inside, "true"], capture_output=True).returncode == 0 else []


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> dict:
    """What the tutorial's command printed, in a network with two addresses (or that of this machine), and its links."""
    inside = namespace()
    if not inside and not list_network_addresses():
        pytest.fail("this test needs a network: allow unshare -rn, or give this machine an address")
    script = textwrap.dedent(TRIAL).replace("{inside}", str(bool(inside))).replace("{new}", repr(NEW))
    done = subprocess.run(
        [*inside, sys.executable, "-c", script],
        cwd=tmp_path_factory.mktemp("trial"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"inside": bool(inside)}


def test_every_address_that_is_printed_is_one_that_opens(trial):
    assert "0.0.0.0" not in trial["notes"]
    assert trial["answers"] == [200] * len(trial["printed"])
    assert not is_loopback(trial["printed"][0].split("//")[1].split(":")[0])
    if trial["inside"]:
        assert [site.split("//")[1].split(":")[0] for site in trial["printed"]] == [
            "10.77.0.1",
            "10.77.0.2",
            "127.0.0.1",
        ]


def test_links_made_at_the_loopback_address_open_on_another_machine(trial):
    assert len(trial["links"]) == 2, "the join link, and the organiser's own"
    assert all(link.startswith(f"{trial['printed'][0]}/g/") for link in trial["links"])
    assert trial["opened"] == [200] * 2
    assert 'id="elsewhere"' in trial["page"]


def test_links_that_only_this_computer_opens_say_so(quick):
    page = quick.post("/new", data=NEW).text
    assert 'id="only-here"' in page
    assert "--host 0.0.0.0" in page


def test_a_fixed_site_is_in_every_link_and_goes_by_its_name(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    settings = resolve_addresses(Settings(site=validate_site_url("https://Lunch.Example/")), "127.0.0.1", 8000)
    with make_client(store, site=settings.site, hosts=settings.hosts) as client:
        for host in ("localhost", "lunch.example", "127.0.0.1:8000"):
            made = client.post("/new", data=NEW | {"key": host}, headers={"host": host}, follow_redirects=False)
            cookie = made.headers["set-cookie"].partition(";")[0]
            page = client.get(made.headers["location"], headers={"host": host, "cookie": cookie}).text
            assert len(re.findall(r'href="https://lunch\.example/g/[^#"]+#k=', page)) == 2, host
        assert client.get("/healthz", headers={"host": "other.example"}).status_code == 400


@pytest.mark.parametrize("site", ["lunch.example", "ftp://x", "https://a/b", "https://u:p@a", "https://a#k", "http://"])
def test_what_is_no_site_is_said(site):
    with pytest.raises(InputError, match="expected http:// or https://"):
        validate_site_url(site)


def test_a_server_for_this_computer_alone_says_so():
    assert (
        list_reachable_urls("127.0.0.1", 8000)
        == list_reachable_urls("::1", 8000)
        == list_reachable_urls("localhost", 8000)
        == []
    )
    lines = format_startup_lines(["http://127.0.0.1:8000"], "http://127.0.0.1:8000")
    assert "only this computer" in lines[-1]


def test_the_code_in_the_terminal_is_the_address():
    """Read back from its blocks, cell by cell, it is the code of that address and of no other."""
    import segno

    address = "http://192.168.1.7:8000"
    lines = render_terminal_qr(address).split("\n")
    dark = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    rows = [[dark[mark][half] for mark in line] for line in lines for half in (0, 1)]
    expected = [list(row) for row in segno.make(address, error="l").matrix_iter(border=2)]
    assert rows[: len(expected)] == expected
    assert all(not any(row) for row in rows[len(expected) :])


def test_somebody_at_a_terminal_gets_a_code_to_scan(tmp_path):
    import pty  # not on Windows

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "isegoria", "serve", "--port", "0", "--site", "http://lunch.group.test:8123"]
    server = subprocess.Popen(command, cwd=tmp_path, stderr=theirs)
    seen = b""
    try:
        while seen.count(b"\n") < 16:
            seen += os.read(ours, 65536)
    finally:
        server.kill()
        server.wait()
        os.close(ours)
        os.close(theirs)
    assert "serving on http://lunch.group.test:8123;" in seen.decode()
    assert render_terminal_qr("http://lunch.group.test:8123").split("\n")[0] in seen.decode()

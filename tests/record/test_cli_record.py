"""`isegoria record`, `sign` and `verify` at the command line: rounds from end to end, exit codes, sentences."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main
from isegoria.cli.record import command as record
from isegoria.cli.record import common
from isegoria.record.sources.beacon import QUICKNET_CHAIN
from record.record_factory import REAL_ROUNDS, make_record

STEPS = list(record.commands)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table of ratings, a clock that can be set, and a way to run commands in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ratings.csv").write_text("agent,tea,soup,pie\nAnn,5,1,0\nBob,2,5,5\nCid,0,0,4\nDee,3,4,1\n")

    def run(line: str, code: int = 0):
        shown = CliRunner().invoke(main, line.split())
        assert shown.exit_code == code, shown.output
        if code == 2 and not shown.stdout:
            assert shown.stderr.startswith("Error: ")
            assert shown.stderr.count("\n") == 1
        return shown

    run.now = 1_800_000_000
    monkeypatch.setattr(common, "current_time", lambda: run.now)
    return run


def begin(desk, more=""):
    """Ann organises; Bob, Cid and Dee have keys of their own."""
    desk(f"record init r.record ratings.csv --scale 0,5 --organiser Ann {more}")
    for name in ("Bob", "Cid", "Dee"):
        desk(f"record key r.record {name} --out {name}.key")


def sign(desk, *names, more=""):
    """Members look, sign, and hand their slips over."""
    for name in names:
        Path(f"{name}.receipt").write_bytes(desk(f"record receipt r.record {name}").stdout.encode())
        said = desk(f"sign r.record --key {name}.key --receipt {name}.receipt --yes {more}").stdout
        Path(f"{name}.slip").write_bytes(said.encode())
        desk(f"record add r.record {name}.slip")


def second_line() -> str:
    from hashlib import sha256

    return sha256(Path("r.record").read_bytes().split(b"\n")[1]).hexdigest()


def test_a_draw_with_dice_is_proved_to_those_who_trust_members(desk):
    begin(desk, "--source dice")
    desk("record freeze r.record --event lunch --form 9,1,6,throw")
    sign(desk, "Bob", "Cid")
    sign(desk, "Bob", "Cid", more="--dice 314426531")
    drawn = json.loads(desk("record draw r.record --value 3,1,4,4,2,6,5,3,1 --format json").stdout)
    assert drawn["head"] == iso.verify("r.record").head
    asked = f"verify r.record --trust members --head {second_line()}"
    assert "signed since by 2 of 3, 3 needed" in desk(asked, 3).stdout
    sign(desk, "Bob", "Cid", "Dee")
    found = json.loads(desk(f"{asked} --format json").stdout)
    assert (found["verdict"], found["exit_code"], found["beta"]) == ("proved", 0, 1)
    assert sorted(drawn["arms"]).count("soup") <= 2
    assert b"Ann" not in Path("r.record").read_bytes()


def test_without_signatures_nothing_is_proved(desk):
    begin(desk, "--source dice")
    desk("record freeze r.record --form 9,1,6,throw")
    desk("record draw r.record --value 314426531")
    said = desk(f"verify r.record --trust members --head {second_line()}", 3).stdout
    assert "had by 0 keys in time, 2 needed" in said


def test_a_rehearsal_says_that_it_proves_nothing(desk):
    assert "proves nothing" in desk("record init r.record ratings.csv --scale 0,5").stdout
    desk("record freeze r.record")
    desk("record draw r.record")
    assert "a rehearsal, which proves nothing" in desk("verify r.record", 3).stdout


def test_the_group_s_own_numbers(desk):
    begin(desk, "--source commit_reveal --privacy open")
    desk("record freeze r.record", 2)
    desk("record roster r.record")
    sign(desk, "Bob", "Cid", more="--commit")
    desk("record freeze r.record")
    sign(desk, "Bob", more="--reveal")
    assert "the number of Cid is missing" in desk("record draw r.record", 2).stderr
    sign(desk, "Cid", more="--reveal")
    desk("record draw r.record")
    sign(desk, "Dee", "Bob", "Cid")
    said = desk(f"verify r.record --names r.record.names --trust members --head {second_line()}").stdout
    assert said.startswith("Round 1: proved for you, unless 1 or more of the 3 keys you trust")
    assert "The names fit" in said


def test_a_beacon_s_signature_from_a_relay(desk):
    number = min(REAL_ROUNDS)
    asked = []

    class Relay(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = json.dumps({"round": number, "signature": REAL_ROUNDS[number]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    speaks = QUICKNET_CHAIN["genesis"] + 3 * (number - 1)
    try:
        begin(desk, f"--source beacon --first {speaks} --every 86400")
        desk.now = speaks - 3600
        desk("record freeze r.record")
        sign(desk, "Bob", "Cid")
        desk(f"record draw r.record --relay http://127.0.0.1:{server.server_port}", 2)
        desk.now = speaks + 5
        desk(f"record draw r.record --relay http://127.0.0.1:{server.server_port}")
        sign(desk, "Bob", "Cid", "Dee")
    finally:
        server.shutdown()
        server.server_close()
    assert asked == [f"/{QUICKNET_CHAIN['chain']}/public/{number}"]
    assert desk(f"verify r.record --trust members --head {second_line()}").stdout.startswith("Round 1: proved for you")


def test_a_relay_that_is_not_there_gets_a_sentence(desk):
    begin(desk, f"--source beacon --first {desk.now + 3600} --every 86400")
    desk("record freeze r.record --occurrence 0")
    desk.now += 4000
    assert "ask another with --relay" in desk("record draw r.record --relay http://127.0.0.1:9", 2).stderr


def test_a_learner_s_rounds_with_receipts(desk):
    begin(desk, "--learner guided")
    for _ in range(6):
        desk("record freeze r.record")
        kind = json.loads(desk("record show r.record --format json").stdout)["rounds"][-1]
        if kind["state"] == "open":
            desk("record draw r.record")
        arm = json.loads(desk("record show r.record --format json").stdout)["rounds"][-1]["arms"][0]
        desk.now += 60
        desk(f"record rate r.record Bob {arm}=4.5 --key Bob.key")
        desk(f"record rate r.record Bob {arm}=3.5 --key Bob.key")
        desk(f"record rate r.record Ann {arm}=1")
        desk.now += 60
    desk("record rate r.record Bob tea=9 --round 6", 2)
    for name, unsigned in (("Ann", 5), ("Bob", 0)):
        Path(name).write_bytes(desk(f"record receipt r.record {name}").stdout.encode())
        said = desk(f"verify r.record --receipt {name}", 3).stdout
        assert "their set and leader follow from them in every round up to line" in said
        assert f"{unsigned} of their 5 ratings are not signed." in said
    assert desk("record replay r.record").stdout.startswith("All 6 pages follow from what was told; 5 of 10 ratings")


def test_changes_of_course_stand_on_record(desk):
    begin(desk, "--source dice --block 2")
    desk("record mask r.record soup")
    desk("record freeze r.record --form 9,1,6,throw")
    desk("record freeze r.record --form 9,1,6,throw", 2)
    desk("record amend r.record arms cake --reason wanted")
    desk("record join r.record Eve tea=1 cake=5")
    desk("record leave r.record Dee")
    desk("record mask r.record")
    desk("record freeze r.record --undrawn --form 9,1,6,throw")
    desk("record draw r.record --value 111222333")
    desk("record override r.record 2 1 cake --reason closed --by Bob --key Bob.key")
    desk("record amend r.record end --reason enough")
    said = desk("verify r.record", 3).stdout
    assert "Never drawn: rounds 1. Played otherwise: 1 slots. Arms left out: 1 rounds. Added arms: 1." in said
    assert "slot 1: «cake» was put in place of" in said
    assert "By member 1." in said
    shown = json.loads(desk("record show r.record --format json").stdout)
    assert (shown["ended"], [one["state"] for one in shown["rounds"]]) == (True, ["never drawn", "drawn"])
    assert "drawn" in desk("record show r.record").stdout
    assert desk("record show r.record --format csv").stdout.startswith("round,state")
    desk("record freeze r.record", 2)


@pytest.mark.parametrize(
    "line",
    [
        "record draw r.record --value 123456",
        "record frezee r.record",
        "record witness r.record",
        "record void r.record --reason x",
        "record close r.record",
        "record freeze nowhere.record",
        "record key r.record Zoe",
        "record rate r.record Ann tea",
        "record rate r.record Ann tea=x",
        "record rate r.record Ann tea=1 tea=2",
        "record rate r.record Bob tea=1 --key ratings.csv",
        "record amend r.record colour red --reason x",
        "record amend r.record block 21 --reason x",
        "record amend r.record title --reason x",
        "record amend r.record end now --reason x",
        "record override r.record 1 0 tea --reason x",
        "record freeze r.record",
        "record freeze r.record --form 2,1,6,throw",
        "record freeze r.record --form 8,1",
        "record freeze r.record --form 9,1,6,sideways",
        "record freeze r.record --occurrence 2",
        "record init r.record ratings.csv --scale 0,5",
        "record init x ratings.csv --scale 0,5 --source beacon",
        "record init x ratings.csv --scale 0,5 --first 5",
        "record init x ratings.csv --scale 0,5 --learner nash",
        "record init x ratings.csv --scale 0,5 --organiser Zoe",
        "record init x ratings.csv --scale 0,5 --learner guided --setting colour=3",
        "record init x ratings.csv --scale 0,5 --setting explore=0.1",
        "record join r.record Bob",
        "record mask r.record tea soup pie",
        "record leave r.record Nobody",
        "record add r.record ratings.csv",
        "record add r.record nowhere.slip",
        "record key r.record Cid --out ratings.csv",
        "record rate r.record Ann tea=1 --round 1",
        "record amend r.record source dice --first 5 --reason x",
        "sign r.record --key Bob.key --receipt ratings.csv",
        "sign r.record --key nowhere.key --receipt ratings.csv",
        "verify",
        "verify r.record --script",
        "verify --script --page",
    ],
)
def test_bad_input_gets_one_sentence_and_nothing_is_written(desk, tmp_path, line):
    begin(desk, "--source dice")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shown = desk(line, 2)
    assert shown.stdout == ""
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda data: data[:-5], 2),
        (lambda data: b"", 2),
        (lambda data: data.replace(b'"weight":1', b'"weight":2', 1), 1),
        (lambda data: b"\xef\xbb\xbf" + data, 2),
    ],
)
def test_verify_ends_with_the_verdict_s_exit_code(desk, tmp_path, spoil, code):
    (tmp_path / "r.record").write_bytes(spoil(make_record(1, rounds_=1).data))
    said = desk("verify r.record", code).stdout
    assert said.count("\n") == 1
    assert said.split(":")[0] == {1: "False", 2: "Unreadable"}[code]
    assert iso.verify("r.record").exit_code == code


def test_the_script_works_alone_in_a_clean_folder(desk, tmp_path):
    sample = make_record(1, rounds_=1)
    (tmp_path / "r.record").write_bytes(sample.data)
    (tmp_path / "isegoria_verify.py").write_text(desk("verify --script").stdout, encoding="utf-8")
    asked = ["r.record", "--trust", "members", "--head", sample.keeper.group.record.hex()]
    words = [sys.executable, "-I", "-S", "-X", "utf8", "isegoria_verify.py", *asked]  # in no system's own code page
    alone = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    assert alone.returncode == 0
    assert alone.stdout == desk(f"verify {' '.join(asked)}").stdout


@pytest.mark.parametrize("step", STEPS)
def test_every_step_helps(desk, step):
    told = desk(f"record {step} --help").stdout
    assert "RECORD" in told or "FILE.secrets" in told


def test_without_a_step_all_are_shown(desk):
    assert desk("record").stdout == desk("record --help").stdout

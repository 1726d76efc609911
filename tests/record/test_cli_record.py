"""`isegoria record` and `isegoria verify` at the command line: rounds from end to end, exit codes, sentences."""

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
from isegoria.record.sources.beacon import QUICKNET
from record.records import REAL_ROUNDS, good_record

STEPS = list(record.commands)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table of ratings, and a way to run commands in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ratings.csv").write_text("agent,tea,soup,pie\nAnn,5,1,0\nBob,2,5,5\nCid,0,0,4\nDee,3,4,1\n")

    def run(line: str, code: int = 0):
        shown = CliRunner().invoke(main, line.split())
        assert shown.exit_code == code, shown.output
        if code == 2 and not shown.stdout:
            assert shown.stderr.startswith("Error: ")
            assert shown.stderr.count("\n") == 1
        return shown

    return run


def begin(desk, more=""):
    desk(f"record init r.record ratings.csv --scale 0,5 {more}")
    for name in ("Ann", "Bob"):
        desk(f"record key r.record {name}")


def test_a_draw_with_dice_is_proved(desk):
    begin(desk, "--source dice")
    desk("record freeze r.record --event lunch --form 8,1,6")
    desk("record witness r.record --by Ann")
    desk("record witness r.record --by Bob")
    drawn = json.loads(desk("record draw r.record --value 3,1,4,1,5,2,6,5 --format json").stdout)
    found = json.loads(desk("verify r.record --format json").stdout)
    assert (found["verdict"], found["exit_code"], found["head"]) == ("proved", 0, drawn["head"])
    assert sorted(drawn["arms"]).count("soup") <= 2
    assert b"Ann" not in Path("r.record").read_bytes()


def test_one_witness_of_the_value_is_not_enough(desk):
    begin(desk, "--source dice")
    desk("record freeze r.record")
    desk("record witness r.record --by Ann")
    desk("record draw r.record --value 31415926 --seen-by Ann")
    assert "fewer than two members signed the value" in desk("verify r.record", 3).stdout


def test_without_a_witness_the_first_line_says_so(desk):
    begin(desk, "--source dice")
    desk("record freeze r.record")
    desk("record draw r.record --value 31415926 --seen-by Ann --seen-by Bob")
    first = desk("verify r.record", 3).stdout.splitlines()[0]
    assert first == "Not proven that this page existed before the draw: round 1."


def test_a_rehearsal_says_that_it_proves_nothing(desk):
    assert "proves nothing" in desk("record init r.record ratings.csv --scale 0,5").stdout
    desk("record freeze r.record")
    desk("record draw r.record")
    assert "a rehearsal, which proves nothing" in desk("verify r.record", 3).stdout


def test_the_group_s_own_numbers(desk):
    begin(desk, "--source group --privacy open")
    for name in ("Ann", "Bob", "Cid"):
        desk(f"record commit r.record --by {name}")
    desk("record freeze r.record")
    desk("record witness r.record --by Ann")
    for name in ("Ann", "Bob"):
        desk(f"record reveal r.record --by {name}")
    desk("record draw r.record")
    said = desk("verify r.record --names r.record.names").stdout
    assert "members who committed and did not reveal: 2." in said
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
    try:
        begin(desk, f"--source beacon --first {QUICKNET['genesis'] + 3 * (number - 1)} --every 86400")
        desk("record freeze r.record --occasion 0")
        desk(f"record draw r.record --relay http://127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert asked == [f"/{QUICKNET['chain']}/public/{number}"]
    assert desk("verify r.record", 3).stdout.startswith("Not proven that this page existed before the draw: round 1.")


def test_a_relay_that_is_not_there_gets_a_sentence(desk):
    begin(desk, f"--source beacon --first {QUICKNET['genesis']} --every 86400")
    desk("record freeze r.record --occasion 0")
    assert "ask another with --relay" in desk("record draw r.record --relay http://127.0.0.1:9", 2).stderr


def test_a_learner_s_rounds_with_receipts(desk):
    desk("record init r.record ratings.csv --scale 0,5 --learner guided --source dice")
    for name in ("Ann", "Bob"):
        desk(f"record key r.record {name}")
    for number in range(6):
        desk("record freeze r.record")
        fair = iso.verify("r.record").rounds[-1]["kind"] == "fair"
        if fair:
            desk("record witness r.record --by Ann")
            desk("record witness r.record --by Bob")
        arm = json.loads(
            desk(f"record draw r.record --format json {'--value 271828' + str(number) if fair else ''}").stdout
        )["arms"][0]
        desk(f"record rate r.record Ann {arm}=4.5")
        desk(f"record rate r.record Ann {arm}=3.5")
        desk(f"record rate r.record Cid {arm}=1")
    desk("record rate r.record Ann tea=9 --round 6", 2)
    Path("ann").write_text(desk("record receipt r.record Ann").stdout, encoding="utf-8")
    said = desk("verify r.record --receipt ann").stdout
    assert "and her tally follows from them in every round." in said
    assert "a learner's replay" in said


def test_changes_of_course_stand_on_record(desk):
    begin(desk, "--source dice --block 2")
    desk("record mask r.record soup")
    desk("record freeze r.record")
    desk("record witness r.record --by Ann")
    desk("record void r.record --reason rain")
    desk("record amend r.record arms cake --reason wanted")
    desk("record join r.record Eve tea=1 cake=5")
    desk("record leave r.record Dee")
    desk("record mask r.record")
    desk("record freeze r.record")
    desk("record witness r.record --by Bob")
    desk("record draw r.record --value 98765432 --seen-by Ann --seen-by Bob")
    desk("record override r.record 2 1 cake --reason closed --by Eve")
    desk("record close r.record")
    said = desk("verify r.record").stdout
    assert "Round 1: void: rain" in said
    assert "slot 1: cake was put in place of" in said
    shown = json.loads(desk("record show r.record --format json").stdout)
    assert (shown["closed"], [one["state"] for one in shown["rounds"]]) == (True, ["void", "drawn"])
    assert "drawn" in desk("record show r.record").stdout
    assert desk("record show r.record --format csv").stdout.startswith("round,kind,state")
    desk("record freeze r.record", 2)


@pytest.mark.parametrize(
    "line",
    [
        "record witness r.record --by Ann",
        "record draw r.record --value 123456",
        "record frezee r.record",
        "record freeze nowhere.record",
        "record key r.record Zoe",
        "record rate r.record Ann tea",
        "record rate r.record Ann tea=x",
        "record rate r.record Ann tea=1 tea=2",
        "record amend r.record colour red --reason x",
        "record amend r.record block 21 --reason x",
        "record amend r.record explore_max 3/4 --reason x",
        "record override r.record 1 0 tea --reason x",
        "record void r.record --reason x",
        "record commit r.record --by Ann",
        "record reveal r.record --by Ann",
        "record freeze r.record --form 2,1,6",
        "record freeze r.record --form 8,1",
        "record freeze r.record --occasion 2",
        "record init r.record ratings.csv --scale 0,5",
        "record init x ratings.csv --scale 0,5 --source beacon",
        "record init x ratings.csv --scale 0,5 --first 5",
        "record init x ratings.csv --scale 0,5 --learner nash",
        "record init x ratings.csv --scale 0,5 --learner guided --setting colour=3",
        "record join r.record Bob",
        "record mask r.record tea soup pie",
        "record leave r.record Nobody",
        "record witness r.record --by Ann --key ratings.csv",
        "record witness r.record --by Ann --key nowhere.key",
        "record key r.record Cid --out ratings.csv",
        "record freeze r.record --form 8,6,1",
        "record rate r.record Ann tea=1 --round 1",
        "record amend r.record source dice --first 5 --reason x",
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
    (tmp_path / "r.record").write_bytes(spoil(good_record(1).data))
    said = desk("verify r.record", code).stdout
    assert said.count("\n") == 1
    assert said.split(":")[0] == {1: "False", 2: "Unreadable"}[code]
    assert iso.verify("r.record").exit_code == code


def test_a_receipt_of_another_record_is_unreadable_here(desk, tmp_path):
    (tmp_path / "r.record").write_bytes(good_record(1).data)
    (tmp_path / "ann").write_bytes(next(iter(good_record(6).receipts.values())))
    assert desk("verify r.record --receipt ann", 2).stdout == "Unreadable: the receipt belongs to another record.\n"
    desk(f"verify r.record --head {'0' * 64}", 1)
    desk("verify r.record --head x", 2)


def test_the_script_works_alone_in_a_clean_folder(desk, tmp_path):
    sample = good_record(1)
    (tmp_path / "r.record").write_bytes(sample.data)
    (tmp_path / "isegoria_verify.py").write_text(desk("verify --script").stdout, encoding="utf-8")
    alone = subprocess.run(
        [sys.executable, "-I", "-S", "isegoria_verify.py", "r.record"], capture_output=True, text=True, encoding="utf-8"
    )
    assert alone.returncode == sample.exit_code
    assert alone.stdout == desk("verify r.record", sample.exit_code).stdout


@pytest.mark.parametrize("step", STEPS)
def test_every_step_helps(desk, step):
    assert "RECORD" in desk(f"record {step} --help").stdout

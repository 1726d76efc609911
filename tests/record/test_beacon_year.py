"""The how-to of a group without a service: three people, three folders, and files that they hand over."""

import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from isegoria.cli import main
from isegoria.cli.record import common
from isegoria.record.files.file_store import load_record
from record.record_factory import DAY, LEAGUE, START


class Participant:
    """Somebody with a folder of her own; nothing passes between folders but files handed over."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir()

    def __call__(self, line: str, monkeypatch, code: int = 0) -> str:
        monkeypatch.chdir(self.folder)
        shown = CliRunner().invoke(main, line.split())
        assert shown.exit_code == code, shown.output
        return shown.stdout

    def hand(self, other: "Participant", *names: str) -> None:
        for name in names:
            shutil.copy(self.folder / name, other.folder / name)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [3])
def test_three_people_and_their_folders(tmp_path, monkeypatch, rounds):
    ann, bob, cid = (Participant(tmp_path / name) for name in ("ann", "bob", "cid"))
    clock = [START]
    monkeypatch.setattr(common, "current_time", lambda: clock[0])
    own = {key: LEAGUE.source()[key] for key in ("chain", "key", "genesis", "period")}
    monkeypatch.setattr("isegoria.record.sources.beacon.QUICKNET_CHAIN", {"scheme": LEAGUE.source()["scheme"], **own})
    (ann.folder / "ratings.csv").write_text("agent,tea,soup\nAnn,5,1\nBob,2,5\nCid,4,4\n")

    def do(who, line, code=0):
        return who(line, monkeypatch, code)

    def sign(who, name, round_):
        """She gets the record and her receipt, looks, and hands a slip back."""
        (ann.folder / f"{name}.receipt").write_bytes(do(ann, f"record receipt year.record {name}").encode())
        ann.hand(who, "year.record", f"{name}.receipt")
        slip = f"{name}-{round_}-{clock[0]}.slip"
        text = do(who, f"sign year.record --key {name}.key --receipt {name}.receipt --yes")
        (who.folder / slip).write_bytes(text.encode())
        who.hand(ann, slip)
        do(ann, f"record add year.record {slip}")

    do(
        ann,
        f"record init year.record ratings.csv --scale 0,5 --source beacon --first {START + DAY} --every {DAY} "
        "--organiser Ann",
    )
    for who, name in ((bob, "Bob"), (cid, "Cid")):
        do(ann, f"record key year.record {name} --out {name}.key")
        shutil.move(ann.folder / f"{name}.key", who.folder / f"{name}.key")
    for round_ in range(1, rounds + 1):
        clock[0] = START + round_ * DAY - 3 * 3600
        do(ann, "record freeze year.record")
        clock[0] += 600
        sign(bob, "Bob", round_)
        if round_ == 1:
            kept = sha256((bob.folder / "year.record").read_bytes().split(b"\n")[1]).hexdigest()
        number = load_record(ann.folder / "year.record")[0].open.freeze["source_round"]
        clock[0] = START + round_ * DAY + 10
        do(ann, f"record draw year.record --value {LEAGUE.speak(number).hex()}")
        for who, name in ((bob, "Bob"), (cid, "Cid")):
            sign(who, name, round_)
            clock[0] += 60
    ann.hand(bob, "year.record")
    (bob.folder / "chain.json").write_bytes(LEAGUE.chain_info())
    asked = f"verify year.record --trust members --head {kept} --beacon chain.json --now {clock[0]}"
    said = do(bob, asked)
    assert said.startswith(f"Rounds 1 to {rounds}: proved for you, unless 1 or more of the 2 keys you trust")
    assert do(ann, "record replay year.record").startswith(f"All {rounds} pages follow")

"""A writer who is killed at random moments, and goes on: the record must come out as if nothing had happened."""

from __future__ import annotations

import multiprocessing
import multiprocessing.synchronize
import random
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import isegoria as iso
from isegoria.cli.record.operations import add_key, create_record, draw, freeze, override, rate
from isegoria.record.files.file_store import open_record
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.state.group import Group

AT = 1_700_000_000


@dataclass
class Outcome:
    """How a run with kills went: how many struck a running writer, and whether the bytes are those of a calm run."""

    kills: int
    torn: int
    same: bool


def write_rounds(path: Path, rounds: int) -> None:
    """Bring the record to so many rounds, from wherever it is; each step is done once, however often begun."""
    while True:
        with open_record(path) as book:
            now = book.group.open
            if now is None and len(book.group.rounds) == rounds:
                return
            if now is None:
                _between(book)
                freeze(book, AT)
            else:
                draw(book, AT)


def _between(book) -> None:
    """Ratings of the round before, and sometimes an override: all that belongs to one freeze."""
    drawn = [one for one in book.group.rounds if one.happened]
    if not drawn:
        return
    last = drawn[-1]
    if last.number % 3 == 0 and not last.overrides:
        override(book, last.number, 0, book.group.arms[0], "closed")
        last = book.group.rounds[last.number - 1]
    if book.group.charter["learner"]:
        for number, name in enumerate(["Ann", "Bob"]):
            if number not in last.answers.get(0, {}):
                arm = last.played[0]
                rate(book, name, {book.group.arms[arm]: str((arm + number) % 5)}, last.number, 0, now=AT)


def start(folder: Path, learner: str | None) -> Path:
    """A record with a key on its first roster, before its first round."""
    path = folder / "calm.record"
    instance = iso.Instance([[1, 0, 0.5], [0, 1, 1], [0.2, 0.4, 1]], agents=["Ann", "Bob", "Cid"], arms=["a", "b", "c"])
    create_record(
        path, instance, source=RANDOMNESS_SOURCES["rehearsal"].terms(), scale=(0, 5), learner=learner, block=1
    )
    with open_record(path) as book:
        add_key(book, "Ann")
    return path


def run_with_kills(folder: Path, kills: int, rounds: int, learner: str | None = None, seed: int = 1) -> Outcome:
    """Do the same rounds calmly, and with that many kills of the writer; compare the bytes.

    A writer that comes to its end between two kills begins again from the start.
    """
    calm, wild = start(folder, learner), folder / "wild.record"
    first = [Path(f"{calm}{suffix}").read_bytes() for suffix in ("", ".secrets")]
    begun = time.perf_counter()
    write_rounds(calm, rounds)
    took = time.perf_counter() - begun
    chance, outcome = random.Random(seed), Outcome(0, 0, True)
    _restore_files(wild, first)
    while outcome.kills < kills:
        struck = _run_until_killed(wild, rounds, chance.uniform(0, took / 4))
        outcome.torn += _count_torn_lines(wild, calm)
        outcome.kills += struck
        if not struck:
            outcome.same = outcome.same and wild.read_bytes() == calm.read_bytes()
            _restore_files(wild, first)
    write_rounds(wild, rounds)
    outcome.same = outcome.same and wild.read_bytes() == calm.read_bytes()
    return outcome


def _restore_files(path: Path, contents: list[bytes]) -> None:
    for suffix, data in zip(("", ".secrets"), contents, strict=True):
        file = Path(f"{path}{suffix}")
        file.write_bytes(data)
        file.chmod(0o600)


def _run_until_killed(path: Path, rounds: int, after: float) -> bool:
    """Let a writer work, and kill it after so many seconds; whether it was still at work."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    ready = context.Event()
    child = context.Process(target=_write_when_ready, args=(path, rounds, ready))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads: this child only writes and dies
        child.start()
    ready.wait()
    time.sleep(after)
    child.kill()
    child.join()
    return child.exitcode != 0


def _write_when_ready(path: Path, rounds: int, ready: multiprocessing.synchronize.Event) -> None:
    ready.set()
    write_rounds(path, rounds)


def _count_torn_lines(wild: Path, calm: Path) -> int:
    """The file is a beginning of the calm one, up to a line that was cut off; 1 if there is such a line."""
    data = wild.read_bytes()
    assert calm.read_bytes().startswith(data), "the record is not a beginning of the calm one"
    Group.from_lines(data.split(b"\n")[:-1])
    return int(not data.endswith(b"\n"))

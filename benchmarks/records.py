"""A record: what a check costs beside its signatures, in Python and under Node; what a freeze costs beside its JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import process_time
from unittest.mock import patch

from benchmarks.harness import BenchmarkRow, time_alternately
from isegoria.record import freeze
from isegoria.record.actions import rounds
from isegoria.record.format import lines
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.verifier import isegoria_verify

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "verifier")]

DRAWS, MEMBERS, SAYS = 250, 10, 18
MAX_SIGNATURE_SECONDS = 6e-3
"""Seconds that one signature may take to check."""
MAX_PYTHON_SECONDS, MAX_PAGE_SECONDS, MAX_DEVICE_SECONDS, MAX_FLOOD_SECONDS = 35.0, 12.0, 1.0, 2.0
"""Seconds of one quiet core: a year in Python, on the page, on a device that checked all but its end; a flood."""
NODE = """
import { readFileSync } from "node:fs";
const [web, path, beaconKey] = process.argv.slice(1);
const { verify } = await import(`${web}/verify.js`);
const data = new Uint8Array(readFileSync(path));
const timed = async (options) => {
  const start = process.cpuUsage();
  const found = await verify(data, { beaconKey, ...options });
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1e6, found.exit_code];
};
const [whole, code] = await timed({});
const lines = new TextDecoder().decode(data).split("\\n");
const { hex, sha } = await import(`${web}/bytes.js`);
const size = lines.length - 1 - Number(process.argv[4]);
const [again] = await timed({ known: { size, head: hex(sha(new TextEncoder().encode(lines[size - 1]))) } });
console.log(JSON.stringify([whole, again, code]));
"""
"""Seconds of a whole check, and of one by a device that had checked all but the last round."""


def make_year(draws: int = DRAWS):
    """A year of daily draws by a beacon of the tests: nine phones sign each page, and each draw."""
    from record_maker import RecordMaker
    from sample_records import league

    made = RecordMaker(1, members=MEMBERS, arms=6, source=league(), block=1)
    for _ in range(draws):
        made.whole_round()
    return made


def make_floods(arms: int = 20_000, undrawn: int = 4_000) -> dict[str, bytes]:
    """Records that are long in one way: many arms, and many rounds that were frozen and left."""
    from record_maker import RecordMaker

    wide = RecordMaker(2, members=3, arms=arms, source="dice", block=1)
    long = RecordMaker(3, members=3, arms=2, source="dice", block=1)
    wide.whole_round()
    for _ in range(undrawn):
        long.freeze()
    return {f"{arms:,} arms": wide.bytes(), f"{undrawn:,} rounds that were left": long.bytes()}


def rows() -> Iterator[BenchmarkRow]:
    """A year in Python and under Node, floods, one signature, and fixing 10,000 members over 50 arms."""
    one = signature_seconds()
    yield BenchmarkRow("check one signature, against 6 ms", one, MAX_SIGNATURE_SECONDS, 1, faster=False)
    yield from year_rows(one)
    for name, data in make_floods().items():
        start = process_time()
        assert isegoria_verify.verify(data)["exit_code"] == 3
        seconds = process_time() - start
        yield BenchmarkRow(
            f"verify {name} ({len(data) // 1000} kB), against 2 s", seconds, MAX_FLOOD_SECONDS, 1, faster=False
        )
        yield BenchmarkRow(
            "the same under Node, against 2 s", node_seconds(data, 1)[0], MAX_FLOOD_SECONDS, 1, faster=False
        )
    yield freeze_row(10_000, 50)


def signature_seconds(count: int = 40) -> float:
    """The processor's seconds for one signature, each by a key of its own over a message of its own."""
    seeds = [number.to_bytes(32, "big") for number in range(count)]
    signed = [(public_key(seed).hex(), sign(seed, seed).hex(), seed) for seed in seeds]
    start = process_time()
    assert all(isegoria_verify.signed(*one) for one in signed)
    return (process_time() - start) / count


def year_rows(one: float, draws: int = DRAWS) -> Iterator[BenchmarkRow]:
    """A year in Python against its signatures, each `one` second, and its beacons at 20 of these; and under Node."""
    from sample_records import LATER, league

    made = make_year(draws)
    data, says = made.bytes(), sum(line["line"] == "statement" for line in made.lines)
    start = process_time()
    found = isegoria_verify.verify(data, beacon=league().chain_info(), now=LATER)
    seconds = process_time() - start  # of this process alone, however busy the machine
    assert found["exit_code"] == 3  # nobody is trusted: everything recomputes
    work = f"verify {draws} beacon rounds, {says} signatures ({len(data) // 1000} kB)"
    yield BenchmarkRow(f"{work}, against its signatures alone", seconds, one * (says + 20 * draws), 1.5, faster=False)
    yield BenchmarkRow("the same, against 35 s", seconds, MAX_PYTHON_SECONDS, 1, faster=False)
    whole, again = node_seconds(data, SAYS + 2)
    yield BenchmarkRow("the same under Node, against 12 s", whole, MAX_PAGE_SECONDS, 1, faster=False)
    yield BenchmarkRow(
        "the last round of it on a device that checked the rest, against 1 s",
        again,
        MAX_DEVICE_SECONDS,
        1,
        faster=False,
    )


def node_seconds(data: bytes, last: int) -> tuple[float, float]:
    """(a whole check, one that knows all but the last lines) under Node, in seconds."""
    from engines import WEB
    from sample_records import league

    from browser import downloads

    path = Path(__file__).parent / ".year.record"
    try:
        path.write_bytes(data)
        words = [downloads.find_node(), "--input-type=module", "-e", NODE, str(WEB), str(path), league().key, str(last)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    finally:
        path.unlink(missing_ok=True)
    whole, again, code = json.loads(done.stdout)
    assert code == 3
    return whole, again


def freeze_row(members: int, arms: int) -> BenchmarkRow:
    """A freeze with its solve done beforehand, against writing its line as JSON."""
    from record.record_factory import RecordBuilder

    with patch("record.record_factory.ARMS", [f"arm {k}" for k in range(arms)]):
        keeper = RecordBuilder(1, members=members, arms=arms, keyed=False)
    keeper.act(rounds.write_roster)
    group, people = keeper.group, list(keeper.people.values())
    solved = {}

    def once(name: str, real):
        def kept(*args, **options):
            return solved.setdefault(name, None) or solved.update({name: real(*args, **options)}) or solved[name]

        return kept

    with (
        patch.object(freeze, "solve", once("solve", freeze.solve)),
        patch.object(freeze, "attribute_valid_policy", once("attributed", freeze.attribute_valid_policy)),
    ):
        frozen = partial(freeze.page_from_ratings, group, people, group.coming(None).counted)
        ours = lambda: lines.build_freeze_line(group, frozen(), at=1, title="bench")  # noqa: E731
        line = ours().said
        theirs = lambda: json.dumps(line, sort_keys=True, separators=(",", ":")).encode()  # noqa: E731
        measured = time_alternately(ours, theirs, rounds=5)
    size = len(theirs()) // 1000
    work = f"freeze {members:,} × {arms} (solve excluded), against writing its JSON ({size} kB)"
    return BenchmarkRow(work, *measured, 15, faster=False)

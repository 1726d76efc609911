"""Damaged files of every format: each gives a table or one sentence, and never a traceback, a hang or a gigabyte.

`python tests/mutated_files.py --each 2000` is the whole of it (`make stress`); `test_mutated_files.py` takes a sample.
A child reads one file after the other, under a limit on its memory, and says how each went; its parent watches the
clock, and goes on behind a file that hangs.
"""

import argparse
import io
import json
import random
import select
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

PATIENCE = 10.0  # seconds for one file
MEMORY = 2**30  # what a child may take beyond its empty self
FORMATS = ("csv", "tsv", "xlsx", "ods", "parquet", "arrow", "json", "npz", "pb", "soc", "toc", "soi", "toi", "cat")
TOKENS = (
    b"",
    b"\0",
    b"\r",
    b"\n",
    b'"',
    b",",
    b";",
    b"'",
    b"<",
    b">",
    b"&",
    b"</",
    b"/>",
    b"-1",
    b"1e309",
    b"nan",
    b"4294967295",
    b"99999999999999999999",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"[[",
    b"{",
    b"]]",
    b"PK\x03\x04",
    "\u202e".encode(),
    b'number-columns-repeated="1000000000"',
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
)
CONTENT = """<?xml version="1.0"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>
</office:document-content>"""
MANIFEST = (
    '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>'
    "</manifest:manifest>"
)
ORDERS = (
    "# FILE NAME: a.{kind}\n# DATA TYPE: {kind}\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 4\n"
    "# NUMBER UNIQUE ORDERS: 2\n# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: mate\n"
    "# ALTERNATIVE NAME 3: milk\n{orders}"
)
PABULIB = """META
key;value
description;Lunch
num_projects;3
num_votes;2
budget;100
vote_type;approval
rule;greedy
PROJECTS
project_id;cost;votes;name
1;10;2;tea
2;20;1;mate
3;30;1;milk
VOTES
voter_id;age;vote
1;30;1,2
2;40;1,3
"""


def seed_of(format: str) -> bytes:
    """A good file of a format."""
    import isegoria as iso

    rng = np.random.default_rng(7)
    made = iso.Instance(rng.integers(0, 6, (6, 3)) / 5, arms=["tea", "mate", "café"], weights=[1, 2, 1, 1, 3, 1])
    if format == "xlsx":
        return _workbook(made)
    if format == "ods":
        return _document(made)
    if format == "pb":
        return PABULIB.encode()
    if format in ("soc", "soi", "toc", "toi"):
        orders = {
            "soc": "3: 1,2,3\n1: 3,1,2\n",
            "soi": "3: 1,2\n1: 3\n",
            "toc": "3: 1,{2,3}\n1: {3,1},2\n",
            "toi": "3: 1,{2,3}\n1: {3,1}\n",
        }[format]
        return ORDERS.format(kind=format, orders=orders).encode()
    if format == "cat":
        head = ORDERS.format(kind="cat", orders="").replace("UNIQUE ORDERS", "UNIQUE PREFERENCES")
        kinds = "# NUMBER CATEGORIES: 2\n# CATEGORY NAME 1: yes\n# CATEGORY NAME 2: no\n"
        return f"{head}{kinds}3: 1,{{2,3}}\n1: {{1,2}},3\n".encode()
    with tempfile.TemporaryDirectory() as folder:
        return iso.write(made, Path(folder) / f"table.{format}").read_bytes()


def _workbook(instance) -> bytes:
    import openpyxl

    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["agent", *instance.arms])
    for name, row in zip(instance.agents, instance.means.tolist(), strict=True):
        book.active.append([name, *row])
    book.save(stream)
    return stream.getvalue()


def _document(instance) -> bytes:
    def cell(value):
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}" table:number-columns-repeated="1"/>'

    table = [
        ["agent", *instance.arms],
        *([name, *row] for name, row in zip(instance.agents, instance.means.tolist(), strict=True)),
    ]
    rows = "".join(
        f'<table:table-row table:number-rows-repeated="1">{"".join(map(cell, row))}</table:table-row>' for row in table
    )
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": MANIFEST,
        "content.xml": CONTENT.format(rows=rows),
    }
    return _zipped({name: text.encode() for name, text in parts.items()})


def _zipped(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return stream.getvalue()


def mutants(format: str, count: int, seed: int = 1):
    """Damaged copies of a good file: bytes changed, cut, doubled, words put in; in archives inside a part as often."""
    rng, good = random.Random(f"{format} {seed}"), seed_of(format)
    parts = {}
    if format in ("xlsx", "ods", "npz"):
        with zipfile.ZipFile(io.BytesIO(good)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(count):
        if parts and rng.random() < 0.7:
            name = rng.choice(list(parts))
            yield _zipped(parts | {name: _mutated(parts[name], rng)})
        else:
            yield _mutated(good, rng)


def _mutated(data: bytes, rng: random.Random) -> bytes:
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at, length = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 4, 16, 200))
        what = rng.randrange(6)
        if what == 0 and data:
            data[at - 1] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[at : at + length]
        elif what == 2:
            data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))
        elif what == 3:
            data[at : at + rng.choice((0, 1, 4))] = rng.choice(TOKENS)
        elif what == 4:
            data[at : at + length] = bytes(rng.randrange(256) for _ in range(length))
        elif len(data) > 1 and rng.random() < 0.3:
            del data[at:]
    return bytes(data)


# -- the child ---------------------------------------------------------------------------------------------------------


def child(format: str, count: int, first: int, seed: int) -> None:
    """Read the files from number `first` on, and tell of each: its number before, and how it went after."""
    import resource
    import warnings

    import isegoria as iso
    from isegoria.errors import IsegoriaError

    warnings.simplefilter("ignore")
    options = {"unranked": "last"} if format in ("soi", "toi") else {}
    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (pages + 4 * MEMORY, pages + 4 * MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{format}"
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        for number, data in enumerate(mutants(format, count, seed)):
            if number < first:
                continue
            print(json.dumps({"number": number}), flush=True)
            path.write_bytes(data)
            try:
                iso.read(path, **options)
                how = "table"
            except IsegoriaError as error:
                how = (
                    "sentence" if str(error).strip() and "\n" not in str(error).strip() else f"not one line: {error!r}"
                )
            except BaseException as error:
                how = f"{type(error).__name__}: {error}"[:200]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
            print(json.dumps({"number": number, "how": how, "peak": peak}), flush=True)


def trial(format: str, count: int, seed: int = 1) -> dict:
    """How the mutants of a format went: a count of each, and what should not be, with the numbers of the files."""
    found, bad, first, peak = Counter(), [], 0, 0
    while first < count:
        command = [sys.executable, __file__, "--child", format, str(count), str(first), str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=False) as running:
            number, buffer = None, b""
            try:
                while True:
                    ready, _, _ = select.select([running.stdout], [], [], PATIENCE if number is not None else 60)
                    part = running.stdout.read1(65536) if ready else None
                    if part is None:
                        found["hang"] += 1
                        bad.append((number, "hang"))
                        break
                    if not part:
                        break
                    buffer += part
                    *lines, buffer = buffer.split(b"\n")
                    for line in map(json.loads, lines):
                        number = line["number"]
                        if "how" in line:
                            peak, first = max(peak, line["peak"]), number + 1
                            found[line["how"].partition(":")[0]] += 1
                            if line["how"] not in ("table", "sentence"):
                                bad.append((number, line["how"]))
                if running.poll() is None and part is not None:
                    running.wait(30)
            finally:
                if running.poll() is None:
                    running.kill()
            if first < count and number is not None and number >= first:
                if running.returncode not in (0, None, -9):
                    bad.append((number, f"died with {running.returncode}"))
                first = number + 1
            elif first < count and number is None:
                raise AssertionError(running.stderr.read().decode()[-2000:])
    if peak > MEMORY:
        bad.append((None, f"{peak / 2**20:.0f} MB"))
    return {"format": format, "found": dict(found), "bad": bad, "peak": peak}


def main() -> None:
    """The whole of it, and an exit code."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--each", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--only", nargs="*", default=FORMATS)
    given = asked.parse_args()
    failed = False
    for format in given.only:
        began = time.monotonic()
        went = trial(format, given.each, given.seed)
        failed |= bool(went["bad"])
        spent = f"{went['peak'] / 2**20:.0f} MB  {time.monotonic() - began:.1f} s"
        print(f"{format:8} {given.each:6} files  {went['found']}  {spent}", flush=True)
        for number, what in went["bad"][:10]:
            print(f"         file {number}: {what}")
    sys.exit(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main()

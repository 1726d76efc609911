"""Six objectives over a folder in two processes, and plain scans by two: CPU seconds, and the private memory of all."""

from __future__ import annotations

import json
import resource
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import isegoria as iso
from isegoria.tables.executors import Pool, closing


def plain(file: str) -> int:
    """Read a file and do nothing with it."""
    import pyarrow.parquet

    part = pyarrow.parquet.ParquetFile(file)
    for group in range(part.num_row_groups):
        for column in part.read_row_group(group, use_threads=False).columns:
            column.chunk(0).to_numpy()
    return part.num_row_groups


def private(process: str = "self") -> float:
    """Megabytes that belong to a process and its children alone."""
    total = 0.0
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")) / 1024
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(private(child) for child in (task / "children").read_text().split())
    except OSError:
        pass  # a process that has just ended
    return total


def spent() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def scanned(files: list[str]) -> float:
    """CPU seconds that two processes need to read files, from their start to their end."""
    start = spent()
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(plain, files))
    return spent() - start


def main(folder: str) -> None:
    """Print the measurements as JSON, and how far it is on stderr."""
    files = sorted(str(file) for file in Path(folder).glob("*.parquet"))
    scanned(files)  # from the disk
    scan = scanned(files)
    print(f"a plain scan: {scan:.1f} s of CPU time", file=sys.stderr, flush=True)
    seen, stop = [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.5):
            seen[0] = max(seen[0], private())

    threading.Thread(target=watch, daemon=True).start()
    start = spent()
    with closing(Pool(2)) as executor:
        table = iso.scan(folder, executor=executor)
        iso.compare(table)
    seconds = spent() - start
    stop.set()
    print(json.dumps({"seconds": seconds, "scan": scan, "passes": table.passes, "peak": seen[0]}))


if __name__ == "__main__":
    main(sys.argv[1])

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
from isegoria.out_of_core.executors import ProcessPool, close_after


def read_file(file: str) -> int:
    """Read a file and do nothing with it."""
    import pyarrow.parquet

    part = pyarrow.parquet.ParquetFile(file)
    for group in range(part.num_row_groups):
        for column in part.read_row_group(group, use_threads=False).columns:
            column.chunk(0).to_numpy()
    return part.num_row_groups


def private_megabytes(process: str = "self") -> float:
    """Megabytes that belong to a process and its children alone."""
    total = 0.0
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")) / 1024
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(private_megabytes(child) for child in (task / "children").read_text().split())
    except OSError:
        pass  # a process that has just ended
    return total


def cpu_seconds() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def time_plain_scan(files: list[str]) -> float:
    """CPU seconds that two processes need to read files, from their start to their end."""
    start = cpu_seconds()
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(read_file, files))
    return cpu_seconds() - start


def main(folder: str) -> None:
    """Print the measurements as JSON, and how far it is on stderr."""
    files = sorted(str(file) for file in Path(folder).glob("*.parquet"))
    time_plain_scan(files)  # from the disk
    scan = time_plain_scan(files)
    print(f"a plain scan: {scan:.1f} s of CPU time", file=sys.stderr, flush=True)
    seen, stop = [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.5):
            seen[0] = max(seen[0], private_megabytes())

    threading.Thread(target=watch, daemon=True).start()
    start = cpu_seconds()
    with close_after(ProcessPool(2)) as executor:
        table = iso.scan(folder, executor=executor)
        iso.compare(table)
    seconds = cpu_seconds() - start
    stop.set()
    print(json.dumps({"seconds": seconds, "scan": scan, "passes": table.passes, "peak": seen[0]}))


if __name__ == "__main__":
    main(sys.argv[1])

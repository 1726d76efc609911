"""Cost and memory of sparse tables against their entries: 10,000 to 1,000,000 agents who rate 10 of 2,000 arms."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
ARMS, ENTRIES = 2_000, 10
PROBE = """
import sys, time, numpy as np, isegoria as iso
from scipy.sparse import csr_array
from benchmarks.harness import peak_memory
agents, arms, entries, values = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "nash"
rng = np.random.default_rng(42)
cumulated = np.cumsum(1 / np.arange(1, arms + 1)); cumulated /= cumulated[-1]
items = np.searchsorted(cumulated, rng.random((agents, entries)))
items.sort(axis=1)
table = csr_array((rng.choice([0.25, 0.5, 1.0], agents * entries) if values else np.ones(agents * entries),
                   items.ravel(), np.arange(0, agents * entries + 1, entries)), shape=(agents, arms))
table.sum_duplicates(); np.minimum(table.data, 1.0, out=table.data)
iso.solve(iso.Instance(csr_array(np.eye(3, 80))), sys.argv[4])
before = peak_memory(); start = time.process_time()
gap = iso.solve(iso.Instance(table), sys.argv[4]).gap
print(time.process_time() - start, max(peak_memory() - before, 0), table.nnz, gap)
"""


def run_probe(agents: int, objective: str) -> tuple[float, float, float, float]:
    """(seconds, bytes, entries, gap) in a process of its own, so that its memory is its own too."""
    command = [sys.executable, "-c", PROBE, str(agents), str(ARMS), str(ENTRIES), objective]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return tuple(map(float, said))


def main() -> None:
    """Print a table for each objective, and the slopes on the log–log plot."""
    for objective in ("procedural", "nash"):
        found = np.array([run_probe(agents, objective) for agents in SIZES])
        print(f"{objective}: agents, entries, seconds, MB more, gap")
        for agents, (seconds, memory, entries, gap) in zip(SIZES, found, strict=True):
            print(f"{agents:10,} {entries:12,.0f} {seconds:9.3f} {memory / 2**20:9.0f} {gap:9.1e}")
        slope = np.polyfit(np.log(found[1:, 2]), np.log(found[1:, 0]), 1)[0]
        print(f"slope of the time against the entries, log–log: {slope:.2f} (1 is linear)")


if __name__ == "__main__":
    main()

"""Hostile large tables: `python benchmarks/stress/crowds.py [count]` must certify all six on each within 12 passes.

The families are those of tests/oracles/large_profiles.py, 100,000 agents each, with another seed for every table.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import isegoria as iso
from oracles.large_profiles import HOSTILE_FAMILIES

PASSES, AGENTS, REFUSALS = 12, 100_000, 1


def main(count: int) -> int:
    """0 if every table was certified within the passes, but for one refusal."""
    warnings.simplefilter("ignore", iso.NearTieWarning)
    refused, most, slow = [], 0, []
    families = list(HOSTILE_FAMILIES.items())
    for seed in range(count):
        name, family = families[seed % len(families)]
        scan = iso.scan(iso.Instance(family(np.random.default_rng(seed), AGENTS)))
        try:
            worst = max(entry.solution.gap for entry in iso.compare(scan).values())
        except iso.CertificationError as error:
            refused.append(f"{name}, seed {seed}: {error}")
            continue
        assert worst <= 1e-9, f"{name}, seed {seed}: a gap of {worst:.1e} was returned"
        most = max(most, scan.passes)
        if scan.passes > PASSES:
            slow.append(f"{name}, seed {seed}: {scan.passes} passes")
    for line in (*refused, *slow):
        print(line)
    print(
        f"{count} tables of {AGENTS:,} agents: {len(refused)} refused, most passes {most}, {len(slow)} above {PASSES}"
    )
    return int(len(refused) > REFUSALS or bool(slow))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))

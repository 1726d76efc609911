"""`make bits`: a digest of the policies that this build finds on a hostile sample, for each objective and tie-break.

Two builds of the same source print the same lines, whatever compiler and processor they are for; so does one build,
whatever kernels its BLAS takes, on however many threads, and whatever instructions NumPy may use (`--settings` starts
a child for each). The sample is the file `data/bits.npz`, since `10 ** array` differs between instruction sets; its
digest comes first. (Checked are tables of up to 60 agents and 20 arms, which the direct kernels solve. Values pass
through the logarithm of the C library: these are promised to 1e-12, not to the last bit.)

Policies within the fair ones and those of leximin pass through BLAS. They are promised to 1e-9 where the tie margin is
clear, not to the last bit: `--policies` prints them in full, and `--settings` compares them so.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

import isegoria as iso
from isegoria.rules import RULE_GROUPS
from oracles.solution_checks import CLEAR_MARGIN, POLICY_TOLERANCE

SAMPLE = Path(__file__).parent / "data" / "bits.npz"
TIE_BREAKS = ["centre", "vertex", "utilitarian"]
CORES = {"Nehalem": "sse4_2", "Haswell": "avx2", "SkylakeX": "avx512f"}
"""Kernels of OpenBLAS, and what a processor must have to run them."""


def instances(every: int = 1) -> list[iso.Instance]:
    """Each `every`-th instance of the sample."""
    with np.load(SAMPLE) as file:
        shapes, means, weights = file["shapes"], file["means"], file["weights"]
    ends, rows = np.cumsum(shapes.prod(axis=1)), np.cumsum(shapes[:, 0])
    numbers = range(0, len(shapes), every)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.NearTieWarning)
        return [
            iso.Instance(
                means[ends[i] - shapes[i].prod() : ends[i]].reshape(shapes[i]),
                weights=weights[rows[i] - shapes[i, 0] : rows[i]],
            )
            for i in numbers
        ]


def digests(every: int = 1) -> list[str]:
    """The digest of the sample, and one of the policies of each objective under each tie-break: 18."""
    tables = instances(every)
    lines = [f"sample {hashlib.sha256(SAMPLE.read_bytes()).hexdigest()}"]
    for objective, tie_break in itertools.product(RULE_GROUPS["paper"], TIE_BREAKS):
        digest = hashlib.sha256()
        for instance in tables:
            digest.update(iso.solve(instance, objective, tie_break).policy.tobytes())
        lines.append(f"{objective} {tie_break} {digest.hexdigest()}")
    return lines


def list_close_policies(every: int = 1) -> list[tuple[str, float, np.ndarray]]:
    """Name, tie margin and policy of what is promised to be close and not equal: the fair answers, and leximin's."""
    asked = [(rule, "fair") for rule in RULE_GROUPS["paper"] if rule != "procedural"] + [("leximin", None)]
    found = []
    for (number, table), (rule, within) in itertools.product(enumerate(instances(every)), asked):
        try:
            solution = iso.solve(table, rule, within=within)
        except iso.CertificationError:  # leximin, where agents are tied whom only rounding tells apart
            continue
        found.append((f"{rule} {number}", solution.tie_margin, solution.policy))
    return found


def find_apart(own: list[tuple[str, float, np.ndarray]], printed: str) -> list[str]:
    """Return what another setting printed that is not close to our own policies, where both margins are clear."""
    other = dict(line.split(" = ") for line in printed.splitlines() if " = " in line)
    apart = []
    for name, margin, policy in own:
        if name not in other:
            continue
        there, *numbers = map(float.fromhex, other[name].split())
        if min(margin, there) > CLEAR_MARGIN and np.abs(policy - numbers).max() > POLICY_TOLERANCE:
            apart.append(name)
    return apart


def settings() -> dict[str, dict[str, str]]:
    """What a machine may do otherwise, as far as this one can: a name, and the variables that make it so."""
    flags = _processor()
    cores = {core: {"OPENBLAS_CORETYPE": core} for core, needed in CORES.items() if needed in flags}
    threads = {f"threads: {n}": {"OPENBLAS_NUM_THREADS": str(n)} for n in (1, 2)}
    return {**cores, **threads, "plain NumPy": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"}}


def _processor() -> set[str]:
    """The flags of this processor; none where they cannot be read."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return next((set(line.split()) for line in lines if line.startswith("flags")), set())


def under(variables: dict[str, str], every: int = 1, *more: str) -> str:
    """What a child prints whose environment has these variables."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("OPENBLAS_", "NPY_"))}
    words = [sys.executable, "-W", "ignore", __file__, "--every", str(every), *more]
    return subprocess.run(words, env={**inherited, **variables}, capture_output=True, text=True, check=True).stdout


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--every", type=int, default=1, help="take each n-th table of the sample")
    options.add_argument("--settings", action="store_true", help="compare kernels of BLAS, threads and instructions")
    options.add_argument("--policies", action="store_true", help="print the policies that are promised to be close")
    asked = options.parse_args()
    if asked.policies:
        for name, margin, policy in list_close_policies(asked.every):
            print(name, "=", *(float(number).hex() for number in (margin, *policy)))
        return 0
    own = "\n".join(digests(asked.every)) + "\n"
    print(own, end="")
    apart = 0
    close = list_close_policies(asked.every) if asked.settings else []
    for name, variables in settings().items() if asked.settings else ():
        far = find_apart(close, under(variables, asked.every, "--policies"))
        apart += bool(far)
        print(f"{name}: {'policies that are close' if not far else 'OTHER POLICIES: ' + ', '.join(far)}")
        same = under(variables, asked.every) == own
        apart += not same
        print(f"{name}: {'the same bits' if same else 'OTHER BITS'}")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())

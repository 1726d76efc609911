"""`make stress`: the table of rules and axioms, searched over every group as large as `EXHAUSTIVE_SIZE`.

Each cell that is said to hold, or to be open, is looked at on all of them (up to renaming), and then on larger random
groups, as large as `SAMPLED_SIZE`, for some seconds; and no smaller group of them shows what a counterexample does. It
prints a line for each cell and ends with exit code 1 if one is contradicted. With ids of rules as arguments it looks at
those alone.
"""

from __future__ import annotations

import sys
from time import perf_counter

import isegoria as iso
from isegoria.analysis.axioms.counterexamples import Counterexample, instance_from_sets, iter_small_profiles
from isegoria.analysis.axioms.known_results import EXHAUSTIVE_SIZE, SAMPLED_SIZE, KnownResult, load_known_results

SECONDS = 5.0
"""For larger random groups, each cell."""


def find_failing_group(cell: KnownResult, groups: list[iso.Instance]) -> iso.Instance | None:
    """The first of the groups on which the axiom fails; a row of zeros is no approval ballot, so it does not count."""
    for group in groups:
        verdict = iso.axioms.check(group, cell.rule, cell.axiom, search=True)
        if verdict.holds is False and all(map(any, getattr(verdict.witness, "rows", ()))):
            return group
    return None


def search_samples(cell: KnownResult) -> tuple[Counterexample | None, int]:
    """(a violation among larger random groups, or None; how many of them were looked at)."""
    start, seed = perf_counter(), 0
    while perf_counter() < start + SECONDS:
        agents, arms = (
            least + seed % (most - least + 1) for least, most in zip(EXHAUSTIVE_SIZE, SAMPLED_SIZE, strict=True)
        )
        found = iso.find_counterexample(
            cell.rule, cell.axiom, agents=agents, arms=arms, tries=1, seed=seed, exhaustive=None
        )
        seed += 1
        if found is not None:
            return found, seed
    return None, seed


def verify_holds(cell: KnownResult, groups: list[iso.Instance]) -> tuple[bool, str]:
    """Whether nothing speaks against a cell that holds or is open, and what was looked at."""
    found = find_failing_group(cell, groups)
    if found is not None:
        return False, f"fails on {found.favourites.astype(int).tolist()}"
    larger, tried = search_samples(cell)
    if larger is not None:
        return False, larger.to_code()
    return True, f"all {len(groups):,} small groups and {tried:,} larger ones"


def verify_minimal(cell: KnownResult, groups: list[iso.Instance]) -> tuple[bool, str]:
    """Whether no smaller group than the counterexample shows the same."""
    own = cell.instance
    size = own.means.size
    smaller = [group for group in groups if group.means.size < size]
    found = find_failing_group(cell, smaller)
    if found is not None:
        return False, f"a smaller group does it: {found.favourites.astype(int).tolist()}"
    return True, f"none of {len(smaller):,} smaller groups"


def main(rules: list[str]) -> int:
    groups = [instance_from_sets(*group) for group in iter_small_profiles(*EXHAUSTIVE_SIZE)]
    print(f"{len(groups):,} groups of at most {EXHAUSTIVE_SIZE[0]} agents and {EXHAUSTIVE_SIZE[1]} arms")
    broken = 0
    for cell in load_known_results():
        if rules and cell.rule not in rules:
            continue
        start = perf_counter()
        ok, said = (verify_minimal if cell.verdict == "fails" else verify_holds)(cell, groups)
        broken += not ok
        took = perf_counter() - start
        print(f"{'ok ' if ok else 'NO '} {cell.rule} {cell.axiom} {cell.verdict}: {said} ({took:.0f} s)", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

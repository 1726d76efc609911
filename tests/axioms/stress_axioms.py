"""`make stress`: the table of rules and axioms, searched over every group as large as `SEARCHED`.

Each cell that is said to hold, or to be open, is looked at on all of them (up to renaming), and then on larger random
groups, as large as `SAMPLED`, for some seconds; and no smaller group of them shows what a counterexample does. It
prints a line for each cell and ends with exit code 1 if one is contradicted. With ids of rules as arguments it looks at
those alone.
"""

from __future__ import annotations

import sys
from time import perf_counter

import isegoria as iso
from isegoria.axioms.literature import SAMPLED, SEARCHED, AxiomCell, literature
from isegoria.axioms.violations import Violation, approvals_of, small_groups

SECONDS = 5.0
"""For larger random groups, each cell."""


def violated(cell: AxiomCell, groups: list[iso.Instance]) -> iso.Instance | None:
    """The first of the groups on which the axiom fails."""
    for group in groups:
        if iso.axioms.check_rule(group, cell.rule, cell.axiom, search=True).holds is False:
            return group
    return None


def sampled(cell: AxiomCell) -> tuple[Violation | None, int]:
    """(a violation among larger random groups, or None; how many of them were looked at)."""
    start, seed = perf_counter(), 0
    while perf_counter() < start + SECONDS:
        agents, arms = (least + seed % (most - least + 1) for least, most in zip(SEARCHED, SAMPLED, strict=True))
        found = iso.find_violation(cell.rule, cell.axiom, agents=agents, arms=arms, tries=1, seed=seed, exhaustive=None)
        seed += 1
        if found is not None:
            return found, seed
    return None, seed


def holds(cell: AxiomCell, groups: list[iso.Instance]) -> tuple[bool, str]:
    """Whether nothing speaks against a cell that holds or is open, and what was looked at."""
    found = violated(cell, groups)
    if found is not None:
        return False, f"fails on {found.favourites.astype(int).tolist()}"
    larger, tried = sampled(cell)
    if larger is not None:
        return False, larger.code()
    return True, f"all {len(groups):,} small groups and {tried:,} larger ones"


def least(cell: AxiomCell, groups: list[iso.Instance]) -> tuple[bool, str]:
    """Whether no smaller group than the counterexample shows the same."""
    own = cell.instance
    size = own.means.size
    smaller = [group for group in groups if group.means.size < size]
    found = violated(cell, smaller)
    if found is not None:
        return False, f"a smaller group does it: {found.favourites.astype(int).tolist()}"
    return True, f"none of {len(smaller):,} smaller groups"


def main(rules: list[str]) -> int:
    groups = [approvals_of(*group) for group in small_groups(*SEARCHED)]
    print(f"{len(groups):,} groups of at most {SEARCHED[0]} agents and {SEARCHED[1]} arms")
    broken = 0
    for cell in literature():
        if rules and cell.rule not in rules:
            continue
        start = perf_counter()
        ok, said = (least if cell.verdict == "fails" else holds)(cell, groups)
        broken += not ok
        took = perf_counter() - start
        print(f"{'ok ' if ok else 'NO '} {cell.rule} {cell.axiom} {cell.verdict}: {said} ({took:.0f} s)", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`make stress`: how often elimination loses a favourite on exact ties, planted faults, and Theorem 3, in full.

It prints a table for people to read and ends with exit code 1 if a promise was broken or a fault was not seen.
"""

from __future__ import annotations

import sys

from isegoria.studies.elimination import guarantees

RUNS, FAULT_RUNS, GROUPS, TIED_RUNS = 1_500, 300, 300, 1_000


def main() -> int:
    found = [*guarantees.check_coverage(RUNS, FAULT_RUNS), *guarantees.check_theorem3(GROUPS)]
    found += guarantees.check_rules_on_ties(TIED_RUNS)
    for one in found:
        print(f"{'ok ' if one.ok else 'NO '} {one.claim}: {one.measured} (asked: {one.asked})")
    return 0 if all(one.ok for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())

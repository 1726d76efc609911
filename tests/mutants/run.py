"""Plant every fault in turn and run the tests that must notice it: python tests/mutants/run.py [NAME ...].

A name may also be that of a test file: then all faults that it must notice are planted, and it alone is run. The name
`items` stands for the faults of the paper's ledger, each of which the test of its item must notice.
First the same tests run without any fault, and must pass. Exits with 1 if a fault goes unnoticed, or if an item of the
paper's ledger has no fault; its own fault is named "item:ID".
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS))

from isegoria.studies.claims.paper_items import load_paper_items  # noqa: E402
from isegoria.studies.claims.verdicts import PlantedFault  # noqa: E402
from mutants import faults  # noqa: E402, F401
from mutants.planting import FAULTS, Fault, plant_text  # noqa: E402

INCONCLUSIVE_EXIT_CODES = (2, 3, 4, 5)
"""Exit codes of pytest that say nothing about a fault: interrupted, broken, misused, nothing to run."""


def add_items() -> list[str]:
    """Put the faults of the ledger into the list; the ids of items whose fault is missing or unknown."""
    missing = []
    for id, item in load_paper_items().items():
        name = f"item:{id}"
        if isinstance(item.fault, PlantedFault):
            FAULTS[name] = Fault(name, item.fault.wrong, (item.test,), partial(plant_text, *item.fault[:3]))
        elif item.fault in FAULTS and item.test:
            FAULTS[name] = FAULTS[item.fault]._replace(name=name, noticed_by=(item.test,))
        else:
            missing.append(id)
    return missing


ITEMS_WITHOUT_FAULT = add_items()
ALL_ITEMS = "items"


def tests_of(fault: Fault) -> list[str]:
    """The tests that must notice: files of tests/ as they are, examples of the paper by their own test."""
    return [
        f"tests/test_examples.py::test_the_example_runs_and_says_what_it_showed[{name}]" if "/" not in name else name
        for name in fault.noticed_by
    ]


def run_tests(tests: list[str], name: str = "") -> int:
    """The exit code of pytest on those tests, with the fault of that name planted."""
    environment = {**os.environ, "ISEGORIA_FAULT": name, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(TESTS)}
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "mutants.plugin", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode in INCONCLUSIVE_EXIT_CODES:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode


def select_faults(name: str) -> list[Fault]:
    """The fault of that name; or of a test file, all that it must notice, by itself."""
    if name in FAULTS:
        return [FAULTS[name]]
    if name == ALL_ITEMS:
        return [fault for fault in FAULTS.values() if fault.name.startswith("item:")]
    return [fault._replace(noticed_by=(name,)) for fault in FAULTS.values() if name in fault.noticed_by]


def main(names: list[str]) -> int:
    chosen = [one for name in names for one in select_faults(name)] if names else list(FAULTS.values())
    if ITEMS_WITHOUT_FAULT:
        print(f"these items of the paper have no fault: {', '.join(ITEMS_WITHOUT_FAULT)}.")
        return 1
    start = time.monotonic()
    sound = run_tests(sorted({test for fault in chosen for test in tests_of(fault)}))
    if sound != 0:
        print("the tests do not pass even without a fault; mend that first.")
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda fault: run_tests(tests_of(fault), fault.name), chosen))
    missed = 0
    for fault, code in zip(chosen, codes, strict=True):
        noticed = code == 1
        missed += not noticed
        print(f"{'noticed' if noticed else 'MISSED '}  {fault.name}: {fault.wrong}")
    print(f"{len(chosen) - missed} of {len(chosen)} faults noticed, in {time.monotonic() - start:.0f} s.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

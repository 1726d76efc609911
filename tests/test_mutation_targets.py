"""The faults of `make mutants` aim at names that are there and at tests that exist; that each is noticed, it shows."""

import subprocess
import sys
from pathlib import Path

from isegoria.studies.claims.paper_items import load_paper_items
from isegoria.studies.claims.verdicts import PlantedFault
from mutants import faults, run  # noqa: F401, the list is filled there
from mutants.planting import FAULTS, change_text, find_package

PLANT_ALL = "from mutants import faults, planting\nfor fault in planting.FAULTS.values(): fault.plant()"


def test_every_fault_can_be_planted():
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", PLANT_ALL], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_whoever_must_notice_exists():
    assert len(FAULTS) >= 40
    for fault in FAULTS.values():
        assert fault.wrong
        assert fault.noticed_by
        for test in run.tests_of(fault):
            assert (run.ROOT / test.partition("::")[0]).exists(), f"{fault.name}: {test}"
        for name in fault.noticed_by:
            assert "/" in name or list(run.ROOT.glob(f"examples/paper/{name}*")), f"{fault.name}: {name}"


def test_every_item_of_the_paper_has_a_fault_that_fits():
    assert run.ITEMS_WITHOUT_FAULT == []
    for id, item in load_paper_items().items():
        if isinstance(item.fault, PlantedFault):
            file, old, new, wrong = item.fault
            assert wrong, id
            assert change_text((find_package() / file).read_text(encoding="utf-8"), old, new, id)

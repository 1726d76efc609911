"""The pytest plugin that plants the fault named in ISEGORIA_FAULT before anything is collected.

A fault named "item:ID" is that of an item of the paper's ledger; it is planted before the package is imported.
"""

import os
import tomllib


def pytest_configure(config):
    name = os.environ.get("ISEGORIA_FAULT")
    if name and name.startswith("item:"):
        from mutants.planting import find_package, plant_text

        ledger = tomllib.loads((find_package() / "studies" / "paper_items.toml").read_text(encoding="utf-8"))
        [fault] = [item["fault"] for item in ledger["item"] if item["id"] == name.removeprefix("item:")]
        if not isinstance(fault, str):
            plant_text(fault["file"], fault["old"], fault["new"])
            return
        name = fault
    if name:
        from mutants import faults  # noqa: F401
        from mutants.planting import FAULTS

        FAULTS[name].plant()

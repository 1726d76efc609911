"""The pytest plugin that plants the fault named in ISEGORIA_FAULT before anything is collected."""

import os


def pytest_configure(config):
    name = os.environ.get("ISEGORIA_FAULT")
    if name:
        from mutants import faults  # noqa: F401
        from mutants.planting import FAULTS

        FAULTS[name].plant()

"""Settings that every test shares."""

import pytest
from hypothesis import settings

from browser.fixtures import axe, browser, page  # noqa: F401

collect_ignore = ["toys", "typing", "mutants"]  # what other tests install, look at or plant

# A shared machine may be slow at any moment, and speed is the benchmarks' business; the same examples on every run.
settings.register_profile("isegoria", deadline=None, derandomize=True)
settings.load_profile("isegoria")


@pytest.fixture
def cluster():
    """A Dask cluster in this process, its dashboard at any free port: another process of the tests may hold 8787."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local:
        yield local

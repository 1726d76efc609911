"""Settings that every test shares."""

from hypothesis import settings

from browser.fixtures import axe, browser, page  # noqa: F401

collect_ignore = ["toys", "typing", "mutants"]  # what other tests install, look at or plant

# A shared machine may be slow at any moment, and speed is the benchmarks' business; the same examples on every run.
settings.register_profile("isegoria", deadline=None, derandomize=True)
settings.load_profile("isegoria")

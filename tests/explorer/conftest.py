"""An explorer that runs in a thread of the tests, and the address that opens it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import isegoria as iso
from browser.app_server import AppServer
from isegoria.service.explorer.app import create_explorer
from isegoria.service.explorer.uploads import UploadCache

LUNCH = Path(__file__).parents[2] / "examples" / "lunch.csv"


class RunningExplorer(AppServer):
    """A running explorer: `site` is its address, `address` the one that opens it once."""

    def __init__(self, instance=None, name="lunch.csv", pending=None):
        uploads = UploadCache()
        first = None if instance is None else uploads.keep(name, instance)
        super().__init__(create_explorer(first, uploads, pending))
        self.explorer = self.app.state.explorer
        self.address = f"{self.site}/#k={self.explorer.token}"


@pytest.fixture
def lunch() -> Iterator[RunningExplorer]:
    running = RunningExplorer(iso.read(LUNCH, scale=(1, 5)))
    yield running
    running.close()


@pytest.fixture
def empty() -> Iterator[RunningExplorer]:
    running = RunningExplorer()
    yield running
    running.close()


@pytest.fixture
def large() -> Iterator[RunningExplorer]:
    running = RunningExplorer(iso.Instance(np.random.default_rng(5).random((1000, 20)).round(1)), "large.csv")
    yield running
    running.close()

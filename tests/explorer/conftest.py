"""An explorer that runs in a thread of the tests, and the address that opens it."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import uvicorn

import isegoria as iso
from isegoria.service.explorer.app import create_explorer
from isegoria.service.explorer.shelf import Shelf
from isegoria.service.serving import bound

LUNCH = Path(__file__).parents[2] / "examples" / "lunch.csv"


class Running:
    """A running explorer: `site` is its address, `address` the one that opens it once."""

    def __init__(self, instance=None, name="lunch.csv"):
        shelf = Shelf()
        self.app = create_explorer(None if instance is None else shelf.keep(name, instance), shelf)
        self.explorer = self.app.state.explorer
        listening = bound("127.0.0.1", 0)
        self.site = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.address = f"{self.site}/#k={self.explorer.token}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, log_level="error", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)


@pytest.fixture
def lunch() -> Iterator[Running]:
    running = Running(iso.read(LUNCH, scale=(1, 5)))
    yield running
    running.close()


@pytest.fixture
def empty() -> Iterator[Running]:
    running = Running()
    yield running
    running.close()


@pytest.fixture
def large() -> Iterator[Running]:
    running = Running(iso.Instance(np.random.default_rng(5).random((1000, 20)).round(1)), "large.csv")
    yield running
    running.close()

"""An application that runs in a thread of the tests, at an address that a browser can open."""

import threading
import time

import uvicorn

from isegoria.service.serving import bound


class Served:
    """`app`, listening on a free `port` of this computer from the start; `site` is its address."""

    def __init__(self, app):
        self.app, listening = app, bound("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.site = f"http://127.0.0.1:{self.port}"
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)

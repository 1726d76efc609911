"""An application that runs in a thread of the tests, at an address that a browser can open."""

import threading
import time
from collections.abc import Callable

import uvicorn

from isegoria.service.server import bind_socket


class AppServer:
    """`app`, listening on a free `port` of this computer from the start; `site` is its address.

    With `dated`, every answer has the date that it returns instead of today's.
    """

    def __init__(self, app, dated: Callable[[], str] | None = None):
        self.app, listening = app, bind_socket("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.site = f"http://127.0.0.1:{self.port}"
        told = app if dated is None else _FixedDateApp(app, dated)
        config = uvicorn.Config(told, log_level="error", timeout_graceful_shutdown=1, date_header=dated is None)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)


class _FixedDateApp:
    """An application whose answers have a date of their own."""

    def __init__(self, app, date: Callable[[], str]):
        self.app, self.date = app, date

    async def __call__(self, scope, receive, send):
        async def dated(message):
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"date", self.date().encode())]}
            await send(message)

        await self.app(scope, receive, dated)

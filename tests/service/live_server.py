"""The service on a real socket of this process, for what only a network shows."""

import contextlib
import socket
import threading
import time
from http.client import HTTPConnection

from isegoria.service.app import create_app
from isegoria.service.http.limits import ConnectionLimits
from isegoria.service.server import bind_socket, make_server
from isegoria.service.settings import Settings


class LiveServer:
    """A server on a port of its own, and how to reach it."""

    def __init__(self, app, port: int):
        self.app, self.port, self.service = app, port, app.state.service
        self.opened: list[socket.socket] = []

    def silent(self, said: bytes = b"") -> socket.socket:
        """A socket that says so much and then nothing."""
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        self.opened.append(opened)
        opened.sendall(said)
        return opened

    def ask(self, path: str, method: str = "GET", body: str | None = None, headers: dict | None = None):
        """(status, body) of a request of its own."""
        return self.ask_for_headers(path, method, body, headers)[:2]

    def ask_for_headers(self, path: str, method: str = "GET", body: str | None = None, headers: dict | None = None):
        """(status, body, headers) of a request of its own."""
        line = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            line.close()


@contextlib.contextmanager
def run_live_server(store, limits: ConnectionLimits | None = None, **settings):
    """The service on this store, at a free port, until the block ends."""
    chosen = Settings(store=store.address, keeps_time=False, **settings)
    app = create_app(chosen, store)
    server = make_server(app, limits or ConnectionLimits(), chosen.proxies)
    with bind_socket("127.0.0.1", 0) as ear:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [ear]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            reached = LiveServer(app, ear.getsockname()[1])
            yield reached
        finally:
            for opened in reached.opened:
                opened.close()
            server.should_exit = True
            thread.join(30)

"""`SlowProxy`: a line to our server like that of a phone in a basement, with a delay and so many bytes a second."""

import contextlib
import socket
import socketserver
import threading
import time

DELAY, RATE, PIECE = 0.3, 50_000, 4096


class SlowProxy(socketserver.ThreadingTCPServer):
    """Listens on `port` and hands everything on to `target`, both ways, slowly; `close()` ends it."""

    daemon_threads, block_on_close = True, False

    def __init__(self, target: int):
        super().__init__(("127.0.0.1", 0), _Visit)
        self.target, self.port = target, self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Visit(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        inside = socket.create_connection(("127.0.0.1", self.server.target))
        threading.Thread(target=_copy_slowly, args=(self.request, inside), daemon=True).start()
        _copy_slowly(inside, self.request)


def _copy_slowly(here: socket.socket, there: socket.socket) -> None:
    """Everything that comes from `here`, until either side has gone."""
    time.sleep(DELAY)
    with contextlib.suppress(OSError):
        while piece := here.recv(PIECE):
            time.sleep(DELAY / 10 + len(piece) / RATE)
            there.sendall(piece)
        there.shutdown(socket.SHUT_WR)

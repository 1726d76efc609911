"""Connection limits: how many at once, how many from one client network, and timeouts for each part of a request.

A client that opens a connection and sends nothing is disconnected after a timeout. When all connections are in use, the
one that has been silent longest is closed for the next. So idle connections never make the service unreachable.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from isegoria.service.http.limits import ConnectionLimits
from isegoria.service.http.origin import is_in_networks, to_client_network

connection_log = logging.getLogger("isegoria.http")
connection_log.setLevel(
    logging.CRITICAL
)  # do not log malformed or aborted requests; our own errors are logged elsewhere


class ConnectionTracker:
    """The open connections of one server: in total, per client network, and those without a complete request header."""

    def __init__(self, limits: ConnectionLimits, proxies: Iterable[str] = ()) -> None:
        self.limits, self.proxies = limits, tuple(proxies)
        self.places: Counter[str] = Counter()
        self.silent: OrderedDict[LimitedProtocol, None] = OrderedDict()
        self.count = 0

    def admit(self, one: LimitedProtocol) -> bool:
        """Return whether there is room for one more connection; close the longest silent one if necessary."""
        if not is_in_networks(one.address, self.proxies) and self.places[one.place] >= self.limits.from_one:
            return False
        if self.count >= self.limits.most and not self._made_room():
            return False
        self.count += 1
        self.places[one.place] += 1
        return True

    def _made_room(self) -> bool:
        for one in self.silent:
            one.hang_up()
            return True
        return False

    def gone(self, one: LimitedProtocol) -> None:
        """Remove a connection that was admitted and has ended."""
        self.silent.pop(one, None)
        self.count -= 1
        self.places[one.place] -= 1
        if self.places[one.place] <= 0:
            del self.places[one.place]


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol for one connection, counted by `ConnectionTracker`, with a timeout for each part of a
    request."""

    known: ConnectionTracker

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.logger = connection_log
        self.address = self.client[0] if self.client else ""
        self.place = to_client_network(self.address)
        self._clock: asyncio.TimerHandle | None = None
        self._timed = ""
        self._stalled: asyncio.TimerHandle | None = None
        self._admitted = self.known.admit(self)
        if self._admitted:
            self._time("header")
        else:
            transport.write(_TOO_MANY_CONNECTIONS_RESPONSE)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._time("")
        self._read_again()
        if self._admitted:
            self._admitted = False
            self.known.gone(self)

    def data_received(self, data: bytes) -> None:
        if not self._admitted or self.transport.is_closing():
            return
        super().data_received(data)
        theirs = self.conn.their_state
        if theirs is h11.IDLE:  # a header has begun; between two requests uvicorn has its own timeout
            self._time("header" if self.timeout_keep_alive_task is None else "")
        else:
            self._time("body" if theirs is h11.SEND_BODY else "")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._read_again()
        self._stalled = self.loop.call_later(self.known.limits.reading, self.hang_up)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_again()

    def hang_up(self) -> None:
        """Abort the connection at once."""
        if self._admitted:
            self._admitted = False
            self.known.gone(self)
        self.transport.abort()

    def _read_again(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _time(self, part: str) -> None:
        """Start the timeout of a part of a request; an empty `part` stops the timer."""
        if part == self._timed:
            return
        self._timed = part
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        self.known.silent.pop(self, None)
        if part:
            self._clock = self.loop.call_later(getattr(self.known.limits, part), self.hang_up)
        if part == "header" and self._admitted:
            self.known.silent[self] = None


def make_protocol_class(known: ConnectionTracker) -> type[LimitedProtocol]:
    """Return a protocol class bound to these connections."""
    return type("LimitedProtocol", (LimitedProtocol,), {"known": known})


def _build_429_response(sentence: str) -> bytes:
    body = json.dumps({"error": sentence}).encode()
    head = "HTTP/1.1 429 Too Many Requests", "content-type: application/json", f"content-length: {len(body)}"
    return "\r\n".join([*head, "retry-after: 5", "connection: close", "", ""]).encode() + body


_TOO_MANY_CONNECTIONS_RESPONSE = _build_429_response(
    "too many connections are open; close some, and try again in a moment."
)

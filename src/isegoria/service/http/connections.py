"""Connections with limits: how many at once, from one place, and how long one may take to say what it wants.

Whoever opens sockets and says nothing is closed after a while; when all places are taken, the one that has kept
silent longest makes room for the next. So idle sockets never make the service unreachable.
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

from isegoria.service.http.request import is_among, place_of
from isegoria.service.limits import ConnectionLimits

quiet = logging.getLogger("isegoria.http")
quiet.setLevel(logging.CRITICAL)  # what is malformed or goes away is no matter for a log; a fault of ours is logged


class Connections:
    """Who is connected to one server: in all, from each place, and who has not said yet what it wants."""

    def __init__(self, limits: ConnectionLimits, proxies: Iterable[str] = ()) -> None:
        self.limits, self.proxies = limits, tuple(proxies)
        self.places: Counter[str] = Counter()
        self.silent: OrderedDict[LimitedProtocol, None] = OrderedDict()
        self.count = 0

    def admit(self, one: LimitedProtocol) -> bool:
        """Whether there is room for one more; if not, whoever has been silent longest may have to go."""
        if not is_among(one.address, self.proxies) and self.places[one.place] >= self.limits.from_one:
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
        """One that was admitted has ended."""
        self.silent.pop(one, None)
        self.count -= 1
        self.places[one.place] -= 1
        if self.places[one.place] <= 0:
            del self.places[one.place]


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol for one connection, with a place among `Connections` and a clock for each of its parts."""

    known: Connections

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.logger = quiet
        self.address = self.client[0] if self.client else ""
        self.place = place_of(self.address)
        self._clock: asyncio.TimerHandle | None = None
        self._timed = ""
        self._stalled: asyncio.TimerHandle | None = None
        self._admitted = self.known.admit(self)
        if self._admitted:
            self._time("header")
        else:
            transport.write(_FULL)
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
        if theirs is h11.IDLE:  # a header that has begun; between two requests uvicorn has a clock of its own
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
        """End the connection at once, whatever is still on its way."""
        if self._admitted:
            self._admitted = False
            self.known.gone(self)
        self.transport.abort()

    def _read_again(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _time(self, part: str) -> None:
        """Give a part of a request its seconds, from its beginning on; no part stops the clock."""
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


def limited(known: Connections) -> type[LimitedProtocol]:
    """The protocol of a server whose connections are these."""
    return type("LimitedProtocol", (LimitedProtocol,), {"known": known})


def _answer(sentence: str) -> bytes:
    body = json.dumps({"error": sentence}).encode()
    head = "HTTP/1.1 429 Too Many Requests", "content-type: application/json", f"content-length: {len(body)}"
    return "\r\n".join([*head, "retry-after: 5", "connection: close", "", ""]).encode() + body


_FULL = _answer("too many connections are open; close some, and try again in a moment.")

"""Server-sent events: a page is told that its group has changed, and fetches what it may see."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request as StarletteRequest
from starlette.responses import StreamingResponse

from isegoria.errors import IsegoriaError
from isegoria.service.http.refusals import TooManyRequests
from isegoria.service.http.request import Request, place_of
from isegoria.service.routing import ANYONE
from isegoria.service.settings import Settings
from isegoria.service.store import Store

if TYPE_CHECKING:
    from starlette.responses import Response

    from isegoria.service.app import Service

LOOK = 1.0  # seconds between two looks for what other processes wrote
BEAT = 15.0  # seconds after which a silent stream says that it is alive
TOGETHER = 0.05  # seconds in which several changes are told as one
STREAM = "text/event-stream"


class Hub:
    """Who listens to which group. One watcher a process looks for changes, its own and those of others, however many
    listen; what it finds is shared by all.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.listeners: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.places: Counter[str] = Counter()
        self.known: dict[str, tuple[int, str, int]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()

    def changed(self, group: str) -> None:
        """A group has changed; may be called from any thread."""
        if self._loop is not None and group in self.listeners:
            self._loop.call_soon_threadsafe(self._bell.set)

    def check_room(self, group: str, place: str, settings: Settings) -> None:
        """Refuse one more who would listen, where many do from one place or to one group: a page asks again itself."""
        of_group = len(self.listeners.get(group, ()))
        if self.places[place] >= settings.streams_from_one or of_group >= settings.streams_of_group:
            raise TooManyRequests("many listen here already; open the page again later.", {"retry-after": "60"})

    def heads(self, groups: list[str]) -> dict[str, tuple[int, str, int]]:
        """(lines, head, length) of each of these groups that is there."""
        with self.store.reading() as session:
            rows = (session.group(group) for group in groups)
            return {row.id: (row.lines, row.head, row.length) for row in rows if row is not None}

    async def watch(self, run: Callable[..., Awaitable[Any]]) -> None:
        """Look when something changed here, and every second for what changed elsewhere.

        A store that does not answer is asked again later.
        """
        self._loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), LOOK)
                await asyncio.sleep(TOGETHER)
            self._bell.clear()
            groups = list(self.listeners)
            if not groups:
                continue
            try:
                found = await run(self.heads, groups)
            except IsegoriaError:  # the store is down, or has no files left
                continue
            self.learn(groups, found)

    def learn(self, groups: list[str], found: dict[str, tuple[int, str, int]]) -> None:
        """Take what was found of these groups, and wake whoever listens to one that has changed."""
        for group in groups:
            if found.get(group) != self.known.get(group):
                for listener in self.listeners.get(group, ()):
                    listener.set()
            self.known.pop(group, None)
        self.known |= found


def stream_endpoint(service: Service) -> Callable[[StarletteRequest], Awaitable[Response]]:
    """The Starlette endpoint of a group's stream: `change` with the record's length and head, whenever it grows.

    Who is in the group is also told of what is not public, by the number of events; strangers only of the record.
    """

    async def call(incoming: StarletteRequest) -> StreamingResponse:
        request = Request.of(incoming, b"")
        actor = await service.readers.run(service.actor, request, ANYONE)
        place = place_of(request.address)
        service.hub.check_room(request.group, place, service.settings)
        return StreamingResponse(
            _stream(service, request.group, place, actor is not None, request.query.get("once") == "1"),
            media_type=STREAM,
            headers={"x-accel-buffering": "no"},
        )

    return call


async def _stream(service: Service, group: str, place: str, inside: bool, once: bool) -> AsyncIterator[bytes]:
    hub, listener = service.hub, asyncio.Event()
    hub.listeners[group].add(listener)
    hub.places[place] += 1
    last = None
    try:
        hub.learn([group], await service.readers.run(hub.heads, [group]))
        while True:
            listener.clear()
            found = hub.known.get(group)
            seen = found if inside or found is None else found[:2]
            if seen != last:
                last = seen
                yield _message(found, inside)
                if once or found is None:
                    return
            try:
                await asyncio.wait_for(listener.wait(), BEAT)
            except TimeoutError:
                yield b": still here\n\n"
    finally:
        hub.places[place] -= 1
        if not hub.places[place]:
            del hub.places[place]
        hub.listeners[group].discard(listener)
        if not hub.listeners[group]:
            del hub.listeners[group]
            hub.known.pop(group, None)


def _message(found: tuple[int, str, int] | None, inside: bool) -> bytes:
    if found is None:
        return b"event: gone\ndata: {}\n\n"
    lines, head, length = found
    data = {"lines": lines, "head": head, **({"events": length} if inside else {})}
    return f"event: change\ndata: {json.dumps(data)}\n\n".encode()

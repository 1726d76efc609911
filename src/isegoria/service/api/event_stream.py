"""Server-sent events: notify a page that its group has changed; the page then fetches what it may see."""

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
from isegoria.service.http.authentication import ANY_ROLE, Authenticator
from isegoria.service.http.http_errors import TooManyRequests
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Request
from isegoria.service.http.worker_pool import WorkerPool
from isegoria.service.settings import Settings
from isegoria.service.store import Store
from isegoria.utils.messages import Message

if TYPE_CHECKING:
    from starlette.responses import Response


POLL_INTERVAL_SECONDS = 1.0  # seconds between two looks for changes by other processes
HEARTBEAT_SECONDS = 15.0  # seconds after which an idle stream sends a heartbeat
COALESCE_SECONDS = 0.05  # seconds within which several changes are sent as one
EVENT_STREAM_TYPE = "text/event-stream"


class ChangeBroadcaster:
    """The listeners of each group. One watcher per process looks for changes, its own and those of other processes.

    The result is shared by all listeners, however many there are.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.listeners: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.places: Counter[str] = Counter()
        self.known: dict[str, tuple[int, str, int]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()

    def changed(self, group: str) -> None:
        """Wake the watcher because a group has changed; may be called from any thread."""
        if self._loop is not None and group in self.listeners:
            self._loop.call_soon_threadsafe(self._bell.set)

    def check_room(self, group: str, place: str, settings: Settings) -> None:
        """Raise `TooManyRequests` if too many streams are open from one place or for one group.

        The place is the client network of a stranger, and the person if they have a role in the group.

        The page tries again by itself.
        """
        of_group = len(self.listeners.get(group, ()))
        if self.places[place] >= settings.streams_from_one or of_group >= settings.streams_of_group:
            raise TooManyRequests(Message("many_listen_here_already"), {"retry-after": "60"})

    def heads(self, groups: list[str]) -> dict[str, tuple[int, str, int]]:
        """Return (lines, head, length) of each of these groups that exists."""
        with self.store.reading() as session:
            rows = (session.group(group) for group in groups)
            return {row.id: (row.lines, row.head, row.length) for row in rows if row is not None}

    async def watch(self, run: Callable[..., Awaitable[Any]]) -> None:
        """Look for changes when one happened in this process, and every second for those of other processes.

        An error of the store is ignored until the next look.
        """
        self._loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), POLL_INTERVAL_SECONDS)
                await asyncio.sleep(COALESCE_SECONDS)
            self._bell.clear()
            groups = list(self.listeners)
            if not groups:
                continue
            try:
                found = await run(self.heads, groups)
            except IsegoriaError:  # the store is down, or no file can be opened
                continue
            self.learn(groups, found)

    def learn(self, groups: list[str], found: dict[str, tuple[int, str, int]]) -> None:
        """Store the state found for these groups, and wake the listeners of each group that has changed."""
        for group in groups:
            if found.get(group) != self.known.get(group):
                for listener in self.listeners.get(group, ()):
                    listener.set()
            self.known.pop(group, None)
        self.known |= found


def make_stream_route(
    hub: ChangeBroadcaster, authenticator: Authenticator, settings: Settings, readers: WorkerPool
) -> Callable[[StarletteRequest], Awaitable[Response]]:
    """Return the Starlette endpoint of a group's stream: a `change` event with length and head when the record grows.

    Members and organisers also get an event, with the number of events, when something private changes.
    """

    async def call(incoming: StarletteRequest) -> StreamingResponse:
        request = Request.of(incoming, b"")
        actor = await readers.run(authenticator.authenticate, request, ANY_ROLE)
        place = to_client_network(request.address) if actor is None else actor.id  # many phones share one address
        hub.check_room(request.group, place, settings)
        return StreamingResponse(
            _stream_changes(hub, readers, request.group, place, actor is not None, request.query.get("once") == "1"),
            media_type=EVENT_STREAM_TYPE,
            headers={"x-accel-buffering": "no"},
        )

    return call


async def _stream_changes(
    hub: ChangeBroadcaster, readers: WorkerPool, group: str, place: str, inside: bool, once: bool
) -> AsyncIterator[bytes]:
    listener = asyncio.Event()
    hub.listeners[group].add(listener)
    hub.places[place] += 1
    last = None
    try:
        hub.learn([group], await readers.run(hub.heads, [group]))
        while True:
            listener.clear()
            found = hub.known.get(group)
            seen = found if inside or found is None else found[:2]
            if seen != last:
                last = seen
                yield _format_event(found, inside)
                if once or found is None:
                    return
            try:
                await asyncio.wait_for(listener.wait(), HEARTBEAT_SECONDS)
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


def _format_event(found: tuple[int, str, int] | None, inside: bool) -> bytes:
    if found is None:
        return b"event: gone\ndata: {}\n\n"
    lines, head, length = found
    data = {"lines": lines, "head": head, **({"events": length} if inside else {})}
    return f"event: change\ndata: {json.dumps(data)}\n\n".encode()

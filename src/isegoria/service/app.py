"""ASGI application of the service: its parts, its routes, and what runs beside the requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from isegoria.errors import IsegoriaError
from isegoria.io.sandbox.sandbox import Sandbox
from isegoria.service.actions.contacts import MANUAL_MAIL_LIMIT, NETWORK_MAIL_LIMIT
from isegoria.service.actions.join_link import JOIN_ATTEMPT_LIMIT, OBJECTION_LIMIT
from isegoria.service.api.endpoints import API_ENDPOINTS
from isegoria.service.api.event_stream import EVENT_STREAM_TYPE, ChangeBroadcaster, make_stream_route
from isegoria.service.api.routing import ActionEndpoint, Endpoint, handle_request
from isegoria.service.delivery.head_log import HeadLog
from isegoria.service.delivery.outbox import Outbox
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.voice_tallies import VoiceTallies
from isegoria.service.http.authentication import Authenticator
from isegoria.service.http.http_errors import HttpError
from isegoria.service.http.limits import RateLimiter, RateLimits
from isegoria.service.http.middleware import ErrorMiddleware, handle_error, log_loop_error
from isegoria.service.http.request import MAX_LARGE_BODY_BYTES, Reply, Request, make_json_reply, read_body
from isegoria.service.http.worker_pool import WorkerPool, close_pools
from isegoria.service.pages.page_routes import PAGE_ROUTES, PageRoute, handle_page_request, render_missing_page
from isegoria.service.request_context import Resources
from isegoria.service.scheduling.clock_monitor import ClockMonitor
from isegoria.service.scheduling.scheduler import Scheduler
from isegoria.service.settings import Settings
from isegoria.service.store import Store, StoreError, open_store
from isegoria.service.web import STATIC_FOLDER

STORE_WAIT_SECONDS = 5.0
"""Seconds that a request waits for a thread and for the store together."""
log = logging.getLogger("isegoria.service")


class Service:
    """One service process: builds its parts from the settings, and stops them in order.

    Handlers get a `RequestContext` with the parts that they may use; only this class knows all.
    """

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        self.settings = settings
        self.store = store or open_store(settings.store, secret_file=settings.secret_file)
        self.readers, self.writers = WorkerPool("reads", settings.threads), WorkerPool("writes", settings.threads)
        self.files = WorkerPool("files", 4, waiting=8)
        self.hub = ChangeBroadcaster(self.store)
        self.heads = HeadLog(self.store, settings.heads)
        self.groups = GroupRepository(self.store, changed=self.changed, later=self.later, kept=self.update_tallies)
        self.outbox = Outbox(self.store, self.groups, settings)
        self.freeze_gate = FreezeGate()
        self.scheduler = Scheduler(self.store, self.groups, self.freeze_gate, settings.relay, settings.retention)
        self.session_clock_monitor = ClockMonitor(lambda: self.scheduler.monotonic())
        self.voices = VoiceTallies(self.store, self.groups, self.later)
        self.limits = make_rate_limits(settings)
        self.sandbox = Sandbox()
        self.authenticator = Authenticator(
            self.store, self.read_trusted_clock, self.limits.failed_tokens, settings.closed, self.later
        )
        self.resources = Resources(
            settings=settings,
            store=self.store,
            groups=self.groups,
            authenticator=self.authenticator,
            limits=self.limits,
            outbox=self.outbox,
            voices=self.voices,
            freeze_gate=self.freeze_gate,
            sandbox=self.sandbox,
            check_health=self.check_health,
        )
        self.ended = True
        self._answered = -1.0

    def changed(self, group: str) -> None:
        """Notify all listeners that a group has changed."""
        self.hub.changed(group)
        self.heads.changed(group)
        self.outbox.changed(group)

    def later(self, work: Callable[..., object], *arguments: Any) -> None:
        """Run `work` on a writer thread without waiting for it; do nothing if the service is shutting down."""
        with contextlib.suppress(RuntimeError):
            self.writers.hand(work, *arguments)

    def update_tallies(self, group: str) -> None:
        """Update the voice tallies of a group that has a new snapshot."""
        self.voices.update_all(group)

    def read_trusted_clock(self) -> float:
        """Return the time by which sessions are judged: a clock that has just jumped is not believed."""
        now = self.groups.clock()
        self.session_clock_monitor.is_reliable(int(now))  # a jump is noticed at once, also without timetables
        return self.session_clock_monitor.correct(now)

    def check_store(self) -> None:
        """Raise `StoreError` if the store does not respond; a success is trusted for one second."""
        if time.monotonic() - self._answered > 1.0:
            with self.store.reading() as session:
                session.token("")
            self._answered = time.monotonic()

    def check_health(self) -> dict[str, Any]:
        """Return the health of the scheduler; raise `StoreError` if the store does not respond."""
        self.check_store()
        return self.scheduler.health

    def close(self, patience: float = 1.5) -> None:
        """Stop all threads, wait at most `patience` seconds, and close the store if all of them have ended.

        `ended` is set to whether they have.
        """
        self.sandbox.close()
        self.heads.stop()
        outbox_ended = self.outbox.stop()
        pools = [self.readers, self.writers, self.files, *self.scheduler.pools.list_all()]
        self.ended = close_pools(pools, patience) and outbox_ended
        if self.ended:
            self.store.close()

    def make_endpoint_route(self, row: Endpoint) -> Route:
        """Return the Starlette route of an endpoint of the API."""
        if row.media == EVENT_STREAM_TYPE:
            call = make_stream_route(self.hub, self.authenticator, self.settings, self.readers)
            return Route(row.path, call, methods=[row.method])
        most = row.max_bytes if isinstance(row, ActionEndpoint) else 0
        return self._make_route(row, partial(handle_request, self.resources, row), most)

    def make_page_route(self, page: PageRoute) -> Route:
        """Return the Starlette route of a page."""
        handle = partial(handle_page_request, self.resources, page)
        return self._make_route(page, handle, MAX_LARGE_BODY_BYTES, self.files if page.is_slow else None)

    def _make_route(
        self, row: Endpoint | PageRoute, handle: Callable[[Request], Reply], most: int, pool: WorkerPool | None = None
    ) -> Route:
        """Return the route that runs a handler on a worker pool: that for reading for GET, else that for writing."""
        pool = pool or (self.readers if row.method == "GET" else self.writers)

        async def call(incoming: StarletteRequest) -> Response:
            raw = b"" if row.method == "GET" else await read_body(incoming.stream(), most)
            request = Request.of(incoming, raw)
            reply = await pool.run(self.store.run_within, STORE_WAIT_SECONDS, time.monotonic(), handle, request)
            parts = None if reply.parts is None else self.readers.flow(reply.parts)
            return request.cleared(reply.response(parts))

        return Route(row.path, call, methods=[row.method])


def make_rate_limits(settings: Settings) -> RateLimits:
    """Return the rate limits that the settings ask for."""
    return RateLimits(
        failed_tokens=RateLimiter(*settings.guesses),
        join_attempts=RateLimiter(*JOIN_ATTEMPT_LIMIT),
        objections=RateLimiter(*OBJECTION_LIMIT),
        group_creation=RateLimiter(*settings.new_groups),
        ratings=RateLimiter(*settings.ratings, most=100_000),
        actions=RateLimiter(*settings.deeds, most=100_000),
        manual_mail=RateLimiter(*MANUAL_MAIL_LIMIT),
        first_mail=RateLimiter(*NETWORK_MAIL_LIMIT),
    )


async def _handle_missing_route(request: StarletteRequest, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        return make_json_reply({"error": f"{request.method} is not possible here; see /openapi.json."}, 405).response()
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        return render_missing_page(Request.of(request, b"")).response()
    return make_json_reply({"error": "there is no such page; see /openapi.json."}, 404).response()


def create_app(settings: Settings, store: Store | None = None) -> ErrorMiddleware:
    """Create the ASGI application; `app.state.service` is its `Service`."""
    service = Service(settings, store)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.heads.start()
        service.outbox.start()
        asyncio.get_running_loop().set_exception_handler(log_loop_error)
        tasks = [asyncio.create_task(service.hub.watch(service.readers.run))]
        if settings.keeps_time:
            tasks.append(asyncio.create_task(service.scheduler.run()))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(None, service.close)

    routes: list[BaseRoute] = [service.make_endpoint_route(row) for row in API_ENDPOINTS]
    routes += [service.make_page_route(page) for page in PAGE_ROUTES]
    routes.append(Mount("/static", StaticFiles(directory=STATIC_FOLDER)))
    routes.append(Mount("/verify", StaticFiles(packages=[("isegoria.verifier", "web")], html=True)))
    handlers = {
        Exception: handle_error,
        HttpError: handle_error,
        StoreError: handle_error,
        IsegoriaError: handle_error,
        404: _handle_missing_route,
        405: _handle_missing_route,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    app.state.service = service
    return ErrorMiddleware(app, settings.hosts)

"""The service as an ASGI application: every request passes the same checks in the same order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, NoReturn

from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from isegoria.errors import IsegoriaError
from isegoria.io.cage import Cage
from isegoria.service.addresses import is_loopback
from isegoria.service.checkpoints import KeptCounts
from isegoria.service.contacts import MAILS
from isegoria.service.devices import OFTEN, actor_of_cookie
from isegoria.service.endpoints import ENDPOINTS
from isegoria.service.groups import Groups, StorePeople
from isegoria.service.heard import FEW, heard
from isegoria.service.http.refusals import BadRequest, Forbidden, NotFound, Refusal, TooManyRequests, Unauthorized
from isegoria.service.http.request import (
    Reply,
    Request,
    check_origin,
    digest,
    host_name,
    json_reply,
    parse,
    place_of,
    read_limited,
)
from isegoria.service.http.tokens import (
    MEMBER,
    ORGANISER,
    STARTER,
    TOKEN,
    Actor,
    actor_of,
    bearer,
    cookie_name,
    no_cookie,
    token_hash,
)
from isegoria.service.joining import TRIES
from isegoria.service.limits import Buckets, Lane, joined
from isegoria.service.middleware import ErrorMiddleware, answer_of, one_line
from isegoria.service.outbox import Outbox
from isegoria.service.pages import PAGES, no_such_page, page_endpoint
from isegoria.service.routing import ANYONE, STARTERS, Endpoint
from isegoria.service.scheduler import Scheduler
from isegoria.service.settings import Settings
from isegoria.service.store import Session, Store, StoreError, open_store
from isegoria.service.stream import STREAM, Hub, stream_endpoint
from isegoria.service.web import STATIC
from isegoria.service.webhooks import Heads

log = logging.getLogger("isegoria.service")
GROUP = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Service:
    """One process of the service: its store, its groups, its limits, and the threads that ask the store."""

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        self.settings = settings
        self.store = store or open_store(settings.store)
        self.hub = Hub(self.store)
        self.listeners: list[Callable[[str], None]] = [self.hub.changed]
        self.heads = Heads(self)
        self.outbox = Outbox(self)
        self.mails = Buckets(*MAILS)
        self.groups = Groups(self.store, changed=self.changed, later=self.later, kept=self.count_everybody)
        self.scheduler = Scheduler(self)
        self.cage = Cage()
        self.guesses = Buckets(*settings.guesses)
        self.join_tries = Buckets(*TRIES)
        self.new_groups = Buckets(*settings.new_groups)
        self.ratings = Buckets(*settings.ratings, most=100_000)
        self.deeds = Buckets(*settings.deeds, most=100_000)
        self.large_freeze = threading.Lock()
        self.readers, self.writers = Lane("reads", settings.threads), Lane("writes", settings.threads)
        self.files = Lane("files", 4, waiting=8)
        self.example: str | None = None  # the group that a demonstration shows
        self.ended = True
        self._answered = -1.0

    def changed(self, group: str) -> None:
        """A group has changed: whoever listens is told."""
        for tell in self.listeners:
            tell(group)

    def later(self, work: Callable[..., object], *arguments: Any) -> None:
        """Have something done that nobody waits for; a service that ends does it no more."""
        with contextlib.suppress(RuntimeError):
            self.writers.hand(work, *arguments)

    def heard(self, group: str, number: int) -> dict[str, Any]:
        """Where a member's voice went; the group is held only while its state is noted."""
        with self.groups.reading(group) as (state, session):
            noted, person = state.snapshot(), StorePeople(session, state)[number]
        return heard(noted, person, KeptCounts(group, self.store, self.later))

    def count_everybody(self, group: str) -> None:
        """Count on where everybody's voice went, where there are few: who looks for the first time waits for little."""
        with self.groups.reading(group) as (state, session):
            noted, people = state.snapshot(), dict(StorePeople(session, state))
        for number in noted.members if len(noted.members) <= FEW else ():
            heard(noted, people[number], KeptCounts(group, self.store, self.later))

    def check_store(self) -> None:
        """Refuse if the store does not answer; one that did within a second is believed."""
        if time.monotonic() - self._answered > 1.0:
            with self.store.reading() as session:
                session.token("")
            self._answered = time.monotonic()

    def lane(self, method: str) -> Lane:
        """The threads for a request of this method."""
        return self.readers if method == "GET" else self.writers

    def site(self, request: Request) -> str:
        """The address of this server that others can open: the fixed one; else where it was asked, unless only this
        computer gets there while the server listens wider.
        """
        if self.settings.site is not None:
            return self.settings.site
        alone = self.settings.addresses and is_loopback(host_name(request.host))
        return self.settings.addresses[0] if alone else request.site

    async def run(self, method: str, work: Callable[..., Reply], *arguments: Any) -> Response:
        """The response to a request: `work` on a thread of those who read, or of those who write."""
        reply = await self.lane(method).run(work, *arguments)
        response: Response = reply.response(None if reply.parts is None else self.readers.flow(reply.parts))
        return _clearing(response, arguments)

    def close(self, patience: float = 1.5) -> None:
        """Let the threads finish, but not for long, and close the store; `ended` says whether they all have."""
        self.cage.close()
        self.heads.stop()
        self.outbox.stop()
        lanes = [self.readers, self.writers, self.files, *self.scheduler.lanes]
        self.ended = joined(lanes, patience)
        if self.ended:
            self.store.close()

    # -- who asks ------------------------------------------------------------------------------------------------------

    def actor(self, request: Request, roles: frozenset[str]) -> Actor | None:
        """Who is asking, checked in the order token, role; None where nobody in particular may.

        A device may hold a member's link and an organiser's: the one that the role asks for, or else the member's.
        """
        token = bearer(request.headers.get("authorization"))
        found = self.holders(request) if token is None else self._bearers(request, token, roles)
        here = [actor for actor in found if actor.group == request.group]
        if roles == ANYONE:
            return here[0] if here else None
        if not here and found:  # a good link of another group is no guess
            raise Unauthorized("this link is of another group; open the one of this group.")
        if not here:
            if request.clears:
                raise Unauthorized(
                    "this device is no longer signed in; open your link again.", cookies=tuple(request.clears)
                )
            if token is not None:
                raise Unauthorized(
                    "this link is not good here; it may have been issued again. Ask your organiser for a new one."
                )
            _refuse_nobody()
        fitting = [actor for actor in here if actor.role in roles]
        if not fitting:
            raise Forbidden(f"this is not for a {here[0].role}; it is for: {', '.join(sorted(roles))}.")
        return fitting[0]

    def holders(self, request: Request) -> list[Actor]:
        """Who this device is in a group, by its sessions: a member, an organiser, or both, in this order.

        One that has ended is cleared, and never counted as a guess.
        """
        if not request.group:
            return []
        found, now = [], int(self.groups.clock())
        with self.store.reading() as session:
            _check_there(session, request.group)
            for role in (MEMBER, ORGANISER):
                token = request.cookies.get(cookie_name(request.group, request.https, role))
                known = actor_of_cookie(session, token, now) if token else None
                if known is not None and known[0].group == request.group:
                    found.append(known)
                elif token and no_cookie(request.group, request.https, role) not in request.clears:
                    request.clears.append(no_cookie(request.group, request.https, role))
        for _, row in found:
            if now - row.seen > OFTEN:
                self.writers.hand(self._note, row.hash, now)
        return [actor for actor, _ in found]

    def _note(self, hash: str, now: int) -> None:
        """Note the use of a session; a store that is busy is not waited for twice."""
        with contextlib.suppress(IsegoriaError), self.store.writing() as session:
            session.note_session(hash, now)

    def roles(self, request: Request) -> set[str]:
        """What a device, or whoever sends a token, is in a group: which pages are hers."""
        token = bearer(request.headers.get("authorization"))
        found = self.holders(request) if token is None else [self._known(token, request.group)]
        return {actor.role for actor in found if actor is not None and actor.group == request.group}

    def _bearers(self, request: Request, token: str, roles: frozenset[str]) -> list[Actor]:
        """Whose token a program sent; a wrong one is a guess."""
        actor = self._known(token, request.group) if request.group else self.starting(token)
        if actor is None and (roles != ANYONE or request.group):
            self.wrong_guess(request)
        return [] if actor is None else [actor]

    def insider(self, request: Request, roles: frozenset[str]) -> Actor:
        """Who is asking, where not anyone may."""
        actor = self.actor(request, roles)
        if actor is None:
            _refuse_nobody()
        return actor

    def starting(self, token: str | None) -> Actor | None:
        """Whoever holds the start link of a closed server."""
        if not self.settings.closed or token is None or not TOKEN.fullmatch(token):
            return None
        with self.store.reading() as session:
            return Actor("", STARTER, 0, token) if session.is_start(token_hash(token)) else None

    def _known(self, token: str | None, group: str) -> Actor | None:
        with self.store.reading() as session:
            _check_there(session, group)
            return actor_of(session, token)

    def wrong_guess(self, request: Request) -> None:
        """Count a wrong token; too many from one address are refused for a while."""
        wait = self.guesses.take(place_of(request.address))
        if wait > 0:
            raise TooManyRequests(
                "too many wrong links from this address; wait and try again.", {"retry-after": str(int(wait) + 1)}
            )

    def check_pace(self, row: Endpoint, actor: Actor | None, body: Mapping[str, Any]) -> None:
        """Refuse a member who rates without end, and whoever does anything else so; many options count for more."""
        if actor is None:
            return
        wait = self.ratings.take(actor.id, 1 + len(body["values"]) // 50) if row.paced else self.deeds.take(actor.id)
        if wait > 0:
            raise TooManyRequests(
                "so much in so little time is no person's doing; wait a little.", {"retry-after": str(int(wait) + 1)}
            )

    # -- what is done --------------------------------------------------------------------------------------------------

    def handle(self, row: Endpoint, request: Request) -> Reply:
        """The reply to a request of the API: token, role, origin, body, and then the group."""
        closed = self.settings.closed and not request.group and row.method == "POST"
        actor = self.actor(request, STARTERS if closed else row.roles)
        if row.method == "GET":
            return row.run(self, request, actor)
        check_origin(request.headers, request.host, request.https, form=False)
        body = row.takes.check(parse(request.raw, request.headers.get("content-type", ""), row.most))
        key = request.headers.get("idempotency-key", "")
        if not 1 <= len(key) <= 200:
            raise BadRequest(
                "the header Idempotency-Key is missing; send any new text of 1 to 200 characters with each request."
            )
        body_digest = digest(row.method, request.path, body)
        self.check_pace(row, actor, body)
        if row.plain:
            return row.run(self, request, actor, body, key, body_digest)
        if actor is None:
            _refuse_nobody()
        answer = self.groups.act(actor, row.run, body, key, body_digest, status=row.success)
        return Reply(answer.body.encode(), answer.status)


def _clearing(response: Response, arguments: tuple[Any, ...]) -> Response:
    """The response, with the cookies cleared that have ended."""
    request = next((one for one in arguments if isinstance(one, Request)), None)
    return response if request is None else request.cleared(response)


def _check_there(session: Session, group: str) -> None:
    """Refuse a group that is not there; a name that no group can have is not even looked for."""
    if not GROUP.fullmatch(group) or session.group(group) is None:
        raise NotFound("there is no such group; look at the link again.")


def _refuse_nobody() -> NoReturn:
    raise Unauthorized("this needs your private link; open it once on this device, or send its token.")


def endpoint(service: Service, row: Endpoint) -> Callable[[StarletteRequest], Awaitable[Response]]:
    """The Starlette endpoint of a row."""
    if row.media == STREAM:
        return stream_endpoint(service)

    async def call(incoming: StarletteRequest) -> Response:
        raw = await read_limited(incoming.stream(), row.most) if row.method != "GET" else b""
        return await service.run(row.method, service.handle, row, Request.of(incoming, raw))

    return call


async def _missing(request: StarletteRequest, error: Exception) -> Response:
    if getattr(error, "status_code", 404) == 405:
        return json_reply({"error": f"{request.method} is not possible here; see /openapi.json."}, 405).response()
    if "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        return no_such_page(Request.of(request, b"")).response()
    return json_reply({"error": "there is no such page; see /openapi.json."}, 404).response()


def create_app(settings: Settings, store: Store | None = None) -> ErrorMiddleware:
    """The application; `app.state.service` is its `Service`."""
    service = Service(settings, store)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.heads.start()
        service.outbox.start()
        asyncio.get_running_loop().set_exception_handler(one_line)
        tasks = [asyncio.create_task(service.hub.watch(service.readers.run))]
        if settings.keeps_time:
            tasks.append(asyncio.create_task(service.scheduler.run()))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(None, service.close)

    routes: list[BaseRoute] = [Route(row.path, endpoint(service, row), methods=[row.method]) for row in ENDPOINTS]
    routes += [Route(page.path, page_endpoint(service, page), methods=[page.method]) for page in PAGES]
    routes.append(Mount("/static", StaticFiles(directory=STATIC)))
    routes.append(Mount("/verify", StaticFiles(packages=[("isegoria.verifier", "web")], html=True)))
    handlers = {
        Exception: answer_of,
        Refusal: answer_of,
        StoreError: answer_of,
        IsegoriaError: answer_of,
        404: _missing,
        405: _missing,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    app.state.service = service
    return ErrorMiddleware(app, settings.hosts)

"""The outermost layer of every application here: the Host, the headers, and the last word on what went wrong."""

from __future__ import annotations

import asyncio
import errno
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from isegoria.errors import IsegoriaError
from isegoria.service.http.refusals import Refusal, Unavailable
from isegoria.service.http.request import check_host, json_reply
from isegoria.service.store import StoreError
from isegoria.service.web.words import language_of, reworded

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

log = logging.getLogger("isegoria.service")
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
ALWAYS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class ErrorMiddleware:
    """ASGI middleware: checks the Host, adds the headers, and turns an exception into a status and one sentence."""

    def __init__(self, app: Starlette, hosts: frozenset[str]) -> None:
        self.app, self.hosts, self.state = app, hosts, app.state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await told(message)

        told = with_headers(send, scope["scheme"] == "https", scope["path"].startswith(("/static/", "/verify/")))
        try:
            host = next((value for name, value in scope["headers"] if name == b"host"), b"")
            check_host(host.decode("latin-1"), self.hosts)
            await self.app(scope, receive, noting)
        except ClientDisconnect:
            log.info("a client went away before it had asked")
        except asyncio.CancelledError:  # only a server that ends cuts answers off
            if not started:
                await refused(Unavailable("the server is being stopped; try again in a moment."))(
                    scope, receive, noting
                )
        except Exception as error:  # told in one sentence, and logged there if it is no refusal
            if not started:  # else Starlette has answered, and only wants a server to know of it
                await refused(error)(scope, receive, noting)


def refused(error: Exception, language: str = "en") -> Response:
    """The answer to a request that failed: a status and one sentence, and never a traceback."""
    if isinstance(error, StoreError):
        error = Unavailable(str(error), {"retry-after": "1"})
    if isinstance(error, IsegoriaError):
        status, headers = (error.status, error.headers) if isinstance(error, Refusal) else (400, None)
        reply = json_reply({"error": reworded(str(error), language)}, status, headers)
        return replace(reply, cookies=getattr(error, "cookies", ())).response()
    if isinstance(error, ClientDisconnect):
        return json_reply({"error": "the request ended before it was whole."}, 400).response()
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        log.warning("no more files can be opened; raise the limit on open files, or serve fewer connections")
        return refused(Unavailable("too many are connected just now; try again in a moment.", {"retry-after": "5"}))
    log.exception("a fault in isegoria itself", exc_info=error)
    return json_reply(
        {"error": "a fault in isegoria itself; the server's log says where. Please report it."}, 500
    ).response()


_last_said: dict[str, float] = {}


def one_line(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What goes wrong outside any request, as one line, and the same one at most once a minute."""
    what, error = context.get("message", ""), context.get("exception")
    if isinstance(error, ConnectionError):
        return  # a client that went away
    now = loop.time()
    if now - _last_said.get(what, -60.0) >= 60.0:
        _last_said[what] = now
        log.warning("%s (%r)", what, error)


async def answer_of(request: Request, error: Exception) -> Response:
    """The same as a handler of Starlette's, in the language of whoever asks."""
    return refused(error, language_of(request.query_params, request.cookies, request.headers))


def with_headers(send: Send, https: bool, static: bool = False) -> Send:
    """A `send` that adds the headers of every answer; only what is the same for everybody may be kept by a cache."""
    kept = b"no-cache" if static else b"no-store"
    fixed = [(name.encode(), value.encode()) for name, value in ALWAYS.items()]
    if https:
        fixed.append((b"strict-transport-security", b"max-age=31536000"))
        fixed.append((b"cross-origin-opener-policy", b"same-origin"))  # browsers heed it only there, and complain else

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((name, value) for name, value in fixed if name not in given)]
            if b"cache-control" not in given:
                message["headers"].append((b"cache-control", kept))
        await send(message)

    return sending

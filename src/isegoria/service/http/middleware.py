"""Outermost ASGI layer of every application here: Host check, security headers and error responses."""

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
from isegoria.service.http.http_errors import HttpError, ServiceUnavailable
from isegoria.service.http.origin import validate_host
from isegoria.service.http.request import make_json_reply
from isegoria.service.store import StoreError
from isegoria.service.web.translations import choose_language, translate_error

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

log = logging.getLogger("isegoria.service")
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class ErrorMiddleware:
    """ASGI middleware that checks the Host, adds security headers and turns exceptions into error responses."""

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

        told = add_security_headers(
            send, scope["scheme"] == "https", scope["path"].startswith(("/static/", "/verify/"))
        )
        try:
            host = next((value for name, value in scope["headers"] if name == b"host"), b"")
            validate_host(host.decode("latin-1"), self.hosts)
            await self.app(scope, receive, noting)
        except ClientDisconnect:
            log.info("a client went away before it had asked")
        except asyncio.CancelledError:  # only a server that shuts down cancels a request
            if not started:
                await to_error_response(ServiceUnavailable("the server is being stopped; try again in a moment."))(
                    scope, receive, noting
                )
        except Exception as error:  # `refused` makes one sentence of it, and logs unexpected errors
            if not started:  # else Starlette has responded, and raises only to inform the server
                await to_error_response(error)(scope, receive, noting)


def to_error_response(error: Exception, language: str = "en") -> Response:
    """Return the response to a failed request: a status and one sentence, never a traceback."""
    if isinstance(error, StoreError):
        error = ServiceUnavailable(error.message, {"retry-after": "1"})
    if isinstance(error, IsegoriaError):
        status, headers = (error.status, error.headers) if isinstance(error, HttpError) else (400, None)
        reply = make_json_reply({"error": translate_error(error.message, language)}, status, headers)
        return replace(reply, cookies=getattr(error, "cookies", ())).response()
    if isinstance(error, ClientDisconnect):
        return make_json_reply({"error": "the request ended before it was whole."}, 400).response()
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        log.warning("no more files can be opened; raise the limit on open files, or serve fewer connections")
        return to_error_response(
            ServiceUnavailable("too many are connected just now; try again in a moment.", {"retry-after": "5"})
        )
    log.exception("a fault in isegoria itself", exc_info=error)
    return make_json_reply(
        {"error": "a fault in isegoria itself; the server's log says where. Please report it."}, 500
    ).response()


_last_logged_at: dict[str, float] = {}


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error that happened outside any request as one line, the same message at most once a minute."""
    what, error = context.get("message", ""), context.get("exception")
    if isinstance(error, ConnectionError):
        return  # a client that went away
    now = loop.time()
    if now - _last_logged_at.get(what, -60.0) >= 60.0:
        _last_logged_at[what] = now
        log.warning("%s (%r)", what, error)


async def handle_error(request: Request, error: Exception) -> Response:
    """Return the response of `to_error_response` in the language of the request; an exception handler for Starlette."""
    return to_error_response(error, choose_language(request.query_params, request.cookies, request.headers))


def add_security_headers(send: Send, https: bool, static: bool = False) -> Send:
    """Wrap `send` so that it adds the security headers; by default only static files may be cached."""
    kept = b"no-cache" if static else b"no-store"
    fixed = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
    if https:
        fixed.append((b"strict-transport-security", b"max-age=31536000"))
        fixed.append((b"cross-origin-opener-policy", b"same-origin"))  # over HTTP browsers ignore it and warn

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *((name, value) for name, value in fixed if name not in given)]
            if b"cache-control" not in given:
                message["headers"].append((b"cache-control", kept))
        await send(message)

    return sending

"""A request as the service sees it, and a reply as it is sent: plain values, so that threads may hold them.

A body has so many bytes and no more, and is strict JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from starlette.requests import Request as StarletteRequest
from starlette.responses import Response, StreamingResponse

from isegoria.service.http.refusals import BadRequest, TooLarge

SMALL = 64 * 1024  # what a body may have: a rating of a thousand options
LARGE = 4 * 1024 * 1024  # a new group of 20,000 people
DEEPEST = 32  # levels of nesting; no body has more than four


@dataclass(frozen=True)
class Request:
    """Everything of a request that a route may need; `group` is empty where the path names none."""

    method: str
    path: str
    group: str
    host: str
    https: bool
    address: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    query: Mapping[str, str]
    parameters: Mapping[str, str]
    raw: bytes | None
    clears: list[str] = field(default_factory=list, compare=False)
    """Set-Cookie values that forget what has ended."""

    @classmethod
    def of(cls, request: StarletteRequest, raw: bytes | None) -> Request:
        """The values of a Starlette request whose body was read before."""
        return cls(
            method=request.method,
            path=request.url.path,
            group=request.path_params.get("group", ""),
            host=request.headers.get("host", ""),
            https=request.url.scheme == "https",
            address=request.client.host if request.client else "",
            headers=request.headers,
            cookies=request.cookies,
            query=request.query_params,
            parameters=request.path_params,
            raw=raw,
        )

    def cleared(self, response: Response) -> Response:
        """The response, with the cookies cleared that have ended, unless it sets them itself."""
        told = response.headers.getlist("set-cookie")
        for one in self.clears:
            name = one.partition("=")[0]
            if not any(other.partition("=")[0] == name for other in told):
                response.headers.append("set-cookie", one)
        return response

    @property
    def site(self) -> str:
        """The address of this server as the client wrote it."""
        return f"{'https' if self.https else 'http'}://{self.host}"


async def read_limited(stream: AsyncIterable[bytes], most: int) -> bytes | None:
    """The bytes of a body, or None when there are more than `most`; what is too much is not kept."""
    parts, size = [], 0
    async for part in stream:
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


def parse(raw: bytes | None, content_type: str, most: int) -> Any:
    """The JSON value of a body; an empty body is an empty object."""
    if raw is None:
        raise TooLarge(f"the body is larger than {most} bytes; send less at once.")
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("the body must be JSON; send it with Content-Type: application/json.")
    if not raw:
        return {}
    if nested(raw) > DEEPEST:
        raise BadRequest("the body is nested too deeply; expected a plain object.")
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadRequest("the body is not UTF-8; send JSON in UTF-8.") from None
    except ValueError as error:
        raise BadRequest(f"the body is not JSON ({str(error)[:100]}).") from None


def nested(raw: bytes) -> int:
    """How deep brackets are nested, at most: counted before parsing, since a parser that recurses may not come back.

    Brackets inside texts are counted too, which only matters to a text with dozens of them.

    >>> nested(b'{"a": [1, [2]]}')
    3
    """
    depth = deepest = 0
    for byte in b"".join(re.findall(rb"[\[\]{}]", raw)):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def digest(method: str, path: str, body: Any) -> str:
    """What an idempotency key is bound to: the route and the body, however it was spaced."""
    text = json.dumps([method, path, body], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _once(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("an entry occurs twice")
    return entries


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


@dataclass(frozen=True)
class Reply:
    """Bytes with a status, a kind, headers, and what a browser should keep (`cookies`); what is too large to hold at
    once comes in `parts`.
    """

    body: bytes
    status: int = 200
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: Iterator[bytes] | None = None
    cookies: tuple[str, ...] = ()

    def response(self, flow: AsyncIterator[bytes] | None = None) -> Response:
        """The reply as Starlette sends it; `flow` are its parts, each when the one before was taken."""
        kind = (
            self.media
            if "charset" in self.media or not self.media.startswith("text/")
            else f"{self.media}; charset=utf-8"
        )
        headers = {**self.headers, "content-type": kind}
        response: Response = Response(self.body, self.status, headers)
        if flow is not None:
            response = StreamingResponse(flow, self.status, headers)
        for one in self.cookies:
            response.headers.append("set-cookie", one)
        return response


def json_reply(answer: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A JSON reply."""
    return Reply(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode(), status, headers=headers or {})

"""Requests and replies as plain values, so that threads may hold them. A body is strict JSON of limited size."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from starlette.requests import Request as StarletteRequest
from starlette.responses import Response, StreamingResponse

from isegoria.service.http.http_errors import BadRequest, PayloadTooLarge
from isegoria.utils.messages import Message

MAX_BODY_BYTES = 64 * 1024  # bytes of a usual body: enough for ratings of a thousand options
MAX_LARGE_BODY_BYTES = 4 * 1024 * 1024  # bytes of a large body: enough for a new group of 20,000 people
MAX_JSON_DEPTH = 32  # maximum levels of nesting; no valid body has more than four


@dataclass(frozen=True)
class Request:
    """Everything of a request that a handler may need; `group` is empty if the path names none."""

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
    """Set-Cookie values that delete cookies which are no longer valid."""

    @classmethod
    def of(cls, request: StarletteRequest, raw: bytes | None) -> Request:
        """Create a request from a Starlette request whose body has been read."""
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
        """Add headers to the response that delete ended cookies, unless it sets them itself, and return it."""
        told = response.headers.getlist("set-cookie")
        for one in self.clears:
            name = one.partition("=")[0]
            if not any(other.partition("=")[0] == name for other in told):
                response.headers.append("set-cookie", one)
        return response

    @property
    def site(self) -> str:
        """Base URL of this server as the client wrote it."""
        return f"{'https' if self.https else 'http'}://{self.host}"


async def read_body(stream: AsyncIterable[bytes], most: int) -> bytes | None:
    """Read a body and return its bytes, or None as soon as there are more than `most`."""
    parts, size = [], 0
    async for part in stream:
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


def parse_json_body(raw: bytes | None, content_type: str, most: int) -> Any:
    """Parse the JSON value of a body; an empty body is an empty object."""
    if raw is None:
        raise PayloadTooLarge(Message("body_larger_bytes", most=most))
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise BadRequest(Message("body_must_json"))
    if not raw:
        return {}
    if measure_nesting(raw) > MAX_JSON_DEPTH:
        raise BadRequest(Message("body_nested_too_deeply"))
    try:
        return json.loads(
            raw.decode("utf-8"), object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant
        )
    except UnicodeDecodeError:
        raise BadRequest(Message("body_not_utf8")) from None
    except ValueError as error:
        raise BadRequest(Message("body_not_json", reason=str(error)[:100])) from None


def measure_nesting(raw: bytes) -> int:
    """Return the maximum nesting depth of brackets, before parsing, since a recursive parser might overflow.

    Brackets inside texts are counted too, which matters only for a text with dozens of them.

    >>> measure_nesting(b'{"a": [1, [2]]}')
    3
    """
    depth = deepest = 0
    for byte in b"".join(re.findall(rb"[\[\]{}]", raw)):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def hash_request(method: str, path: str, body: Any) -> str:
    """Return the digest that an idempotency key is bound to: route and body, regardless of whitespace."""
    text = json.dumps([method, path, body], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _reject_duplicate_keys(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("an entry occurs twice")
    return entries


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


@dataclass(frozen=True)
class Reply:
    """The bytes of a response with status, media type, headers and `cookies`; a large body comes in `parts`."""

    body: bytes
    status: int = 200
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: Iterator[bytes] | None = None
    cookies: tuple[str, ...] = ()

    def response(self, flow: AsyncIterator[bytes] | None = None) -> Response:
        """Return the reply as a Starlette response; `flow` yields its parts, each when the one before was sent."""
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


def make_json_reply(answer: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a JSON reply."""
    return Reply(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode(), status, headers=headers or {})

"""A request as the service sees it, and a reply as it is sent: plain values, so that threads may hold them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request as StarletteRequest
from starlette.responses import Response, StreamingResponse


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

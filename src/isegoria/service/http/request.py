"""A request as the service sees it, and a reply as it is sent: plain values, so that threads may hold them.

A body has so many bytes and no more, and is strict JSON. Where a request comes from is checked here too: the Host it
asks for, the page that sent it, and the address behind a proxy.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from starlette.requests import Request as StarletteRequest
from starlette.responses import Response, StreamingResponse

from isegoria.service.http.refusals import BadRequest, Forbidden, TooLarge

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


# -- where a request comes from ----------------------------------------------------------------------------------------

HERE = {"localhost", "127.0.0.1", "::1"}
HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
"""A name or an address, and perhaps a port: nothing that would make a link of ours lead elsewhere."""


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


def check_host(header: str, allowed: frozenset[str]) -> None:
    """Refuse a name that this server does not go by, which is how a foreign page would reach a private network.

    Numbers pass: an address cannot be made to point elsewhere.

    >>> check_host("lunch.example", frozenset({"lunch.example"})), check_host("192.168.1.7:8000", frozenset())
    (None, None)
    """
    name = host_name(header)
    if not HOST.fullmatch(header):
        raise BadRequest("this is no name of a server; open the address as it was given to you.")
    if name in allowed or name in HERE or _is_address(name):
        return
    raise BadRequest("this server does not go by that name; start it with --allow-host NAME.")


def check_origin(headers: Mapping[str, str], host: str, https: bool, form: bool) -> None:
    """Refuse a POST that another site's page sent. Programs send neither header, and carry their token themselves.

    A form of a page under `no-referrer` sends `Origin: null`; it carries a token of its own, which is checked later.
    """
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise Forbidden("this request was sent by the page of another site; open the page of the group itself.")
    origin = headers.get("origin")
    if origin is None or (origin == "null" and form):
        return
    if origin.lower() != f"{'https' if https else 'http'}://{host.lower()}":
        raise Forbidden("this request was sent by the page of another site; open the page of the group itself.")


def place_of(address: str) -> str:
    """What counts as one place: an address, or the network of 2^64 that one holder of IPv6 has.

    >>> place_of("192.0.2.7"), place_of("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False).network_address)


def is_among(address: str, networks: Iterable[str]) -> bool:
    """Whether an address is one of these, or in one of these networks; `*` is any.

    >>> is_among("10.0.0.7", ["127.0.0.1", "10.0.0.0/8"])
    True
    """
    return any(one in ("*", address) or _holds(one, address) for one in networks)


def _holds(network: str, address: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

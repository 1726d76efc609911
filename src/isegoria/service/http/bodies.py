"""Reading a body: so many bytes and no more, strict JSON, and only JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterable
from typing import Any, NoReturn

from isegoria.service.http.refusals import BadRequest, TooLarge

SMALL = 64 * 1024  # what a body may have: a rating of a thousand options
LARGE = 4 * 1024 * 1024  # a new group of 20,000 people
DEEPEST = 32  # levels of nesting; no body has more than four


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

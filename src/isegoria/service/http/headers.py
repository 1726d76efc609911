"""The headers of every answer, and the last word on anything that went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Message, Send

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

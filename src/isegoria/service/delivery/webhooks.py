"""Webhooks: allowed hosts, bodies and signatures."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from isegoria.record.format.head_words import encode_words
from isegoria.record.state.group import Group
from isegoria.service.delivery.announcements import describe_status
from isegoria.service.groups.occurrences import list_planned_turns
from isegoria.service.http.http_errors import BadRequest, Conflict
from isegoria.service.store import GroupRow, Transaction
from isegoria.service.web.translations import make_translator
from isegoria.utils.messages import FieldPath, Message

if TYPE_CHECKING:
    pass

WEBHOOK_TIMEOUT_SECONDS = 10  # timeout of one delivery in seconds
DEFAULT_PORTS = {"http": 80, "https": 443}
WORD_JOINER = "\u2060"  # invisible; it breaks what would be a mention or an address
SIGNATURE_HEADER = "x-isegoria-signature"
log = logging.getLogger("isegoria.service")


def post_webhook(address: str, body: bytes, headers: dict[str, str]) -> None:
    """Send a body to a webhook; raise `OSError` or `ValueError` if it is not accepted."""
    kind = {"content-type": "application/json", "user-agent": "isegoria"}
    with _opener.open(urllib.request.Request(address, body, kind | headers), timeout=WEBHOOK_TIMEOUT_SECONDS):
        return


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirect handler that follows no redirect, since its target may not be an allowed host."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def parse_webhook_host(address: str) -> str | None:
    """Return the host of an address, with its port unless that is the default, or None for an invalid address."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not host or parts.username is not None:
        return None
    return host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"


def is_allowed_webhook(address: str, hosts: frozenset[str]) -> bool:
    """Return whether this server may send to that address; a non-default port must be listed with the host.

    >>> hosts = frozenset({"chat.example"})
    >>> is_allowed_webhook("https://chat.example/hook", hosts), is_allowed_webhook("https://chat.example:5432/", hosts)
    (True, False)
    """
    return parse_webhook_host(address) in hosts


def validate_webhook(address: str | None, hosts: frozenset[str]) -> None:
    """Raise an error for an address to which this server would not send."""
    if address is None:
        return
    named = parse_webhook_host(address)
    if named is None:
        raise BadRequest(Message("webhook_not_address", field=FieldPath("webhook")))
    if not hosts:
        raise Conflict(Message("server_tells_no_webhooks"))
    if named not in hosts:
        raise Conflict(Message("server_tells_no_webhook", named=named, names=", ".join(sorted(hosts))))


def build_webhook_body(group: Group, row: GroupRow, session: Transaction, now: int) -> dict[str, Any]:
    """Return the body of a webhook: the sentence in the form that chat tools accept, and fields for programs."""
    newest = session.public(row.id, row.lines - 1, 1) if row.lines else []
    head = bytes.fromhex(row.head)
    return {
        "text": neutralise_markup(describe_status(group, now, make_translator("en"))),
        "group": row.id,
        "title": group.terms["title"],
        "phase": group.phase,
        "round": len(group.rounds),
        "lines": row.lines,
        "head": row.head,
        "words": encode_words(head),
        "line": json.loads(newest[0][1])["line"] if newest else None,
        "at": newest[0][0] if newest else row.made,
        "plan": [{"date": turn.date, "turn": turn.turn, "arm": turn.arm} for turn in list_planned_turns(group, now)],
    }


def neutralise_markup(text: str) -> str:
    """Return text that no chat tool reads as a mention, a command or a link; members choose titles and options.

    >>> neutralise_markup("<!channel> <https://evil.example|here> @everyone").isascii()
    False
    >>> neutralise_markup("Pizza, 3.50 each.")
    'Pizza, 3.50 each.'
    """
    text = text.replace("<", "\u2039").replace(">", "\u203a")
    return re.sub(r"@|:(?=//)|\](?=[(\[])|(?<=\w)\.(?=[^\W\d])", lambda found: found[0] + WORD_JOINER, text)


def derive_webhook_key(row: GroupRow) -> str:
    """Return the key that signs a group's webhooks, derived one-way from the group's secret."""
    secret = bytes.fromhex(json.loads(row.vault)["secret"])
    return hmac.new(secret, b"isegoria webhook 1", hashlib.sha256).hexdigest()


def sign_webhook_body(key: str, body: bytes) -> str:
    """Return the signature header of a delivery: HMAC-SHA256 over the body, with the key as text."""
    return "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()

"""The world outside: webhooks, which may be told, what and how; and a file of heads that this server only adds to."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import logging
import queue
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from isegoria.errors import FileError, IsegoriaError
from isegoria.record.format.canonical import line_hash, ten_words
from isegoria.record.group import Group
from isegoria.service.http.refusals import BadRequest, Conflict
from isegoria.service.occasions import plan
from isegoria.service.sentences import sentence
from isegoria.service.store import GroupRow, Session
from isegoria.service.web.words import speaker

if TYPE_CHECKING:
    from isegoria.service.app import Service

PATIENCE = 10  # seconds for one delivery
FAREWELL = 1.0  # seconds for what is still to be told when the service ends
LINES_AT_ONCE = 100
PORTS = {"http": 80, "https": 443}
SIGNATURE = "x-isegoria-signature"
log = logging.getLogger("isegoria.service")


class Worker:
    """One thread that does what it is handed, in order."""

    def __init__(self, name: str, work: Callable[..., None]) -> None:
        self._work = work
        self._waiting: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"isegoria-{name}")
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How much waits behind what it does now."""
        return self._waiting.qsize()

    def hand(self, *what: Any) -> None:
        """Have it done later."""
        self._waiting.put(what)

    def stop(self, patience: float) -> None:
        """End when what waits is done, or time is up."""
        self._waiting.put(None)
        self._thread.join(patience)

    def _run(self) -> None:
        while (what := self._waiting.get()) is not None:
            try:
                self._work(*what)
            except IsegoriaError as error:  # the group, or the store, is gone
                log.warning("%s is not told of: %s", what[0], error)
            except Exception:  # a fault of ours: the thread lives on, for all that is still to go out
                log.exception("a fault in what goes out")


class Heads:
    """Adds every new head to a file, on a thread of its own: nobody waits for it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._told: dict[str, int] = {}
        self._heads: Worker | None = None

    def start(self) -> None:
        """Begin to listen."""
        if self.service.settings.heads:
            self._told = noted(self.service.settings.heads)
            self._heads = Worker("heads", self.tell)
            self.service.listeners.append(self._heads.hand)

    def stop(self) -> None:
        """Note what is still waiting, if that is quick, and end."""
        if self._heads is not None:
            self._heads.stop(FAREWELL)

    def tell(self, group: str) -> None:
        """Note every head of a group that is new."""
        while new := self._new_lines(group):
            for said in new:
                self._told[group] = said["lines"]
                if self.service.settings.heads:
                    self._note(self.service.settings.heads, said)

    def _new_lines(self, group: str) -> list[dict[str, Any]]:
        """What is said of the lines that were not told yet, some of them; without a file of heads, of the last."""
        with self.service.store.reading() as session:
            row = session.group(group)
            behind = 0 if row is None or self.service.settings.heads else max(0, row.lines - 1)
            told = self._told.get(group, behind)
            found = session.public(group, told, LINES_AT_ONCE)
        heads = [line_hash(line.encode()) for _, line in found]
        return [
            {"group": group, "lines": told + count, "head": head.hex(), "words": ten_words(head),
             "line": json.loads(line)["line"], "at": at}
            for count, ((at, line), head) in enumerate(zip(found, heads, strict=True), start=1)
        ]  # fmt: skip

    def _note(self, path: str, said: dict[str, Any]) -> None:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{said['at']} {said['group']} {said['lines']} {said['head']} {said['words']}\n")
        except OSError as error:
            log.warning("the head of %s could not be kept in a file: %s", said["group"], error)


def post(address: str, body: bytes, headers: dict[str, str]) -> None:
    """Send a body to a webhook; what it does not take raises `OSError` or `ValueError`."""
    kind = {"content-type": "application/json", "user-agent": "isegoria"}
    with _opener.open(urllib.request.Request(address, body, kind | headers), timeout=PATIENCE):
        return


def told_heads(path: str | Path) -> dict[str, tuple[int, str]]:
    """The most lines of each group that a file of heads tells of, and the head that they have."""
    told: dict[str, tuple[int, str]] = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                parts = line.split(" ", 4)
                if len(parts) == 5 and parts[2].isascii() and parts[2].isdecimal():
                    told[parts[1]] = max((int(parts[2]), parts[3]), told.get(parts[1], (0, "")))
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    return told


def noted(path: str) -> dict[str, int]:
    """How many lines of each group a file of heads tells of; one that is not there tells of none."""
    with contextlib.suppress(FileError):
        return {group: lines for group, (lines, _) in told_heads(path).items()}
    return {}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A webhook that points elsewhere is not followed: elsewhere was not allowed."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def host_of(address: str) -> str | None:
    """The host of an address, with its port where that is not the usual one; None where it is no address."""
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not host or parts.username is not None:
        return None
    return host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"


def allowed(address: str, hosts: frozenset[str]) -> bool:
    """Whether this server tells that address: a port of its own is named with the host.

    >>> hosts = frozenset({"chat.example"})
    >>> allowed("https://chat.example/hook", hosts), allowed("https://chat.example:5432/", hosts)
    (True, False)
    """
    return host_of(address) in hosts


def check_webhook(address: str | None, hosts: frozenset[str]) -> None:
    """Refuse an address that this server would not tell."""
    if address is None:
        return
    named = host_of(address)
    if named is None:
        raise BadRequest("webhook is not an address; expected https://… without a name and password.")
    if not hosts:
        raise Conflict("this server tells no webhooks; start it with --webhook-host NAME.")
    if named not in hosts:
        raise Conflict(f"this server tells no webhook at {named}; it tells: {', '.join(sorted(hosts))}.")


def hook_body(group: Group, row: GroupRow, session: Session, now: int) -> dict[str, Any]:
    """What a webhook is sent: the sentence as chat tools take it, and the fields for programs."""
    newest = session.public(row.id, row.lines - 1, 1) if row.lines else []
    head = bytes.fromhex(row.head)
    return {
        "text": sentence(group, now, speaker("en")), "group": row.id, "title": group.terms["title"],
        "phase": group.phase, "round": len(group.rounds), "lines": row.lines, "head": row.head,
        "words": ten_words(head), "line": json.loads(newest[0][1])["line"] if newest else None,
        "at": newest[0][0] if newest else row.made,
        "plan": [{"date": turn.date, "turn": turn.turn, "arm": turn.arm} for turn in plan(group, now)],
    }  # fmt: skip


def hook_key(row: GroupRow) -> str:
    """The key with which a group's webhook is signed: its own, and telling nothing of what it was made from."""
    secret = bytes.fromhex(json.loads(row.vault)["secret"])
    return hmac.new(secret, b"isegoria webhook 1", hashlib.sha256).hexdigest()


def signature(key: str, body: bytes) -> str:
    """What stands in the header of a delivery: HMAC-SHA256 over the body, by the key as text."""
    return "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()

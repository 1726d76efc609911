"""Webhooks: the world outside is told of every new line, so that a head is kept where this server cannot change it."""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from isegoria.errors import IsegoriaError
from isegoria.record.format.words import ten_words
from isegoria.service.http.refusals import BadRequest, Conflict

if TYPE_CHECKING:
    from isegoria.service.app import Service

TRIES = 3
PATIENCE = 10  # seconds for one delivery
log = logging.getLogger("isegoria.service")


class Webhooks:
    """Tells webhooks and the file of heads, on a thread of its own: nobody waits for it, and it repeats what failed."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._waiting: queue.Queue[str | None] = queue.Queue()
        self._told: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, daemon=True, name="isegoria-webhooks")

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def changed(self, group: str) -> None:
        """A group has changed; what is to be told is looked up later."""
        if self.service.settings.webhooks or self.service.settings.heads:
            self._waiting.put(group)

    def stop(self) -> None:
        """Tell what is still waiting, and end."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join(timeout=PATIENCE)

    def _run(self) -> None:
        while (group := self._waiting.get()) is not None:
            try:
                self.tell(group)
            except IsegoriaError as error:  # the group, or the store, is gone
                log.warning("group %s is not told of: %s", group, error)
            except Exception:
                log.exception("a fault in the webhooks")

    def tell(self, group: str) -> None:
        """Say the newest head of a group, if it is new."""
        with self.service.groups.reading(group) as (state, _):
            lines = len(state.lines)
            if self._told.get(group) == lines:
                return
            said = {
                "group": group, "title": state.terms["title"], "lines": lines, "head": state.head.hex(),
                "words": ten_words(state.head), "line": state.parsed[-1]["line"],
                "phase": state.phase, "round": len(state.rounds), "at": state.at,
            }  # fmt: skip
            address = state.settings["webhook"]
        self._told[group] = lines
        if self.service.settings.heads:
            self._note(self.service.settings.heads, said)
        if address is not None and allowed(address, self.service.settings.webhooks):
            self._post(address, said)

    def _note(self, path: str, said: dict[str, Any]) -> None:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{said['at']} {said['group']} {said['lines']} {said['head']} {said['words']}\n")
        except OSError as error:
            log.warning("the head of %s could not be kept in a file: %s", said["group"], error)

    def _post(self, address: str, said: dict[str, Any]) -> None:
        request = urllib.request.Request(
            address, json.dumps(said).encode(), {"content-type": "application/json", "user-agent": "isegoria"}
        )
        for attempt in range(TRIES):
            try:
                with _opener.open(request, timeout=PATIENCE):
                    return
            except (OSError, ValueError) as error:
                reason = error
                time.sleep(attempt)
        log.warning("the webhook of %s was not told: %s", said["group"], reason)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A webhook that points elsewhere is not followed: elsewhere was not allowed."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def allowed(address: str, hosts: frozenset[str]) -> bool:
    """Whether this server tells that address."""
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and (parts.hostname or "").lower() in hosts


def check_webhook(address: str | None, hosts: frozenset[str]) -> None:
    """Refuse an address that this server would not tell."""
    if address is None:
        return
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.username is None
    except ValueError:
        good = False
    if not good:
        raise BadRequest("webhook is not an address; expected https://… without a name and password.")
    if not hosts:
        raise Conflict("this server tells no webhooks; start it with --webhook-host NAME.")
    if not allowed(address, hosts):
        raise Conflict(f"this server tells no webhook at {parts.hostname}; it tells: {', '.join(sorted(hosts))}.")

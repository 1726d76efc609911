"""What goes out: results, reminders and heads, by webhook and mail. Nobody waits for it, and nothing is lost.

What is to be told stands in the store, under a key that is told once; what a server did not take is tried again, later
and later, for a week. What it says is made when it is sent, so that a name that was erased is in no letter.
"""

from __future__ import annotations

import json
import logging
import queue
import smtplib
import threading
from collections.abc import Iterator
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from isegoria.errors import IsegoriaError
from isegoria.record.group import Group
from isegoria.service.http.refusals import NotFound
from isegoria.service.mail import message
from isegoria.service.occasions import coming, date_of, plan, timetable_of
from isegoria.service.sentences import letter_text
from isegoria.service.store import Contact, Letter, StoreError
from isegoria.service.views import has_answered
from isegoria.service.webhooks import SIGNATURE, Worker, allowed, hook_body, hook_key, host_of, post, signature

if TYPE_CHECKING:
    from isegoria.service.app import Service

TICK = 20.0  # seconds between two looks for days that have come and reminders that are due
CLAIM = 120  # seconds after which another process may tell what this one began to tell
AGAIN = 10  # seconds until the second try; each later one waits twice as long, an hour at most
MOST = 500  # letters that wait for one host; more come up again when their claim is over
WEEK = 7 * 86400
KEPT = 60 * 86400  # how long it is remembered that something was told
REMEMBERED = 50_000  # keys that are not posted again without asking the store
HOOK, MAIL = "webhook", "mail"
log = logging.getLogger("isegoria.service")


class Outbox:
    """Finds what is to be told, and tells it: a thread that looks, and one for every host that takes it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._hosts: dict[str, Worker] = {}
        self._watched: set[str] = set()
        self._posted: set[tuple[str, str]] = set()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look, where this server tells anybody anything."""
        if self.service.settings.webhooks or self.service.settings.smtp:
            self._thread = threading.Thread(target=self._run, daemon=True, name="isegoria-outbox")
            self._thread.start()
            self.service.listeners.append(self.changed)

    def changed(self, group: str) -> None:
        """A group has changed; what is to be told is looked up later."""
        if self._thread is not None:
            self._queue.put(group)

    def stop(self, patience: float = 1.0) -> None:
        """End; what was not told yet is told by the next process."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(patience)
        for worker in self._hosts.values():
            worker.stop(0.1)

    def _run(self) -> None:
        self._guarded(self._find_watched)
        while True:
            try:
                group = self._queue.get(timeout=TICK)
                if group is None:
                    return
                self._watched.add(group)
                self._guarded(self.look, group)
            except queue.Empty:
                for group in sorted(self._watched):
                    self._guarded(self.look, group)
            self._guarded(self.send)

    def _guarded(self, work: Any, *arguments: Any) -> None:
        try:
            work(*arguments)
        except NotFound:
            self._watched.difference_update(arguments)
        except IsegoriaError as error:
            log.warning("the outbox waits: %s", error)
        except Exception:  # a fault of ours: what waits is tried again, and the thread lives on
            log.exception("a fault in the outbox")

    def _find_watched(self) -> None:
        with self.service.store.reading() as session:
            self._watched |= set(session.mailed_groups()) | set(session.hooked_groups())
        with self.service.store.writing() as session:
            session.forget_letters(int(self.service.groups.clock()) - KEPT)
        for group in sorted(self._watched):
            self._guarded(self.look, group)

    def look(self, group: str) -> None:
        """Post what is to be told of a group and was not posted yet."""
        now = int(self.service.groups.clock())
        with self.service.groups.reading(group) as (state, session):
            contacts = [one for one in session.contacts(group) if one.address] if self.service.settings.smtp else []
            hooked = allowed(state.settings["webhook"] or "", self.service.settings.webhooks)
            if not contacts and not hooked:
                self._watched.discard(group)
                return
            found = [*(hooks(state, now) if hooked else ()), *mails(state, contacts, now)]
        new = [one for one in found if (group, one.key) not in self._posted]
        if new:
            with self.service.store.writing() as session:
                for letter in new:
                    session.post(letter)
        if len(self._posted) > REMEMBERED:  # the store knows them all
            self._posted.clear()
        self._posted |= {(group, letter.key) for letter in new}

    def send(self) -> None:
        """Hand on what is due, to the thread of its host."""
        now = int(self.service.groups.clock())
        with self.service.store.reading() as session:
            due = session.waiting_letters(now)
        for found in due:
            letter = found._replace(tries=found.tries + 1)
            with self.service.store.writing() as session:
                if not session.claim(letter, now + CLAIM):
                    continue
            host = "smtp" if letter.channel == MAIL else self._host(letter.group)
            if host not in self._hosts:
                self._hosts[host] = Worker("outbox", self.deliver)
            if self._hosts[host].waiting < MOST:
                self._hosts[host].hand(letter._replace(due=now + CLAIM))

    def _host(self, group: str) -> str:
        try:
            with self.service.groups.reading(group) as (state, _):
                return host_of(state.settings["webhook"] or "") or ""
        except IsegoriaError:  # whoever delivers it finds the same, and keeps no other waiting
            return ""

    def deliver(self, letter: Letter) -> None:
        """Tell one thing, or say when it is tried again; what was claimed anew meanwhile is left to that claim."""
        now, again = int(self.service.groups.clock()), None
        with self.service.store.writing() as session:
            if not session.claim(letter, now + CLAIM):
                return
        try:
            self._tell(letter, now)
        except NotFound:
            return
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            again = None if all(code >= 550 for code in codes) else _later(letter, now)
            log.warning("group %s: a letter was refused (%s)", letter.group, codes)
        except (OSError, ValueError, HTTPException, smtplib.SMTPException) as error:
            again = _later(letter, now)
            log.log(logging.WARNING if letter.tries == 1 else logging.DEBUG, "group %s: %s was not told: %s",
                    letter.group, letter.key, _reason(error))  # fmt: skip
        except StoreError:  # it is claimed for a while, and comes up again
            raise
        except Exception as error:  # a fault of ours, or a group that cannot be read: later and later, and not for ever
            again = _later(letter, now)
            told = log.exception if letter.tries == 1 else log.debug
            told("group %s: a fault kept %s from being told (%s)", letter.group, letter.key, type(error).__name__)
        with self.service.store.writing() as session:
            session.set_letter(letter, again)

    def _tell(self, letter: Letter, now: int) -> None:
        settings = self.service.settings
        with self.service.groups.reading(letter.group) as (state, session):
            row = session.group(letter.group)
            contact = next((one for one in session.contacts(letter.group) if one.number == letter.number), None)
            link = session.unopened(letter.group, letter.number) if letter.key.startswith("invite:") else None
            address = state.settings["webhook"] or ""
            assert row is not None
            if letter.channel == HOOK:
                body = json.dumps(hook_body(state, row, session, now), ensure_ascii=False).encode()
            elif settings.smtp is not None and contact is not None and contact.address is not None:
                subject, text, stop = letter_text(state, letter.key, contact, settings.public, now, link)
        if letter.channel == HOOK:
            if allowed(address, settings.webhooks):
                post(address, body, {SIGNATURE: signature(hook_key(row), body)})
        elif settings.smtp is not None and contact is not None and contact.address is not None:
            settings.smtp.send(message(settings.smtp.sender, contact.address, subject, text, stop))


def _reason(error: Exception) -> str:
    """Why something was not told, without what servers and addresses say: both may hold what is private."""
    code = getattr(error, "smtp_code", None) or getattr(error, "code", None) or getattr(error, "errno", None)
    return type(error).__name__ if code is None else f"{type(error).__name__} {code}"


def _later(letter: Letter, now: int) -> int | None:
    """When a letter is tried again; None once a week has passed."""
    return None if now - letter.made > WEEK else now + min(3600, AGAIN * 2 ** min(letter.tries - 1, 12))


# -- what is to be told ------------------------------------------------------------------------------------------------


def hooks(group: Group, now: int) -> Iterator[Letter]:
    """What a webhook is told: every new head, and each later day of a plan when it comes."""
    if group.rounds or group.head.strip(b"\0"):
        yield Letter(group.address, f"head:{group.head.hex()[:24]}", HOOK, -1, now, now, 0)
    for occasion in days_that_came(group, now):
        yield Letter(group.address, f"today:{occasion}", HOOK, -1, now, now, 0)


def mails(group: Group, contacts: list[Contact], now: int) -> Iterator[Letter]:
    """What members are told by mail: results if the group wants that, and that an answer is missing."""
    keys: list[tuple[str, list[Contact]]] = []
    happened = next((one for one in reversed(group.rounds) if one.happened), None)
    if group.settings.get("results"):
        if happened is not None:
            keys.append((f"result:{happened.number}", contacts))
        keys += [(f"today:{occasion}", contacts) for occasion in days_that_came(group, now)]
    found, remind = coming(group, now), group.settings.get("remind")
    if remind and found is not None and found.freeze is not None and found.freeze - 60 * remind <= now < found.freeze:
        missing = [one for one in contacts if one.number in group.members and not has_answered(group, one.number)]
        keys.append((f"ask:{found.occasion}", missing))
    for key, those in keys:
        for one in those:
            yield Letter(group.address, f"{key}:{one.number}", MAIL, one.number, now, now, 0)


def days_that_came(group: Group, now: int) -> Iterator[int]:
    """The occasion of today, from the time of day on at which answers close, if an earlier day's draw decided it."""
    timetable = timetable_of(group)
    if timetable is None:
        return
    for turn in plan(group, now):
        came = turn.occasion is not None and turn.date == date_of(group, now)
        if came and turn.turn > 1 and turn.occasion is not None and timetable.opens(turn.occasion) <= now:
            yield turn.occasion

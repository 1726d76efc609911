"""The outbox: results, reminders and record heads, sent by webhook and mail in the background, without loss.

Pending messages are kept in the store, each under a key that is sent once. A failed delivery is retried with growing
delays for a week. The text is written at sending time, so that an erased name appears in no message.
"""

from __future__ import annotations

import json
import logging
import queue
import smtplib
import threading
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

from isegoria.errors import IsegoriaError
from isegoria.record.state.group import Group
from isegoria.service.delivery.announcements import FIRST_LETTER, build_mail_text
from isegoria.service.delivery.mail import build_message
from isegoria.service.delivery.queue_worker import QueueWorker
from isegoria.service.delivery.retry_backoff import compute_backoff_seconds
from isegoria.service.delivery.webhooks import (
    SIGNATURE_HEADER,
    build_webhook_body,
    derive_webhook_key,
    is_allowed_webhook,
    parse_webhook_host,
    post_webhook,
    sign_webhook_body,
)
from isegoria.service.groups.group_views import has_answered
from isegoria.service.groups.occurrences import find_next_decision, format_local_date, get_timetable, list_planned_turns
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.http.http_errors import NotFound
from isegoria.service.http.tokens import PROVENANCE_LETTERS, ROLE_MEMBER, generate_token, make_token_row
from isegoria.service.settings import Settings
from isegoria.service.store import ContactRow, OutboxRow, Store, StoreError

POLL_INTERVAL_SECONDS = 20.0  # seconds between two checks for new days and for reminders that are due
CLAIM_TIMEOUT_SECONDS = 120  # seconds after which another process may send a message that this one has claimed
MAX_QUEUED_PER_HOST = 500  # messages queued for one host; others are tried again when their claim expires
MAX_RETRY_AGE_SECONDS = 7 * 86400
DELIVERED_RETENTION_SECONDS = 60 * 86400  # seconds for which sent messages are remembered
MAX_REMEMBERED_KEYS = 50_000  # keys cached in memory, so that the store is not asked again
CHANNEL_WEBHOOK, CHANNEL_MAIL = "webhook", "mail"
log = logging.getLogger("isegoria.service")


class Outbox:
    """Finds messages that are due and sends them: one thread looks for them, and one worker per host delivers them."""

    def __init__(self, store: Store, groups: GroupRepository, settings: Settings) -> None:
        self.store, self.groups, self.settings = store, groups, settings
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._hosts: dict[str, QueueWorker] = {}
        self._watched: set[str] = set()
        self._posted: set[tuple[str, str]] = set()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the outbox thread, if this server sends webhooks or mail."""
        if self.settings.webhooks or self.settings.smtp:
            self._thread = threading.Thread(target=self._run, daemon=True, name="isegoria-outbox")
            self._thread.start()

    def changed(self, group: str) -> None:
        """Queue a group that has changed; its new messages are looked up later."""
        if self._thread is not None:
            self._queue.put(group)

    def stop(self, patience: float = 1.0) -> bool:
        """Stop all threads and return whether they have ended; the next process sends what is still pending."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(patience)
        ended = [worker.stop(0.1) for worker in self._hosts.values()]
        return all(ended) and (self._thread is None or not self._thread.is_alive())

    def _run(self) -> None:
        self._run_safely(self._load_watched_groups)
        while True:
            try:
                group = self._queue.get(timeout=POLL_INTERVAL_SECONDS)
                if group is None:
                    return
                self._watched.add(group)
                self._run_safely(self.look, group)
            except queue.Empty:
                for group in sorted(self._watched):
                    self._run_safely(self.look, group)
            self._run_safely(self.send)

    def _run_safely(self, work: Any, *arguments: Any) -> None:
        try:
            work(*arguments)
        except NotFound:
            self._watched.difference_update(arguments)
        except IsegoriaError as error:
            log.warning("the outbox waits: %s", error)
        except Exception:  # a bug in this program: keep the thread alive, pending messages are tried again
            log.exception("a fault in the outbox")

    def _load_watched_groups(self) -> None:
        with self.store.reading() as session:
            self._watched |= set(session.mailed_groups()) | set(session.hooked_groups())
        with self.store.writing() as session:
            session.forget_letters(int(self.groups.clock()) - DELIVERED_RETENTION_SECONDS)
        for group in sorted(self._watched):
            self._run_safely(self.look, group)

    def look(self, group: str) -> None:
        """Store the messages that are due for a group and not stored yet."""
        now = int(self.groups.clock())
        with self.groups.reading(group) as (state, session):
            known = session.contacts(group) if self.settings.smtp else []
            contacts = [one for one in known if one.address and one.confirmed is not None]
            hooked = is_allowed_webhook(state.settings["webhook"] or "", self.settings.webhooks)
            if not contacts and not hooked:
                self._watched.discard(group)
                return
            found = [*(list_webhook_messages(state, now) if hooked else ()), *list_mail_messages(state, contacts, now)]
        new = [one for one in found if (group, one.key) not in self._posted]
        if new:
            with self.store.writing() as session:
                for letter in new:
                    session.post(letter)
        if len(self._posted) > MAX_REMEMBERED_KEYS:  # safe to forget: the store has them all
            self._posted.clear()
        self._posted |= {(group, letter.key) for letter in new}

    def send(self) -> None:
        """Claim pending messages that are due and pass each to the worker of its host."""
        now = int(self.groups.clock())
        with self.store.reading() as session:
            due = session.waiting_letters(now)
        for found in due:
            letter = found._replace(tries=found.tries + 1)
            with self.store.writing() as session:
                if not session.claim(letter, now + CLAIM_TIMEOUT_SECONDS):
                    continue
            host = "smtp" if letter.channel == CHANNEL_MAIL else self._host(letter.group)
            if host not in self._hosts:
                self._hosts[host] = QueueWorker("outbox", self.deliver)
            if self._hosts[host].waiting < MAX_QUEUED_PER_HOST:
                self._hosts[host].hand(letter._replace(due=now + CLAIM_TIMEOUT_SECONDS))

    def _host(self, group: str) -> str:
        try:
            with self.groups.reading(group) as (state, _):
                return parse_webhook_host(state.settings["webhook"] or "") or ""
        except IsegoriaError:  # the delivery fails the same way, on a worker that delays no other host
            return ""

    def deliver(self, letter: OutboxRow) -> None:
        """Deliver one message, or schedule a retry; skip it if another process has claimed it meanwhile."""
        now, retries = int(self.groups.clock()), False
        with self.store.writing() as session:
            if not session.claim(letter, now + CLAIM_TIMEOUT_SECONDS):
                return
        try:
            self._tell(letter, now)
        except NotFound:
            return
        except StoreError:  # its claim expires, and then it is tried again
            raise
        except Exception as error:
            retries = _should_retry(letter, error)
        with self.store.writing() as session:
            session.set_letter(letter, _compute_next_retry(letter, now) if retries else None)

    def _tell(self, letter: OutboxRow, now: int) -> None:
        settings = self.settings
        link = self._issue_link(letter, now) if letter.key.startswith("invite:") else None
        with self.groups.reading(letter.group) as (state, session):
            row = session.group(letter.group)
            contact = next((one for one in session.contacts(letter.group) if one.number == letter.number), None)
            address = state.settings["webhook"] or ""
            assert row is not None
            if letter.channel == CHANNEL_WEBHOOK:
                body = json.dumps(build_webhook_body(state, row, session, now), ensure_ascii=False).encode()
            elif settings.smtp is not None and contact is not None and contact.address is not None:
                if contact.confirmed is None and letter.key.partition(":")[0] != FIRST_LETTER:
                    return
                subject, text, stop = build_mail_text(state, letter.key, contact, settings.public, now, link)
        if letter.channel == CHANNEL_WEBHOOK:
            if is_allowed_webhook(address, settings.webhooks):
                post_webhook(address, body, {SIGNATURE_HEADER: sign_webhook_body(derive_webhook_key(row), body)})
        elif settings.smtp is not None and contact is not None and contact.address is not None:
            settings.smtp.send(build_message(settings.smtp.sender, contact.address, subject, text, stop))

    def _issue_link(self, letter: OutboxRow, now: int) -> str | None:
        """Return a new token for an invitation, or None if the name is taken; only its hash is stored."""
        token, group, number = generate_token(), letter.group, letter.number
        with self.store.writing() as session:
            contact = next((one for one in session.contacts(group) if one.number == number), None)
            rows = [row for row in session.tokens(group) if (row.role, row.number) == (ROLE_MEMBER, number)]
            if contact is None or contact.confirmed is None or any(row.used is not None for row in rows):
                return None
            how = PROVENANCE_LETTERS[contact.typed_by]
            session.drop_unopened(group, number, how)
            row = make_token_row(token, group, ROLE_MEMBER, number, now)
            session.add_tokens([row._replace(secret=None, how=how)])
        return token


def _should_retry(letter: OutboxRow, error: Exception) -> bool:
    """Log why a delivery failed, and return whether to try again: not if the recipient does not exist."""
    first = letter.tries == 1
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        log.warning("group %s: a letter was refused (%s)", letter.group, codes)
        return not all(code >= 550 for code in codes)
    if isinstance(error, OSError | ValueError | HTTPException | smtplib.SMTPException):
        level = logging.WARNING if first else logging.DEBUG
        log.log(level, "group %s: %s was not told: %s", letter.group, letter.key, _describe_failure(error))
        return True
    # a bug in this program, or an unreadable group
    told = log.exception if first else log.debug
    told("group %s: a fault kept %s from being told (%s)", letter.group, letter.key, type(error).__name__)
    return True


def _describe_failure(error: Exception) -> str:
    """Return why a delivery failed, without the text of servers or addresses, which may be private."""
    code = getattr(error, "smtp_code", None) or getattr(error, "code", None) or getattr(error, "errno", None)
    return type(error).__name__ if code is None else f"{type(error).__name__} {code}"


def _compute_next_retry(letter: OutboxRow, now: int) -> int | None:
    """Return the time of the next try of a message, or None once it is more than a week old."""
    return None if now - letter.made > MAX_RETRY_AGE_SECONDS else now + compute_backoff_seconds(letter.tries - 1)


# -- messages that are due ---------------------------------------------------------------------------------------------


def list_webhook_messages(group: Group, now: int) -> Iterator[OutboxRow]:
    """Yield the webhook messages that are due: one per new head, and one per later day of a plan on that day."""
    if group.rounds or group.head.strip(b"\0"):
        yield OutboxRow(group.address, f"head:{group.head.hex()[:24]}", CHANNEL_WEBHOOK, -1, now, now, 0)
    for occurrence in list_due_days(group, now):
        yield OutboxRow(group.address, f"today:{occurrence}", CHANNEL_WEBHOOK, -1, now, now, 0)


def list_mail_messages(group: Group, contacts: list[ContactRow], now: int) -> Iterator[OutboxRow]:
    """Yield the mail messages that are due: results, if the group wants them, and reminders of missing ratings."""
    keys: list[tuple[str, list[ContactRow]]] = []
    happened = next((one for one in reversed(group.rounds) if one.happened), None)
    if group.settings.get("results"):
        if happened is not None:
            keys.append((f"result:{happened.number}", contacts))
        keys += [(f"today:{occurrence}", contacts) for occurrence in list_due_days(group, now)]
    found, remind = find_next_decision(group, now), group.settings.get("remind")
    if remind and found is not None and found.freeze is not None and found.freeze - 60 * remind <= now < found.freeze:
        missing = [one for one in contacts if one.number in group.members and not has_answered(group, one.number)]
        keys.append((f"ask:{found.occurrence}", missing))
    for key, those in keys:
        for one in those:
            yield OutboxRow(group.address, f"{key}:{one.number}", CHANNEL_MAIL, one.number, now, now, 0)


def list_due_days(group: Group, now: int) -> Iterator[int]:
    """Yield today's occurrence once its ratings close, if the draw of an earlier day decided it."""
    timetable = get_timetable(group)
    if timetable is None:
        return
    for turn in list_planned_turns(group, now):
        came = turn.occurrence is not None and turn.date == format_local_date(group, now)
        if came and turn.turn > 1 and turn.occurrence is not None and timetable.opens(turn.occurrence) <= now:
            yield turn.occurrence

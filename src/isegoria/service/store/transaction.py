"""All SQL statements of the service, the same for every store."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any, TypeVar, cast

from isegoria.service.store.server_key import (
    ServerKey,
    hash_request_key,
    is_strong_request_key,
    make_response_key,
)
from isegoria.service.store.table_rows import (
    CommitmentRow,
    ContactRow,
    EventRow,
    GroupRow,
    LearnerSnapshotRow,
    OutboxRow,
    PersonRow,
    ResponseRow,
    SecurityEventRow,
    SessionRow,
    StoreError,
    TokenRow,
)

GROUP_COLUMNS = "id, made, touched, length, lines, head, due, vault"
SESSION_COLUMNS = "hash, grp, role, number, place, label, begun, seen, how"
EVENT_COLUMNS = "seq, key, kind, actor, at, body, line, prev"
TOKEN_COLUMNS = "hash, grp, role, number, issued, used, secret, how"
CONTACT_COLUMNS = "number, address, language, stop, refused, confirmed, typed_by"
OUTBOX_COLUMNS = "grp, key, channel, number, made, due, tries"
SECURITY_COLUMNS = "at, kind, role, number, subject_role, subject"
GROUP_TABLES = (
    "consents",
    "objections",
    "security_events",
    "counts",
    "kept",
    "held",
    "outbox",
    "contacts",
    "snapshots",
    "sessions",
    "tokens",
    "people",
    "events",
)
SecretText = TypeVar("SecretText", bound=str | None)
WEBHOOK_PATTERN = re.compile('"webhook": ?"')
Execute = Callable[[str, Sequence[Any]], tuple[list[tuple[Any, ...]], int]]


class Transaction:
    """One transaction on the store. `run(statement, values)` returns the rows and the number of changed rows.

    Every store guarantees: a transaction is atomic, and durable when it has ended. Of several concurrent `append` calls
    with the same key or the same `prev`, one succeeds, and the others return None.
    """

    def __init__(self, run: Execute, lock: str, key: ServerKey | None = None) -> None:
        self._run = run
        self._lock = lock
        self._key = key

    def as_stored(self) -> Transaction:
        """Return the same transaction without the server key: it reads and writes secrets as they are stored."""
        return Transaction(self._run, self._lock)

    def _seal(self, text: SecretText, *place: object) -> SecretText:
        """Return a secret as it is stored at a place: encrypted, if there is a server key."""
        if text is None or self._key is None:
            return text
        return cast(SecretText, self._key.seal(text, ":".join(map(str, place))))

    def _unseal(self, text: SecretText, *place: object) -> SecretText:
        if text is None or self._key is None:
            return text
        return cast(SecretText, self._key.unseal(text, ":".join(map(str, place))))

    def _seal_body(self, group: str, key: str, kind: str, body: str, opens: bool = False) -> str:
        """Return the body of an event with its webhook address sealed, or with `opens`, unsealed."""
        if kind != "setting" or self._key is None or not WEBHOOK_PATTERN.search(body):
            return body
        settings = json.loads(body)
        change = self._unseal if opens else self._seal
        settings["webhook"] = change(settings["webhook"], "webhook", group, key)
        return json.dumps(settings, separators=(",", ":"), ensure_ascii=False, sort_keys=True)

    def open_event(self, group: str, event: EventRow) -> EventRow:
        """Return an event as it is stored with its secrets unsealed."""
        return event._replace(body=self._seal_body(group, event.key, event.kind, event.body, opens=True))

    def server_key_id(self) -> str | None:
        """Return the id of the server key of this store, or None if it has none yet."""
        rows = self._rows("SELECT id FROM server_key")
        return rows[0][0] if rows else None

    def set_server_key_id(self, id: str) -> None:
        """Note the id of the server key of this store."""
        self._update("DELETE FROM server_key")
        self._update("INSERT INTO server_key (id) VALUES (?)", id)

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._run(statement, values)[0]

    def _update(self, statement: str, *values: Any) -> int:
        return self._run(statement, values)[1]

    # -- groups --------------------------------------------------------------------------------------------------------

    def add_group(self, row: GroupRow) -> bool:
        """Insert a group and return whether its name was free."""
        stored = row._replace(vault=self._seal(row.vault, "vault", row.id))
        statement = f"INSERT INTO groups ({GROUP_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return bool(self._update(statement, *stored))

    def group(self, group: str, lock: bool = False) -> GroupRow | None:
        """Return the group's row, or None; with `lock`, nobody else changes the group before this transaction ends."""
        rows = self._rows(f"SELECT {GROUP_COLUMNS} FROM groups WHERE id = ?{self._lock if lock else ''}", group)
        if not rows:
            return None
        stored = GroupRow(*rows[0])
        return stored._replace(vault=self._unseal(stored.vault, "vault", group))

    def groups(self) -> list[str]:
        """Return the names of all groups."""
        return [row[0] for row in self._rows("SELECT id FROM groups ORDER BY id")]

    def due(self, now: int, limit: int = 100) -> list[str]:
        """Return the groups whose timetable is due by `now`, longest waiting first."""
        return [row[0] for row in self._rows("SELECT id FROM groups WHERE due <= ? ORDER BY due LIMIT ?", now, limit)]

    def longest_due(self, now: int) -> int | None:
        """Return the earliest due time of a group that is still waiting, or None if none is."""
        return self._rows("SELECT MIN(due) FROM groups WHERE due <= ?", now)[0][0]

    def set_due(self, group: str, due: int | None) -> None:
        """Set when the scheduler looks at this group again."""
        self._update("UPDATE groups SET due = ? WHERE id = ?", due, group)

    def retention(self, group: str) -> int | None:
        """Return the days after which an unused group is erased, as its organiser last set them, or None."""
        rows = self._rows("SELECT body FROM events WHERE grp = ? AND kind = 'setting' ORDER BY seq DESC", group)
        found = (json.loads(row[0]) for row in rows)
        return next((body["retention"] for body in found if "retention" in body), None)

    def remove_group(self, group: str) -> bool:
        """Erase a group with everything that belongs to it, and return whether it existed."""
        self._update("DELETE FROM answers WHERE actor LIKE ?", f"{group}:%")
        for table in GROUP_TABLES:
            self._update(f"DELETE FROM {table} WHERE grp = ?", group)
        return bool(self._update("DELETE FROM groups WHERE id = ?", group))

    # -- the log -------------------------------------------------------------------------------------------------------

    def append(self, group: GroupRow, event: EventRow, head: str | None = None) -> GroupRow | None:
        """Append an event and return the group's new row, or None if its key or its `prev` is taken.

        In the latter case nothing has changed. `head` is the hash of the event's line, if it has one. The caller holds
        the group's lock.
        """
        values = "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        stored = event._replace(body=self._seal_body(group.id, event.key, event.kind, event.body))
        if not self._update(f"INSERT INTO events (grp, {EVENT_COLUMNS}) {values}", group.id, *stored):
            return None
        after = group._replace(
            length=event.seq,
            touched=event.at,
            lines=group.lines + (event.line is not None),
            head=group.head if event.line is None or head is None else head,
        )
        self._update(
            "UPDATE groups SET length = ?, touched = ?, lines = ?, head = ? WHERE id = ?",
            after.length,
            after.touched,
            after.lines,
            after.head,
            group.id,
        )
        return after

    def rewrite(self, group: str, key: str, body: str) -> None:
        """Replace the private body of an event, to remove data from it; its line stays."""
        self._update("UPDATE events SET body = ? WHERE grp = ? AND key = ?", body, group, key)

    def place(self, group: str, event: EventRow) -> None:
        """Insert an event at its original position when a group is restored; the group's row is restored separately."""
        self._update(f"INSERT INTO events (grp, {EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", group, *event)

    def events(self, group: str, after: int = 0, limit: int = 2**31 - 1) -> list[EventRow]:
        """Return the events after sequence number `after`, in order, at most `limit`."""
        statement = f"SELECT {EVENT_COLUMNS} FROM events WHERE grp = ? AND seq > ? ORDER BY seq LIMIT ?"
        return [self.open_event(group, EventRow(*row)) for row in self._rows(statement, group, after, limit)]

    def lines(self, group: str, after: int = 0, limit: int = 2**31 - 1) -> list[tuple[int, str]]:
        """Return (sequence number, line) of the public record after sequence number `after`, at most `limit`."""
        statement = "SELECT seq, line FROM events WHERE grp = ? AND seq > ? AND prev IS NOT NULL ORDER BY seq LIMIT ?"
        return [(seq, line) for seq, line in self._rows(statement, group, after, limit)]

    def place_behind(self, group: str, prev: str) -> int | None:
        """Return the sequence number just before the event whose line follows the line with this hash, or None."""
        rows = self._rows("SELECT seq - 1 FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def has_lines(self, group: str, after: int, count: int | None) -> bool:
        """Return whether at least `count` record lines follow a sequence number; False if `count` is None."""
        statement = "SELECT 1 FROM events WHERE grp = ? AND seq > ? AND prev IS NOT NULL ORDER BY seq LIMIT 1 OFFSET ?"
        return count is not None and bool(self._rows(statement, group, after, count - 1))

    def body_behind(self, group: str, prev: str) -> str | None:
        """Return the private body of the event whose line follows the line with this hash, or None."""
        rows = self._rows("SELECT body FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def line_behind(self, group: str, prev: str) -> str | None:
        """Return the line that follows the line with this hash, or None."""
        rows = self._rows("SELECT line FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def public(self, group: str, skip: int, limit: int) -> list[tuple[int, str]]:
        """Return (time, line) of the public record after its first `skip` lines, at most `limit`."""
        statement = "SELECT at, line FROM events WHERE grp = ? AND prev IS NOT NULL ORDER BY seq LIMIT ? OFFSET ?"
        return [(at, line) for at, line in self._rows(statement, group, limit, skip)]

    # -- people and links ----------------------------------------------------------------------------------------------

    def people(self, group: str) -> list[PersonRow]:
        """Return every member who ever joined, by number."""
        rows = self._rows("SELECT number, name, secrets FROM people WHERE grp = ? ORDER BY number", group)
        return [
            PersonRow(number, name, self._unseal(secrets, "people", group, number)) for number, name, secrets in rows
        ]

    def keep_person(self, group: str, person: PersonRow) -> None:
        """Insert or replace a member; None for name and secrets erases them."""
        self._update(
            "INSERT INTO people (grp, number, name, secrets) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (grp, number) DO UPDATE SET name = excluded.name, secrets = excluded.secrets",
            group,
            *person._replace(secrets=self._seal(person.secrets, "people", group, person.number)),
        )

    def token(self, hash: str) -> TokenRow | None:
        """Return the token with this hash, or None."""
        rows = self._rows(f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE hash = ?", hash)
        return self._open_token(rows[0]) if rows else None

    def _open_token(self, row: tuple[Any, ...]) -> TokenRow:
        stored = TokenRow(*row)
        return stored._replace(secret=self._unseal(stored.secret, "tokens", stored.hash))

    def tokens(self, group: str) -> list[TokenRow]:
        """Return the valid tokens of a group."""
        rows = self._rows(f"SELECT {TOKEN_COLUMNS} FROM tokens WHERE grp = ? ORDER BY role, number", group)
        return [self._open_token(row) for row in rows]

    def add_tokens(self, rows: Iterable[TokenRow]) -> None:
        """Insert valid tokens, by their hashes."""
        for row in rows:
            stored = row._replace(secret=self._seal(row.secret, "tokens", row.hash))
            self._update(f"INSERT INTO tokens ({TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *stored)

    def revoke(self, group: str, role: str, number: int) -> int:
        """Revoke all tokens of one person and end their sessions; return the number of tokens."""
        self._update("DELETE FROM sessions WHERE grp = ? AND role = ? AND number = ?", group, role, number)
        if role == "member":
            self._update("DELETE FROM objections WHERE grp = ? AND number = ?", group, number)
        return self._update("DELETE FROM tokens WHERE grp = ? AND role = ? AND number = ?", group, role, number)

    def end_token(self, hash: str) -> None:
        """Revoke one token."""
        self._update("DELETE FROM tokens WHERE hash = ?", hash)

    def used(self, hash: str, at: int) -> None:
        """Note when a link was last opened, and delete its stored secret."""
        self._update("UPDATE tokens SET used = ?, secret = NULL WHERE hash = ?", at, hash)

    def drop_unopened(self, group: str, number: int, how: str = "%") -> None:
        """Revoke a member's links that nobody has opened, or those of one kind."""
        where = "grp = ? AND role = 'member' AND number = ? AND how LIKE ? AND used IS NULL"
        self._update(f"DELETE FROM tokens WHERE {where}", group, number, how)

    # -- objections, and consents to publish ---------------------------------------------------------------------------

    def add_objection(self, group: str, number: int, device: str, at: int) -> bool:
        """Note that a device objects to who took a name, and return whether it did so for the first time."""
        values = "VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        statement = f"INSERT INTO objections (grp, number, device, at) {values}"
        return bool(self._update(statement, group, number, device, at))

    def objections(self, group: str) -> list[tuple[int, str, int]]:
        """Return (member, hash of the device, time) of each objection, earliest first."""
        rows = self._rows("SELECT number, device, at FROM objections WHERE grp = ? ORDER BY at, device", group)
        return [(number, device, at) for number, device, at in rows]

    def add_consent(self, group: str, number: int, at: int) -> None:
        """Note that a member agrees to publish the record; number -1 notes that it is published."""
        self._update(
            "INSERT INTO consents (grp, number, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", group, number, at
        )

    def drop_consent(self, group: str, number: int) -> None:
        """Forget that a member agreed to publish the record."""
        self._update("DELETE FROM consents WHERE grp = ? AND number = ?", group, number)

    def consents(self, group: str) -> dict[int, int]:
        """Return when each member agreed to publish the record, by number."""
        return dict(self._rows("SELECT number, at FROM consents WHERE grp = ? ORDER BY number", group))

    # -- sessions ------------------------------------------------------------------------------------------------------

    def session_of(self, hash: str) -> SessionRow | None:
        """Return the session with this hash, or None."""
        rows = self._rows(f"SELECT {SESSION_COLUMNS} FROM sessions WHERE hash = ?", hash)
        return SessionRow(*rows[0]) if rows else None

    def sessions(self, group: str, role: str, number: int) -> list[SessionRow]:
        """Return the sessions of one person."""
        statement = f"SELECT {SESSION_COLUMNS} FROM sessions WHERE grp = ? AND role = ? AND number = ? ORDER BY place"
        return [SessionRow(*row) for row in self._rows(statement, group, role, number)]

    def sessions_of(self, group: str) -> list[SessionRow]:
        """Return all sessions of a group."""
        statement = f"SELECT {SESSION_COLUMNS} FROM sessions WHERE grp = ? ORDER BY role, number, place"
        return [SessionRow(*row) for row in self._rows(statement, group)]

    def add_session(self, row: SessionRow) -> None:
        """Insert a session."""
        self._update(f"INSERT INTO sessions ({SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def note_session(self, hash: str, seen: int) -> None:
        """Note when a session was last used."""
        self._update("UPDATE sessions SET seen = ? WHERE hash = ?", seen, hash)

    def end_session(self, hash: str) -> None:
        """Delete a session."""
        self._update("DELETE FROM sessions WHERE hash = ?", hash)

    def end_unused_sessions(self, before: int) -> int:
        """Delete the sessions last used before that time, and return how many."""
        return self._update("DELETE FROM sessions WHERE seen < ?", before)

    # -- start links ---------------------------------------------------------------------------------------------------

    def is_start(self, hash: str) -> bool:
        """Return whether this is the hash of a start link's token."""
        return bool(self._rows("SELECT 1 FROM starts WHERE hash = ?", hash))

    def starts(self) -> list[tuple[str, int]]:
        """Return (hash, creation time) of each start link."""
        return [(hash, made) for hash, made in self._rows("SELECT hash, made FROM starts ORDER BY hash")]

    def replace_start(self, hash: str, made: int) -> None:
        """Insert a start link and revoke all earlier ones."""
        self._update("DELETE FROM starts")
        self._update("INSERT INTO starts (hash, made) VALUES (?, ?)", hash, made)

    # -- security events -----------------------------------------------------------------------------------------------

    def add_security_event(self, group: str, row: SecurityEventRow) -> None:
        """Insert a security event."""
        self._update(f"INSERT INTO security_events (grp, {SECURITY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", group, *row)

    def security_events(self, group: str) -> list[SecurityEventRow]:
        """Return the security events of a group, newest first."""
        rows = self._rows(f"SELECT {SECURITY_COLUMNS} FROM security_events WHERE grp = ? ORDER BY at DESC", group)
        return [SecurityEventRow(*row) for row in rows]

    def remove_security_events(self, group: str, before: int) -> None:
        """Delete the security events of a group from before a time."""
        self._update("DELETE FROM security_events WHERE grp = ? AND at < ?", group, before)

    # -- mail contacts and outbox --------------------------------------------------------------------------------------

    def contacts(self, group: str) -> list[ContactRow]:
        """Return the mail contacts of a group, by number."""
        rows = self._rows(f"SELECT {CONTACT_COLUMNS} FROM contacts WHERE grp = ? ORDER BY number", group)
        return [self._open_contact(group, ContactRow(*row)) for row in rows]

    def _open_contact(self, group: str, stored: ContactRow) -> ContactRow:
        """Return a contact with its address and its unsubscribe token, which are sealed together."""
        sealed = self._unseal(stored.address, "contacts", group, stored.number)
        if self._key is None or sealed is None:
            return stored
        address, stop = json.loads(sealed)
        return stored._replace(address=address, stop=stop)

    def contact_by_stop(self, stop: str) -> tuple[str, ContactRow] | None:
        """Return the group and the contact of an unsubscribe token, or None."""
        hashed = sha256(stop.encode()).hexdigest()
        rows = self._rows(f"SELECT grp, {CONTACT_COLUMNS} FROM contacts WHERE stop = ?", hashed)
        return (str(rows[0][0]), self._open_contact(rows[0][0], ContactRow(*rows[0][1:]))) if rows else None

    def keep_contact(self, group: str, contact: ContactRow) -> None:
        """Insert or replace a member's mail contact."""
        self.forget_contact(group, contact.number)
        if self._key is not None:
            sealed = self._seal(json.dumps([contact.address, contact.stop]), "contacts", group, contact.number)
            contact = contact._replace(address=sealed, stop=sha256(contact.stop.encode()).hexdigest())
        values = "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        self._update(f"INSERT INTO contacts (grp, {CONTACT_COLUMNS}) {values}", group, *contact)

    def forget_contact(self, group: str, number: int) -> None:
        """Delete a member's mail contact and the messages that are pending for it."""
        self._update("DELETE FROM contacts WHERE grp = ? AND number = ?", group, number)
        self._update("DELETE FROM outbox WHERE grp = ? AND number = ? AND due IS NOT NULL", group, number)

    def refuse_mail(self, hash: str, at: int) -> None:
        """Note that the owner of the address with this hash wants no mail, whatever group it is entered in."""
        self._update("INSERT INTO refusals (hash, at) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, at)

    def refusals(self) -> list[tuple[str, int]]:
        """Return the hash and the time of each refusal of mail."""
        return [(hash, at) for hash, at in self._rows("SELECT hash, at FROM refusals ORDER BY hash")]

    def refuses_mail(self, hash: str) -> bool:
        """Return whether the owner of the address with this hash wants no mail from this server."""
        return bool(self._rows("SELECT 1 FROM refusals WHERE hash = ?", hash))

    def add_first_letter(self, hash: str, at: int, to_one: int, in_all: int, since: int) -> bool:
        """Note a first letter to an address, unless as many were sent to it, or in all, since a time; return whether
        it may be sent. Earlier ones are forgotten."""
        self._update("DELETE FROM first_letters WHERE at <= ?", since)
        (counted,) = self._rows(
            "SELECT COUNT(*), COALESCE(SUM(CASE WHEN hash = ? THEN 1 ELSE 0 END), 0) FROM first_letters", hash
        )
        if counted[0] >= in_all or counted[1] >= to_one:
            return False
        self._update("INSERT INTO first_letters (hash, at) VALUES (?, ?)", hash, at)
        return True

    def mailed_groups(self) -> list[str]:
        """Return the groups that have mail addresses."""
        return [row[0] for row in self._rows("SELECT DISTINCT grp FROM contacts")]

    def hooked_groups(self) -> list[str]:
        """Return the groups that ever set a webhook."""
        found = self._rows("SELECT DISTINCT grp FROM events WHERE kind = 'setting' AND body LIKE ?", '%"webhook":"%')
        return [row[0] for row in found]

    def post(self, letter: OutboxRow) -> bool:
        """Insert an outbox message and return whether it is new; a key is used only once."""
        return bool(
            self._update(
                f"INSERT INTO outbox ({OUTBOX_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *letter
            )
        )

    def waiting_letters(self, now: int, limit: int = 200) -> list[OutboxRow]:
        """Return the outbox messages that are due by now, longest waiting first."""
        rows = self._rows(f"SELECT {OUTBOX_COLUMNS} FROM outbox WHERE due <= ? ORDER BY due LIMIT ?", now, limit)
        return [OutboxRow(*row) for row in rows]

    def claim(self, letter: OutboxRow, until: int) -> bool:
        """Claim a message until a given time, and return whether it was unchanged and is now this process's to send."""
        statement = "UPDATE outbox SET due = ?, tries = ? WHERE grp = ? AND key = ? AND due = ?"
        return bool(self._update(statement, until, letter.tries, letter.group, letter.key, letter.due))

    def set_letter(self, letter: OutboxRow, due: int | None) -> None:
        """Set when a message is tried next; None if it was sent or never can be."""
        self._update("UPDATE outbox SET due = ? WHERE grp = ? AND key = ?", due, letter.group, letter.key)

    def forget_letters(self, before: int) -> int:
        """Delete finished messages created before that time, and return how many."""
        return self._update("DELETE FROM outbox WHERE due IS NULL AND made < ?", before)

    # -- commitments that wait for a freeze ----------------------------------------------------------------------------

    def hold(self, group: str, number: int, slip: str, at: int) -> None:
        """Hold a member's commitment, in place of an earlier one."""
        self._update(
            "INSERT INTO held (grp, number, slip, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (grp, number) DO UPDATE SET slip = excluded.slip, at = excluded.at",
            group,
            number,
            slip,
            at,
        )

    def held(self, group: str) -> list[CommitmentRow]:
        """Return the commitments held for a group, by member number."""
        rows = self._rows("SELECT number, slip, at FROM held WHERE grp = ? ORDER BY number", group)
        return [CommitmentRow(*row) for row in rows]

    def release(self, group: str) -> None:
        """Delete the commitments held for a group."""
        self._update("DELETE FROM held WHERE grp = ?", group)

    # -- stored responses and learner snapshots ------------------------------------------------------------------------

    def answer(self, actor: str, key: str) -> ResponseRow | None:
        """Return the stored response to this actor's idempotency key, or None."""
        hashed = hash_request_key(actor, key)
        rows = self._rows("SELECT digest, status, body FROM answers WHERE actor = ? AND key = ?", actor, hashed)
        if not rows:
            return None
        digest, status, body = rows[0]
        return ResponseRow(digest, status, make_response_key(key).unseal(body, hashed) if body else "")

    def keep_answer(self, actor: str, key: str, answer: ResponseRow, at: int) -> bool:
        """Store the response to an idempotency key, encrypted under that key, and return whether the key was free.

        Under a key that could be guessed the body is left out.
        """
        hashed = hash_request_key(actor, key)
        keeps = bool(answer.body) and is_strong_request_key(key)
        stored = answer._replace(body=make_response_key(key).seal(answer.body, hashed) if keeps else "")
        return self.place_answer(actor, hashed, stored, at)

    def place_answer(self, actor: str, hashed: str, stored: ResponseRow, at: int) -> bool:
        """Insert a response as it is stored, and return whether the key was free."""
        values = "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return bool(
            self._update(
                f"INSERT INTO answers (actor, key, digest, status, body, at) {values}", actor, hashed, *stored, at
            )
        )

    def answers(self, actors: str) -> list[tuple[Any, ...]]:
        """Return (actor, key, digest, status, body, at) of every actor whose id begins with `actors`."""
        statement = "SELECT actor, key, digest, status, body, at FROM answers WHERE actor LIKE ? ORDER BY actor, key"
        return self._rows(statement, f"{actors}%")

    def forget_answers(self, before: int) -> int:
        """Delete the responses stored before that time, and return how many."""
        return self._update("DELETE FROM answers WHERE at < ?", before)

    def forget_answers_of(self, actor: str) -> int:
        """Delete the responses stored for one actor, and return how many."""
        return self._update("DELETE FROM answers WHERE actor = ?", actor)

    def snapshot(self, group: str) -> LearnerSnapshotRow | None:
        """Return the cached learner state of the group, or None."""
        rows = self._rows("SELECT seq, head, state FROM snapshots WHERE grp = ?", group)
        if not rows:
            return None
        seq, head, state = rows[0]
        with contextlib.suppress(StoreError):  # a copy that was changed is none
            return LearnerSnapshotRow(seq, head, self._unseal(state, "learner", group, seq, head))
        return None

    def keep_snapshot(self, group: str, snapshot: LearnerSnapshotRow | None) -> None:
        """Replace the cached learner state of the group; None deletes it."""
        self._update("DELETE FROM snapshots WHERE grp = ?", group)
        if snapshot is not None:
            sealed = self._seal(snapshot.state, "learner", group, snapshot.seq, snapshot.head)
            stored = snapshot._replace(state=sealed)
            self._update("INSERT INTO snapshots (grp, seq, head, state) VALUES (?, ?, ?, ?)", group, *stored)

    # -- group snapshots and voice tallies -----------------------------------------------------------------------------

    def kept(self, group: str, program: str, place: int) -> tuple[int, str] | None:
        """Return (number of events, text) of a copy made by this snapshot version, or None.

        Place -1 is the copy of the group itself; other places are parts of its history.
        """
        where = "grp = ? AND program = ? AND place = ?"
        rows = self._rows(f"SELECT seq, state FROM kept WHERE {where}", group, program, place)
        return (rows[0][0], self._unseal(rows[0][1], "kept", group, program, place, rows[0][0])) if rows else None

    def keep(self, group: str, program: str, place: int, seq: int, at: int, state: str) -> None:
        """Store a copy, in place of an earlier one."""
        self._update(
            "INSERT INTO kept (grp, program, place, seq, at, state) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (grp, program, place) DO UPDATE SET seq = excluded.seq, at = excluded.at, "
            "state = excluded.state",
            group,
            program,
            place,
            seq,
            at,
            self._seal(state, "kept", group, program, place, seq),
        )

    def drop_kept(self, group: str) -> None:
        """Delete the copies of a group's present state, which may contain data to be erased; its history stays."""
        self._update("DELETE FROM kept WHERE grp = ? AND place = -1", group)

    def drop_kept_of_others(self, program: str, before: int) -> int:
        """Delete copies made by other snapshot versions before that time, and return how many."""
        return self._update("DELETE FROM kept WHERE program <> ? AND at < ?", program, before)

    def count(self, group: str, number: int) -> str | None:
        """Return the stored voice tally of a member, or None."""
        rows = self._rows("SELECT state FROM counts WHERE grp = ? AND number = ?", group, number)
        return rows[0][0] if rows else None

    def keep_count(self, group: str, number: int, state: str | None) -> None:
        """Store a member's voice tally, in place of an earlier one; None deletes it."""
        self._update("DELETE FROM counts WHERE grp = ? AND number = ?", group, number)
        if state is not None:
            self._update("INSERT INTO counts (grp, number, state) VALUES (?, ?, ?)", group, number, state)

"""Everything that is ever said to the database, the same statements for every store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from isegoria.service.store.rows import (
    AnswerRow,
    Contact,
    Event,
    GroupRow,
    HeldRow,
    Letter,
    PersonRow,
    SessionRow,
    Snapshot,
    TokenRow,
)

GROUP = "id, made, touched, length, lines, head, due, vault"
SESSION = "hash, grp, role, number, place, label, begun, seen"
EVENT = "seq, key, kind, actor, at, body, line, prev"
TOKEN = "hash, grp, role, number, issued, used, secret"
CONTACT = "number, address, language, stop, refused"
LETTER = "grp, key, channel, number, made, due, tries"
TABLES = ("counts", "kept", "held", "outbox", "contacts", "snapshots", "sessions", "tokens", "people", "events")
Run = Callable[[str, Sequence[Any]], tuple[list[tuple[Any, ...]], int]]


class Session:
    """One transaction's view of the store. `run(statement, values)` gives the rows, and how many were changed.

    What every store promises: a transaction is whole or not at all, and on disk when it has ended; `append` succeeds
    for one of several rivals with the same key or the same `prev`, and the others are told.
    """

    def __init__(self, run: Run, lock: str) -> None:
        self._run = run
        self._lock = lock

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._run(statement, values)[0]

    def _changed(self, statement: str, *values: Any) -> int:
        return self._run(statement, values)[1]

    # -- groups --------------------------------------------------------------------------------------------------------

    def add_group(self, row: GroupRow) -> bool:
        """Whether the name was free."""
        return bool(
            self._changed(f"INSERT INTO groups ({GROUP}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *row)
        )

    def group(self, group: str, lock: bool = False) -> GroupRow | None:
        """The group's row; with `lock`, nobody else changes the group before this transaction ends."""
        rows = self._rows(f"SELECT {GROUP} FROM groups WHERE id = ?{self._lock if lock else ''}", group)
        return GroupRow(*rows[0]) if rows else None

    def groups(self) -> list[str]:
        """The names of all groups."""
        return [row[0] for row in self._rows("SELECT id FROM groups ORDER BY id")]

    def due(self, now: int, limit: int = 100) -> list[str]:
        """The groups whose timetable wants something by `now`, the longest waiting first."""
        return [row[0] for row in self._rows("SELECT id FROM groups WHERE due <= ? ORDER BY due LIMIT ?", now, limit)]

    def longest_due(self, now: int) -> int | None:
        """The oldest moment by which a group's timetable wanted something and has not got it; None if none waits."""
        return self._rows("SELECT MIN(due) FROM groups WHERE due <= ?", now)[0][0]

    def set_due(self, group: str, due: int | None) -> None:
        """When the timetable should look at this group again."""
        self._changed("UPDATE groups SET due = ? WHERE id = ?", due, group)

    def retention(self, group: str) -> int | None:
        """The days after which a group that nobody uses is erased, as its organiser last set them."""
        rows = self._rows("SELECT body FROM events WHERE grp = ? AND kind = 'setting' ORDER BY seq DESC", group)
        found = (json.loads(row[0]) for row in rows)
        return next((body["retention"] for body in found if "retention" in body), None)

    def remove_group(self, group: str) -> bool:
        """Erase a group with all that belongs to it."""
        self._changed("DELETE FROM answers WHERE actor LIKE ?", f"{group}:%")
        for table in TABLES:
            self._changed(f"DELETE FROM {table} WHERE grp = ?", group)
        return bool(self._changed("DELETE FROM groups WHERE id = ?", group))

    # -- the log -------------------------------------------------------------------------------------------------------

    def append(self, group: GroupRow, event: Event, head: str | None = None) -> GroupRow | None:
        """The group's row after this event, or None where its key or its `prev` is taken: then nothing has changed.

        `head` is the hash of the event's line, if it has one. The caller holds the group's lock.
        """
        values = "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        if not self._changed(f"INSERT INTO events (grp, {EVENT}) {values}", group.id, *event):
            return None
        after = group._replace(
            length=event.seq,
            touched=event.at,
            lines=group.lines + (event.line is not None),
            head=group.head if event.line is None or head is None else head,
        )
        self._changed(
            "UPDATE groups SET length = ?, touched = ?, lines = ?, head = ? WHERE id = ?",
            after.length, after.touched, after.lines, after.head, group.id,
        )  # fmt: skip
        return after

    def rewrite(self, group: str, key: str, body: str) -> None:
        """Replace the private body of an event, which then says less; its line stays."""
        self._changed("UPDATE events SET body = ? WHERE grp = ? AND key = ?", body, group, key)

    def place(self, group: str, event: Event) -> None:
        """Put an event where it was, when a group is restored; its row is restored as a whole."""
        self._changed(f"INSERT INTO events (grp, {EVENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", group, *event)

    def events(self, group: str, after: int = 0, limit: int = 2**31 - 1) -> list[Event]:
        """The events behind the first `after`, in order, at most so many."""
        statement = f"SELECT {EVENT} FROM events WHERE grp = ? AND seq > ? ORDER BY seq LIMIT ?"
        return [Event(*row) for row in self._rows(statement, group, after, limit)]

    def lines(self, group: str, after: int = 0, limit: int = 2**31 - 1) -> list[tuple[int, str]]:
        """(place in the log, line) of the public record behind a place, at most so many."""
        statement = "SELECT seq, line FROM events WHERE grp = ? AND seq > ? AND prev IS NOT NULL ORDER BY seq LIMIT ?"
        return [(seq, line) for seq, line in self._rows(statement, group, after, limit)]

    def place_behind(self, group: str, prev: str) -> int | None:
        """The place in the log before the event whose line follows the line with this hash."""
        rows = self._rows("SELECT seq - 1 FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def has_lines(self, group: str, after: int, count: int | None) -> bool:
        """Whether the public record has so many lines behind a place; None is more than there can be."""
        statement = "SELECT 1 FROM events WHERE grp = ? AND seq > ? AND prev IS NOT NULL ORDER BY seq LIMIT 1 OFFSET ?"
        return count is not None and bool(self._rows(statement, group, after, count - 1))

    def body_behind(self, group: str, prev: str) -> str | None:
        """The private body of the event whose line follows the line with this hash."""
        rows = self._rows("SELECT body FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def line_behind(self, group: str, prev: str) -> str | None:
        """The line that follows the line with this hash."""
        rows = self._rows("SELECT line FROM events WHERE grp = ? AND prev = ?", group, prev)
        return rows[0][0] if rows else None

    def public(self, group: str, skip: int, limit: int) -> list[tuple[int, str]]:
        """(time, line) of the public record behind its first `skip` lines, at most so many."""
        statement = "SELECT at, line FROM events WHERE grp = ? AND prev IS NOT NULL ORDER BY seq LIMIT ? OFFSET ?"
        return [(at, line) for at, line in self._rows(statement, group, limit, skip)]

    # -- people and links ----------------------------------------------------------------------------------------------

    def people(self, group: str) -> list[PersonRow]:
        """Every member that ever joined, by number."""
        return [
            PersonRow(*row)
            for row in self._rows("SELECT number, name, secrets FROM people WHERE grp = ? ORDER BY number", group)
        ]

    def keep_person(self, group: str, person: PersonRow) -> None:
        """Add a member, or replace what is kept of one; name and secrets None erase."""
        self._changed(
            "INSERT INTO people (grp, number, name, secrets) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (grp, number) DO UPDATE SET name = excluded.name, secrets = excluded.secrets",
            group, *person,
        )  # fmt: skip

    def token(self, hash: str) -> TokenRow | None:
        """Whose token this is the hash of."""
        rows = self._rows(f"SELECT {TOKEN} FROM tokens WHERE hash = ?", hash)
        return TokenRow(*rows[0]) if rows else None

    def tokens(self, group: str) -> list[TokenRow]:
        """The tokens of a group that are good."""
        rows = self._rows(f"SELECT {TOKEN} FROM tokens WHERE grp = ? ORDER BY role, number", group)
        return [TokenRow(*row) for row in rows]

    def unopened(self, group: str, number: int) -> str | None:
        """The private link of a member while nobody has opened it."""
        where = "grp = ? AND role = 'member' AND number = ? AND used IS NULL"
        rows = self._rows(f"SELECT secret FROM tokens WHERE {where}", group, number)
        return rows[0][0] if rows else None

    def add_tokens(self, rows: Iterable[TokenRow]) -> None:
        """Make tokens good, by their hashes."""
        for row in rows:
            self._changed(f"INSERT INTO tokens ({TOKEN}) VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def revoke(self, group: str, role: str, number: int) -> int:
        """Make all tokens of one person void, and end her sessions; how many tokens there were."""
        self._changed("DELETE FROM sessions WHERE grp = ? AND role = ? AND number = ?", group, role, number)
        return self._changed("DELETE FROM tokens WHERE grp = ? AND role = ? AND number = ?", group, role, number)

    def used(self, hash: str, at: int, hides: bool = True) -> None:
        """Note when a link was last opened; from now on nobody sees it again, if that `hides` it."""
        self._changed(f"UPDATE tokens SET used = ?{', secret = NULL' if hides else ''} WHERE hash = ?", at, hash)

    def take(self, group: str, role: str, number: int, at: int) -> str | None:
        """The token of a link that nobody has opened, which is opened hereby: one of several rivals gets it."""
        where = "grp = ? AND role = ? AND number = ? AND used IS NULL AND secret IS NOT NULL"
        rows = self._rows(f"SELECT secret FROM tokens WHERE {where}", group, role, number)
        taken = rows and self._changed(f"UPDATE tokens SET used = ? WHERE {where}", at, group, role, number)
        if not taken:
            return None
        self._changed("UPDATE tokens SET secret = NULL WHERE grp = ? AND role = ? AND number = ?", group, role, number)
        return str(rows[0][0])

    # -- sessions ------------------------------------------------------------------------------------------------------

    def session_of(self, hash: str) -> SessionRow | None:
        """Whose session has this hash."""
        rows = self._rows(f"SELECT {SESSION} FROM sessions WHERE hash = ?", hash)
        return SessionRow(*rows[0]) if rows else None

    def sessions(self, group: str, role: str, number: int) -> list[SessionRow]:
        """The sessions of one person."""
        statement = f"SELECT {SESSION} FROM sessions WHERE grp = ? AND role = ? AND number = ? ORDER BY place"
        return [SessionRow(*row) for row in self._rows(statement, group, role, number)]

    def sessions_of(self, group: str) -> list[SessionRow]:
        """The sessions of everybody in a group."""
        statement = f"SELECT {SESSION} FROM sessions WHERE grp = ? ORDER BY role, number, place"
        return [SessionRow(*row) for row in self._rows(statement, group)]

    def add_session(self, row: SessionRow) -> None:
        """Begin a session."""
        self._changed(f"INSERT INTO sessions ({SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def note_session(self, hash: str, seen: int) -> None:
        """Note that a session was used."""
        self._changed("UPDATE sessions SET seen = ? WHERE hash = ?", seen, hash)

    def end_session(self, hash: str) -> None:
        """End a session."""
        self._changed("DELETE FROM sessions WHERE hash = ?", hash)

    def end_unused_sessions(self, before: int) -> int:
        """End the sessions that nobody used since; how many."""
        return self._changed("DELETE FROM sessions WHERE seen < ?", before)

    # -- start links ---------------------------------------------------------------------------------------------------

    def is_start(self, hash: str) -> bool:
        """Whether this is the hash of a start link's token."""
        return bool(self._rows("SELECT 1 FROM starts WHERE hash = ?", hash))

    def starts(self) -> list[tuple[str, int]]:
        """(hash, when it was made) of each start link."""
        return [(hash, made) for hash, made in self._rows("SELECT hash, made FROM starts ORDER BY hash")]

    def replace_start(self, hash: str, made: int) -> None:
        """Make a start link good, and those before it void."""
        self._changed("DELETE FROM starts")
        self._changed("INSERT INTO starts (hash, made) VALUES (?, ?)", hash, made)

    # -- mail and what is to be told -----------------------------------------------------------------------------------

    def contacts(self, group: str) -> list[Contact]:
        """The mail addresses of a group, by number."""
        rows = self._rows(f"SELECT {CONTACT} FROM contacts WHERE grp = ? ORDER BY number", group)
        return [Contact(*row) for row in rows]

    def contact_by_stop(self, stop: str) -> tuple[str, Contact] | None:
        """The group and the address that a link to end mail belongs to."""
        rows = self._rows(f"SELECT grp, {CONTACT} FROM contacts WHERE stop = ?", stop)
        return (str(rows[0][0]), Contact(*rows[0][1:])) if rows else None

    def keep_contact(self, group: str, contact: Contact) -> None:
        """Add a member's address, or replace it."""
        self.forget_contact(group, contact.number)
        self._changed(f"INSERT INTO contacts (grp, {CONTACT}) VALUES (?, ?, ?, ?, ?, ?)", group, *contact)

    def forget_contact(self, group: str, number: int) -> None:
        """Erase a member's address, and what was to be sent there."""
        self._changed("DELETE FROM contacts WHERE grp = ? AND number = ?", group, number)
        self._changed("DELETE FROM outbox WHERE grp = ? AND number = ? AND due IS NOT NULL", group, number)

    def mailed_groups(self) -> list[str]:
        """The groups that have addresses."""
        return [row[0] for row in self._rows("SELECT DISTINCT grp FROM contacts WHERE address IS NOT NULL")]

    def hooked_groups(self) -> list[str]:
        """The groups that ever named a webhook."""
        found = self._rows(
            "SELECT DISTINCT grp FROM events WHERE kind = 'setting' AND body LIKE ?", '%"webhook":"http%'
        )
        return [row[0] for row in found]

    def post(self, letter: Letter) -> bool:
        """Whether this is new, and will be told; what was told by the same key stays told."""
        return bool(
            self._changed(f"INSERT INTO outbox ({LETTER}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", *letter)
        )

    def waiting_letters(self, now: int, limit: int = 200) -> list[Letter]:
        """What is to be told by now, the longest waiting first."""
        rows = self._rows(f"SELECT {LETTER} FROM outbox WHERE due <= ? ORDER BY due LIMIT ?", now, limit)
        return [Letter(*row) for row in rows]

    def claim(self, letter: Letter, until: int) -> bool:
        """Whether a letter is as it was known, and this process the one that tells it; others may once time is over."""
        statement = "UPDATE outbox SET due = ?, tries = ? WHERE grp = ? AND key = ? AND due = ?"
        return bool(self._changed(statement, until, letter.tries, letter.group, letter.key, letter.due))

    def set_letter(self, letter: Letter, due: int | None) -> None:
        """When a letter is tried next; None: it was told, or never can be."""
        self._changed("UPDATE outbox SET due = ? WHERE grp = ? AND key = ?", due, letter.group, letter.key)

    def forget_letters(self, before: int) -> int:
        """Drop what was told before that time."""
        return self._changed("DELETE FROM outbox WHERE due IS NULL AND made < ?", before)

    # -- numbers that wait for a freeze --------------------------------------------------------------------------------

    def hold(self, group: str, number: int, slip: str, at: int) -> None:
        """Hold a member's commitment, in place of one that she said before."""
        self._changed(
            "INSERT INTO held (grp, number, slip, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (grp, number) DO UPDATE SET slip = excluded.slip, at = excluded.at",
            group, number, slip, at,
        )  # fmt: skip

    def held(self, group: str) -> list[HeldRow]:
        """The commitments that are held for a group, by number."""
        rows = self._rows("SELECT number, slip, at FROM held WHERE grp = ? ORDER BY number", group)
        return [HeldRow(*row) for row in rows]

    def release(self, group: str) -> None:
        """Hold nothing for a group any more."""
        self._changed("DELETE FROM held WHERE grp = ?", group)

    # -- answers and snapshots -----------------------------------------------------------------------------------------

    def answer(self, actor: str, key: str) -> AnswerRow | None:
        """What this actor was answered to this key."""
        rows = self._rows("SELECT digest, status, body FROM answers WHERE actor = ? AND key = ?", actor, key)
        return AnswerRow(*rows[0]) if rows else None

    def keep_answer(self, actor: str, key: str, answer: AnswerRow, at: int) -> bool:
        """Whether the key was still free, and now holds this answer."""
        return bool(
            self._changed(
                "INSERT INTO answers (actor, key, digest, status, body, at) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                actor, key, *answer, at,
            )
        )  # fmt: skip

    def answers(self, actors: str) -> list[tuple[Any, ...]]:
        """(actor, key, digest, status, body, at) of everyone whose id begins like this."""
        statement = "SELECT actor, key, digest, status, body, at FROM answers WHERE actor LIKE ? ORDER BY actor, key"
        return self._rows(statement, f"{actors}%")

    def forget_answers(self, before: int) -> int:
        """Drop the answers given before that time; how many."""
        return self._changed("DELETE FROM answers WHERE at < ?", before)

    def forget_answers_of(self, actor: str) -> int:
        """Drop the answers given to one actor; how many."""
        return self._changed("DELETE FROM answers WHERE actor = ?", actor)

    def snapshot(self, group: str) -> Snapshot | None:
        """The cached state of the group, if there is one."""
        rows = self._rows("SELECT seq, head, state FROM snapshots WHERE grp = ?", group)
        return Snapshot(*rows[0]) if rows else None

    def keep_snapshot(self, group: str, snapshot: Snapshot | None) -> None:
        """Replace the cached state; None drops it."""
        self._changed("DELETE FROM snapshots WHERE grp = ?", group)
        if snapshot is not None:
            self._changed("INSERT INTO snapshots (grp, seq, head, state) VALUES (?, ?, ?, ?)", group, *snapshot)

    # -- copies of what the log adds up to -----------------------------------------------------------------------------

    def kept(self, group: str, program: str, place: int) -> tuple[int, str] | None:
        """(events that it counts, text) of a copy that this program made: of the group at place -1, else of a part."""
        where = "grp = ? AND program = ? AND place = ?"
        rows = self._rows(f"SELECT seq, state FROM kept WHERE {where}", group, program, place)
        return (rows[0][0], rows[0][1]) if rows else None

    def keep(self, group: str, program: str, place: int, seq: int, at: int, state: str) -> None:
        """Keep a copy, in place of an earlier one."""
        self._changed(
            "INSERT INTO kept (grp, program, place, seq, at, state) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (grp, program, place) DO UPDATE SET seq = excluded.seq, at = excluded.at, "
            "state = excluded.state",
            group, program, place, seq, at, state,
        )  # fmt: skip

    def drop_kept(self, group: str) -> None:
        """Drop the copies of a group as it stood, in which there may be what is to be forgotten; its past stays."""
        self._changed("DELETE FROM kept WHERE grp = ? AND place = -1", group)

    def drop_kept_of_others(self, program: str, before: int) -> int:
        """Drop what other versions of the program kept before that time; how many."""
        return self._changed("DELETE FROM kept WHERE program <> ? AND at < ?", program, before)

    def count(self, group: str, number: int) -> str | None:
        """What a member was promised and given, as far as it was counted."""
        rows = self._rows("SELECT state FROM counts WHERE grp = ? AND number = ?", group, number)
        return rows[0][0] if rows else None

    def keep_count(self, group: str, number: int, state: str | None) -> None:
        """Keep such a count in place of an earlier one; None drops it."""
        self._changed("DELETE FROM counts WHERE grp = ? AND number = ?", group, number)
        if state is not None:
            self._changed("INSERT INTO counts (grp, number, state) VALUES (?, ?, ?)", group, number, state)

"""The desk that every request passes: it knows each group's state, and lets each action happen exactly once."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from isegoria.service.groups.deeds import Call, Deed, Step, line_hash
from isegoria.service.groups.state import State
from isegoria.service.http.refusals import Conflict, NotFound, Refusal
from isegoria.service.http.tokens import Actor
from isegoria.service.store import AnswerRow, GroupRow, Session, Store

TOGETHER = 64  # jobs of one group that share a transaction
NAMING = {"charter", "roster", "erase"}  # kinds of events after which names are looked up again
REMEMBERED = 500  # groups whose state is kept in memory; another one is replayed when it is asked for


class Room:
    """One group's state in this process, the lock that whoever looks at it holds, and the jobs that wait for it."""

    def __init__(self, group: str):
        self.lock = threading.RLock()
        self.state = State(group)
        self.waiting: deque[Job] = deque()


class Job:
    """One action that waits for its turn, and what came of it."""

    def __init__(self, actor: Actor, action: Callable[[Call], Deed], body: dict, key: str | None, digest: str):
        self.actor, self.action, self.body, self.key, self.digest = actor, action, body, key, digest
        self.answer: AnswerRow | None = None
        self.error: Exception | None = None
        self.changes = False

    @property
    def done(self) -> bool:
        """Whether it was answered or refused."""
        return self.answer is not None or self.error is not None

    def outcome(self) -> AnswerRow:
        """What is answered, or the refusal."""
        if self.error is not None:
            raise self.error
        return self.answer


class Desk:
    """Reads and changes groups. Its promises: an idempotency key acts once; an action sees the state that it changes,
    since both happen in one transaction; what was answered is on disk; a state in memory is only ever a replay.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float] = time.time, changed: Callable[[str], None] | None = None
    ):
        self.store = store
        self.clock = clock
        self.changed = changed or (lambda group: None)
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._guard = threading.Lock()

    # -- reading -------------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self, group: str) -> Iterator[tuple[State, Session]]:
        """The group's present state, for the length of the block."""
        room = self._room(group)
        with room.lock, self.store.reading() as session:
            row = session.group(group)
            yield self._caught_up(room, session, row), session

    def _room(self, group: str) -> Room:
        with self._guard:
            room = self._rooms.pop(group, None) or Room(group)
            self._rooms[group] = room
            while len(self._rooms) > REMEMBERED:
                self._rooms.popitem(last=False)
            return room

    def _caught_up(self, room: Room, session: Session, row: GroupRow | None) -> State:
        """The room's state with every event that the store has. A store that has fewer was replaced: start again."""
        if row is None:
            room.state = State(room.state.group)
            raise NotFound("there is no such group; look at the link again.")
        state = room.state
        if state.seq == row.length and state.head == row.head:
            return state
        if state.seq > row.length or (state.seq == row.length and state.head != row.head):
            state = State(row.id)
        missed = session.events(row.id, state.seq)
        for event in missed:
            state.apply(event)
        if any(event.kind in NAMING for event in missed):
            state.know(session.people(row.id))
        room.state = state
        return state

    # -- changing ------------------------------------------------------------------------------------------------------

    def act(self, actor: Actor, action: Callable[[Call], Deed], body: dict, key: str | None, digest: str) -> AnswerRow:
        """What `action` answers; the same key again is answered with the same bytes and acts no more.

        Whoever finds the group free does all that waits for it, in one transaction: many who rate at once wait for the
        disk together, and not for each other.
        """
        job, room = Job(actor, action, body, key, digest), self._room(actor.group)
        room.waiting.append(job)
        with room.lock:
            if not job.done:
                self._serve(room)
        if job.changes:
            self.changed(actor.group)
        return job.outcome()

    def tell(self, actor: Actor, action: Callable[[Call], Deed]) -> None:
        """Let the service itself act, without an idempotency key: the keys of its events are enough."""
        self.act(actor, action, {}, None, "")

    def _serve(self, room: Room) -> None:
        """Do what waits for a group: together, or if that fails each alone."""
        batch = [room.waiting.popleft() for _ in range(min(len(room.waiting), TOGETHER))]
        try:
            self._perform(room, batch)
        except Exception as error:
            for job in batch:
                job.answer = job.error = None
                try:
                    if len(batch) == 1:
                        raise error
                    self._perform(room, [job])
                except Exception as own:
                    job.answer, job.error = None, own

    def _perform(self, room: Room, batch: list[Job]) -> None:
        """Do some jobs in one transaction. If it fails, none of them happened, and the state is replayed."""
        group = room.state.group
        try:
            with self.store.writing() as session:
                row = session.group(group, lock=True)
                state = self._caught_up(room, session, row)
                for job in batch:
                    row = self._do(job, session, row, state)
        except BaseException:
            room.state = State(group)
            raise

    def _do(self, job: Job, session: Session, row: GroupRow, state: State) -> GroupRow:
        """Do one job; a refusal is its answer, and changes nothing."""
        try:
            kept = session.answer(job.actor.id, job.key) if job.key is not None else None
            if kept is not None:
                job.answer = repeated(kept, job.digest)
                return row
            call = self._call(job.actor, job.body, state, session, row)
            deed = job.action(call)
        except Refusal as refusal:
            job.error = refusal
            return row
        row = self._write(session, row, state, deed, job.actor, call.now)
        job.changes = bool(deed.steps) or deed.removes
        job.answer = AnswerRow(job.digest, deed.status, encoded(deed.answer))
        if job.key is not None and not deed.removes:
            kept = job.answer._replace(body="") if deed.secret else job.answer
            session.keep_answer(job.actor.id, job.key, kept, call.now)
        return row

    def _call(self, actor: Actor, body: dict, state: State, session: Session, row: GroupRow) -> Call:
        now = max(int(self.clock()), row.touched)  # a clock that is set back does not turn the log around
        return Call(actor, body, now, state, json.loads(row.vault), Lookup(session, row.id))

    def _write(self, session: Session, row: GroupRow, state: State, deed: Deed, actor: Actor, now: int) -> GroupRow:
        """Write a deed, and count it in the state; the group's row after it."""
        if deed.removes:
            session.remove_group(row.id)
            return row
        for step in deed.steps:
            event = step.event(row.length, row.head, actor.id, now)
            after = session.append(row, event, line_hash(step.line) if step.line is not None else None)
            if after is None:
                raise Taken(step)
            row = after
            state.apply(event)
        for role, number in deed.revoked:
            session.revoke(row.id, role, number)
        for person in deed.people:
            session.keep_person(row.id, person)
            if person.name is not None:
                state.names[person.number] = person.name
        session.add_tokens(deed.tokens)
        if deed.snapshot is not None:
            session.keep_snapshot(row.id, deed.snapshot)
        if deed.due is not None:
            session.set_due(row.id, deed.due)
        return row


class Lookup:
    """The people of a group, fetched when an action first asks for them: most never do."""

    def __init__(self, session: Session, group: str):
        self._session, self._group, self._people = session, group, None

    def all(self) -> dict:
        """Everybody that ever joined, by number."""
        if self._people is None:
            self._people = {person.number: person for person in self._session.people(self._group)}
        return self._people

    def __getitem__(self, number: int):
        return self.all()[number]


class Taken(Conflict):
    """Somebody else was first: the key of a step, or the line it wanted to follow, is taken."""

    def __init__(self, step: Step):
        super().__init__(f"{step.key} has happened already; look at the group again.")
        self.step = step


def repeated(kept: AnswerRow, digest: str) -> AnswerRow:
    """What a repeated request is answered: the same bytes with 200, or why not."""
    if kept.digest != digest:
        raise Conflict("this Idempotency-Key was used for another request; make a new key for a new request.")
    if not kept.body:
        raise Conflict("this was done before, and its links are shown only once; issue a link again if it is lost.")
    return kept._replace(status=200)


def encoded(answer: dict) -> str:
    """An answer as it is sent and kept."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))

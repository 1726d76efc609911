"""Groups in a store: each one's state in memory, and every change in one transaction, exactly once."""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from isegoria.errors import CertificationError, InputError, IsegoriaError
from isegoria.record.changes import Action, Change, Context, Invalid, NewEvent
from isegoria.record.format.people import Person
from isegoria.record.group import Group
from isegoria.service.checkpoints import EVERY, Archive, Checkpoint, taken_up
from isegoria.service.http.refusals import BadRequest, Conflict, NotFound, Refusal
from isegoria.service.http.tokens import MEMBER, TIMETABLE, Actor
from isegoria.service.store import AnswerRow, Event, GroupRow, PersonRow, Session, Snapshot, Store, TokenRow

TOGETHER = 64  # jobs of one group that share a transaction
NAMING = {"found", "seat", "erase"}  # kinds of events after which names are looked up again
EVENTS_AT_ONCE = 200  # events that are read at a time when a log is replayed: some have a hundred kilobytes
REMEMBERED = 500  # groups whose state is kept in memory; another one is replayed when it is asked for
KILOBYTES = 150_000  # that they may take together, about; the one that was asked for last is always kept
Look = Callable[[Session, Group], None]
log = logging.getLogger("isegoria.service")


@dataclass(frozen=True)
class StoreChange(Change):
    """A change with what only a store keeps: links, a learner, and when the timetable should look again.

    `once`: the answer holds tokens, and is not kept. `removes`: the whole group goes. `unanswered`: whose answers are
    forgotten; `scrubbed`: bodies of earlier events, by their keys, without what is to be forgotten.
    """

    tokens: Sequence[TokenRow] = ()
    revoked: Sequence[tuple[str, int]] = ()
    once: bool = False
    removes: bool = False
    unanswered: Sequence[tuple[str, int]] = ()
    scrubbed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    due: int | None = None
    snapshot: Snapshot | None = None

    @property
    def erases(self) -> bool:
        """Whether something is to be gone from the disk too."""
        return self.removes or bool(self.forgotten or self.scrubbed)

    @classmethod
    def of(cls, change: Change, **kept: Any) -> StoreChange:
        """A change of the record, with what the store keeps of it."""
        return cls(**{**vars(change), **kept})


class CachedGroup:
    """One group's state in this process, and the jobs that wait for it.

    `lock` is held by whoever looks at the state, and never while waiting for the store; `turn` by whoever changes the
    group, from before that wait on. So readers wait for no writer who waits for the disk, or for another program.
    `kept`: how many events the copy counts that the store has of it; `keeping`: whether somebody is about to keep one.
    """

    def __init__(self, address: str, store: Store) -> None:
        self.lock = threading.RLock()
        self.turn = threading.Lock()
        self.address, self.archive = address, Archive(store, address)
        self.group = self.fresh()
        self.waiting: deque[Job] = deque()
        self.weight = 0
        self.kept = 0
        self.keeping = False

    def fresh(self) -> Group:
        """The group before its first event."""
        self.archive.forget()
        return Group(self.address, self.archive.line, self.archive.past)


@dataclass
class Job:
    """One action that waits for its turn, and what came of it.

    `status` is that of a success with events. `key`: an idempotency key, under which the answer is kept if `keeps`.
    `look` sees the group in the same transaction, once the action was not refused.
    """

    actor: Actor
    action: Action
    body: Mapping[str, Any]
    key: str | None
    digest: str
    status: int = 200
    keeps: bool = True
    look: Look | None = None
    answer: AnswerRow | None = None
    error: Exception | None = None
    changes: bool = False
    erases: bool = False

    def outcome(self) -> AnswerRow:
        """What is answered, or the refusal."""
        if self.error is not None:
            raise self.error
        assert self.answer is not None
        return self.answer


class Groups:
    """Reads and changes groups. Its promises: an idempotency key acts once; an action sees the state that it changes,
    since both happen in one transaction; what was answered is on disk; a state in memory is only ever a replay, from
    the first event or from a copy that was kept. `later` has something done that nobody waits for;
    `kept` is told of a group that was kept.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float] = time.time, changed: Callable[[str], None] | None = None,
        later: Callable[..., object] | None = None, kept: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.store = store
        self.clock = clock
        self.later, self.kept = later, kept or (lambda group: None)
        self.changed = changed or (lambda group: None)
        self._cached: OrderedDict[str, CachedGroup] = OrderedDict()
        self._guard = threading.Lock()
        self._weight = 0

    # -- reading -------------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self, address: str) -> Iterator[tuple[Group, Session]]:
        """The group's present state, for the length of the block."""
        cached = self._cache(address)
        with cached.lock, self.store.reading() as session:
            yield self._caught_up(cached, session, session.group(address)), session
        self._keep_later(cached)

    def _cache(self, address: str) -> CachedGroup:
        with self._guard:
            cached = self._cached.pop(address, None) or CachedGroup(address, self.store)
            self._cached[address] = cached
            while len(self._cached) > REMEMBERED or (self._weight > KILOBYTES and len(self._cached) > 1):
                _, other = self._cached.popitem(last=False)
                self._weight -= other.weight
            return cached

    def _weigh(self, cached: CachedGroup) -> None:
        """Note what a group takes by now."""
        with self._guard:
            if self._cached.get(cached.address) is cached:
                before, cached.weight = cached.weight, kilobytes(cached.group)
                self._weight += cached.weight - before

    def _caught_up(self, cached: CachedGroup, session: Session, row: GroupRow | None) -> Group:
        """The group with every event that the store has. A store that has fewer was replaced: start again."""
        if row is None:
            cached.group = cached.fresh()
            raise NotFound("there is no such group; look at the link again.")
        group = cached.fresh() if cached.archive.gone else cached.group
        if (group.seq, group.head.hex()) == (row.length, row.head):
            return group
        if group.seq >= row.length:
            group = cached.fresh()
        cached.group = self._taken_up(cached, session, row) if not group.seq else _replayed(group, session, row)
        self._weigh(cached)
        return cached.group

    def _taken_up(self, cached: CachedGroup, session: Session, row: GroupRow) -> Group:
        """The group from the copy that was kept of it, and the events behind that; else from its first event."""
        taken, cached.kept = taken_up(session, row, cached.fresh()), 0
        if taken is not None:
            with contextlib.suppress(Exception):  # whatever a copy of another history leads to: the log is right
                kept, found = taken.seq, _replayed(taken, session, row, named=False)
                if (found.seq, found.head.hex()) == (row.length, row.head):
                    cached.kept = kept
                    return found
        return _replayed(cached.fresh(), session, row)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def _keep_later(self, cached: CachedGroup) -> None:
        """Have a group kept, once much has happened since it last was: in a large one, when all have said something."""
        due = cached.kept + max(EVERY, 2 * len(cached.group.entries))
        if self.later is not None and not cached.keeping and cached.group.seq >= due:
            cached.keeping = True
            self.later(self.keep, cached.address)

    def keep(self, address: str) -> None:
        """Keep a group as it stands, and let go of rounds of long ago, which the store has then.

        Nobody writes meanwhile, and readers are not held up. One who brings in what another process wrote may spoil the
        copy; but then the log has gone on, and the copy is not kept.
        """
        cached = self._cache(address)
        try:
            with cached.turn:
                with cached.lock:
                    group, noted = cached.group, cached.group.snapshot()
                kept = Checkpoint.of(noted)
                if not kept.seq or not kept.write(self.store, int(self.clock())):
                    return
                with cached.lock:
                    if cached.group is group and group.seq == kept.seq:  # else a reader brought more in
                        group.rounds.put_away(kept.rounds)
                        cached.kept = kept.seq
                        self._weigh(cached)
            self.kept(address)
        except Exception as error:  # it is only a copy: what led here is told, and it is tried again much later
            cached.kept = cached.group.seq
            trace = None if isinstance(error, IsegoriaError | RuntimeError) else error  # such as a copy that was spoilt
            log.warning("group %s was not kept (%r)", address, error, exc_info=trace)
        finally:
            cached.keeping = False

    # -- changing ------------------------------------------------------------------------------------------------------

    def act(
        self, actor: Actor, action: Action, body: Mapping[str, Any], key: str | None = None, digest: str = "",
        **options: Any,
    ) -> AnswerRow:  # fmt: skip
        """What `action` answers; the same key again is answered with the same bytes and acts no more.

        Whoever finds the group free does all that waits for it, in one transaction: many who rate at once wait for the
        disk together, and not for each other. `options` are those of a `Job`. Without a key, those of events suffice.
        """
        job, cached = Job(actor, action, body, key, digest, **options), self._cache(actor.group)
        cached.waiting.append(job)
        with cached.turn:
            if job.answer is None and job.error is None:
                self._serve(cached)
        if job.changes:
            self.changed(actor.group)
            cached.kept = 0 if job.erases else cached.kept
            self._keep_later(cached)
        if job.erases:
            self.store.scrub()
        return job.outcome()

    def _serve(self, cached: CachedGroup) -> None:
        """Do what waits for a group: together, or if that fails each alone."""
        batch = [cached.waiting.popleft() for _ in range(min(len(cached.waiting), TOGETHER))]
        try:
            self._perform(cached, batch)
        except Exception as error:  # nothing of the batch happened; each job raises its own where it was asked
            for job in batch:
                job.answer = job.error = None
                try:
                    if len(batch) == 1:
                        raise error
                    self._perform(cached, [job])
                except Exception as own:
                    job.answer, job.error = None, own

    def _perform(self, cached: CachedGroup, batch: list[Job]) -> None:
        """Do some jobs in one transaction. If it fails, none of them happened, and the state is replayed.

        The state is locked once the store has let this writer in, and until the transaction is on disk.
        """
        address, locked = cached.group.address, False
        first = any(job.actor.role == TIMETABLE for job in batch)
        try:
            with self.store.writing(first) as session:
                row = session.group(address, lock=True)
                locked = cached.lock.acquire()
                group = self._caught_up(cached, session, row)
                assert row is not None
                for job in batch:
                    row = self._do(job, session, row, group)
        except BaseException:  # raised on; what is in memory may be ahead of the store, and is replayed
            if locked:
                cached.group, cached.kept = cached.fresh(), 0
            raise
        finally:
            if locked:
                cached.lock.release()

    def _do(self, job: Job, session: Session, row: GroupRow, group: Group) -> GroupRow:
        """Do one job; a refusal is its answer, and changes nothing."""
        try:
            kept = session.answer(job.actor.id, job.key) if job.key is not None else None
            if kept is not None:
                job.answer = repeated(kept, job.digest)
                return row
            with refusing():
                context = self._context(job, session, row, group)
                change = StoreChange.of(job.action(context))
        except Refusal as refusal:
            job.error = refusal
            return row
        row = write(session, row, group, change, job.actor, context.now)
        if job.look is not None:
            job.look(session, group)
        job.changes, job.erases = bool(change.events) or change.removes, change.erases
        job.answer = AnswerRow(job.digest, job.status if change.events else 200, encoded(change.answer))
        if job.key is not None and job.keeps and not change.removes:
            kept = job.answer._replace(body="") if change.once else job.answer
            session.keep_answer(job.actor.id, job.key, kept, context.now)
        return row

    def _context(self, job: Job, session: Session, row: GroupRow, group: Group) -> Context:
        actor = job.actor
        return Context(
            group,
            job.body,
            now=max(int(self.clock()), row.touched),  # a clock that is set back does not turn the log around
            member=actor.number if actor.role == MEMBER else -1,
            role=actor.role,
            chance=secrets.token_bytes,
            people=StorePeople(session, group),
            secret=bytes.fromhex(json.loads(row.vault)["secret"]),
        )


def _replayed(group: Group, session: Session, row: GroupRow, named: bool = True) -> Group:
    """A group with the events that it has not counted yet; its names are looked up where they may be others."""
    while missed := session.events(row.id, group.seq, EVENTS_AT_ONCE):
        for event in missed:
            assert event.seq == group.seq + 1, "events are applied in order, each once"
            line = None if event.line is None else event.line.encode()
            group.apply(event.kind, json.loads(event.body), line, event.at)
            named = named and event.kind not in NAMING
    if not named:
        people = session.people(row.id)
        group.names = {person.number: person.name for person in people if person.name is not None}
    return group


def kilobytes(group: Group) -> int:
    """What a group takes in memory, about: by its rounds, its people, and their ratings of each option."""
    rounds = 8 * len(group.rounds.here) + len(group.rounds) // 2
    return 1 + rounds + 2 * len(group.entries) + len(group.told) * len(group.options) // 64


class StorePeople(Mapping[int, Person]):
    """Everybody of a group who was not erased, with secrets, by number; fetched when first asked for: most never do."""

    def __init__(self, session: Session, group: Group) -> None:
        self._session, self._group = session, group
        self._found: dict[int, Person] | None = None

    def _all(self) -> dict[int, Person]:
        if self._found is None:
            weights = self._group.weights
            rows = self._session.people(self._group.address)
            self._found = {row.number: _person(row, weights.get(row.number, 1)) for row in rows if row.secrets}
        return self._found

    def __getitem__(self, number: int) -> Person:
        return self._all()[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _person(row: PersonRow, weight: int) -> Person:
    kept = json.loads(row.secrets or "{}")
    return Person(row.number, weight, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), row.name or "")


def write(session: Session, row: GroupRow, group: Group, change: StoreChange, actor: Actor, now: int) -> GroupRow:
    """Write a change inside a transaction, and count it in the group; the group's row after it."""
    if change.removes:
        session.remove_group(row.id)
        return row
    for new in change.events:
        after = session.append(row, _event(new, row, actor.id, now), new.line.hash.hex() if new.line else None)
        if after is None:
            raise Overtaken(f"{new.key} has happened already; look at the group again.")
        row = after
        group.apply(new.kind, new.body, new.line, now)
    for role, number in change.revoked:
        session.revoke(row.id, role, number)
    for person in change.people:
        kept = {"salt": person.salt.hex(), "secret": person.secret.hex()}
        session.keep_person(row.id, PersonRow(person.number, person.name, compact(kept)))
        group.names[person.number] = person.name
        session.keep_count(row.id, person.number, None)
    if change.erases:
        session.drop_kept(row.id)
    for number in change.forgotten:
        session.keep_person(row.id, PersonRow(number, None, None))
        session.keep_count(row.id, number, None)
        session.forget_contact(row.id, number)
        session.release(row.id)
    for role, number in change.unanswered:
        session.forget_answers_of(f"{row.id}:{role}:{number}")
    for key, body in change.scrubbed.items():
        session.rewrite(row.id, key, compact(body))
    session.add_tokens(change.tokens)
    if change.snapshot is not None:
        session.keep_snapshot(row.id, change.snapshot)
    if change.due is not None:
        session.set_due(row.id, change.due)
    return row


def _event(new: NewEvent, row: GroupRow, actor: str, now: int) -> Event:
    line = None if new.line is None else new.line.data.decode()
    prev = None if line is None else row.head
    return Event(row.length + 1, new.key, new.kind, actor, now, compact(new.body), line, prev)


class Overtaken(Conflict):
    """Somebody else was first: what this request wanted to follow is no longer the end."""


@contextmanager
def refusing() -> Iterator[None]:
    """Answer what the record refuses: 400 where it could never be, 409 where it cannot be now."""
    try:
        yield
    except Invalid as error:
        raise BadRequest(str(error)) from error
    except (InputError, CertificationError) as error:
        raise Conflict(str(error)) from error


def repeated(kept: AnswerRow, digest: str) -> AnswerRow:
    """What a repeated request is answered: the same bytes with 200, or why not."""
    if kept.digest != digest:
        raise Conflict("this Idempotency-Key was used for another request; make a new key for a new request.")
    if not kept.body:
        raise Conflict("this was done before, and its links are shown only once; issue a link again if it is lost.")
    return kept._replace(status=200)


def encoded(answer: Mapping[str, Any]) -> str:
    """An answer as it is sent and kept."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def compact(body: Mapping[str, Any]) -> str:
    """A body as it is stored."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False, sort_keys=True)

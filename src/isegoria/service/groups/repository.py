"""Groups of a store: their cached state in memory, and changes that happen exactly once, each in a transaction."""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from isegoria.errors import IsegoriaError
from isegoria.record.actions.action import Action, ActionContext
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.state.group import Group
from isegoria.service.groups.group_snapshots import (
    SNAPSHOT_INTERVAL_EVENTS,
    GroupSnapshot,
    HistoryLoader,
    load_group_snapshot,
)
from isegoria.service.groups.old_groups import read_old_group
from isegoria.service.groups.result_writer import StoreActionResult, write_result
from isegoria.service.http.http_errors import Conflict, HttpError, NotFound, translate_record_errors
from isegoria.service.http.tokens import ROLE_MEMBER, ROLE_SCHEDULER, Actor
from isegoria.service.store import (
    GroupRow,
    PersonRow,
    ResponseRow,
    Store,
    Transaction,
)
from isegoria.utils.messages import Message

MAX_JOBS_PER_TRANSACTION = 64  # maximum number of jobs of one group that share a transaction
NAME_CHANGING_EVENTS = {"found", "seat", "erase"}  # kinds of events after which names are loaded again
REPLAY_BATCH_EVENTS = 200  # events per read when a log is replayed: some have a hundred kilobytes
MAX_CACHED_GROUPS = 500  # groups cached in memory; any other is replayed on request
MAX_CACHE_KILOBYTES = 150_000  # their approximate memory limit; the latest requested group always stays
TransactionHook = Callable[[Transaction, Group], Any]
log = logging.getLogger("isegoria.service")


class CachedGroup:
    """State of one group in this process, and the jobs that wait for it.

    - `lock` is held to access the state, and never while a writer waits to enter the store.
    - `turn` is held to change the group, from before that wait on. So readers never wait for a writer that itself waits
      for the disk or for another program.
    - `kept`: the number of events in the stored snapshot; `keeping`: whether a new snapshot is being written.
    """

    def __init__(self, address: str, store: Store) -> None:
        self.lock = threading.RLock()
        self.turn = threading.Lock()
        self.address, self.archive = address, HistoryLoader(store, address)
        self.group = self.fresh()
        self.waiting: deque[Job] = deque()
        self.weight = 0
        self.kept = 0
        self.keeping = False

    def fresh(self) -> Group:
        """Return the group as it is before its first event, and clear its archive."""
        self.archive.forget()
        return Group(self.address, self.archive.line, self.archive.past)


@dataclass(frozen=True)
class JobResult:
    """What a job has done: its response, what its hook has returned, and whether it changed or erased something."""

    answer: ResponseRow
    hook_value: Any = None
    changes: bool = False
    erases: bool = False


@dataclass
class Job:
    """Queued action, and the future of its result.

    - `status`: the HTTP status of a success that writes events.
    - `key`: the idempotency key, under which the response is stored if `keeps` is true.
    - `look`: called with the group in the same transaction, after the action has succeeded; the result holds what it
      returns.
    """

    actor: Actor
    action: Action
    body: Mapping[str, Any]
    key: str | None
    digest: str
    status: int = 200
    keeps: bool = True
    look: TransactionHook | None = None
    future: Future[JobResult] = field(default_factory=Future)


class GroupRepository:
    """Repository of groups, with these guarantees:

    - An idempotency key acts once.
    - An action sees the state that it changes, because both happen in one transaction.
    - A response is sent only after the change is on disk.
    - The state in memory is always a replay of the log, from the first event or from a stored snapshot.

    `changed` is called with a group that has changed, `kept` with one that has a new snapshot. `later` runs a function
    in the background.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.time,
        changed: Callable[[str], None] | None = None,
        later: Callable[..., object] | None = None,
        kept: Callable[[str], None] | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.later, self.kept = later, kept or (lambda group: None)
        self.changed = changed or (lambda group: None)
        self._cached: OrderedDict[str, CachedGroup] = OrderedDict()
        self._guard = threading.Lock()
        self._weight = 0

    # -- reading -------------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self, address: str) -> Iterator[tuple[Group, Transaction]]:
        """Lock a group for the block and yield its current state with a read transaction."""
        cached = self._cache(address)
        with cached.lock, self.store.reading() as session:
            yield self._caught_up(cached, session, session.group(address)), session
        self._keep_later(cached)

    def _cache(self, address: str) -> CachedGroup:
        with self._guard:
            cached = self._cached.pop(address, None) or CachedGroup(address, self.store)
            self._cached[address] = cached
            while len(self._cached) > MAX_CACHED_GROUPS or (
                self._weight > MAX_CACHE_KILOBYTES and len(self._cached) > 1
            ):
                _, other = self._cached.popitem(last=False)
                self._weight -= other.weight
            return cached

    def _weigh(self, cached: CachedGroup) -> None:
        """Update the estimated memory use of a group and of the cache."""
        with self._guard:
            if self._cached.get(cached.address) is cached:
                before, cached.weight = cached.weight, estimate_kilobytes(cached.group)
                self._weight += cached.weight - before

    def _caught_up(self, cached: CachedGroup, session: Transaction, row: GroupRow | None) -> Group:
        """Return the group with all events of the store applied; raise `NotFound` if the store has no such group.

        The group is rebuilt if its history was replaced: the store differs without having more events, or rounds are
        missing.
        """
        if row is None:
            cached.group = cached.fresh()
            raise NotFound(Message("no_such_group"))
        group = cached.fresh() if cached.archive.gone else cached.group
        if (group.seq, group.head.hex()) == (row.length, row.head):
            return group
        if group.seq >= row.length:
            group = cached.fresh()
        cached.group = self._taken_up(cached, session, row) if not group.seq else _replay_missing(group, session, row)
        self._weigh(cached)
        return cached.group

    def _taken_up(self, cached: CachedGroup, session: Transaction, row: GroupRow) -> Group:
        """Build the group from its snapshot and the later events, or from its first event if that is not possible."""
        known = None if cached.archive.unreadable else load_group_snapshot(session, row, cached.fresh())
        taken, cached.kept = known, 0
        if taken is not None:
            with contextlib.suppress(Exception):  # a snapshot may be of another history; the log is right
                kept, found = taken.seq, _replay_missing(taken, session, row, named=False)
                if (found.seq, found.head.hex()) == (row.length, row.head):
                    cached.kept = kept
                    return found
        return _replay_missing(cached.fresh(), session, row)

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def _keep_later(self, cached: CachedGroup) -> None:
        """Schedule a snapshot after `SNAPSHOT_INTERVAL_EVENTS` new events, or in a large group after twice as many as
        it has entries."""
        due = cached.kept + max(SNAPSHOT_INTERVAL_EVENTS, 2 * len(cached.group.entries))
        if self.later is not None and not cached.keeping and cached.group.seq >= due:
            cached.keeping = True
            self.later(self.keep, cached.address)

    def keep(self, address: str) -> None:
        """Write a snapshot of a group, and drop old rounds from memory that the store then has.

        Writers of this process wait until it is done, readers do not. A reader that applies events of another process
        may corrupt the snapshot, but then the log has grown and the snapshot is not written.
        """
        cached = self._cache(address)
        try:
            with cached.turn:
                with cached.lock:
                    group, noted = cached.group, cached.group.snapshot()
                kept = GroupSnapshot.of(noted)
                if not kept.seq or not kept.write(self.store, int(self.clock())):
                    return
                cached.archive.unreadable = False
                with cached.lock:
                    if cached.group is group and group.seq == kept.seq:  # else a reader applied more events
                        group.rounds.put_away(kept.rounds)
                        cached.kept = kept.seq
                        self._weigh(cached)
            self.kept(address)
        except Exception as error:  # a snapshot is only a copy: log the error, and retry much later
            cached.kept = cached.group.seq
            trace = None if isinstance(error, IsegoriaError | RuntimeError) else error  # such as a corrupt copy
            log.warning("group %s was not kept (%r)", address, error, exc_info=trace)
        finally:
            cached.keeping = False

    # -- changing ------------------------------------------------------------------------------------------------------

    def act(
        self,
        actor: Actor,
        action: Action,
        body: Mapping[str, Any],
        key: str | None = None,
        digest: str = "",
        **options: Any,
    ) -> ResponseRow:
        """Execute an action in a transaction and return its response.

        A repeated idempotency key returns the stored response and does nothing. `options` are fields of `Job`. Without
        a key, only the keys of events prevent a repetition.
        """
        return self.run_job(Job(actor, action, body, key, digest, **options)).answer

    def delete_old(self, address: str, title: str) -> bool:
        """Delete a group from before the first release, if it is one and has this title; return whether it is gone."""
        with self.store.writing() as session:
            old = read_old_group(session, address)
            gone = old is not None and old.title == title and session.remove_group(address)
        if gone:
            self.store.scrub()
        return gone

    def run_job(self, job: Job) -> JobResult:
        """Run a job and return its result, or raise its error.

        Concurrent jobs of one group share a transaction: the first thread to get the group runs all that are queued, so
        that many ratings wait for the disk once.
        """
        group, cached = job.actor.group, self._cache(job.actor.group)
        cached.waiting.append(job)
        with contextlib.ExitStack() as stack:
            with self.store.waiting(0.0):
                stack.enter_context(cached.turn)
            while not job.future.done():
                self._run_pending(cached)
        result = job.future.result()
        if result.changes:
            self.changed(group)
            cached.kept = 0 if result.erases else cached.kept
            self._keep_later(cached)
        if result.erases:
            self.store.scrub()
        return result

    def _run_pending(self, cached: CachedGroup) -> None:
        """Run the queued jobs of a group in one transaction or, if that fails, each in its own."""
        batch = [cached.waiting.popleft() for _ in range(min(len(cached.waiting), MAX_JOBS_PER_TRANSACTION))]
        try:
            self._run_batch(cached, batch)
        except Exception as error:  # the batch was rolled back; each job raises its error in its own thread
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for job in batch:
                try:
                    self._run_batch(cached, [job])
                except Exception as own:
                    job.future.set_exception(own)

    def _run_batch(self, cached: CachedGroup, batch: list[Job]) -> None:
        """Run jobs in one transaction. If it fails, all are rolled back and the state will be replayed.

        The state is locked from when this writer has entered the store until the transaction is on disk.
        """
        address, locked = cached.group.address, False
        results: list[JobResult | HttpError] = []
        first = any(job.actor.role == ROLE_SCHEDULER for job in batch)
        try:
            with self.store.writing(first) as session:
                row = session.group(address, lock=True)
                locked = cached.lock.acquire()
                group = self._caught_up(cached, session, row)
                assert row is not None
                for job in batch:
                    result, row = self._run_job(job, session, row, group)
                    results.append(result)
        except BaseException:  # the state in memory may be ahead of the store, so it is replayed
            if locked:
                cached.group, cached.kept = cached.fresh(), 0
            raise
        finally:
            if locked:
                cached.lock.release()
        for job, result in zip(batch, results, strict=True):
            if isinstance(result, HttpError):
                job.future.set_exception(result)
            else:
                job.future.set_result(result)

    def _run_job(
        self, job: Job, session: Transaction, row: GroupRow, group: Group
    ) -> tuple[JobResult | HttpError, GroupRow]:
        """Run one job and return its result with the group's row after it; a `HttpError` changes nothing."""
        try:
            kept = session.answer(job.actor.id, job.key) if job.key is not None else None
            if kept is not None:
                return JobResult(replay_response(kept, job.digest)), row
            with translate_record_errors():
                context = self._context(job, session, row, group)
                change = StoreActionResult.of(job.action(context))
        except HttpError as error:
            return error, row
        row = write_result(session, row, group, change, job.actor, context.now)
        value = None if job.look is None else job.look(session, group)
        answer = ResponseRow(job.digest, job.status if change.events else 200, encode_answer(change.answer))
        if job.key is not None and job.keeps and not change.removes:
            kept = answer._replace(body="") if change.once else answer
            session.keep_answer(job.actor.id, job.key, kept, context.now)
        return JobResult(answer, value, bool(change.events) or change.removes, change.erases), row

    def _context(self, job: Job, session: Transaction, row: GroupRow, group: Group) -> ActionContext:
        actor = job.actor
        return ActionContext(
            group,
            job.body,
            now=max(int(self.clock()), row.touched),  # event times never decrease, even if the clock is set back
            member=actor.number if actor.role == ROLE_MEMBER else -1,
            role=actor.role,
            how=actor.how,
            chance=secrets.token_bytes,
            people=StoredPeople(session, group),
            secret=bytes.fromhex(json.loads(row.vault)["secret"]),
        )


def _replay_missing(group: Group, session: Transaction, row: GroupRow, named: bool = True) -> Group:
    """Apply the events that the group has not seen yet and return it; names are loaded again if they may differ."""
    while missed := session.events(row.id, group.seq, REPLAY_BATCH_EVENTS):
        for event in missed:
            assert event.seq == group.seq + 1, "events are applied in order, each once"
            line = None if event.line is None else event.line.encode()
            group.apply(event.kind, json.loads(event.body), line, event.at)
            named = named and event.kind not in NAME_CHANGING_EVENTS
    if not named:
        people = session.people(row.id)
        group.names = {person.number: person.name for person in people if person.name is not None}
    return group


def estimate_kilobytes(group: Group) -> int:
    """Estimate the memory use of a group in kilobytes, from its rounds, people, and ratings of each option."""
    rounds = 8 * len(group.rounds.here) + len(group.rounds) // 2
    return 1 + rounds + 2 * len(group.entries) + len(group.told) * len(group.options) // 64


class StoredPeople(Mapping[int, MemberIdentity]):
    """People of a group who were not erased, with their secrets, by number; loaded at first access."""

    def __init__(self, session: Transaction, group: Group) -> None:
        self._session, self._group = session, group
        self._found: dict[int, MemberIdentity] | None = None

    def _all(self) -> dict[int, MemberIdentity]:
        if self._found is None:
            weights = self._group.weights
            rows = self._session.people(self._group.address)
            self._found = {row.number: _to_person(row, weights.get(row.number, 1)) for row in rows if row.secrets}
        return self._found

    def __getitem__(self, number: int) -> MemberIdentity:
        return self._all()[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _to_person(row: PersonRow, weight: int) -> MemberIdentity:
    kept = json.loads(row.secrets or "{}")
    return MemberIdentity(
        row.number, weight, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), row.name or ""
    )


def replay_response(kept: ResponseRow, digest: str) -> ResponseRow:
    """Return the response to a repeated request: the stored bytes with status 200.

    Raise `Conflict` if the key was used for another request, or the response was not stored.
    """
    if kept.digest != digest:
        raise Conflict(Message("idempotency_key_used_another_request"))
    if not kept.body:
        raise Conflict(Message("response_not_kept"))
    return kept._replace(status=200)


def encode_answer(answer: Mapping[str, Any]) -> str:
    """Encode a response as JSON, as it is sent and stored."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))

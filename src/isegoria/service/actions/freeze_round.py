"""Freeze a round, over HTTP and by the timetable; the long computation runs outside every transaction.

A freeze closes the ratings and collects the solver's input in one transaction. A second transaction writes the result,
only if the record still ends where it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from isegoria.record.actions import rounds
from isegoria.record.actions.action import Action, ActionContext, ActionResult
from isegoria.record.actions.rounds import (
    build_freeze_terms,
    format_freeze_response,
    resolve_occurrence,
)
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.freeze import FreezeResult, FreezeTerms, build_freeze
from isegoria.record.group_learner import LEARNER_SNAPSHOT_INTERVAL_ROUNDS
from isegoria.record.state.group import PHASE_CLOSED, Group
from isegoria.record.state.round import Cutoff
from isegoria.service.actions.device_commitments import collect_commitments
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.occurrences import (
    MANUAL_SOURCES,
    find_first_open_occurrence,
    find_manual_occurrence,
    get_time_zone,
)
from isegoria.service.groups.repository import GroupRepository, Job, JobResult, StoredPeople
from isegoria.service.groups.result_writer import ConcurrentChangeError, StoreActionResult
from isegoria.service.http.http_errors import Conflict, HttpError, translate_record_errors
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import ROLE_SCHEDULER, Actor
from isegoria.service.request_context import RequestContext
from isegoria.service.store import LearnerSnapshotRow, ResponseRow, Transaction
from isegoria.utils.messages import Message

MAX_ATTEMPTS = 50
"""Attempts before a freeze or draw gives up; only a new line of the record makes a freeze start again."""


@dataclass(frozen=True)
class FreezeInput:
    """The complete input of the solver, taken in one transaction."""

    group: Group
    closing: Cutoff
    people: Mapping[int, MemberIdentity]
    saved: LearnerSnapshotRow | None
    page: FreezeTerms


def freeze(context: RequestContext) -> Reply:
    """Freeze the next round: status 201, or 200 with the same bytes if it is frozen already and waits for its draw.

    Under `commit_reveal`, the first request asks open pages for their commitments (status 202). A second request
    within half a minute freezes.
    """
    actor, body = context.require_actor(), context.body
    job = FreezeJob(context.groups, context.freeze_gate, actor, body, context.key, context.body_digest)
    try:
        answer = job.run()
    except _CommitmentsMissingError:
        answer = collect_commitments(context.groups, actor, body) or job.run()
    return Reply(answer.body.encode(), answer.status)


def freeze_on_schedule(groups: GroupRepository, gate: FreezeGate, actor: Actor, occurrence: int) -> None:
    """Freeze for an occurrence of the timetable, unless another process was first; leave unthrown dice undrawn."""
    FreezeJob(groups, gate, actor, {"undrawn": True}, occurrence=occurrence).run_once()


class _CommitmentsMissingError(Conflict):
    """Raised under the source `commit_reveal`: commitments must be collected, or written, before the freeze."""


class FreezeJob:
    """One freeze: closes the ratings, computes the page outside any transaction, and appends it.

    Parameters
    ----------
    groups : GroupRepository
        The groups of the service.
    gate : FreezeGate
        Lets one large group freeze at a time.
    actor : Actor
        Who freezes; the scheduler leaves only unthrown dice undrawn.
    body : mapping
        What is asked for: `event`, `form`, `undrawn`.
    key, body_digest : str, optional
        The idempotency key, and the digest that it is bound to.
    occurrence : int, optional
        The occurrence of the timetable; by default the next one.
    """

    def __init__(
        self,
        groups: GroupRepository,
        gate: FreezeGate,
        actor: Actor,
        body: Mapping[str, Any],
        key: str | None = None,
        body_digest: str = "",
        *,
        occurrence: int | None = None,
    ) -> None:
        self.groups, self.gate, self.actor, self.body = groups, gate, actor, body
        self.key, self.body_digest, self.occurrence = key, body_digest, occurrence

    def run(self) -> ResponseRow:
        """Freeze the round, starting again when the record has grown meanwhile, and return the response."""
        with self.gate.open() as enter:
            for _ in range(MAX_ATTEMPTS):
                answer = self._attempt(enter)
                if answer is not None:
                    return answer
        raise Conflict(Message("others_keep_changing_group"))

    def run_once(self) -> None:
        """Freeze the round, unless the record grows meanwhile."""
        with self.gate.open() as enter:
            self._attempt(enter)

    def _attempt(self, enter: Callable[[Group], None]) -> ResponseRow | None:
        result = self.close_ratings(enter)
        work: FreezeInput | None = result.hook_value
        if work is None:  # a round is frozen already, or the key has a stored response
            return result.answer
        page = self.compute(work)
        try:
            return self.append_if_unchanged(work, page)
        except ConcurrentChangeError:
            return None

    def close_ratings(self, enter: Callable[[Group], None]) -> JobResult:
        """Close the ratings, unless they are closed; the result's hook value is the solver's input, if there is any."""

        def act(context: ActionContext) -> ActionResult:
            return self._close(context, enter)

        job = Job(self.actor, act, self.body, self.key, self.body_digest, keeps=False, look=self._take_input)
        return self.groups.run_job(job)

    def _close(self, context: ActionContext, enter: Callable[[Group], None]) -> ActionResult:
        last, undrawn = context.group.open, bool(self.body.get("undrawn"))
        if last is not None and self.actor.role == ROLE_SCHEDULER:  # leave unthrown dice only, no round frozen just now
            undrawn = last.source["kind"] in MANUAL_SOURCES and last.closing.occurrence != self.occurrence
        if last is not None and not undrawn:
            return ActionResult(format_freeze_response(context.group, last.freeze, last.freeze_hash))
        try:
            rounds.require_can_freeze(context.group, undrawn)
        except rounds.CommitmentsMissingError as error:
            raise _CommitmentsMissingError(error.message) from None
        enter(context.group)
        number = _choose_occurrence(context.group, context.now, self.occurrence, undrawn)
        return rounds.close_ratings(
            ActionContext(context.group, {"occurrence": number, "undrawn": undrawn}, context.now)
        )

    def _take_input(self, session: Transaction, group: Group) -> FreezeInput | None:
        """Return the solver's input, in the transaction that has closed the ratings."""
        if group.closing is None:
            return None
        saved = session.snapshot(self.actor.group) if group.learns else None
        beacon = group.closing.occurrence if group.source == "beacon" else None
        event, form, now = self.body.get("event"), self.body.get("form"), int(self.groups.clock())
        with translate_record_errors():
            page = build_freeze_terms(group, now, beacon, event, form, get_time_zone(group))
        return FreezeInput(group.snapshot(), group.closing, dict(StoredPeople(session, group)), saved, page)

    def compute(self, work: FreezeInput) -> FreezeResult:
        """Compute what the freeze writes, outside any transaction; reopen the round if the computation is refused."""
        try:
            with translate_record_errors():
                return build_freeze(work.group, work.closing, work.people, work.page, work.saved)
        except HttpError:
            self.groups.act(self.actor, _make_reopen_action(work), {})
            raise

    def append_if_unchanged(self, work: FreezeInput, page: FreezeResult) -> ResponseRow:
        """Write the computed freeze; raise `ConcurrentChangeError` if the record no longer ends where it did."""
        action = _make_append_action(work, page)
        return self.groups.act(self.actor, action, self.body, self.key, self.body_digest, status=201)


def _choose_occurrence(group: Group, now: int, wanted: int | None, undrawn: bool = False) -> int | None:
    """Return the occurrence of the next round: the wanted one, or the next of the timetable."""
    if group.phase == PHASE_CLOSED:
        return None
    if wanted is None:
        wanted = find_manual_occurrence(group, now, undrawn)
    if group.source == "beacon":
        return resolve_occurrence(group, now, wanted)
    if wanted is not None and wanted < find_first_open_occurrence(group, undrawn):
        raise Conflict(Message("occurrence_decided_before", wanted=wanted))
    return wanted


def _make_reopen_action(work: FreezeInput) -> Action:
    """Return the action that reopens the round, if it is still closed by the same event."""

    def act(context: ActionContext) -> ActionResult:
        mine = context.group.closing is not None and context.group.closing.seq == work.closing.seq
        return ActionResult({}, rounds.reopen_ratings(context.group) if mine else [])

    return act


def _make_append_action(work: FreezeInput, fixed: FreezeResult) -> Action:
    """Return the action that writes the computed freeze, if the record still ends where it did."""

    def write(context: ActionContext) -> ActionResult:
        group, line = context.group, fixed.events[-1].line
        closed = group.closing is not None and group.closing.seq == work.closing.seq
        if not closed or group.head != work.group.head:
            raise ConcurrentChangeError(Message("record_grown_meanwhile"))
        assert line is not None
        saved = None
        if fixed.minds is not None and line.said["round"] % LEARNER_SNAPSHOT_INTERVAL_ROUNDS == 0:
            saved = LearnerSnapshotRow(work.closing.seq, line.hash.hex(), fixed.minds.to_json())
        return StoreActionResult(format_freeze_response(group, line.said, line.hash), fixed.events, snapshot=saved)

    return write

"""Freeze and draw over HTTP and by the timetable. What takes its time is done outside every transaction.

A freeze closes the ratings and takes all that the solver needs in one transaction; what the solver found is written in
another, only if the record still ends where it began.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record import rounds
from isegoria.record.changes import Action, Change, Context
from isegoria.record.fixing import Fixed, PageTerms, fix
from isegoria.record.format.people import Person
from isegoria.record.group import CLOSED, Group
from isegoria.record.minds import EVERY
from isegoria.record.round import Closing, Round
from isegoria.record.rounds import checked_occasion, draw_answer, freeze_answer, page_of, typed
from isegoria.record.sources import SOURCES
from isegoria.record.sources.beacon import fetch
from isegoria.service.groups import Overtaken, StoreChange, StorePeople, refusing
from isegoria.service.http.refusals import Conflict, Refusal
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import TIMETABLE, Actor
from isegoria.service.numbers import gathered
from isegoria.service.occasions import BY_HAND, first_undecided, next_page, zone_of
from isegoria.service.store import AnswerRow, Session, Snapshot

if TYPE_CHECKING:
    from isegoria.service.app import Service

LARGE = 250_000  # people times options: a freeze of more takes a second and a hundred megabytes, so one goes at a time
TRIES = 50  # a freeze that others keep overtaking gives up after so many; each is overtaken by a line, not a rating


@dataclass(frozen=True)
class Work:
    """Everything the solver needs, taken at one moment."""

    group: Group
    closing: Closing
    people: Mapping[int, Person]
    saved: Snapshot | None
    page: PageTerms


def freeze(service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str) -> Reply:
    """Freeze the next round: 201; again, while it waits for its draw: 200 with the same bytes.

    Under the group the first time asks open pages for their numbers, 202; again, within half a minute, it freezes.
    """
    try:
        return _reply(_frozen(service, actor, body, key, body_digest))
    except _Ungathered:
        asked = gathered(service, actor, body)
        return _reply(_frozen(service, actor, body, key, body_digest) if asked is None else asked)


class _Ungathered(Conflict):
    """Under the group: numbers are to be asked for, or those that were are to be written, before the freeze."""


def _frozen(service: Service, actor: Actor, body: dict[str, Any], key: str, body_digest: str) -> AnswerRow:
    with _OneLarge(service) as gate:
        for _ in range(TRIES):
            work, answer = _closed(service, actor, gate, None, body, key, body_digest)
            if work is None:
                return answer
            fixed = _fixed(service, actor, work)
            try:
                return service.groups.act(actor, _written(work, fixed), body, key, body_digest, status=201)
            except Overtaken:
                continue
    raise Conflict("others keep changing this group; freeze it again in a moment.")


def freeze_by_itself(service: Service, actor: Actor, occasion: int) -> None:
    """Freeze for an occasion of the timetable; somebody else may have been first. Dice that nobody threw are left."""
    with _OneLarge(service) as gate:
        work, _ = _closed(service, actor, gate, occasion, {"undrawn": True})
        if work is None:
            return
        fixed = _fixed(service, actor, work)
        with contextlib.suppress(Overtaken):
            service.groups.act(actor, _written(work, fixed), {})


class _OneLarge:
    """Lets large groups freeze one at a time; nobody waits for it, neither the next large one nor a thread."""

    def __init__(self, service: Service) -> None:
        self.service, self.inside = service, False

    def enter(self, group: Group) -> None:
        """Refuse a large group while another one is inside; the same may ask again."""
        if self.inside or len(group.members) * len(group.options) <= LARGE:
            return
        if not self.service.large_freeze.acquire(blocking=False):
            raise Conflict("another large group is being decided; freeze again in a moment.")
        self.inside = True

    def __enter__(self) -> _OneLarge:
        return self

    def __exit__(self, *error: object) -> None:
        if self.inside:
            self.service.large_freeze.release()


def _closed(
    service: Service, actor: Actor, gate: _OneLarge, occasion: int | None, asked: Mapping[str, Any],
    key: str | None = None, body_digest: str = "",
) -> tuple[Work | None, AnswerRow]:  # fmt: skip
    """Make later ratings late, unless that was done before, and take what there is to work out.

    There is no work where a round is frozen already, or where the key was answered before: the answer is that.
    """
    found: list[Work] = []

    def look(session: Session, group: Group) -> None:
        if group.closing is not None:
            saved = session.snapshot(actor.group) if group.learns else None
            beacon = group.closing.occasion if group.source == "beacon" else None
            with refusing():
                now = int(service.groups.clock())
                page = page_of(group, now, beacon, asked.get("event"), asked.get("form"), zone_of(group))
            found.append(Work(group.snapshot(), group.closing, dict(StorePeople(session, group)), saved, page))

    def close(context: Context) -> Change:
        last, undrawn = context.group.open, bool(asked.get("undrawn"))
        if last is not None and actor.role == TIMETABLE:  # only dice that nobody threw, and not another's of just now
            undrawn = last.source["kind"] in BY_HAND and last.closing.occasion != occasion
        if last is not None and not undrawn:
            return Change(freeze_answer(context.group, last.freeze, last.freeze_hash))
        try:
            rounds.check_can_freeze(context.group, undrawn)
        except rounds.Uncommitted as error:
            raise _Ungathered(str(error)) from None
        gate.enter(context.group)
        number = _occasion(context.group, context.now, occasion, undrawn)
        return rounds.close(Context(context.group, {"occasion": number, "undrawn": undrawn}, context.now))

    answer = service.groups.act(actor, close, asked, key, body_digest, keeps=False, look=look)
    return (found[-1] if found else None), answer  # a transaction that failed may have looked before


def _occasion(group: Group, now: int, wanted: int | None, undrawn: bool = False) -> int | None:
    """The occasion of the next round: the one that is wanted, or the next of the timetable."""
    if group.phase == CLOSED:
        return None
    if wanted is None:
        wanted = next_page(group, now, undrawn)
    if group.source == "beacon":
        return checked_occasion(group, now, wanted)
    if wanted is not None and wanted < first_undecided(group, undrawn):
        raise Conflict(f"occasion {wanted} was decided before.")
    return wanted


def _fixed(service: Service, actor: Actor, work: Work) -> Fixed:
    """What the freeze writes, worked out at leisure; a page that is refused leaves the round open as it was."""
    try:
        with refusing():
            return fix(work.group, work.closing, work.people, work.page, work.saved)
    except Refusal:
        service.groups.act(actor, _reopening(work), {})
        raise


def _reopening(work: Work) -> Action:
    """The action that opens the round again, if it is still closed by this very closing."""

    def act(context: Context) -> Change:
        mine = context.group.closing is not None and context.group.closing.seq == work.closing.seq
        return Change({}, rounds.reopen(context.group) if mine else [])

    return act


def _written(work: Work, fixed: Fixed) -> Action:
    """The action that writes what was worked out, if the record still ends where it began."""

    def write(context: Context) -> Change:
        group, line = context.group, fixed.events[-1].line
        closed = group.closing is not None and group.closing.seq == work.closing.seq
        if not closed or group.head != work.group.head:
            raise Overtaken("the record has grown meanwhile; try again.")
        assert line is not None
        saved = None
        if fixed.minds is not None and line.said["round"] % EVERY == 0:
            saved = Snapshot(work.closing.seq, line.hash.hex(), fixed.minds.to_json())
        return StoreChange(freeze_answer(group, line.said, line.hash), fixed.events, snapshot=saved)

    return write


# -- draw --------------------------------------------------------------------------------------------------------------


class _Unheard(Conflict):
    """The beacon's word is to be fetched and checked before the draw."""

    def __init__(self, now: Round) -> None:
        super().__init__("the beacon's word was not checked yet.")
        self.now = now


def draw(service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str) -> Reply:
    """Draw the frozen round: 201; again: 200 with the same bytes."""
    return _reply(_drawn(service, actor, body, key, body_digest))


def draw_by_itself(service: Service, actor: Actor) -> None:
    """Draw by the timetable; somebody else may have been first, and a source may be late."""
    _drawn(service, actor, {"value": None})


def _drawn(
    service: Service, actor: Actor, body: Mapping[str, Any], key: str | None = None, body_digest: str = ""
) -> AnswerRow:
    value, heard = typed(body["value"]), None
    for _ in range(TRIES):
        try:
            action = _drawing({**body, "value": value}, heard)
            return service.groups.act(actor, action, body, key, body_digest, status=201)
        except _Unheard as unheard:
            value, heard = _heard(service, unheard.now, value), unheard.now.number
        except Overtaken:
            continue
    raise Conflict("no round is frozen; freeze one first.")


def _drawing(body: Mapping[str, Any], heard: int | None) -> Action:
    """The action that draws the frozen round from its source; `heard` is the round whose beacon was checked."""

    def act(context: Context) -> Change:
        group, now, last = context.group, context.group.open, context.group.last
        if now is None and group.closing is None and last is not None and last.happened:
            _check_same(group, last, body["value"])
            return Change(draw_answer(group.arms, last, last.draw or _tried(last)))
        if now is not None and now.speaks_at is not None and heard != now.number:
            if context.now < now.speaks_at:
                raise InputError(f"the beacon speaks in {now.speaks_at - context.now} s; the draw waits for it.")
            raise _Unheard(now)
        if now is not None and now.source["kind"] == "dice" and body["value"] is None:
            raise InputError("this group throws dice; send what was thrown as value.")
        change = rounds.draw(Context(group, body, context.now, secret=context.secret))
        return StoreChange.of(change, due=context.now)

    return act


def _tried(last: Round) -> dict[str, Any]:
    """A first trial as if it had been drawn: it needs no draw, and is answered the same."""
    return {"arms": last.drawn, "balls": [], "source_bytes": None}


def _check_same(group: Group, last: Round, value: str | None) -> None:
    """A repeated draw of dice with other numbers is no repeat."""
    drawn = last.draw["source_bytes"] if last.draw else None
    if value is None or drawn is None or last.source["kind"] != "dice":
        return
    if SOURCES["dice"].spoken(group, last, value).hex() != drawn:
        raise InputError(f"round {last.number} was drawn already, with other numbers.")


def _heard(service: Service, now: Round, value: str | None) -> str:
    """The beacon's word for the frozen round, as given or fetched, and checked as far as can be."""
    relay = service.settings.relay
    with refusing():
        if value is None:
            if relay is None:
                raise InputError("no relay is set (--relay ADDRESS); send the beacon's signature as value.")
            value = fetch(now.source["chain"], now.freeze["source_round"], relay)
        return SOURCES["beacon"].spoken(Group(), now, value).hex()


def _reply(answer: AnswerRow) -> Reply:
    return Reply(answer.body.encode(), answer.status)

"""The scheduler: freezes and draws when a group's timetable says so. Every process has one.

Doubles lose the race harmlessly, since a round is frozen and drawn by one key each. Nothing is backdated: an occasion
that passed while nobody kept time is skipped, and a page that was frozen in time is drawn as soon as it can be.
"""

from __future__ import annotations

import asyncio
import logging

from isegoria.errors import IsegoriaError
from isegoria.record.group import CLOSED, ENDED, FROZEN, Group
from isegoria.service.http.refusals import Conflict, NotFound
from isegoria.service.http.tokens import Actor
from isegoria.service.rounds import draw_by_itself, freeze_by_itself
from isegoria.service.timetable import timetable_of

TICK = 1.0  # seconds between two looks at the clock
AGAIN = 10  # seconds until a draw whose source is late, or a step that failed, is tried again
DAY = 86400
ANSWERS = 30 * DAY  # how long the answers to idempotency keys are kept
log = logging.getLogger("isegoria.service")


class Scheduler:
    """Looks every second for groups whose time has come."""

    def __init__(self, service):
        self.service = service
        self._swept = 0.0

    async def run(self) -> None:
        """Keep time until cancelled; a store that does not answer is asked again."""
        while True:
            await asyncio.sleep(TICK)
            try:
                await self.service.run(self.tick)
            except IsegoriaError as error:
                log.warning("the scheduler was interrupted: %s", error)
            except Exception:
                log.exception("a fault in the scheduler")

    def tick(self) -> None:
        """Serve every group that is due now."""
        now = int(self.service.groups.clock())
        with self.service.store.reading() as session:
            due = session.due(now)
        for group in due:
            self.serve(group, now)
        if now - self._swept > 3600:
            self._swept = now
            self.sweep(now)

    def serve(self, group: str, now: int) -> None:
        """Do what a group's timetable wants at this moment, and note when to look again."""
        actor = Actor(group, "timetable", 0, "")
        seen, again = -1, now + AGAIN
        try:
            for _ in range(8):  # a freeze whose time has come, its draw, and whatever others did meanwhile
                with self.service.groups.reading(group) as (state, _):
                    if state.seq == seen:  # refused, and not because somebody else was first
                        break
                    seen = state.seq
                    move, occasion, again = wanted(state, now)
                if move is None:
                    break
                again = self._move(group, actor, move, occasion, now)
        except NotFound:
            return
        with self.service.store.writing() as session:
            session.set_due(group, again)

    def _move(self, group: str, actor: Actor, move: str, occasion: int, now: int) -> int:
        """Freeze or draw; when to look again if it was refused."""
        try:
            if move == "freeze":
                freeze_by_itself(self.service, actor, occasion)
            else:
                draw_by_itself(self.service, actor)
        except NotFound:
            raise
        except Conflict as error:
            log.debug("group %s: %s", group, error)
        except IsegoriaError as error:
            log.warning("group %s: %s", group, error)
            return now + 6 * AGAIN
        return now + AGAIN

    def sweep(self, now: int) -> None:
        """Forget old answers, and erase groups that nobody has used for as long as they, or the server, said."""
        with self.service.store.writing() as session:
            session.forget_answers(now - ANSWERS)
            groups = session.groups()
        for group in groups:
            with self.service.groups.reading(group) as (state, _):
                days = state.settings["retention"] or self.service.settings.retention
                gone = days is not None and now - state.at > days * DAY
            if gone:
                with self.service.store.writing() as session:
                    session.remove_group(group)
                log.info("group %s was erased: nobody used it for %d days", group, days)


def wanted(group: Group, now: int) -> tuple[str | None, int, int | None]:
    """(freeze, draw or None; for which occasion; when to look again) of a group at a moment."""
    timetable = timetable_of(group)
    if timetable is None or group.phase == ENDED:
        return None, 0, None
    if group.phase == FROZEN and group.last.source["kind"] not in ("dice", "group"):
        at = _speaks(group, timetable)
        return ("draw", group.last.closing.occasion or 0, now) if now >= at else (None, 0, at)
    if group.phase == CLOSED:
        return "freeze", group.closing.occasion or 0, now
    coming = max(timetable.upcoming(now), after(group))
    opens = timetable.at(coming) - 60 * timetable.lead
    return ("freeze", coming, now) if now >= opens else (None, coming, opens)


def after(group: Group) -> int:
    """The first occasion that is not yet decided: a block decides one for each of its slots."""
    last = next((round_ for round_ in reversed(group.rounds) if round_.closing.occasion is not None), None)
    if last is None:
        return 0
    return last.closing.occasion + (len(last.slots) if last.happened else 1)


def _speaks(group: Group, timetable) -> int:
    """When a frozen round is drawn: at its occasion; for a beacon, when that has spoken."""
    last = group.last
    if last.closing.occasion is None:
        return group.at
    if last.speaks_at is not None:
        return last.speaks_at + 1
    return timetable.at(last.closing.occasion)

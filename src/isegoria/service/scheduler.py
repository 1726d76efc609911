"""The scheduler: freezes and draws when a group's timetable says so. Every process has one.

Doubles lose the race harmlessly, since a round is frozen and drawn by one key each. Nothing is backdated: an occasion
that passed while nobody kept time is skipped, and a page that was frozen in time is drawn as soon as it can be.
"""

from __future__ import annotations

import asyncio
import logging

from isegoria.errors import IsegoriaError
from isegoria.service.groups.drawing import Waiting, draw_by_itself
from isegoria.service.groups.freezing import freeze_by_itself
from isegoria.service.groups.state import CLOSED, ENDED, FROZEN, State
from isegoria.service.http.refusals import Conflict, NotFound
from isegoria.service.http.tokens import Actor

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
        now = int(self.service.desk.clock())
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
                with self.service.desk.reading(group) as (state, _):
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
        except (Waiting, Conflict) as error:
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
            with self.service.desk.reading(group) as (state, _):
                days = state.settings["retention"] or self.service.settings.retention
                gone = days is not None and now - state.at > days * DAY
            if gone:
                with self.service.store.writing() as session:
                    session.remove_group(group)
                log.info("group %s was erased: nobody used it for %d days", group, days)


def wanted(state: State, now: int) -> tuple[str | None, int, int | None]:
    """(freeze, draw or None; for which occasion; when to look again) of a group at a moment."""
    timetable = state.timetable
    if timetable is None or state.phase == ENDED:
        return None, 0, None
    if state.phase == FROZEN:
        at = _speaks(state, timetable)
        return ("draw", state.last.occasion or 0, now) if now >= at else (None, 0, at)
    if state.phase == CLOSED:
        return "freeze", state.closing.occasion or 0, now
    coming = max(timetable.upcoming(now), after(state))
    opens = timetable.at(coming) - 60 * timetable.lead
    return ("freeze", coming, now) if now >= opens else (None, coming, opens)


def after(state: State) -> int:
    """The first occasion that is not yet decided: a block decides one for each of its slots."""
    last = next((round_ for round_ in reversed(state.rounds) if round_.occasion is not None), None)
    if last is None:
        return 0
    return last.occasion + (len(last.slots) if last.draw is not None else 1)


def _speaks(state: State, timetable) -> int:
    """When a frozen round is drawn: at its occasion; for a beacon, when that has spoken."""
    last = state.last
    if last.occasion is None:
        return state.at
    if last.freeze["source_round"] is not None:
        source = state.charter["source"]
        return source["genesis"] + (last.freeze["source_round"] - 1) * source["period"] + 1
    return timetable.at(last.occasion)

"""The scheduler: freezes and draws when a group's timetable says so. Every process has one.

Doubles lose the race harmlessly, since a round is frozen and drawn by one key each. Nothing is backdated: an occasion
that passed while nobody kept time is skipped, and a page that was frozen in time is drawn as soon as it can be.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from isegoria.errors import IsegoriaError
from isegoria.record.group import Group
from isegoria.record.past import program
from isegoria.service.devices import UNUSED
from isegoria.service.groups import Overtaken
from isegoria.service.http.refusals import Conflict, NotFound
from isegoria.service.http.tokens import TIMETABLE, Actor
from isegoria.service.limits import Lane
from isegoria.service.occasions import coming
from isegoria.service.rounds import draw_by_itself, freeze_by_itself
from isegoria.service.store import Session, StoreError

if TYPE_CHECKING:
    from isegoria.service.app import Service

TICK = 1.0  # seconds between two looks at the clock
AGAIN = 10  # seconds until a draw whose source is late, or a step that failed, is tried again
LONGEST = 3600  # the longest wait of a group whose steps fail again and again
OVERDUE = 300  # seconds after which a scheduler that did not come round, or a group left waiting, is a fault
LEAP = 60  # seconds by which the clock may leave the time that passed before nothing is done by it
STEADY = 120  # seconds for which a clock that jumped must keep its new distance to be believed again
DAY = 86400
ANNOUNCED = 7 * DAY  # how long before its end a group's page says that it will be erased
ANSWERS = 30 * DAY  # how long the answers to idempotency keys are kept
Hand = Callable[..., object]
log = logging.getLogger("isegoria.service")


class Scheduler:
    """Looks every second for groups whose time has come."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.monotonic = steady
        self.rounded: float | None = None  # when it last came round, by the clock that never jumps
        self.overdue: int | None = None  # the oldest moment for which a group is still waiting
        self.lanes = [Lane("looks", 1), Lane("steps", 4), Lane("relays", 2), Lane("sweeps", 1)]
        self._swept: float | None = None
        self._sweeping = False
        self._failures: dict[str, int] = {}
        self._refused: dict[str, int] = {}
        self._busy: set[str] = set()
        self._trusted: float | None = None  # by how much the clock is ahead of steady time, while it is believed
        self._doubted: tuple[float, float] | None = None  # the same since it jumped, and since when
        self._old: dict[str, float] = {}

    async def run(self) -> None:
        """Keep time until cancelled; a store that does not answer is asked again."""
        looks, steps, relays, sweeps = self.lanes
        while True:
            await asyncio.sleep(TICK)
            try:
                await looks.run(self.tick, steps.hand, relays.hand, sweeps.hand)
            except IsegoriaError as error:
                log.warning("the scheduler was interrupted: %s", error)
            except Exception:  # a fault of ours: time is kept on, for all groups
                log.exception("a fault in the scheduler")

    def tick(self, hand: Hand | None = None, relays: Hand | None = None, sweeps: Hand | None = None) -> None:
        """Serve every group that is due now; `hand` does it elsewhere, so that nobody waits for a slow one.

        What waits for a relay is done by `relays`, and the look at old groups by `sweeps`, so that nobody else waits
        for that.
        """
        now = int(self.service.groups.clock())
        self.rounded = self.monotonic()
        if self._leapt(now):
            return
        with self.service.store.reading() as session:
            due = session.due(now)
        for group in due:
            if group not in self._busy:
                self._busy.add(group)
                (hand or _at_once)(self._guarded, group, now, relays)
        with self.service.store.reading() as session:
            self.overdue = session.longest_due(now)
        if not self._sweeping and (self._swept is None or self.rounded - self._swept > 3600):
            self._swept, self._sweeping = self.rounded, True
            (sweeps or _at_once)(self._swept_once, now)

    def _leapt(self, now: int) -> bool:
        """Whether the clock has left the time that passed: then nothing is frozen, drawn or erased by it.

        It is believed again when it comes back, or has kept its new distance for a while.
        """
        passed = self.monotonic()
        ahead = now - passed
        if self._trusted is None or abs(ahead - self._trusted) <= LEAP:
            self._trusted, self._doubted = ahead, None
            return False
        if self._doubted is None or abs(ahead - self._doubted[0]) > LEAP:
            self._doubted = ahead, passed
            off = ahead - self._trusted
            log.warning("the clock jumped by %d s; nothing is done by it until it was steady for %d s", off, STEADY)
        if passed - self._doubted[1] < STEADY:
            return True
        self._trusted, self._doubted = ahead, None
        return False

    def _guarded(self, group: str, now: int, relays: Hand | None = None) -> None:
        """Serve one group; whatever it does wrong, the others come after it, and it waits longer and longer."""
        try:
            self.serve(group, now, relayed=relays is None)
            self._failures.pop(group, None)
        except _Relayed:
            assert relays is not None
            self._busy.add(group)
            relays(self._guarded, group, now)
            return
        except StoreError as error:
            log.warning("group %s: %s", group, error)
        except Exception as error:  # whatever is wrong with one group, the others have their turn
            count = self._failures[group] = self._failures.get(group, 0) + 1
            wait = min(LONGEST, AGAIN * 2 ** min(count, 12))
            known = isinstance(error, IsegoriaError)
            said, trace = (error, None) if known else (repr(error), error if count == 1 else None)
            log.warning("group %s: a step failed (%s); again in %d s", group, said, wait, exc_info=trace)
            with contextlib.suppress(IsegoriaError), self.service.store.writing(first=True) as session:
                session.set_due(group, now + wait)
        self._busy.discard(group)

    @property
    def health(self) -> dict[str, object]:
        """How timetables are kept: seconds since it last came round, and how long the oldest group waits."""
        now = int(self.service.groups.clock())
        since = None if self.rounded is None else round(self.monotonic() - self.rounded, 1)
        waits = None if self.overdue is None else max(0, now - self.overdue)
        late = (since is not None and since > OVERDUE) or (waits is not None and waits > OVERDUE)
        return {"ok": not late, "came_round": since, "oldest_waits": waits, "clock_jumped": self._doubted is not None}

    def serve(self, group: str, now: int, relayed: bool = True) -> None:
        """Do what a group's timetable wants at this moment, and note when to look again."""
        actor = Actor(group, TIMETABLE, 0, "")
        seen = -1
        again: int | None = now + AGAIN
        try:
            for _ in range(8):  # a freeze whose time has come, its draw, and whatever others did meanwhile
                with self.service.groups.reading(group) as (state, _):
                    if state.seq == seen:  # refused, and not because somebody else was first
                        break
                    seen = state.seq
                    move, occasion, again = wanted(state, now)
                    if move == "draw" and state.source == "beacon" and not relayed:
                        raise _Relayed
                if move is None:
                    break
                again = self._move(group, actor, move, occasion, now)
        except NotFound:
            return
        with self.service.store.writing(first=True) as session:
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
        except Overtaken as error:
            log.debug("group %s: %s", group, error)
        except Conflict as error:
            count = self._refused[group] = self._refused.get(group, 0) + 1
            log.debug("group %s: %s", group, error)
            return now + min(LONGEST, AGAIN * 2 ** max(0, min(count - 6, 12)))
        except IsegoriaError as error:
            log.warning("group %s: %s", group, error)
            return now + 6 * AGAIN
        else:
            self._refused.pop(group, None)
        return now + AGAIN

    def _swept_once(self, now: int) -> None:
        """Look at old groups; whatever goes wrong there, they are looked at again in an hour."""
        try:
            self.sweep(now)
        except Exception as error:
            log.warning("old groups were not looked at (%r)", error)
        finally:
            self._sweeping = False

    def sweep(self, now: int) -> None:
        """Forget old answers, and erase groups that nobody has used for as long as they, or the server, said."""
        with self.service.store.writing() as session:
            session.forget_answers(now - ANSWERS)
            session.end_unused_sessions(now - UNUSED)
            session.drop_kept_of_others(program(), now - DAY)
            groups = session.groups()
        self.service.store.scrub()
        for group in groups:
            try:
                self._sweep_one(group, now)
            except StoreError:
                raise
            except Exception as error:  # a group that cannot be looked at keeps no other from its erasing
                known = isinstance(error, IsegoriaError)
                log.warning(
                    "group %s: it could not be looked at for erasing (%r)",
                    group,
                    error,
                    exc_info=None if known else error,
                )

    def expires(self, touched: int, retention: int | None) -> int | None:
        """When a group that was last used then is old; None where it is kept."""
        days = retention or self.service.settings.retention
        return None if days is None else int(touched + days * DAY)

    def announced(self, state: Group) -> int | None:
        """The same from a week before on, for the page to say."""
        ends = self.expires(state.at, state.settings["retention"])
        return ends if ends is not None and ends - self.service.groups.clock() < ANNOUNCED else None

    def _is_old(self, session: Session, group: str, now: int, lock: bool = False) -> bool:
        """Whether nobody used a group for as long as it is kept; its log is not replayed for that."""
        row = session.group(group, lock)
        ends = None if row is None else self.expires(row.touched, session.retention(group))
        return ends is not None and now > ends

    def _sweep_one(self, group: str, now: int) -> None:
        """Erase a group that two looks, a day of steady time apart, both found old: a wrong clock erases nothing."""
        with self.service.store.reading() as session:
            old = self._is_old(session, group, now)
        if not old:
            self._old.pop(group, None)
            return
        first = self._old.setdefault(group, self.monotonic())
        if self.monotonic() - first < DAY:
            return
        with self.service.store.writing() as session:
            if not self._is_old(session, group, now, lock=True):  # somebody has come back in this moment
                return
            session.remove_group(group)
        self.service.store.scrub()
        self._old.pop(group, None)
        log.info("group %s was erased: nobody used it for as long as it, or this server, says", group)


class _Relayed(Exception):
    """This step asks a relay, which may take its time: it is for those who wait for relays."""


def _at_once(work: Callable[..., object], *arguments: object) -> None:
    work(*arguments)


def steady() -> float:
    """Seconds that pass at an even pace, also while the machine sleeps where the system counts those."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def wanted(group: Group, now: int) -> tuple[str | None, int, int | None]:
    """(freeze, draw or None; for which occasion; when to look again) of a group at a moment."""
    found = coming(group, now)
    if found is None:
        return None, 0, None
    occasion = found.occasion or 0
    return (found.move, occasion, now) if now >= found.at else (None, occasion, found.at)

"""The scheduler: freezes and draws when a group's timetable says so. Every process runs one.

Several schedulers cannot do a step twice, since each round is frozen and drawn under one key. Nothing is backdated: an
occurrence that passed while no scheduler ran is skipped, and a round that was frozen in time is drawn once possible.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from isegoria.errors import IsegoriaError
from isegoria.record.state.group import Group
from isegoria.service.actions.draw_round import draw_on_schedule
from isegoria.service.actions.freeze_round import freeze_on_schedule
from isegoria.service.delivery.retry_backoff import FIRST_RETRY_SECONDS, compute_backoff_seconds
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.occurrences import find_next_decision
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.result_writer import ConcurrentChangeError
from isegoria.service.http.http_errors import Conflict, NotFound
from isegoria.service.http.tokens import ROLE_SCHEDULER, Actor
from isegoria.service.http.worker_pool import WorkerPool
from isegoria.service.scheduling.clock_monitor import ClockMonitor, read_steady_clock
from isegoria.service.scheduling.retention import RetentionSweeper
from isegoria.service.store import Store, StoreError

TICK_SECONDS = 1.0  # seconds between two ticks
OVERDUE_SECONDS = 300  # seconds without a tick, or with a group left waiting, before the scheduler counts as unhealthy
SWEEP_INTERVAL_SECONDS = 3600
log = logging.getLogger("isegoria.service")


class InlinePool:
    """Runs work at once, on the thread that submits it."""

    def hand(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Run `work` and return when it is done."""
        work(*arguments)


class SchedulerPools:
    """Worker pools of a scheduler: looks for due groups, their steps, steps that wait for a relay, and sweeps."""

    def __init__(self) -> None:
        self.looks = WorkerPool("looks", 1)
        self.steps, self.relays, self.sweeps = WorkerPool("steps", 4), WorkerPool("relays", 2), WorkerPool("sweeps", 1)

    def list_all(self) -> list[WorkerPool]:
        """Return all pools."""
        return [self.looks, self.steps, self.relays, self.sweeps]


class Scheduler:
    """Looks every second for groups that are due by their timetable.

    Parameters
    ----------
    store : Store
        Where due times are kept.
    groups : GroupRepository
        The groups of the service.
    gate : FreezeGate
        Lets one large group freeze at a time.
    relay : str or None
        Where a beacon's rounds are fetched from.
    retention_days : int or None
        Days after which an unused group is erased.
    """

    def __init__(
        self, store: Store, groups: GroupRepository, gate: FreezeGate, relay: str | None, retention_days: int | None
    ) -> None:
        self.store, self.groups, self.gate, self.relay = store, groups, gate, relay
        self.monotonic = read_steady_clock
        self.clock_monitor = ClockMonitor(lambda: self.monotonic())
        self.retention = RetentionSweeper(store, retention_days, lambda: self.monotonic())
        self.rounded: float | None = None  # monotonic time of the last tick
        self.overdue: int | None = None  # the earliest due time of a group that is still waiting
        self.pools = SchedulerPools()
        self._swept: float | None = None
        self._sweeping = False
        self._failures: dict[str, int] = {}
        self._refused: dict[str, int] = {}
        self._busy: set[str] = set()

    async def run(self) -> None:
        """Run until cancelled; an error of the store is logged, and the next tick tries again."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            try:
                await self.pools.looks.run(self.tick, self.pools)
            except IsegoriaError as error:
                log.warning("the scheduler was interrupted: %s", error)
            except Exception:  # a bug in this program: keep running for all groups
                log.exception("a fault in the scheduler")

    def tick(self, pools: SchedulerPools | None = None) -> None:
        """Process every group that is due now, and look for expired groups once an hour.

        The work is submitted to `pools`; without them, it runs at once.
        """
        inline = InlinePool()
        now = int(self.groups.clock())
        self.rounded = self.monotonic()
        if not self.clock_monitor.is_reliable(now):
            return
        with self.store.reading() as session:
            due = session.due(now)
        for group in due:
            if group not in self._busy:
                self._busy.add(group)
                (pools.steps if pools else inline).hand(self._run_safely, group, now, pools)
        with self.store.reading() as session:
            self.overdue = session.longest_due(now)
        if not self._sweeping and (self._swept is None or self.rounded - self._swept > SWEEP_INTERVAL_SECONDS):
            self._swept, self._sweeping = self.rounded, True
            (pools.sweeps if pools else inline).hand(self._sweep, now)

    def _sweep(self, now: int) -> None:
        try:
            self.retention.sweep_safely(now)
        finally:
            self._sweeping = False

    def _run_safely(self, group: str, now: int, pools: SchedulerPools | None = None) -> None:
        """Process one group; an error delays only this group, with exponential backoff."""
        try:
            self.serve(group, now, relayed=pools is None)
            self._failures.pop(group, None)
        except _RelayRequiredError:
            assert pools is not None
            self._busy.add(group)
            pools.relays.hand(self._run_safely, group, now)
            return
        except StoreError as error:
            log.warning("group %s: %s", group, error)
        except Exception as error:  # an error in one group must not stop the others
            count = self._failures[group] = self._failures.get(group, 0) + 1
            wait = compute_backoff_seconds(count)
            known = isinstance(error, IsegoriaError)
            said, trace = (error, None) if known else (repr(error), error if count == 1 else None)
            log.warning("group %s: a step failed (%s); again in %d s", group, said, wait, exc_info=trace)
            with contextlib.suppress(IsegoriaError), self.store.writing(first=True) as session:
                session.set_due(group, now + wait)
        self._busy.discard(group)

    @property
    def health(self) -> dict[str, object]:
        """State of the scheduler: seconds since its last tick, and for how long the oldest group has been overdue."""
        now = int(self.groups.clock())
        since = None if self.rounded is None else round(self.monotonic() - self.rounded, 1)
        waits = None if self.overdue is None else max(0, now - self.overdue)
        late = (since is not None and since > OVERDUE_SECONDS) or (waits is not None and waits > OVERDUE_SECONDS)
        return {
            "ok": not late,
            "came_round": since,
            "oldest_waits": waits,
            "clock_jumped": self.clock_monitor.has_jumped,
        }

    def serve(self, group: str, now: int, relayed: bool = True) -> None:
        """Execute the steps that a group's timetable wants now, and store when to look again."""
        actor = Actor(group, ROLE_SCHEDULER, 0, "")
        seen = -1
        again: int | None = now + FIRST_RETRY_SECONDS
        try:
            for _ in range(8):  # a due freeze, its draw, and changes made by others meanwhile
                with self.groups.reading(group) as (state, _):
                    if state.seq == seen:  # the step was rejected, and not because another process was first
                        break
                    seen = state.seq
                    move, occurrence, again = find_due_step(state, now)
                    if move == "draw" and state.source == "beacon" and not relayed:
                        raise _RelayRequiredError
                if move is None:
                    break
                again = self._move(group, actor, move, occurrence, now)
        except NotFound:
            return
        with self.store.writing(first=True) as session:
            session.set_due(group, again)

    def _move(self, group: str, actor: Actor, move: str, occurrence: int, now: int) -> int:
        """Freeze or draw; return when to look again if the step was rejected."""
        try:
            if move == "freeze":
                freeze_on_schedule(self.groups, self.gate, actor, occurrence)
            else:
                draw_on_schedule(self.groups, self.relay, actor)
        except NotFound:
            raise
        except ConcurrentChangeError as error:
            log.debug("group %s: %s", group, error)
        except Conflict as error:
            count = self._refused[group] = self._refused.get(group, 0) + 1
            log.debug("group %s: %s", group, error)
            return now + compute_backoff_seconds(count - 6)
        except IsegoriaError as error:
            log.warning("group %s: %s", group, error)
            return now + 6 * FIRST_RETRY_SECONDS
        else:
            self._refused.pop(group, None)
        return now + FIRST_RETRY_SECONDS


class _RelayRequiredError(Exception):
    """Raised if a step must ask a relay, which may be slow: it belongs to the relay workers."""


def find_due_step(group: Group, now: int) -> tuple[str | None, int, int | None]:
    """Return (freeze, draw or None; its occurrence; when to look again) for a group at a given time."""
    found = find_next_decision(group, now)
    if found is None:
        return None, 0, None
    occurrence = found.occurrence or 0
    return (found.move, occurrence, now) if now >= found.at else (None, occurrence, found.at)

"""Retention: erases groups that nobody uses any more, and what else the store need not keep."""

from __future__ import annotations

import logging
from collections.abc import Callable

from isegoria.errors import IsegoriaError
from isegoria.record.state.group import Group
from isegoria.record.state.snapshot import SNAPSHOT_VERSION
from isegoria.service.http.authentication import SESSION_IDLE_SECONDS
from isegoria.service.scheduling.clock_monitor import read_steady_clock
from isegoria.service.store import Store, StoreError, Transaction

DAY_SECONDS = 86400
ERASURE_NOTICE_SECONDS = 7 * DAY_SECONDS
"""How long before its end a group's page says that it will be erased."""
RESPONSE_RETENTION_SECONDS = 30 * DAY_SECONDS
"""How long the responses to idempotency keys are stored."""
log = logging.getLogger("isegoria.service")


def compute_expiry(touched: int, days: int | None) -> int | None:
    """Return when a group last used at `touched` expires, or None if it is kept.

    >>> compute_expiry(1000, 2), compute_expiry(1000, None)
    (173800, None)
    """
    return None if days is None else int(touched + days * DAY_SECONDS)


def announce_expiry(group: Group, days: int | None, now: int) -> int | None:
    """Return when a group expires, if that is less than a week away; otherwise None.

    `days` is the retention of the server, for a group that has none of its own.
    """
    ends = compute_expiry(group.at, group.settings["retention"] or days)
    return ends if ends is not None and ends - now < ERASURE_NOTICE_SECONDS else None


class RetentionSweeper:
    """Erases expired groups, and deletes old responses, unused sessions and outdated snapshots.

    Parameters
    ----------
    store : Store
        The store to sweep.
    retention_days : int or None
        Days after which an unused group is erased if it has set none itself; None keeps it.
    monotonic : callable, optional
        Returns a monotonic time in seconds.
    """

    def __init__(
        self, store: Store, retention_days: int | None, monotonic: Callable[[], float] = read_steady_clock
    ) -> None:
        self.store, self.retention_days, self.monotonic = store, retention_days, monotonic
        self._expired_at: dict[str, float] = {}

    def sweep_safely(self, now: int) -> None:
        """Look for expired groups and log any error; the next sweep follows in an hour."""
        try:
            self.sweep(now)
        except Exception as error:
            log.warning("old groups were not looked at (%r)", error)

    def sweep(self, now: int) -> None:
        """Delete old stored responses, unused sessions and outdated snapshots, and erase expired groups.

        A group expires when nobody has used it for its own retention period or, if it set none, the server's.
        """
        with self.store.writing() as session:
            session.forget_answers(now - RESPONSE_RETENTION_SECONDS)
            session.end_unused_sessions(now - SESSION_IDLE_SECONDS)
            session.drop_kept_of_others(SNAPSHOT_VERSION, now - DAY_SECONDS)
            groups = session.groups()
        self.store.scrub()
        for group in groups:
            try:
                self._sweep_one(group, now)
            except StoreError:
                raise
            except Exception as error:  # an unreadable group must not stop the others
                known = isinstance(error, IsegoriaError)
                log.warning(
                    "group %s: it could not be looked at for erasing (%r)",
                    group,
                    error,
                    exc_info=None if known else error,
                )

    def _is_old(self, session: Transaction, group: str, now: int, lock: bool = False) -> bool:
        """Return whether a group's retention period is over, without replaying its log."""
        row = session.group(group, lock)
        ends = None if row is None else compute_expiry(row.touched, session.retention(group) or self.retention_days)
        return ends is not None and now > ends

    def _sweep_one(self, group: str, now: int) -> None:
        """Erase a group that two checks, a day of monotonic time apart, both find expired.

        A wrong clock therefore erases nothing.
        """
        with self.store.reading() as session:
            old = self._is_old(session, group, now)
        if not old:
            self._expired_at.pop(group, None)
            return
        first = self._expired_at.setdefault(group, self.monotonic())
        if self.monotonic() - first < DAY_SECONDS:
            return
        with self.store.writing() as session:
            if not self._is_old(session, group, now, lock=True):  # somebody has just used the group
                return
            session.remove_group(group)
        self.store.scrub()
        self._expired_at.pop(group, None)
        log.info("group %s was erased: nobody used it for as long as it, or this server, says", group)

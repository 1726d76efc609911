"""One large group is frozen at a time, since its freeze takes a second and a hundred megabytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from isegoria.record.state.group import Group
from isegoria.service.http.http_errors import Conflict
from isegoria.utils.messages import Message

LARGE_FREEZE_CELLS = 250_000
"""People times options above which a freeze counts as large."""


class FreezeGate:
    """Lets one large group freeze at a time; another is rejected at once and does not wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    @contextmanager
    def open(self) -> Iterator[Callable[[Group], None]]:
        """Yield `enter(group)`, which holds the gate until the block ends if the group is large.

        `enter` may be called repeatedly. It raises `Conflict` if another large group is inside.
        """
        inside = False

        def enter(group: Group) -> None:
            nonlocal inside
            if inside or len(group.members) * len(group.options) <= LARGE_FREEZE_CELLS:
                return
            if not self.lock.acquire(blocking=False):
                raise Conflict(Message("another_large_group_being_decided"))
            inside = True

        try:
            yield enter
        finally:
            if inside:
                self.lock.release()

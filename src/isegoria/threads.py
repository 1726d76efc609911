"""BLAS on one thread inside calls of ours whose products are small, and on the user's threads again afterwards.

Products of a few hundred rows take less time than it takes several threads to find each other, and where another
process keeps a core busy they wait for one another: three to twelve times the time was measured. Threads of a BLAS are
counted for the whole process, so a product that another thread of the user computes during such a call has one as well;
when the last of our calls has returned, every library has what it had before the first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_calls = 0
_before: list[tuple[Any, int]] = []
_known: tuple[bool, list[Any]] = (False, [])


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it, and as a decorator within a function, BLAS has one thread."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _calls, _before
    with _lock:
        if _calls == 0:
            threads = [(library, library.get_num_threads()) for library in _libraries()]
            _before = [(library, count) for library, count in threads if count is not None and count > 1]
            for library, _ in _before:
                _set(library, 1)
        _calls += 1


def _leave() -> None:
    global _calls
    with _lock:
        _calls -= 1
        if _calls == 0:
            for library, count in _before:
                _set(library, count)


def _set(library: Any, count: int) -> None:
    """Give the library so many threads, whichever thread of Python asks: the last call to return need not be the first
    that came, and threadpoolctl from 3.8 on listens only to a thread that it calls the controlling one."""
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(count)
    if clear is not None:
        clear(force=True)


def _libraries() -> list[Any]:
    """The BLAS libraries that are loaded: NumPy's, and SciPy's once it is there."""
    global _known
    scipy = "scipy.linalg" in sys.modules
    if not _known[1] or _known[0] != scipy:
        from threadpoolctl import ThreadpoolController

        found = ThreadpoolController().lib_controllers
        _known = scipy, [library for library in found if library.user_api == "blas"]
    return _known[1]

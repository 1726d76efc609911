"""Limit BLAS to one thread during calls with small products, and restore the user's setting afterwards.

Products of a few hundred rows take less time than starting several threads. Where another process keeps a core busy,
the threads wait for each other: three to twelve times the time was measured. The number of BLAS threads is a setting of
the whole process, so a product in another thread of the user has one thread too during such a call. When the last of
our calls returns, every library has the setting it had before the first.
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
def single_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, as a context manager or a decorator."""
    _limit_threads()
    try:
        yield
    finally:
        _restore_threads()


def _limit_threads() -> None:
    global _calls, _before
    with _lock:
        if _calls == 0:
            threads = [(library, library.get_num_threads()) for library in _blas_libraries()]
            _before = [(library, count) for library, count in threads if count is not None and count > 1]
            for library, _ in _before:
                _set_thread_count(library, 1)
        _calls += 1


def _restore_threads() -> None:
    global _calls
    with _lock:
        _calls -= 1
        if _calls == 0:
            for library, count in _before:
                _set_thread_count(library, count)


def _set_thread_count(library: Any, count: int) -> None:
    """Set the number of threads of a library, whichever Python thread calls.

    The last call to return need not be the first that started, and threadpoolctl from 3.8 on accepts calls only from
    the thread that it considers the controlling one.
    """
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(count)
    if clear is not None:
        clear(force=True)


def _blas_libraries() -> list[Any]:
    """Return the loaded BLAS libraries: NumPy's, and SciPy's once it is loaded."""
    global _known
    scipy = "scipy.linalg" in sys.modules
    if not _known[1] or _known[0] != scipy:
        from threadpoolctl import ThreadpoolController

        found = ThreadpoolController().lib_controllers
        _known = scipy, [library for library in found if library.user_api == "blas"]
    return _known[1]

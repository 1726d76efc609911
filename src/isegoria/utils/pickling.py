"""Send functions and objects to worker processes, also those defined in a notebook cell or in the running script."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cloudpickle

from isegoria.errors import IsegoriaWarning


def dump_task(*task: Any) -> bytes:
    """Return a task as bytes; classes and functions of notebooks and scripts are sent by value."""
    return cloudpickle.dumps(task)


def load_task(data: bytes) -> tuple[Any, ...]:
    """Return the task that `dump_task` wrote."""
    return tuple(cloudpickle.loads(data))


def run_dumped_task(data: bytes) -> Any:
    """Run a task that `dump_task` wrote: a function and its arguments; this runs in a worker."""
    work, *arguments = load_task(data)
    return work(*arguments)


def can_send(parts: Mapping[str, object]) -> bool:
    """Return whether every part can be sent to another process; otherwise warn and name the first that cannot."""
    for name, part in parts.items():
        try:
            cloudpickle.dumps(part)
        except Exception as error:
            said = (
                f"{name} cannot be sent to other processes ({type(error).__name__}: {error}), so everything runs in "
                "this one; give workers=1, or create what cannot be sent when it is first used."
            )
            warnings.warn(said, IsegoriaWarning, stacklevel=3)
            return False
    return True


@contextmanager
def hide_main_script() -> Iterator[None]:
    """Start worker processes inside this block without running the main script again in each of them.

    Tasks carry what they need of the script, so a script needs no `if __name__ == "__main__"`.
    """
    main: dict[str, Any] = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    try:
        yield
    finally:
        main.update(hidden)

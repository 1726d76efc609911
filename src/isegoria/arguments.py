"""The first question to the first argument of a public function: is it a table of means?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError

if TYPE_CHECKING:
    from isegoria.instance import Instance


def checked_instance(value: Any, who: str) -> Instance:
    """`value` if it is an `Instance` or a `Scan`; else an error in the name of `who`, the function that was called.

    >>> import isegoria as iso
    >>> checked_instance(iso.Instance([[1, 0]]), "score")
    Instance(1 agent, 2 arms: Arm 1, Arm 2)
    """
    if hasattr(type(value), "check_policy"):  # an Instance and a Scan have it; importing them here would load NumPy
        return value
    raise InputError(
        f"{who} needs an Instance as its first argument, not a {type(value).__name__}; "
        "iso.Instance(means) makes one, and iso.read(path) reads one from a file."
    )

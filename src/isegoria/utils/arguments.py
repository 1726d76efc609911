"""Validation of the first argument of public functions: it must be a profile (`Instance` or `Scan`)."""

from __future__ import annotations

from typing import TypeVar

from isegoria.errors import InputError

ProfileType = TypeVar("ProfileType")


def require_profile(value: ProfileType, who: str) -> ProfileType:
    """Return `value` if it is an `Instance` or a `Scan`; raise `InputError` that names the caller `who` otherwise.

    >>> import isegoria as iso
    >>> require_profile(iso.Instance([[1, 0]]), "score")
    Instance(1 agent, 2 arms: Arm 1, Arm 2)
    """
    if hasattr(type(value), "check_policy"):  # an Instance and a Scan have it; importing them here would load NumPy
        return value
    raise InputError(
        f"{who} needs an Instance as its first argument, not a {type(value).__name__}; "
        "iso.Instance(means) makes one, and iso.read(path) reads one from a file."
    )

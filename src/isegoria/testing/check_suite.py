"""Helpers of the suites: a check is a function that raises; a suite is a dictionary of checks, run in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn


def run(suite: Mapping[str, Callable[..., None]], *what: Any) -> list[str]:
    """Run all checks of `suite` on `what` and return their names; an `AssertionError` names the first that fails."""
    for name, check in suite.items():
        try:
            check(*what)
        except AssertionError as broken:
            raise AssertionError(f"{name}: {broken}") from broken
        except Exception as error:
            raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error
    return list(suite)


def named(*checks: Callable[..., None]) -> dict[str, Callable[..., None]]:
    """Build a suite from functions, keyed by their names in plain words."""
    return {check.__name__.replace("_", " "): check for check in checks}


def demand(holds: Any, said: str) -> None:
    """Raise an `AssertionError` with `said` unless `holds`; unlike `assert`, also under `python -O`."""
    if not holds:
        fail(said)


def fail(said: str) -> NoReturn:
    """Raise an `AssertionError` with `said`."""
    raise AssertionError(said)


def refuses(
    errors: type[Exception] | tuple[type[Exception], ...], said: str, call: Callable[..., Any], *what: Any
) -> None:
    """Raise an `AssertionError` with `said` unless `call(*what)` raises one of `errors`."""
    try:
        call(*what)
    except errors:
        return
    fail(said)

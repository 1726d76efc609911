"""Shell completion of names: rules, and lists of names with commas between."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def complete_names(names: Callable[[], Iterable[tuple[str, str]]], listed: bool = False) -> Completer:
    """Return the completion of an option that takes one of `names()`, pairs of a name and what it is.

    With `listed` the option takes several, with commas between, and the last one is completed.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",") if listed else ("", "", incomplete)
        given = set(before.split(","))
        return [
            CompletionItem(f"{before}{comma}{name}", help=summary)
            for name, summary in names()
            if name.startswith(last) and name not in given
        ]

    return complete

"""`reproduce`: run one study or all of them into one folder, and write the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

from isegoria.errors import unknown
from isegoria.figures.theme import can_draw
from isegoria.studies.registry import STUDIES, Finding, Options
from isegoria.studies.report import write_report

ALL = "all"


def reproduce(
    which: str,
    out: str | PathLike[str],
    options: Options | None = None,
    note: Callable[[str], object] = print,
    command: Callable[[str], str] | None = None,
) -> list[Finding]:
    """What was found by the study `which`, or by all of them; tables, figures and the page are in `out`.

    `command(study)` is the command line that runs a study again, for the page. Without matplotlib the tables are
    written all the same, and `note` is told that figures were left out.
    """
    if which != ALL and which not in STUDIES:
        raise unknown("study", which, (*STUDIES, ALL))
    out = Path(out)
    options = options or Options()
    options = replace(options, pictures=can_draw(note), short=options.short or which == ALL)
    found: list[Finding] = []
    able = [id for id, row in STUDIES.items() if not row.needs or getattr(options, row.needs) is not None]
    for id in able if which == ALL else (which,):
        if STUDIES[id].produce(out / id, replace(options, command=command(id) if command else options.command)):
            found += STUDIES[id].findings(out / id)
        else:
            note(f"the {id} study waits for its other shards; run them with the same --out, in any order.")
    write_report(out)
    return found

"""`reproduce`: run one study or all of them into one folder, and write the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

from isegoria.errors import unknown_name_error
from isegoria.figures.theme import can_draw
from isegoria.studies.html_report import write_report
from isegoria.studies.registry import STUDIES, StudyFinding, StudyOptions

ALL_STUDIES = "all"


def reproduce(
    which: str,
    out: str | PathLike[str],
    options: StudyOptions | None = None,
    note: Callable[[str], object] = print,
    command: Callable[[str], str] | None = None,
) -> list[StudyFinding]:
    """Run the study `which`, or all of them, and return the findings.

    Tables, figures and the page are written to `out`. `command(study)` returns the command line that runs a study
    again, for the page. Without matplotlib the tables are still written, and `note` is called with a message that
    figures were left out.
    """
    if which != ALL_STUDIES and which not in STUDIES:
        raise unknown_name_error("study", which, (*STUDIES, ALL_STUDIES))
    out = Path(out)
    options = options or StudyOptions()
    options = replace(options, pictures=can_draw(note), short=options.short or which == ALL_STUDIES)
    found: list[StudyFinding] = []
    able = [id for id, row in STUDIES.items() if not row.needs or getattr(options, row.needs) is not None]
    for id in able if which == ALL_STUDIES else (which,):
        if STUDIES[id].produce(out / id, replace(options, command=command(id) if command else options.command)):
            found += STUDIES[id].findings(out / id)
        else:
            note(f"the {id} study waits for its other shards; run them with the same --out, in any order.")
    write_report(out)
    return found

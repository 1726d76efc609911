"""`make study-beyond`: run the full study, print its table, and write its files and the page to a folder."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from isegoria.studies.elimination import FULL_SIZE, LIGHT_SIZE, produce
from isegoria.studies.html_report import write_report
from isegoria.studies.registry import StudyOptions
from isegoria.studies.sections.elimination_section import read_claims


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False), default="out", show_default=True, help="The folder to write into."
)
@click.option("--light", is_flag=True, help="Three seeds and no coverage study, as on the page of make reproduce.")
def main(out: str, light: bool) -> None:
    """Measure what is claimed beyond the paper; exit 1 if any claim does not hold."""
    folder = Path(out) / "beyond"
    produce(folder, StudyOptions(fresh=True), LIGHT_SIZE if light else FULL_SIZE)
    write_report(Path(out))
    rows = read_claims(folder)
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    sys.exit(0 if all(row[3] in ("ok", "yes") for row in rows) else 1)


if __name__ == "__main__":
    main()

"""`make study-beyond`: the study in full, its table on stdout, its files and the page in the folder given."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from isegoria.studies.beyond import FULL, LIGHT, produce
from isegoria.studies.registry import Options
from isegoria.studies.report import write_report
from isegoria.studies.sections.beyond import read_claims


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False), default="out", show_default=True, help="The folder to write into."
)
@click.option("--light", is_flag=True, help="Three seeds and no coverage study, as on the page of make reproduce.")
def main(out: str, light: bool) -> None:
    """Measure what is claimed beyond the paper; exit 1 if any claim does not hold."""
    folder = Path(out) / "beyond"
    produce(folder, Options(fresh=True), LIGHT if light else FULL)
    write_report(Path(out))
    rows = read_claims(folder)
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    sys.exit(0 if all(row[3] in ("ok", "yes") for row in rows) else 1)


if __name__ == "__main__":
    main()

"""`isegoria study`: a study of one's own, from a file that is the study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options
from isegoria.cli.render import note, result

if TYPE_CHECKING:
    from isegoria.studies.experiment.study import Study

EPILOG = """\b
Examples:
  isegoria study study.toml --out out                  rows.csv, tables, figures and run.json
  isegoria study study.toml --workers 2 --out out      the same files; stop it when you like, and go on later
  isegoria study study.toml --against nash             differences on the same runs, with paired intervals
\b
A file that is a study:
  [study]
  rules = ["procedural", "nash", "utilitarian"]
  seeds = 100
  [groups]
  model = ["impartial", "mallows:0.5"]
  agents = [4, 8]
  arms = 4"""


@click.command("study", epilog=EPILOG)
@click.argument("file", type=click.Path(dir_okay=False), metavar="FILE.toml")
@click.option("--out", type=click.Path(file_okay=False), default=None,
              help="A folder for rows, tables and figures; what is finished there is not computed again.")  # fmt: skip
@click.option("--by", metavar="LIST", default=None,
              help="What the table goes by, such as model,rule.  [default: rule or learner, and measure]")  # fmt: skip
@click.option("--measure", metavar="LIST", default=None, help="Only these measures in the table.")
@click.option(
    "--against", metavar="NAME", default=None, help="Differences from this rule or learner, on the same runs."
)
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that share the work."
)
@click.option("--scheduler", metavar="ADDRESS", default=None, help="A Dask scheduler to share the work instead.")
@click.option("--parquet", is_flag=True, help="Write the rows as Parquet too.")
@click.option("--fresh", is_flag=True, help="Forget what --out holds, and compute it anew.")
@options.form
def command(file: str, form: str, out: str | None, by: str | None, measure: str | None, against: str | None,
            parquet: bool, **how: Any) -> None:  # fmt: skip
    """Run the study that FILE.toml describes, and show means with standard errors and 95 % intervals.

    The rows, one for each run, round and measure, go to --out as they finish. A study that was stopped goes on where it
    was, and the files are the same, byte for byte, whatever the number of workers and interruptions.
    """
    from isegoria.progress import progress
    from isegoria.studies.experiment.file import read_design
    from isegoria.studies.experiment.running import run
    from isegoria.studies.experiment.study import Study

    if parquet and out is None:
        raise click.UsageError("--parquet needs a folder to write into; give --out.")
    design = read_design(file)
    folder = None if out is None else Path(out)
    with progress("study: runs") as report:
        columns = run(design, folder, how["workers"], how["scheduler"], None, how["fresh"], report, parquet)
    found = Study(design, columns)
    if folder is not None:
        _write(found, folder)
    table = found.table(_listed(by), _listed(measure), against)
    rows = table.rows()
    result(
        form,
        data=lambda: {"study": design.name, "identity": design.identity, "table": rows},
        table=lambda: repr(table),
        records=lambda: [list(table.columns), *(row.values() for row in rows)],
    )
    if folder is not None:
        note(f"rows, tables and figures are in {folder}.")


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _write(found: Study, folder: Path) -> None:
    """The table of all measures, and a figure of each of the first few."""
    from isegoria.figures import theme
    from isegoria.studies.tables import write_table

    write_table(folder, "table", found.table().columns, "Means over runs.")
    if theme.can_draw(note):
        for measure in found.design.measures[:DRAWN]:
            axes = found.plot(measure)
            for suffix in ("png", "svg", "pdf"):
                theme.save(axes.figure, folder / f"{measure.replace(':', '-')}.{suffix}")


DRAWN = 5
"""Measures that have a figure of their own; `Study.plot` draws any."""

"""`isegoria study`: run your own study from a file that describes it completely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options
from isegoria.cli.render import format_table, print_note, print_result

if TYPE_CHECKING:
    from isegoria.studies.experiment.study import Study

HELP_EPILOG = """\b
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


@click.command("study", epilog=HELP_EPILOG)
@click.argument("file", type=click.Path(dir_okay=False), metavar="FILE.toml")
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default=None,
    help="A folder for rows, tables and figures; what is finished there is not computed again.",
)
@click.option(
    "--by",
    metavar="LIST",
    default=None,
    help="Columns that group the table, such as model,rule.  [default: rule or learner, and measure]",
)
@click.option("--measure", metavar="LIST", default=None, help="Only these measures in the table.")
@click.option(
    "--against", metavar="NAME", default=None, help="Differences from this rule or learner, on the same runs."
)
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that share the work."
)
@click.option("--scheduler", metavar="ADDRESS", default=None, help="A Dask scheduler to share the work instead.")
@click.option("--parquet", is_flag=True, help="Write the rows as Parquet too.")
@click.option("--fresh", is_flag=True, help="Discard the results in --out, and compute them again.")
@options.form
def command(
    file: str,
    form: str,
    out: str | None,
    by: str | None,
    measure: str | None,
    against: str | None,
    parquet: bool,
    **how: Any,
) -> None:
    """Run the study that FILE.toml describes, and show means with standard errors and 95 % intervals.

    The rows, one for each run, round and measure, go to --out as they finish. A study that was stopped goes on where it
    was, and the files are the same, byte for byte, whatever the number of workers and interruptions. A file that
    isegoria reproduce wrote (study.toml) runs that study of the paper again.
    """
    from isegoria.studies.experiment.design_file import read_design, read_reproduction
    from isegoria.studies.experiment.study import Study
    from isegoria.studies.experiment.study_runner import run_design
    from isegoria.utils.progress import progress_bar

    if parquet and out is None:
        raise click.UsageError("--parquet needs a folder to write into; give --out.")
    chosen = read_reproduction(file)
    if chosen is not None:
        _run_reproduction(chosen, out, form, how)
        return
    design = read_design(file)
    folder = None if out is None else Path(out)
    with progress_bar("study: runs") as report:
        columns = run_design(design, folder, how["workers"], how["scheduler"], None, how["fresh"], report, parquet)
    found = Study(design, columns)
    if folder is not None:
        _write_outputs(found, folder)
    table = found.table(_split_list(by), _split_list(measure), against)
    rows, (header, *cells) = table.rows(), table.cells()
    print_result(
        form,
        data=lambda: {"study": design.name, "identity": design.identity, "table": rows},
        table=lambda: format_table(header, cells, left=len(table.by), keys=len(table.by)),
        records=lambda: [list(table.columns), *(row.values() for row in rows)],
    )
    if folder is not None:
        print_note(f"rows, tables and figures are in {folder}.")


def _run_reproduction(chosen: dict[str, Any], out: str | None, form: str, how: dict[str, Any]) -> None:
    """Run the study of the paper that the file names, as `isegoria reproduce` does."""
    from isegoria.cli.reproduce import command as reproduce
    from isegoria.cli.reproduce import list_words

    if out is None:
        raise click.UsageError("a file with [reproduce] writes a study of the paper; give --out.")
    words = [*list_words(chosen), "--out", out, "--workers", str(how["workers"]), "--format", form]
    words += ["--scheduler", how["scheduler"]] if how["scheduler"] else []
    reproduce.main([*words, *["--fresh"] * how["fresh"]], standalone_mode=False)


def _split_list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _write_outputs(found: Study, folder: Path) -> None:
    """Write the table of all measures, and a figure of each of the first few."""
    from isegoria.figures import theme
    from isegoria.studies.result_tables import write_table

    write_table(folder, "table", found.table().columns, "Means over runs.")
    if theme.can_draw(print_note):
        for measure in found.design.measures[:MAX_FIGURES]:
            axes = found.plot(measure)
            for suffix in ("png", "svg", "pdf"):
                theme.save_figure(axes.figure, folder / f"{measure.replace(':', '-')}.{suffix}")


MAX_FIGURES = 5
"""Measures that have a figure of their own; `Study.plot` draws any."""

"""`isegoria reproduce`: the paper's tables and figures, and a page that compares them with the paper's."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options
from isegoria.cli.render import format_table, print_note, print_result
from isegoria.studies.registry import STUDIES, SWEEP_OPTIONS, TIE_BREAK_CHOICES

if TYPE_CHECKING:
    from isegoria.studies.registry import StudyOptions

ALL_STUDIES = "all"
STUDY_FILE = "study.toml"
HELP_EPILOG = """\b
Examples:
  isegoria reproduce --out out                      everything, in some minutes
  isegoria reproduce dots --out out                 Table 2 alone
  isegoria reproduce claims --workers 2 --out out   which sentences of the paper hold
  isegoria reproduce synthetic --seeds 20 --workers 2 --out out
  isegoria reproduce synthetic --agents 2:30 --arms 2:20 --models mallows:0.3,urn:0.5 --replicates 50 --out mine
  isegoria reproduce synthetic --shard 1/4 --out out      a quarter of the work; 1/4 to 4/4 make the whole"""


@click.command("reproduce", epilog=HELP_EPILOG)
@click.argument("study", type=click.Choice([*STUDIES, ALL_STUDIES]), default=ALL_STUDIES)
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="out",
    show_default=True,
    help="The folder to write into; studies may share it.",
)
@options.seed
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeat the sweep with this many seeds, counted up from --seed.",
)
@click.option(
    "--agents", metavar="SIZES", help="Numbers of agents of the sweep, such as 2:30 or 5,10,20.  [default: 2:10]"
)
@click.option("--arms", metavar="SIZES", help="Numbers of arms.  [default: 2:10]")
@click.option(
    "--favourites",
    metavar="SIZES",
    help="Largest favourite sets; those above the number of arms are left out.  [default: 1:10]",
)
@click.option(
    "--models", metavar="LIST", help="Preference models, such as mallows:0.3,urn:0.5.  [default: the paper's eight]"
)
@click.option(
    "--replicates",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Instances for each cell of the sweep.",
)
@click.option(
    "--tie-break",
    type=click.Choice(TIE_BREAK_CHOICES),
    default=TIE_BREAK_CHOICES[0],
    show_default=True,
    help="Which of several optimal policies the tables score. The paper does not say; fitted (EG by vertex, the "
    "others by centre) comes nearest to it. Table 1 is shown under each.",
)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes for the sweep.")
@click.option("--scheduler", metavar="ADDRESS", default=None, help="A Dask scheduler for the sweep instead.")
@click.option("--shard", metavar="I/N", default="1/1", help="Do only the I-th of N parts of the sweep.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False),
    default=None,
    help="A folder of real data for world and agents, fetched by you.",
)
@click.option("--short", is_flag=True, help="The short form of rate, turns or agents, which all takes.")
@click.option("--fresh", is_flag=True, help="Compute the sweep again, even where --out holds results of it.")
@options.form
def command(study: str, out: str, form: str, **choices: Any) -> None:
    """Run the paper's experiments: the synthetic sweep, the Dots voters, the learning run, or all of them.

    claims tests every item of the paper, each with a measurement, a requirement and a verdict. Five more studies
    are not in the paper. rate compares the regret of Algorithm 1 with the bound of Theorem 2, for up to a
    million rounds. turns compares turns with memory with published rules (all runs a short form of both). beyond
    measures the claims of the elimination learner, compares the learners, and lets preferences change. agents compares
    rules for software agents that decide together. world asks who was heard in real groups, with data that you have
    fetched (--data).

    Tables, figures and report.html go into --out. An interrupted run continues where it was. The number of workers,
    the shards and interruptions change nothing in the results.
    """
    from isegoria.studies.provenance import PROVENANCE_FILE
    from isegoria.studies.reproduction import reproduce

    taken = [name for row in STUDIES.values() if study in (row.id, ALL_STUDIES) for name in row.takes]
    for option in options.explicit_options(
        *(
            {"seed", "tie_break", "short", "data", *SWEEP_OPTIONS, *["shard", "scheduler"] * ("agents" not in taken)}
            - set(taken)
        )
    ):
        raise click.UsageError(f"{option} changes nothing in the study {study}; leave it out")
    found = reproduce(
        study,
        out,
        _build_options(choices),
        print_note,
        lambda id: _build_command(id, out, choices | {"short": choices["short"] or study == ALL_STUDIES}),
    )
    for id in STUDIES if study == ALL_STUDIES else (study,):
        if (Path(out) / id / PROVENANCE_FILE).exists():
            chosen = _select_choices(id, choices | {"short": choices["short"] or study == ALL_STUDIES})
            write_study_file(Path(out) / id, chosen)
    rows = [asdict(finding) for finding in found]
    print_result(
        form,
        data=lambda: {"study": study, "seed": choices["seed"], "out": out, "findings": rows},
        table=lambda: _format_findings(rows),
        records=lambda: [list(rows[0]) if rows else ["study"], *(row.values() for row in rows)],
    )
    seed = "" if "seed" not in taken else f"seed {choices['seed']}; "
    print_note(f"{seed}the page is {Path(out) / 'report.html'}.")


def _build_options(choices: dict[str, Any]) -> StudyOptions:
    """Build the options of the studies from those of the command line."""
    from isegoria.studies.grid import MAX_SIZE, Grid, parse_sizes
    from isegoria.studies.registry import StudyOptions
    from isegoria.studies.sweep import parse_shard

    changed: dict[str, Any] = {
        name: parse_sizes(choices[name], f"--{name}") for name in ("agents", "arms", "favourites") if choices[name]
    }
    if choices["models"]:
        changed["models"] = tuple(choices["models"].split(","))
    if choices["seeds"] > MAX_SIZE:
        raise click.UsageError(f"--seeds is {choices['seeds']}; expected at most {MAX_SIZE:,}")
    seed = choices["seed"]
    ties = choices["tie_break"]
    seeds = tuple(range(seed, seed + choices["seeds"]))
    grid = Grid(**changed, replicates=choices["replicates"], seeds=seeds, tie_break=ties)
    return StudyOptions(
        seed,
        ties,
        grid,
        choices["workers"],
        choices["scheduler"],
        parse_shard(choices["shard"]),
        choices["fresh"],
        choices["short"],
        data=None if choices["data"] is None else Path(choices["data"]),
    )


def _build_command(study: str, out: str, choices: dict[str, Any]) -> str:
    """Return the command line that gives the same results, without the options that change none of them."""
    return shlex.join(["isegoria", "reproduce", *list_words(_select_choices(study, choices)), "--out", out])


def _select_choices(study: str, choices: dict[str, Any]) -> dict[str, Any]:
    """Return the study and those of its options that change its results, by name."""
    taken = {name: choices[name] for name in STUDIES[study].takes}
    usual = (None, False, 1, TIE_BREAK_CHOICES[0])
    return {"study": study} | {
        name: value for name, value in taken.items() if name == "seed" or value is True or value not in usual
    }


def list_words(chosen: dict[str, Any]) -> list[str]:
    """Return the words of the command line for a study and its options.

    >>> list_words({"study": "rate", "seed": 7, "short": True})
    ['rate', '--seed', '7', '--short']
    """
    words = [chosen["study"]]
    for name, value in chosen.items():
        if name != "study":
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def write_study_file(folder: Path, chosen: dict[str, Any]) -> None:
    """Write `study.toml`, with which `isegoria study` runs the study again."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in chosen.items()]
    text = "\n".join(
        [f"# isegoria study {STUDY_FILE} --out OUT writes the same files again.", "[reproduce]", *lines, ""]
    )
    (folder / STUDY_FILE).write_text(text, encoding="utf-8")


COLUMN_WIDTHS = {"policy": 13, "statistic": 30, "value": 18}
"""Columns of words in the table; longer ones go on in the next line, so that no line is longer than 100 letters."""


def _format_findings(rows: list[dict[str, Any]]) -> str:
    marks = {True: "✓", False: "✗", None: ""}
    lines: list[tuple[str, ...]] = []
    for row in rows:
        words = {"policy": row["policy"], "statistic": row["statistic"], "value": _format_value(row["value"])}
        parts = [wrap(words[name], most) or [""] for name, most in COLUMN_WIDTHS.items()]
        paper = "" if row["paper"] is None else f"{row['paper']:.2f}"
        for place, (policy, statistic, value) in enumerate(zip_longest(*parts, fillvalue="")):
            ends = (row["study"], row["score"], paper, marks[row["agrees"]]) if place == 0 else ("", "", "", "")
            lines.append((ends[0], policy, ends[1], statistic, value, ends[2], ends[3]))
    return format_table(["study", "policy", "score", "statistic", "ours", "paper", ""], lines, left=4, keys=3)


def _format_value(value: float | str) -> str:
    """Format a finding for the table: counts as integers, scores to three places, words as they are."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.3f}"

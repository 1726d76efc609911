"""`isegoria learn --learners …`: compare learners on the same rewards, in a table and a figure for each question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isegoria.cli.render import format_table, print_note, print_result
from isegoria.errors import InputError
from isegoria.utils.formatting import format_number, format_range, pluralise
from isegoria.utils.progress import progress_bar

if TYPE_CHECKING:
    from isegoria.learning.environments.environment import Environment
    from isegoria.learning.simulation.learner_comparison import LearnerComparison

ALL_LEARNERS = "all"


def parse_learners(learners: str) -> list[str]:
    """Parse a list of learners such as "procedural,elimination:explore=0.1"; "all" is every learner."""
    from isegoria.learning.registry import LEARNERS
    from isegoria.learning.simulation.learner_names import parse_name, split_names

    if learners.strip() == ALL_LEARNERS:
        return list(LEARNERS)
    if not learners.strip(" ,"):
        raise InputError(
            "--learners names none; give some, such as procedural,elimination, or leave it out for one run."
        )
    names = split_names(learners)
    for place, name in enumerate(names):
        parse_name(name)  # raises an error that names the nearest learner
        if name in names[:place]:
            raise InputError(f"--learners names {name} twice; name each learner once.")
    return names


def run_comparison(
    world: Environment,
    names: list[Any],
    seeds: int,
    workers: int | None,
    out: str | None,
    form: str,
    choices: dict[str, Any],
) -> None:
    """Run the comparison that the options describe, and print it; figures and their data go into `out`."""
    from isegoria.learning.simulation.learner_comparison import compare_learners

    first, rounds = choices["seed"], choices["rounds"]
    settings = {"gamma": choices["gamma"], "alpha": choices["alpha"]}
    with progress_bar("learning: runs") as report:
        seeded, keep = range(first, first + seeds), Path(out) / "runs" if out else None
        found = compare_learners(world, names, rounds, seeded, workers, report=report, keep=keep, **settings)
    if out:
        from isegoria.figures.comparison_files import write_comparison
        from isegoria.figures.theme import can_draw

        write_comparison(found, Path(out), can_draw(print_note))
    columns = _mask_unfinished_sets(found.summary(), rounds)
    print_result(
        form,
        data=lambda: {
            **choices,
            "seeds": list(found.seeds),
            "learners": _group_by_learner(columns),
            "runs": found.runs(),
        },
        table=lambda: _format_table(found, columns),
        records=lambda: [list(columns), *zip(*columns.values(), strict=True)],
    )
    print_note(f"{format_range(found.seeds, 'seed')}." + (f" Figures and their data are in {out}." if out else ""))


def _mask_unfinished_sets(columns: dict[str, list[Any]], rounds: int) -> dict[str, list[Any]]:
    """Replace the last round with a wrong set by None where some set was still wrong at the end."""
    ends = [f"sets{end}" for end in ("", "_low", "_high")]
    return columns | {end: [None if value >= rounds else value for value in columns[end]] for end in ends}


def _group_by_learner(columns: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """Return the median, minimum and maximum over the seeds, for each learner and question."""
    from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS

    return {
        name: {
            question: {
                "median": columns[question][row],
                "low": columns[f"{question}_low"][row],
                "high": columns[f"{question}_high"][row],
            }
            for question in COMPARISON_METRICS
        }
        for row, name in enumerate(columns["learner"])
    }


def _format_table(found: LearnerComparison, columns: dict[str, list[Any]]) -> str:
    from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS

    rows = [
        [entry.label, *(_format_cell(columns, question, row) for question in COMPARISON_METRICS)]
        for row, entry in enumerate(found.entries)
    ]
    rounds = pluralise(found.rounds, "round")
    runs = f"{len(found.seeds)} seeds" if len(found.seeds) > 1 else "one seed"
    lines = [
        f"{rounds}, {runs}, the same rewards for every learner; medians, and in brackets the range.",
        "",
        format_table(["learner", *(question.head for question in COMPARISON_METRICS.values())], rows),
        "",
        "voice lost: the rounds' worth of voices that the arms as played did not carry, exploring rounds included; PF",
        "as played: their procedural score; least voice: the share of rounds that went to a favourite of the worst-off",
        "agent; longest wait: the most rounds in a row that someone saw no favourite. sets right after: the last round",
        "with a favourite set wrong; PF regret: how many rounds had one (the theorem bounds it; exploring",
        "permanently minimises it). The sets are those that the learner's own estimates imply, whatever its policy; a",
        "mean of 0 or 1 carries no noise, and one pull tells it. unfair for: rounds whose learned policy was not",
        "procedurally fair. PF, IM and UT score: of the learned policy.",
    ]
    return "\n".join(lines)


def _format_cell(columns: dict[str, list[Any]], question: str, row: int) -> str:
    middle, low, high = (columns[f"{question}{end}"][row] for end in ("", "_low", "_high"))
    from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS

    whole = COMPARISON_METRICS[question].digits == 0
    show = [
        "never" if value is None else f"{value:,.0f}" if whole else format_number(value)
        for value in (middle, low, high)
    ]
    return show[0] if show[1] == show[2] else f"{show[0]} [{show[1]}, {show[2]}]"

"""`isegoria learn --learners …`: learners on the same rewards, a table and a figure for each question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isegoria.cli.render import note, result, table
from isegoria.errors import InputError
from isegoria.progress import progress
from isegoria.wording import counted, rounded, span

if TYPE_CHECKING:
    from isegoria.learning.runs.contest import Contest
    from isegoria.learning.worlds.environment import Environment

ALL = "all"


def chosen(learners: str) -> list[str]:
    """The names in a list such as "procedural,guided:explore=0.1"; "all" is every learner."""
    from isegoria.learning.registry import LEARNERS
    from isegoria.learning.runs.variants import parsed, split_names

    if learners.strip() == ALL:
        return list(LEARNERS)
    if not learners.strip(" ,"):
        raise InputError("--learners names none; give some, such as procedural,guided, or leave it out for one run.")
    names = split_names(learners)
    for place, name in enumerate(names):
        parsed(name)  # raises an error that names the nearest
        if name in names[:place]:
            raise InputError(f"--learners names {name} twice; name each learner once.")
    return names


def compared(
    world: Environment,
    names: list[Any],
    seeds: int,
    workers: int | None,
    out: str | None,
    form: str,
    choices: dict[str, Any],
) -> None:
    """Run the contest that the options ask for, and print it; figures and their data go into `out`."""
    from isegoria.learning.runs.contest import contest

    first, rounds = choices["seed"], choices["rounds"]
    settings = {"gamma": choices["gamma"], "alpha": choices["alpha"]}
    with progress("learning: runs") as report:
        found = contest(world, names, rounds, range(first, first + seeds), workers, report=report, **settings)
    if out:
        from isegoria.figures.contest import write_contest
        from isegoria.figures.theme import can_draw

        write_contest(found, Path(out), can_draw(note))
    columns = _or_never(found.summary(), rounds)
    result(
        form,
        data=lambda: {**choices, "seeds": list(found.seeds), "learners": _by_learner(columns)},
        table=lambda: _text(found, columns),
        records=lambda: [list(columns), *zip(*columns.values(), strict=True)],
    )
    note(f"{span(found.seeds, 'seed')}." + (f" Figures and their data are in {out}." if out else ""))


def _or_never(columns: dict[str, list[Any]], rounds: int) -> dict[str, list[Any]]:
    """The columns, with None for a number of rounds after which sets were right where some still were wrong."""
    ends = [f"sets{end}" for end in ("", "_low", "_high")]
    return columns | {end: [None if value >= rounds else value for value in columns[end]] for end in ends}


def _by_learner(columns: dict[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """For each learner and question the median, the least and the largest over the seeds."""
    from isegoria.learning.runs.contest import QUESTIONS

    return {
        name: {
            question: {"median": columns[question][row], "low": columns[f"{question}_low"][row],
                       "high": columns[f"{question}_high"][row]}
            for question in QUESTIONS
        }
        for row, name in enumerate(columns["learner"])
    }  # fmt: skip


def _text(found: Contest, columns: dict[str, list[Any]]) -> str:
    from isegoria.learning.runs.contest import QUESTIONS

    rows = [[entry.label, *(_cell(columns, question, row) for question in QUESTIONS)]
            for row, entry in enumerate(found.entries)]  # fmt: skip
    rounds = counted(found.rounds, "round")
    runs = f"{len(found.seeds)} seeds" if len(found.seeds) > 1 else "one seed"
    lines = [
        f"{rounds}, {runs}, the same rewards for every learner; medians, and in brackets the range.",
        "",
        table(["learner", *(question.head for question in QUESTIONS.values())], rows),
        "",
        "sets right after: the last round with a favourite set wrong; PF regret: how many rounds had one. The sets are",
        "those that the learner's own estimates imply, whatever its policy; a mean of 0 or 1 carries no noise, and one",
        "pull tells it. unfair for: rounds whose learned policy was not procedurally fair; voice regret: the voices it",
        "did not carry, summed over rounds. PF, IM and UT score: of the learned policy. PF as played: the procedural",
        "score of the arms pulled. least voice: the share of rounds that went to a favourite of the worst-off agent.",
    ]
    return "\n".join(lines)


def _cell(columns: dict[str, list[Any]], question: str, row: int) -> str:
    middle, low, high = (columns[f"{question}{end}"][row] for end in ("", "_low", "_high"))
    from isegoria.learning.runs.contest import QUESTIONS

    whole = QUESTIONS[question].digits == 0
    show = ["never" if value is None else f"{value:,.0f}" if whole else rounded(value) for value in (middle, low, high)]
    return show[0] if show[1] == show[2] else f"{show[0]} [{show[1]}, {show[2]}]"

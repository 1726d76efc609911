"""`isegoria solve FILE --objective procedural`: one policy, with its gap."""

from __future__ import annotations

import click

from isegoria import tolerances
from isegoria.cli import entries, options, render
from isegoria.objectives import OBJECTIVES
from isegoria.wording import SCORES

EPILOG = """\b
Examples:
  isegoria solve ratings.csv
  isegoria solve ratings.csv --objective nash --within procedural
  isegoria solve votes.soc --objective gini --format csv"""
LONGEST_BAR = 30


@click.command("solve", epilog=EPILOG)
@options.objective
@options.tie_break
@options.within
@entries.gini_weights
@options.form
@options.reads_instance
def command(instance, objective, tie_break, within, gini_weights, form) -> None:
    """One policy, with the proof that it is optimal.

    The gap says how far from the best the policy's value can be at most; it is computed from the policy itself.
    """
    choices = {"tie_break": tie_break, "within": within, "gini_weights": gini_weights}
    render.result(
        form,
        data=lambda: {
            "agents": instance.total_weight,
            "arms": instance.arms,
            "objective": objective,
            **entries.entry(_row(instance, objective, choices)),
        },
        table=lambda: _table(instance, objective, choices),
        records=lambda: entries.records([_row(instance, objective, choices)], instance.arms),
    )


def _row(instance, objective: str, choices: dict) -> dict:
    """The objective's row among the six, which are needed to say which of them dominate it."""
    from isegoria.comparison import compare

    return next(row for row in compare(instance, **choices).rows() if row["objective"] == objective)


def _table(instance, objective: str, choices: dict) -> str:
    """The policy with a bar for each arm, and below it what it is worth and the proof."""
    from isegoria.objectives import solve
    from isegoria.scores import score

    solution = solve(instance, objective, **choices)
    scores = score(instance, solution.policy)
    row = OBJECTIVES[objective]
    arms = [(arm, p) for arm, p in zip(instance.arms, solution.policy.tolist(), strict=True) if p >= tolerances.NEVER]
    never = len(instance.arms) - len(arms)
    largest = max(p for _, p in arms)
    bars = [[render.short(arm), render.number(p), "█" * round(LONGEST_BAR * p / largest)] for arm, p in arms]
    facts = [
        ["value", f"{solution.value:.6g}"],
        ["gap", f"{solution.gap:.1e}" if solution.gap else "0"],
        ["tie-break", solution.tie_break + (f", within {solution.within}" if solution.within else "")],
        ["scores", ", ".join(f"{name} {render.number(getattr(scores, name))}" for name in SCORES)],
    ]
    return "\n".join(
        [
            f"{row.label} {row.id}: {row.summary}",
            entries.size(instance),
            "",
            render.table(["arm", "chance", ""], bars, left=(0, 2)),
            *[f"({never} arm{'s are' if never > 1 else ' is'} never chosen)"] * bool(never),
            "",
            *(f"{name:<11}{text}" for name, text in facts),
        ]
    )

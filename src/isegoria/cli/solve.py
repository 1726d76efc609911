"""`isegoria solve FILE --objective procedural`: one policy, with its gap."""

from __future__ import annotations

import click

from isegoria import tolerances
from isegoria.cli import entries, options, render
from isegoria.objectives import OBJECTIVES
from isegoria.wording import SCORES, counted

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
@options.gini_weights
@options.form
@options.reads_table
def command(instance, objective, tie_break, within, gini_weights, form) -> None:
    """One policy, with the proof that it is optimal.

    The gap says how far from the best the policy's value can be at most; it is computed from the policy itself.
    """
    from isegoria.comparison import Comparison, Entry
    from isegoria.objectives import solve
    from isegoria.scores import score

    solution = solve(instance, objective, tie_break, within, gini_weights)
    found = Entry(solution, score(instance, solution.policy), label=OBJECTIVES[objective].label)
    alone = Comparison(instance, {objective: found})
    render.result(
        form,
        data=lambda: _data(objective, **alone.to_dict()),
        table=lambda: _table(instance, solution, found.scores),
        records=lambda: entries.records(alone.rows(), instance.arms),
    )


def _data(objective: str, agents, arms, objectives) -> dict:
    """The comparison of one with nobody, as JSON has it: that objective's entry stands beside the names."""
    return {"agents": agents, "arms": arms, "objective": objective, **objectives[objective]}


def _table(instance, solution, scores) -> str:
    """The policy with a bar for each arm, and below it what it is worth and the proof."""
    row = OBJECTIVES[solution.objective]
    arms = [(arm, p) for arm, p in zip(instance.arms, solution.policy.tolist(), strict=True) if p >= tolerances.NEVER]
    never = len(instance.arms) - len(arms)
    largest = max(p for _, p in arms)
    bars = [[render.short(arm), render.number(p), "█" * round(LONGEST_BAR * p / largest)] for arm, p in arms]
    facts = [
        ["value", f"{solution.value:.6g}"],
        ["gap", _gap(solution.gap)],
        ["tie-break", solution.tie_break + (f", within {solution.within}" if solution.within else "")],
        ["scores", ", ".join(f"{name} {render.number(getattr(scores, name))}" for name in SCORES)],
    ]
    return "\n".join(
        [
            f"{row.label} {row.id}: {row.summary}",
            entries.size(instance),
            "",
            render.table(["arm", "chance", ""], bars, left=(0, 2)),
            *[f"({counted(never, 'arm')} {'are' if never > 1 else 'is'} never chosen)"] * bool(never),
            "",
            *(f"{name:<11}{text}" for name, text in facts),
        ]
    )


def _gap(gap: float) -> str:
    if gap != gap:
        return "not proved"
    return f"{gap:.1e}" if gap else "0"

"""`isegoria solve FILE --rule procedural`: one policy, with its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria import tolerances
from isegoria.cli import entries, options, render
from isegoria.rules import RULES
from isegoria.wording import SCORES, counted, rounded

if TYPE_CHECKING:
    from isegoria.instance import Instance
    from isegoria.rules import Solution
    from isegoria.scores import Scores

EPILOG = """\b
Examples:
  isegoria solve ratings.csv
  isegoria solve ratings.csv --rule nash --within procedural
  isegoria solve votes.soc --rule CUT --format csv"""
LONGEST_BAR = 30


@click.command("solve", epilog=EPILOG)
@options.rule
@options.tie_break
@options.within
@options.rule_options
@options.form
@options.reads_table
def command(instance: Instance, rule: str, tie_break: Any, within: Any, form: str, **own: Any) -> None:
    """One policy, by the rule of your choice, with its proof.

    Of a rule that maximises something, the gap says how far from the best the policy's value can be at most; it is
    computed from the policy itself.
    """
    from isegoria.comparison import Comparison, Entry
    from isegoria.rules import solve
    from isegoria.scores import score

    solution = solve(instance, rule, tie_break, within, **own)
    found = Entry(solution, score(instance, solution.policy), label=RULES[rule].label)
    alone = Comparison(instance, {rule: found})
    render.result(
        form,
        data=lambda: _data(rule, solution, **alone.to_dict()),
        table=lambda: _table(instance, solution, found.scores),
        records=lambda: entries.records(alone.rows(), instance.arms),
    )


def _data(rule: str, solution: Solution, agents: Any, arms: Any, objectives: Any, left_out: Any) -> dict[str, Any]:
    """The comparison of one with nobody, as JSON has it: that rule's entry stands beside the names."""
    sampled = {"interval": solution.interval} if solution.interval else {}
    return {"agents": agents, "arms": arms, "objective": rule, "rule": rule, **objectives[rule], **sampled}


def _table(instance: Instance, solution: Solution, scores: Scores) -> str:
    """The policy with a bar for each arm, and below it what it is worth and the proof."""
    row = RULES[solution.rule]
    arms = [(arm, p) for arm, p in zip(instance.arms, solution.policy.tolist(), strict=True) if p >= tolerances.NEVER]
    never = len(instance.arms) - len(arms)
    largest = max(p for _, p in arms)
    bars = [[render.short(arm), rounded(p), "█" * round(LONGEST_BAR * p / largest)] for arm, p in arms]
    facts = [
        *[["value", f"{solution.value:.6g}"]] * (solution.value == solution.value),
        ["gap", _gap(solution.gap)] if solution.gap == solution.gap else ["proof", _proof(solution)],
        ["tie-break", solution.tie_break + (f", within {solution.within}" if solution.within else "")],
        ["scores", ", ".join(f"{name} {rounded(getattr(scores, name))}" for name in SCORES)],
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
    return f"{gap:.1e}" if gap else "0"


def _proof(solution: Solution) -> str:
    if solution.proof == "sampled":
        return f"sampled: every chance is right to {solution.interval:.3g}, with a chance of 0.999"
    return {"none": "not proved"}.get(solution.proof, solution.proof)

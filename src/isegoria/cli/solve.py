"""`isegoria solve FILE --rule procedural`: one policy, with its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, policy_table, render
from isegoria.rules import RULES
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS, format_number, pluralise

if TYPE_CHECKING:
    from isegoria.analysis.scores import Scores
    from isegoria.profiles import Instance
    from isegoria.rules import Solution

HELP_EPILOG = """\b
Examples:
  isegoria solve ratings.csv
  isegoria solve ratings.csv --rule nash --within fair
  isegoria solve votes.soc --rule CUT --format csv"""
MAX_BAR_WIDTH = 30


@click.command("solve", epilog=HELP_EPILOG)
@options.rule
@options.tie_break
@options.within
@options.rule_options
@options.form
@options.with_profile
def command(instance: Instance, rule: str, tie_break: Any, within: Any, form: str, **own: Any) -> None:
    """Compute the policy of one rule, with its proof.

    For optimising rules, the gap is an upper bound on the suboptimality of the policy. It is computed from the policy
    itself.
    """
    from isegoria.analysis.comparison import Comparison, ComparisonEntry
    from isegoria.analysis.scores import score
    from isegoria.rules import solve

    solution = solve(instance, RULES[rule], tie_break, within, **own)
    found = ComparisonEntry(solution, score(instance, solution.policy), label=RULES[rule].label)
    alone = Comparison(instance, {rule: found})
    render.print_result(
        form,
        data=lambda: _to_json(rule, solution, **alone.to_dict()),
        table=lambda: _format_table(instance, solution, found.scores),
        records=lambda: policy_table.to_csv_rows(alone.to_rows(), instance.arms),
    )


def _to_json(rule: str, solution: Solution, agents: Any, arms: Any, rules: Any, skipped_rules: Any) -> dict[str, Any]:
    """Return the comparison of a single rule as JSON data, with that rule's entry beside the names."""
    sampled = {"sampling_error": solution.sampling_error} if solution.sampling_error else {}
    return {"agents": agents, "arms": arms, "rule": rule, **rules[rule], **sampled}


def _format_table(instance: Instance, solution: Solution, scores: Scores) -> str:
    """Format the policy with a bar for each arm, and its value and proof below."""
    row = RULES[solution.rule]
    arms = [
        (arm, p) for arm, p in zip(instance.arms, solution.policy.tolist(), strict=True) if p >= tolerances.NEVER_CHOSEN
    ]
    never = len(instance.arms) - len(arms)
    largest = max(p for _, p in arms)
    bars = [[render.truncate_name(arm), format_number(p), "█" * round(MAX_BAR_WIDTH * p / largest)] for arm, p in arms]
    facts = [
        *[["value", f"{solution.value:.6g}"]] * (solution.value == solution.value),
        ["gap", _gap(solution.gap)] if solution.gap == solution.gap else ["proof", _proof(solution)],
        ["tie-break", solution.tie_break + (f", within {solution.within}" if solution.within else "")],
        ["scores", ", ".join(f"{name} {format_number(getattr(scores, name))}" for name in SCORE_LABELS)],
    ]
    return "\n".join(
        [
            f"{row.label} {row.id}: {row.summary}",
            policy_table.format_size(instance),
            "",
            render.format_table(["arm", "chance", ""], bars, left=(0, 2)),
            *[f"({pluralise(never, 'arm')} {'are' if never > 1 else 'is'} never chosen)"] * bool(never),
            "",
            *(f"{name:<11}{text}" for name, text in facts),
        ]
    )


def _gap(gap: float) -> str:
    return f"{gap:.1e}" if gap else "0"


def _proof(solution: Solution) -> str:
    if solution.proof == "sampled":
        return f"sampled: every chance is right to {solution.sampling_error:.3g}, with a chance of 0.999"
    return {"none": "not proved"}.get(solution.proof, solution.proof)

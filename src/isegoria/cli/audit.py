"""`isegoria audit FILE`: is a policy fair, to whom not, is it stable, where did each voice go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import entries, options, render
from isegoria.cli.failures import DONE, FALSE
from isegoria.wording import SCORES, rounded

if TYPE_CHECKING:
    from isegoria.auditing import Audit
    from isegoria.instance import Instance

EPILOG = """\b
Examples:
  isegoria audit ratings.csv --policy 0.5,0.3,0.2
  isegoria audit ratings.csv --policy tea=2/3,coffee=1/3 --plot voices.svg
  isegoria audit votes.soc --rule nash --format json"""
MOST_SENTENCES = 40


@click.command("audit", epilog=EPILOG)
@options.policy
@options.rule
@options.tie_break
@options.within
@click.option(
    "--time-limit", type=float, default=10.0, show_default=True, metavar="SECONDS",
    help="How long each of the two questions of stability may take.",
)  # fmt: skip
@options.plot("where the voices went")
@options.form
@options.reads_table
def command(
    instance: Instance,
    policy: str | None,
    rule: str,
    tie_break: Any,
    within: Any,
    time_limit: float,
    plot: str | None,
    form: str,
) -> int:
    """Is a policy fair, to whom not, is it stable, and where did each voice go.

    Give the policy, or name the rule whose policy is meant. Exits with 1 when the policy is not procedurally
    fair.
    """
    from isegoria.auditing import audit
    from isegoria.rules import solve

    if policy is not None:
        _refuse_both()
        audited: Any = options.parse_policy(policy, instance.arms)
    else:
        audited = solve(instance, rule, tie_break, within).policy
    report = audit(instance, audited, time_limit=time_limit)
    if plot:
        _draw(report, plot)
    render.result(
        form,
        data=lambda: _data(report),
        table=lambda: _table(report, "given" if policy is not None else rule),
        records=lambda: _records(report),
    )
    return DONE if report.fair else FALSE


def _refuse_both() -> None:
    for option in options.given("rule", "objective", "tie_break", "within"):
        raise click.UsageError(f"--policy and {option} both say which policy is meant; give one of them")


def _data(report: Audit) -> dict[str, Any]:
    """The audit as JSON has it."""
    group = report.neglected
    return {
        "policy": report.policy,
        "scores": {name: getattr(report.scores, name) for name in SCORES},
        "procedural_interval": report.scores.procedural_interval,
        "shares": report.shares,
        "attribution": report.attribution,
        "neglected": group and {key: getattr(group, key) for key in ("agents", "arms", "deserves", "receives")},
        "proportional": report.proportional,
        "core": {
            kind: {
                "stable": verdict.stable,
                "proof": verdict.proof,
                "coalition": verdict.agents,
                "deviation": verdict.deviation,
                "bound": verdict.bound,
            }
            for kind, verdict in report.core.items()
        },
        "efficient": None if report.efficient is None else report.efficient.holds,
        "sentences": report.sentences,
    }


def _table(report: Audit, name: str) -> str:
    """The policy and its scores in one line, then every sentence; of very many, the first."""
    instance, scores = report.instance, report.scores
    header = ["policy", *SCORES, *entries.policy_columns(instance.arms)]
    line = [name, *(rounded(getattr(scores, key)) for key in SCORES)]
    line += entries.policy_cells(report.policy.tolist(), instance.arms)
    left = {0} if len(instance.arms) <= entries.MOST_COLUMNS else {0, 1 + len(SCORES)}
    voices = list(report.voices[:MOST_SENTENCES])
    more = len(report.voices) - len(voices)
    if more:
        voices.append(f"(and {more} more; --format json has them all)")
    return "\n".join(
        [entries.size(instance), "", render.table(header, [line], left), "", *report.verdicts, "", *voices]
    )


def _records(report: Audit) -> Iterator[list[Any]]:
    """The audit as CSV has it: one line per agent, with what it carried of each arm."""
    instance = report.instance
    yield ["agent", "weight", "decision_share", "due", "carried", "ratio", *instance.arms]
    due = instance.weights / instance.total_weight
    columns = (instance.weights, report.shares, due, report.ratios * due, report.ratios)
    for i, agent in enumerate(instance.agents):
        yield [agent, *(column[i] for column in columns), *report.attribution[i]]


def _draw(report: Audit, path: str) -> None:
    from isegoria.figures.theme import save
    from isegoria.figures.voice import voice_figure

    save(voice_figure(report), path)
    render.note(f"the figure is in {path}.")

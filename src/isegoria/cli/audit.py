"""`isegoria audit FILE`: whether a policy is fair and stable, to whom it is not fair, and where each voice went."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, policy_table, render
from isegoria.cli.error_handling import EXIT_CHECK_FAILED, EXIT_OK
from isegoria.utils.formatting import SCORE_LABELS, format_number

if TYPE_CHECKING:
    from isegoria.analysis.audit import Audit
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria audit ratings.csv --policy 0.5,0.3,0.2
  isegoria audit ratings.csv --policy tea=2/3,coffee=1/3 --plot voices.svg
  isegoria audit votes.soc --rule nash --format json"""
MAX_SENTENCES = 40
AGENT_COLUMNS = ("agent", "weight", "decision_share", "due", "carried", "ratio")


@click.command("audit", epilog=HELP_EPILOG)
@options.policy
@options.rule
@options.tie_break
@options.within
@click.option(
    "--time-limit",
    type=float,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each of the two questions of stability may take.",
)
@options.plot("where the voices went")
@click.option("--report", metavar="FILE.html", default=None, help="Write the whole audit as one page to print or send.")
@options.form
@options.with_profile
def command(
    instance: Instance,
    policy: str | None,
    rule: str,
    tie_break: Any,
    within: Any,
    time_limit: float,
    plot: str | None,
    report: str | None,
    form: str,
) -> int:
    """Audit a policy: is it fair, who is neglected, is it stable, and where does each voice go?

    Give the policy, or name a rule to audit its policy. The exit code is 1 if the policy is not procedurally
    fair.
    """
    from isegoria.analysis.audit import audit

    found = audit(instance, options.select_policy(instance, policy, rule, tie_break, within), time_limit)
    if plot:
        _save_figure(found, plot)
    if report:
        render.print_note(f"the page is in {found.report(report)}.")
    render.print_result(
        form,
        data=found.to_dict,
        table=lambda: _format_table(found, "given" if policy is not None else rule),
        records=lambda: _to_csv_rows(found),
    )
    return EXIT_OK if found.is_fair else EXIT_CHECK_FAILED


def _format_table(report: Audit, name: str) -> str:
    """Format the policy and its scores in one line, then every sentence; only the first ones if there are very many."""
    instance, scores = report.instance, report.scores
    header = ["policy", *SCORE_LABELS, *policy_table.policy_headers(instance.arms)]
    line = [name, *(format_number(getattr(scores, key)) for key in SCORE_LABELS)]
    line += policy_table.format_policy(report.policy.tolist(), instance.arms)
    left = {0} if len(instance.arms) <= policy_table.MAX_ARM_COLUMNS else {0, 1 + len(SCORE_LABELS)}
    voices = list(report.agent_sentences[:MAX_SENTENCES])
    more = len(report.agent_sentences) - len(voices)
    if more:
        voices.append(f"(and {more} more; --format json has them all)")
    return "\n".join(
        [
            policy_table.format_size(instance),
            "",
            render.format_table(header, [line], left),
            "",
            *report.verdict_sentences,
            "",
            *voices,
        ]
    )


def _to_csv_rows(report: Audit) -> Iterator[list[Any]]:
    """Yield the rows of the audit for CSV, with a column for each arm."""
    yield [*AGENT_COLUMNS, *report.instance.arms]
    for row in report.to_rows():
        yield [*(row[name] for name in AGENT_COLUMNS), *row["attribution"]]


def _save_figure(report: Audit, path: str) -> None:
    from isegoria.figures.theme import save_figure
    from isegoria.figures.voice_figure import draw_voice

    save_figure(draw_voice(report), path)
    render.print_note(f"the figure is in {path}.")

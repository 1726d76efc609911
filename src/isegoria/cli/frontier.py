"""`isegoria frontier`: the price of equal voice in utility and in equality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, policy_table
from isegoria.cli.render import format_table, print_note, print_result
from isegoria.profiles import Instance
from isegoria.utils.formatting import format_number, pluralise

if TYPE_CHECKING:
    from isegoria.analysis.frontier import Frontier

HELP_EPILOG = """\b
Examples:
  isegoria frontier ratings.csv
  isegoria frontier ratings.csv --axis equality --points 11 --plot frontier.svg"""


@click.command("frontier", epilog=HELP_EPILOG)
@options.with_profile
@click.option(
    "--axis",
    type=click.Choice(["utilitarian", "equality"]),
    default="utilitarian",
    show_default=True,
    help="The score that equal voice is weighed against.",
)
@click.option(
    "--points",
    type=click.IntRange(min=2),
    default=None,
    help="How many levels from 0 to 1.  [default: all breakpoints; 21 for equality]",
)
@options.plot("the curve with the six policies")
@options.form
def command(instance: Instance, axis: Any, points: int | None, plot: str | None, form: str) -> None:
    """Show the best utilitarian (or equality) score attainable at each required procedural score, with its policy."""
    from isegoria.analysis.frontier import frontier

    curve = frontier(instance, axis, points)
    if plot:
        _save_figure(instance, curve, plot)
    print_result(
        form,
        data=curve.to_dict,
        table=lambda: (
            f"{policy_table.format_size(instance)}\n\n{_format_table(instance, curve)}"
            f"\n\n{_describe_price(instance, curve)}"
        ),
        records=lambda: [
            ["procedural", "value", *instance.arms],
            *([row["procedural"], row["value"], *row["policy"]] for row in curve.to_rows()),
        ],
    )


def _format_table(instance: Instance, curve: Frontier) -> str:
    """Format one line per level: the procedural score required, the best score left, and a policy that attains it."""
    return format_table(
        ["PF score at least", f"best {curve.axis}", *policy_table.policy_headers(instance.arms)],
        [
            [
                format_number(row["procedural"]),
                format_number(row["value"]),
                *policy_table.format_policy(row["policy"], instance.arms),
            ]
            for row in curve.to_rows()
        ],
        left=0,
    )


def _describe_price(instance: Instance, curve: Frontier) -> str:
    """Say what equal voice costs here and, for total utility, at worst in any group of this size."""
    from isegoria.analysis.frontier import worst_case_retention

    here = f"Equal voice costs {format_number(curve.price)} of the largest {curve.axis} score here."
    if curve.axis != "utilitarian":
        return here
    worst = worst_case_retention(instance.total_weight, len(instance.arms))
    return (
        f"{here}\nAny group of {pluralise(instance.total_weight, 'agent')} keeps at least "
        f"{format_number(worst.utilities)} of "
        f"the largest total\nutility, and with {pluralise(len(instance.arms), 'arm')} "
        f"{format_number(worst.shares)} of the "
        "largest total chance of favourites."
    )


def _save_figure(instance: Instance, curve: Frontier, path: str) -> None:
    from isegoria.analysis.comparison import compare
    from isegoria.figures.frontier_figure import draw_frontier
    from isegoria.figures.theme import save_figure

    save_figure(draw_frontier(curve, compare(instance)), path)
    print_note(f"the figure is in {path}.")

"""`isegoria frontier`: what voice costs in utility and in equality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isegoria.cli import entries, options
from isegoria.cli.render import note, result, table
from isegoria.instance import Instance
from isegoria.wording import counted, rounded

if TYPE_CHECKING:
    from isegoria.price import Frontier

EPILOG = """\b
Examples:
  isegoria frontier ratings.csv
  isegoria frontier ratings.csv --axis equality --points 11 --plot frontier.svg"""


@click.command("frontier", epilog=EPILOG)
@options.reads_table
@click.option(
    "--axis", type=click.Choice(["utilitarian", "equality"]), default="utilitarian", show_default=True,
    help="The score that equal voice is weighed against.",
)  # fmt: skip
@click.option(
    "--points", type=click.IntRange(min=2), default=None,
    help="How many levels from 0 to 1.  [default: all breakpoints; 21 for equality]",
)  # fmt: skip
@options.plot("the curve with the six policies")
@options.form
def command(instance: Instance, axis: str, points: int | None, plot: str | None, form: str) -> None:
    """Show the largest utilitarian (or equality) score that is left when every policy below a procedural score is
    ruled out, and a policy that has it."""
    from isegoria.price import frontier

    curve = frontier(instance, axis, points)
    if plot:
        _draw(instance, curve, plot)
    result(
        form,
        data=lambda: {"axis": curve.axis, "points": curve.rows()},
        table=lambda: f"{entries.size(instance)}\n\n{_table(instance, curve)}\n\n{_price(instance, curve)}",
        records=lambda: [
            ["procedural", "value", *instance.arms],
            *([row["procedural"], row["value"], *row["policy"]] for row in curve.rows()),
        ],
    )


def _table(instance: Instance, curve: Frontier) -> str:
    """One line for each level: the procedural score asked for, the best that is left, and a policy that has it."""
    return table(
        ["PF score at least", f"best {curve.axis}", *entries.policy_columns(instance.arms)],
        [
            [rounded(row["procedural"]), rounded(row["value"]), *entries.policy_cells(row["policy"], instance.arms)]
            for row in curve.rows()
        ],
        left=0,
    )


def _price(instance: Instance, curve: Frontier) -> str:
    """What equal voice costs here and, of total utility, at worst in any group of this size."""
    from isegoria.price import worst_price

    here = f"Equal voice costs {rounded(curve.price)} of the largest {curve.axis} score here."
    if curve.axis != "utilitarian":
        return here
    worst = worst_price(instance.total_weight, len(instance.arms))
    return (
        f"{here}\nAny group of {counted(instance.total_weight, 'agent')} keeps at least {rounded(worst.utilities)} of "
        f"the largest total\nutility, and with {counted(len(instance.arms), 'arm')} {rounded(worst.shares)} of the "
        "largest total chance of favourites."
    )


def _draw(instance: Instance, curve: Frontier, path: str) -> None:
    from isegoria.comparison import compare
    from isegoria.figures.frontier import frontier_figure
    from isegoria.figures.theme import save

    save(frontier_figure(curve, compare(instance)), path)
    note(f"the figure is in {path}.")

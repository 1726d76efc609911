"""`isegoria draw FILE`: the fair lottery in exact voices, and a block of draws from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, policy_table, render
from isegoria.utils.formatting import format_number, pluralise

if TYPE_CHECKING:
    from isegoria.profiles import Instance
    from isegoria.record.drawing import DrawResult
    from isegoria.record.exact_voices import Voices

HELP_EPILOG = """\b
Examples:
  isegoria draw ratings.csv --draws 5
  isegoria draw ratings.csv --seed "3 6 1 1 4 2"
  isegoria draw ratings.csv --policy tea=2/3,coffee=1/3 --format json"""


@click.command("draw", epilog=HELP_EPILOG)
@click.option(
    "--draws",
    type=click.IntRange(1, 20),
    default=10,
    show_default=True,
    help="How many draws in the block, 1 to 20: one for each turn.",
)
@click.option(
    "--seed",
    metavar="TEXT",
    default=None,
    help="The randomness itself, such as dice that you threw; the same text draws the same.  [default: fresh]",
)
@options.policy
@options.plot("how long somebody may wait, by the size of the block")
@options.form
@options.with_instance
def command(instance: Instance, draws: int, seed: str | None, policy: Any, plot: str | None, form: str) -> None:
    """Draw from the fair lottery, in exactly equal shares.

    Each member holds the same number of units, all on their own favourites; the lottery is their sum. A block of draws
    is a set of turns: each arm comes as often as its chance says, up to one. A draw that others must be able to check
    needs a record: see 'isegoria record --help'.
    """
    from isegoria.record.drawing import draw
    from isegoria.record.exact_voices import voices

    seed = options.resolve_seed_text(seed)
    held = voices(instance, None if policy is None else options.parse_policy(policy, instance.arms))
    drawn = draw(held, seed, draws)
    if plot:
        _save_figure(held, plot)
    render.print_result(
        form,
        data=lambda: {
            "policy": [str(share) for share in held.policy],
            "seed": seed,
            "draws": [
                {"ball": ball, "arm": arm, "agent": agent}
                for ball, (arm, agent) in zip(drawn.balls.tolist(), drawn.names, strict=True)
            ],
        },
        table=lambda: _format_table(instance, held, drawn, seed),
        records=lambda: [
            ["slot", "ball", "arm", "agent"],
            *([slot, ball, *names] for slot, (ball, names) in enumerate(_list_draws(drawn), start=1)),
        ],
    )


def _save_figure(held: Voices, path: str) -> None:
    from isegoria.figures import theme
    from isegoria.figures.waiting_figure import draw_waiting

    render.print_note(f"the figure is in {theme.save_figure(draw_waiting(held), path)}.")


def _list_draws(drawn: DrawResult) -> list[tuple[int, tuple[str, str]]]:
    return list(zip(drawn.balls.tolist(), drawn.names, strict=True))


def _format_table(instance: Instance, held: Voices, drawn: DrawResult, seed: str) -> str:
    chances = [
        [render.truncate_name(arm), str(share)]
        for arm, share in zip(held.arms, _format_shares(held.policy), strict=True)
    ]
    turns = [
        [str(slot), render.truncate_name(arm), render.truncate_name(agent), f"{ball:,}"]
        for slot, (ball, (arm, agent)) in enumerate(_list_draws(drawn), start=1)
    ]
    return "\n".join(
        [
            f"{policy_table.format_size(instance)}; each voice {held.rows[0].sum() // held.weights[0]:,} units",
            "",
            render.format_table(["arm", "chance"], chances),
            "",
            render.format_table(["turn", "arm", "by the voice of", "ball"], turns, left=(1, 2)),
            "",
            f"{pluralise(len(turns), 'draw')} of {held.total:,} numbers, by the seed {seed!r}",
        ]
    )


def _format_shares(policy: Any) -> list[str]:
    """Format probabilities as fractions where they are short, and as decimals otherwise."""
    return [str(share) if share.denominator < 1000 else format_number(float(share)) for share in policy]

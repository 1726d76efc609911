"""`isegoria draw FILE`: the fair lottery in exact voices, and a block of draws from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import entries, options, render
from isegoria.wording import counted, rounded

if TYPE_CHECKING:
    from isegoria.instance import Instance
    from isegoria.record.drawing import Drawn
    from isegoria.record.voices import Voices

EPILOG = """\b
Examples:
  isegoria draw ratings.csv --draws 5
  isegoria draw ratings.csv --seed "3 6 1 1 4 2"
  isegoria draw ratings.csv --policy tea=2/3,coffee=1/3 --format json"""


@click.command("draw", epilog=EPILOG)
@click.option(
    "--draws", type=click.IntRange(1, 20), default=10, show_default=True,
    help="How many draws in the block, 1 to 20: one for each turn.",
)  # fmt: skip
@click.option(
    "--seed", metavar="TEXT", default=None,
    help="The randomness itself, such as dice that you threw; the same text draws the same.  [default: fresh]",
)  # fmt: skip
@options.policy
@options.plot("how long somebody may wait, by the size of the block")
@options.form
@options.reads_instance
def command(instance: Instance, draws: int, seed: str | None, policy: Any, plot: str | None, form: str) -> None:
    """Draw from the fair lottery, in exact voices.

    Each member holds the same number of units, all on her own favourites; the lottery is their sum. A block of draws is
    a set of turns: each arm comes as often as its chance says, up to one. A draw that others must be able to check
    needs a record: see 'isegoria record --help'.
    """
    from isegoria.record.drawing import draw
    from isegoria.record.voices import voices

    seed = options.randomness(seed)
    held = voices(instance, None if policy is None else options.parse_policy(policy, instance.arms))
    drawn = draw(held, seed, draws)
    if plot:
        _draw(held, plot)
    render.result(
        form,
        data=lambda: {
            "policy": [str(share) for share in held.policy],
            "seed": seed,
            "draws": [
                {"ball": ball, "arm": arm, "agent": agent}
                for ball, (arm, agent) in zip(drawn.balls.tolist(), drawn.names, strict=True)
            ],
        },
        table=lambda: _table(instance, held, drawn, seed),
        records=lambda: [
            ["slot", "ball", "arm", "agent"],
            *([slot, ball, *names] for slot, (ball, names) in enumerate(_rows(drawn), start=1)),
        ],
    )


def _draw(held: Voices, path: str) -> None:
    from isegoria.figures import theme
    from isegoria.figures.waiting import waiting_figure

    render.note(f"the figure is in {theme.save(waiting_figure(held), path)}.")


def _rows(drawn: Drawn) -> list[tuple[int, tuple[str, str]]]:
    return list(zip(drawn.balls.tolist(), drawn.names, strict=True))


def _table(instance: Instance, held: Voices, drawn: Drawn, seed: str) -> str:
    chances = [[render.short(arm), str(share)] for arm, share in zip(held.arms, _readable(held.policy), strict=True)]
    turns = [
        [str(slot), render.short(arm), render.short(agent), f"{ball:,}"]
        for slot, (ball, (arm, agent)) in enumerate(_rows(drawn), start=1)
    ]
    return "\n".join(
        [
            f"{entries.size(instance)}; each voice {held.rows[0].sum() // held.weights[0]:,} units",
            "",
            render.table(["arm", "chance"], chances),
            "",
            render.table(["turn", "arm", "by the voice of", "ball"], turns, left=(1, 2)),
            "",
            f"{counted(len(turns), 'draw')} of {held.total:,} numbers, by the seed {seed!r}",
        ]
    )


def _readable(policy: Any) -> list[str]:
    """Fractions where they are short, decimals where they are not."""
    return [str(share) if share.denominator < 1000 else rounded(float(share)) for share in policy]

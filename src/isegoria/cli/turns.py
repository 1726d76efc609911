"""`isegoria turns FILE…`: replay a history of rounds, decide the next turn, or plan the coming ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render
from isegoria.errors import FileError, InputError, StateError
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from isegoria.record.turns.history_file import PastRound
    from isegoria.record.turns.perpetual import RoundProposal, Turn, Turns
    from isegoria.record.turns.planning import Plan

HELP_EPILOG = """\b
Examples:
  isegoria turns nights.csv
  isegoria turns monday.csv tuesday.csv --chosen Alien --seed "3 6 1 1 4 2"
  isegoria turns slots.csv --mode deterministic --plan 12 --plot owed.png"""

_NO_PAYBACK_NOTE = (
    "Rounds decided elsewhere are the same in every world, so this draw could not pay back what they left: keep the "
    "worlds from draw to draw (--state), or take --mode deterministic."
)


@click.command("turns", epilog=HELP_EPILOG)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--mode",
    type=click.Choice(["lottery", "deterministic"]),
    default=None,
    help="lottery: with memory; deterministic: a lottery only between ties.  [default: that of --state, or lottery]",
)
@click.option(
    "--worlds", type=int, default=None, help="lottery: parallel rounds that exchange balls, 1 to 20.  [default: 8]"
)
@click.option(
    "--chosen", metavar="A,B,…", default=None, help="Options that were played in the first files, in their order."
)
@click.option(
    "--state", type=click.Path(dir_okay=False), default=None, help="Go on from this file, and write it after."
)
@click.option(
    "--seed", metavar="TEXT", default=None, help="The randomness itself, such as dice you threw.  [default: fresh]"
)
@click.option("--plan", "plan", type=click.IntRange(min=1), default=None, help="Plan so many rounds of the last table.")
@click.option("--rule", default="procedural", show_default=True, help="The rule of each round's lottery; a fair one.")
@click.option("--scale", metavar="LOW,HIGH", default="0,1", show_default=True, help="The ends of the scale of ratings.")
@options.plot("what each member is owed, round by round")
@options.form
def command(
    files: tuple[str, ...],
    mode: str | None,
    worlds: int | None,
    chosen: str | None,
    state: str | None,
    seed: str | None,
    plan: int | None,
    rule: str,
    scale: str,
    plot: str | None,
    form: str,
) -> None:
    """Give everyone a fair turn when options and people change from round to round.

    FILE is one table for each round, or one file with all of them: a CSV headed round,member,option,rating (weight and
    chosen beside it), or JSON. Rounds whose choice is known are charged to those who got a favourite; the first round
    without one is decided: unlucky agents are paid back.
    """
    from isegoria.io.sheets.read_options import parse_scale
    from isegoria.record.turns.history_file import read_history

    ends = parse_scale(options.parse_numbers(scale, "--scale")) or (0.0, 1.0)
    names = [] if chosen is None else [name.strip() for name in chosen.split(",")]
    rounds = read_history(files, names, ends)
    turns = _load_turns(state, mode, worlds)
    if turns.round > 1:
        render.print_note(
            f"{state} has {pluralise(turns.round - 1, 'round')} already; what is given here comes after them."
        )
    walk = _TurnReplay(turns, rule)
    walk.replay(rounds, decide=plan is None, seed=options.resolve_seed_text(seed))
    planned = None if plan is None else _build_plan(turns, rounds, plan, rule)
    if state:
        from isegoria.io.storage.atomic_write import write_bytes

        write_bytes(state, (turns.to_json() + "\n").encode())
    if plot:
        _save_figure(walk, plot)
    render.print_result(
        form,
        data=lambda: _to_json(walk, planned),
        table=lambda: _format_table(walk, planned),
        records=lambda: [
            ["member", "owed", "waited", "played", "asked"],
            *([name, float(owed), waited, *walk.luck(name)] for name, owed, waited in walk.standing()),
        ],
    )


class _TurnReplay:
    """A replay of rounds: what was charged or decided, and what each member was owed after each round."""

    def __init__(self, turns: Turns, rule: str) -> None:
        self.turns, self.rule = turns, rule
        self.decided: tuple[RoundProposal, Turn, str] | None = None
        self.options: list[str] = []
        self.owed: list[dict[str, Fraction]] = []
        self.remembers = True
        self.asked: list[dict[str, bool]] = []

    def replay(self, rounds: Sequence[PastRound], decide: bool, seed: str) -> None:
        """Charge the rounds whose choice is known, and decide the first one whose choice is not."""
        for each in rounds:
            if self.decided is not None:
                raise InputError(
                    f"{each.label} comes after the round that is to be decided; leave it out, or say --plan."
                )
            proposal = self.turns.propose(each.instance, self.rule)
            if each.chosen is not None:
                self._keep(proposal, self.turns.charge(proposal, each.chosen))
            elif decide:
                self.remembers = not self.options or self.turns.can_pay_back
                turn = self.turns.draw(proposal, seed)
                self._keep(proposal, turn)
                self.decided = proposal, turn, seed
            else:
                return  # the table of the coming rounds

    def _keep(self, proposal: RoundProposal, turn: Turn) -> None:
        wants = proposal.ballots.wants[:, proposal.options.index(turn.option)].tolist()
        asking = dict(zip(proposal.members, proposal.ballots.asking.tolist(), strict=True))
        self.asked.append({name: got for name, got in zip(proposal.members, wants, strict=True) if asking[name]})
        self.options.append(turn.option)
        self.owed.append(dict(turn.after))

    def standing(self) -> list[tuple[str, Fraction, int]]:
        """Return (name, owed, waited) of each member, most owed first."""
        owed, waited = self.turns.owed, self.turns.waited
        return sorted(((name, owed[name], waited[name]) for name in owed), key=lambda row: (-row[1], row[0]))

    def luck(self, name: str) -> tuple[int, int]:
        """Return (rounds in which a favourite of the member was played, rounds in which the member asked)."""
        got = [each[name] for each in self.asked if name in each]
        return sum(got), len(got)


def _load_turns(state: str | None, mode: str | None, worlds: int | None) -> Turns:
    from isegoria.record.turns.perpetual import Turns

    if state is None or not Path(state).exists():
        return Turns(mode or "lottery", worlds)  # type: ignore[arg-type]
    try:
        turns = Turns.from_json(Path(state).read_bytes())
    except OSError as error:
        raise FileError(f"cannot read {state}: {(error.strerror or str(error)).lower()}.") from error
    except StateError as error:
        raise StateError(f"{state}: {error}") from error
    if mode not in (None, turns.mode) or worlds not in (None, turns.worlds):
        raise InputError(
            f"{state} is of mode {turns.mode} with {pluralise(turns.worlds, 'world')}; leave --mode and --worlds out."
        )
    return turns


def _build_plan(turns: Turns, rounds: Sequence[PastRound], plan: int, rule: str) -> Plan:
    if rounds[-1].chosen is not None:
        raise InputError("--plan needs options that are known: give the table of the coming rounds last.")
    coming = [each.instance for each in rounds if each.chosen is None]
    return turns.plan(coming[0], plan, rule) if len(coming) == 1 else turns.plan(coming, rule=rule)


def _to_json(walk: _TurnReplay, planned: Plan | None) -> dict[str, Any]:
    decided = None
    if walk.decided is not None:
        proposal, turn, seed = walk.decided
        policy = [float(share) for share in proposal.policy]
        decided = {
            "round": turn.round,
            "option": turn.option,
            "voice": turn.voice,
            "ball": turn.ball,
            "seed": seed,
            "options": list(proposal.options),
            "policy": policy,
            "tied": list(proposal.tied),
            "scores": None if proposal.scores is None else [float(score) for score in proposal.scores],
        }
    members = [
        {
            "member": name,
            "owed": float(owed),
            "waited": waited,
            "played": walk.luck(name)[0],
            "asked": walk.luck(name)[1],
        }
        for name, owed, waited in walk.standing()
    ]
    plan = None if planned is None else {"options": list(planned.options), "total": float(planned.total)}
    head = {"mode": walk.turns.mode, "worlds": walk.turns.worlds, "rounds": len(walk.options)}
    return {**head, "turn": decided, "plan": plan, "members": members, "sentences": _explain(walk)}


def _explain(walk: _TurnReplay) -> list[str]:
    from isegoria.record.turns.explanations import describe_absent, describe_standings, explain_choice

    said = []
    if walk.decided is not None:
        proposal, turn, _ = walk.decided
        said = [explain_choice(proposal, turn), *describe_absent(proposal, walk.turns.owed)]
        if not walk.remembers:
            said.append(_NO_PAYBACK_NOTE)
    return [*said, *describe_standings(walk.turns.owed, walk.turns.waited)]


def _format_table(walk: _TurnReplay, planned: Plan | None) -> str:
    from isegoria.record.turns.explanations import format_decisions

    parts = []
    if walk.decided is not None:
        _, turn, seed = walk.decided
        parts.append(f"Round {turn.round}: {turn.option}, by the voice of {turn.voice} (seed {seed!r})")
    elif walk.options:
        parts.append(f"{pluralise(len(walk.options), 'round')} looked at again; nothing was drawn")
    if planned is not None:
        lines = [[str(place), name] for place, name in enumerate(planned.options, start=1)]
        parts.append(render.format_table(["round", "planned"], lines, left=2))
    rows = [
        [render.truncate_name(name), format_decisions(owed), str(waited), "{} of {}".format(*walk.luck(name))]
        for name, owed, waited in walk.standing()
    ]
    if rows:
        parts.append(render.format_table(["member", "owed", "waited", "favourites played"], rows))
    return "\n\n".join(filter(None, [*parts, "\n".join(_explain(walk))]))


def _save_figure(walk: _TurnReplay, path: str) -> None:
    from isegoria.figures import theme
    from isegoria.figures.turn_debts import draw_debt_history

    names = list(walk.turns.owed)
    lines = {
        name: [
            float(owed[name]) if name in owed and name in asked else None
            for owed, asked in zip(walk.owed, walk.asked, strict=True)
        ]
        for name in names
    }
    render.print_note(f"the figure is in {theme.save_figure(draw_debt_history(lines, walk.options), path)}.")

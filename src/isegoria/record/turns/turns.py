"""`Turns`: one decision a round, and what luck gave or took is remembered and paid back soon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isegoria import display
from isegoria.errors import InputError, TicketError, unknown
from isegoria.instance import Instance
from isegoria.record.drawing import arms_of, checked_seed, member_of
from isegoria.record.format.stream import NO_FREEZE, Stream
from isegoria.record.format.units import UNITS
from isegoria.record.turns.ledger import Ballots, Debt, charged, owed_table, scores
from isegoria.record.turns.modes import Mode, checked_mode
from isegoria.record.turns.planning import Plan, PlannedRound, planned
from isegoria.record.turns.settled import ball_among, settled_scores, tied_at_the_top
from isegoria.record.turns.state import from_text, to_text
from isegoria.record.turns.worlds import exchanged, laid_out
from isegoria.record.voices import Voices, voices
from isegoria.rules import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class RoundProposal:
    """A round before it is decided: everything that the draw will use, so that others can look at it first.

    - `round` it is for; `members`, `options` names; `policy` (K,) the chance of each option in this round's lottery.
    - `credit` {name: decisions} what the round promises whoever asks.
    - `scores` (K,) settled: what speaks for each option, in decisions; `tied`: the options of the largest score.
      Drawn: None and ().
    """

    round: int
    members: tuple[str, ...]
    options: tuple[str, ...]
    policy: tuple[Fraction, ...]
    credit: Mapping[str, Fraction] = field(repr=False)
    scores: tuple[Fraction, ...] | None = field(repr=False)
    tied: tuple[str, ...] = field(repr=False)
    voices: Voices = field(repr=False)
    ballots: Ballots = field(repr=False)


@dataclass(frozen=True)
class Turn:
    """A round that was decided: the option, whose voice it was, and what everyone was owed before and after.

    `worlds` are the options of all worlds, the real one first. A round that was charged has no ball and no voice.
    """

    round: int
    option: str
    voice: str | None
    ball: int | None
    worlds: tuple[str, ...] = field(repr=False)
    before: Mapping[str, Fraction] = field(repr=False)
    after: Mapping[str, Fraction] = field(repr=False)


class Turns:
    """Turns with memory for a group whose options and people may change from round to round.

    - `mode` "drawn": a lottery. Seen from before the first draw, each option of a round has exactly the chance that the
      round's fair policy gives it, and each member exactly her share of being the voice that decides, if neither
      ballots nor rounds that are charged instead of drawn depend on earlier draws; what luck gave or took is paid back
      by letting `worlds` parallel rounds exchange their balls.
    - `mode` "settled": no lottery but between ties. The option is played whose supporters are owed most, this round's
      promise, a quarter of a decision for each round they waited and half of the round's voices included.

    A member is her name; who is absent, or likes every option, is neither promised nor charged anything.

    >>> import isegoria as iso
    >>> films = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Ben", "Cem"], arms=["Alien", "Brazil"])
    >>> turns = iso.Turns(mode="settled")
    >>> [turns.draw(turns.propose(films), seed=b"").option for _ in range(6)]
    ['Alien', 'Alien', 'Brazil', 'Alien', 'Alien', 'Brazil']
    >>> turns.owed["Cem"]
    Fraction(0, 1)
    """

    def __init__(self, mode: Mode = "drawn", worlds: int | None = None) -> None:
        self.mode, self.worlds = checked_mode(mode, worlds)
        self.round = 1
        self._entries: dict[str, Debt] = {}
        self._owed_before: dict[str, Fraction] | None = None  # said once, by the round before

    @property
    def owed(self) -> dict[str, Fraction]:
        """{name: decisions} what each member is owed; below 0 she has had more than her share."""
        return {name: Fraction(entry.owed[0], UNITS) for name, entry in self._entries.items()}

    @property
    def waited(self) -> dict[str, int]:
        """{name: rounds} in which she asked since a favourite of hers was last played."""
        return {name: entry.waited for name, entry in self._entries.items()}

    @property
    def can_pay_back(self) -> bool:
        """Whether the next round can look at debts: settled always; drawn, if the worlds differ or nobody is owed.

        Rounds that were charged are the same in every world, and equal worlds have nothing to exchange.
        """
        entries = self._entries.values()
        return (
            self.mode == "settled" or not any(e.owed[0] for e in entries) or any(len(set(e.owed)) > 1 for e in entries)
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Matplotlib axes with what each member is owed now; new ones unless `ax` is given."""
        owed = {name: float(value) for name, value in self.owed.items()}
        return cast("Axes", display.drawn("isegoria.figures.owed:now_figure", owed, ax=ax))

    def _repr_html_(self) -> str:
        """What each member is owed, for a notebook."""
        rows = [[name, f"{float(value):+.2f}", self.waited[name]] for name, value in self.owed.items()]
        head = display.line(f"{self.mode}, round {self.round}", "Turns")
        return display.box(head, display.table(["member", "decisions owed", "rounds waited"], rows))

    def propose(self, instance: Instance, rule: Any = "procedural") -> RoundProposal:
        """The next round of `instance` (who is there, what is on offer, who wants what); nothing changes.

        `rule` is any rule whose policy is fair on this instance, as `voices` checks.
        """
        ballots, held = ballots_of(instance, rule)
        points: list[int] | None = None
        tied: list[int] = []
        if self.mode == "settled":
            owed = owed_table(self._entries, ballots.members, 1)
            waited = [self._entries[name].waited if name in self._entries else 0 for name in ballots.members]
            points = settled_scores(ballots, owed, waited)
            tied = tied_at_the_top(ballots, points)
        asks = ballots.asking.tolist()
        credit = zip(ballots.members, ballots.credit.tolist(), strict=True)
        return RoundProposal(
            self.round,
            ballots.members,
            tuple(held.arms),
            held.policy,
            {name: Fraction(units, UNITS) for (name, units), asking in zip(credit, asks, strict=True) if asking},
            None if points is None else tuple(Fraction(number, 4 * UNITS) for number in points),
            tuple(held.arms[arm] for arm in tied),
            held,
            ballots,
        )

    def draw(self, proposal: RoundProposal, seed: bytes | str) -> Turn:
        """Decide the proposed round by `seed` alone, as `draw` does, and move the ledger."""
        self._check(proposal)
        stream = Stream(NO_FREEZE, checked_seed(seed))
        balls = self.balls(proposal, stream)
        return self._moved(proposal, arms_of(proposal.voices, balls), balls[0])

    def balls(self, proposal: RoundProposal, stream: Stream) -> list[int]:
        """(M,) the ball of each world, the real one first, that `stream` draws; the ledger does not move."""
        held, ballots = proposal.voices, proposal.ballots
        if self.mode == "settled":
            return [ball_among(stream, ballots.voices, [proposal.options.index(name) for name in proposal.tied])]
        balls, order = laid_out(stream, held.total, self.worlds)
        owed = owed_table(self._entries, ballots.members, self.worlds)
        return exchanged(balls, arms_of(held, balls), order, scores(ballots, owed))

    def charge(self, proposal: RoundProposal, option: str) -> Turn:
        """Move the ledger by a round that was decided elsewhere: every world is charged with the same option."""
        self._check(proposal)
        if option not in proposal.options:
            raise unknown("option", option, proposal.options)
        return self._moved(proposal, [proposal.options.index(option)] * self.worlds, None)

    def plan(self, instance: Instance | Sequence[Instance], rounds: int = 12, rule: Any = "procedural") -> Plan:
        """The next `rounds` rounds of known options, settled at once so that debts stay small; nothing changes.

        A list of instances is one round each, and `rounds` is left out.

        >>> import isegoria as iso
        >>> films = iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["Alien", "Brazil"])
        >>> iso.Turns("settled").plan(films, rounds=6).options
        ('Alien', 'Brazil', 'Alien', 'Alien', 'Brazil', 'Alien')
        """
        if isinstance(instance, Sequence):
            coming = [PlannedRound(*_with_names(each, rule)) for each in instance]
        else:
            if not isinstance(rounds, (int, np.integer)) or isinstance(rounds, bool) or rounds < 1:
                raise InputError(f"rounds is {rounds!r}; plan one round or more.")
            coming = [PlannedRound(*_with_names(instance, rule))] * int(rounds)
        if not coming:
            raise InputError("plan needs an instance for each round, and the list is empty.")
        return planned(coming, self._entries)

    def to_json(self) -> str:
        """Everything that the next round depends on, as canonical JSON."""
        return to_text(self.mode, self.worlds, self.round, self._entries)

    @classmethod
    def from_json(cls, text: str | bytes) -> Turns:
        """The turns that `to_json` wrote; they go on bit for bit.

        >>> again = Turns.from_json(Turns("drawn", worlds=4).to_json())
        >>> again.mode, again.worlds, again.round
        ('drawn', 4, 1)
        """
        mode, worlds, round, entries = from_text(text)
        turns = cls(mode, None if mode == "settled" and worlds == 1 else worlds)
        turns.round, turns._entries = round, entries
        return turns

    def __repr__(self) -> str:
        worlds = f", worlds={self.worlds}" * (self.mode == "drawn")
        return f"Turns({self.mode!r}{worlds}; round {self.round}, {len(self._entries)} members)"

    def _check(self, proposal: RoundProposal) -> None:
        if not isinstance(proposal, RoundProposal):
            raise InputError(f"this needs what propose returns, not a {type(proposal).__name__}.")
        if proposal.round != self.round:
            raise TicketError(
                f"this proposal is for round {proposal.round}, and round {self.round} is next; propose again."
            )

    def _moved(self, proposal: RoundProposal, arms: Sequence[int], ball: int | None) -> Turn:
        before = self._owed_before or self.owed
        self._entries = charged(self._entries, proposal.ballots, arms)
        self.round += 1
        options = tuple(proposal.options[arm] for arm in arms)
        voice = None if ball is None else proposal.voices.agents[member_of(proposal.voices, ball)]
        self._owed_before = after = self.owed
        return Turn(proposal.round, options[0], voice, ball, options, before, after)


def ballots_of(instance: Instance, rule: Any = "procedural") -> tuple[Ballots, Voices]:
    """The ballots of one round and the exact voices of the policy that `rule` gives it."""
    if not isinstance(instance, Instance):
        raise InputError(f"a round is an Instance (who wants what), not a {type(instance).__name__}.")
    instance = instance.dense()
    held = voices(instance, None if rule == "procedural" else solve(instance, rule).policy)
    return Ballots(tuple(instance.agents), instance.weights, held.sets[held.member], held.voices), held


def _with_names(instance: Instance, rule: Any) -> tuple[Ballots, tuple[str, ...]]:
    return ballots_of(instance, rule)[0], tuple(instance.arms)

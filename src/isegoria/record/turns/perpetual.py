"""`Turns`: one decision per round; what luck gave or took is remembered and repaid soon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isegoria.errors import InputError, TicketError, unknown_name_error
from isegoria.profiles import Instance
from isegoria.record.drawing import encode_seed, locate_agent, locate_arms
from isegoria.record.exact_voices import Voices, voices
from isegoria.record.format.draw_stream import NO_FREEZE_HASH, DrawStream
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.deterministic import draw_among_tied, find_top_options, score_deterministic
from isegoria.record.turns.ledger import Ballots, LedgerEntry, build_debt_table, charge_ledger, score_options
from isegoria.record.turns.lottery import deal_balls, exchange_balls
from isegoria.record.turns.modes import Mode, validate_mode
from isegoria.record.turns.planning import Plan, PlannedRound, build_plan
from isegoria.record.turns.saved_state import dump_state, load_state
from isegoria.rules import solve
from isegoria.utils import notebook
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.caching import cached_per_object, lazy_property

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class RoundProposal:
    """A round before it is decided: everything that the draw will use, so that others can inspect it first.

    - `round`: its number. `members`, `options`: names. `policy` (K,): the chance of each option in this round's
      lottery.
    - `credit` {name: decisions}: what the round promises each member who participates.
    - `score_options` (K,): in mode `deterministic`, the score of each option, in decisions; None in mode `lottery`.
      `tied`: the options with the largest score; () in mode `lottery`.
    """

    round: int
    members: tuple[str, ...]
    options: tuple[str, ...]
    tied: tuple[str, ...] = field(repr=False)
    voices: Voices = field(repr=False)
    ballots: Ballots = field(repr=False)
    points: tuple[int, ...] | None = field(repr=False)

    @property
    def policy(self) -> tuple[Fraction, ...]:
        """(K,) the chance of each option in this round's lottery."""
        return self.voices.policy

    @lazy_property
    def credit(self) -> Mapping[str, Fraction]:
        """{name: decisions} what the round promises each member who participates."""
        rows = zip(self.members, self.ballots.credit.tolist(), self.ballots.asking.tolist(), strict=True)
        return {name: Fraction(units, UNITS_PER_VOICE) for name, units, asking in rows if asking}

    @lazy_property
    def scores(self) -> tuple[Fraction, ...] | None:
        """(K,) the score of each option, in decisions; None in mode `lottery`."""
        return None if self.points is None else tuple(Fraction(units, 4 * UNITS_PER_VOICE) for units in self.points)


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
    """Turns with memory (perpetual voting) for a group whose options and people may change from round to round.

    - `mode` "lottery": a lottery. If neither ballots nor rounds that are charged instead of drawn depend on earlier
      draws, the odds are exact: seen from before the first draw, each option has the chance that the round's fair
      policy gives it, and each member their share of being the voice that decides. Debts are repaid by letting `worlds`
      parallel rounds exchange their balls.
    - `mode` "deterministic": a lottery decides only ties. The option with the largest score is played:
      what its supporters are owed, this round's credit, a quarter of a decision for each round they waited (at most
      12), and half of the round's voices.

    Members are identified by name. One who is absent, or likes every option, is neither promised nor charged anything.

    Parameters
    ----------
    mode : {"lottery", "deterministic"}
        How a round is decided.
    worlds : int, optional
        The number of parallel worlds in mode "lottery", 1 to 20; 8 by default. Mode "deterministic" has one.

    Raises
    ------
    InputError
        If the mode is unknown, or `worlds` does not fit it.

    Examples
    --------
    >>> import isegoria as iso
    >>> films = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Ben", "Cem"], arms=["Alien", "Brazil"])
    >>> turns = iso.Turns(mode="deterministic")
    >>> [turns.draw(turns.propose(films), seed=b"").option for _ in range(6)]
    ['Alien', 'Alien', 'Brazil', 'Alien', 'Alien', 'Brazil']
    >>> turns.owed["Cem"]
    Fraction(0, 1)
    """

    @explain_keywords
    def __init__(self, mode: Mode = "lottery", worlds: int | None = None) -> None:
        self.mode, self.worlds = validate_mode(mode, worlds)
        self.round = 1
        self._entries: dict[str, LedgerEntry] = {}
        self._owed_before: dict[str, Fraction] | None = None  # cached by the round before

    @property
    def owed(self) -> dict[str, Fraction]:
        """{name: decisions} that each member is owed; below 0 if they had more than their share."""
        return {name: Fraction(entry.owed[0], UNITS_PER_VOICE) for name, entry in self._entries.items()}

    @property
    def waited(self) -> dict[str, int]:
        """{name: rounds} in which each member participated since one of their favourites was last played."""
        return {name: entry.waited for name, entry in self._entries.items()}

    @property
    def can_pay_back(self) -> bool:
        """Whether the next round can repay debts.

        It always can in mode "deterministic". In mode "lottery" it can if the worlds differ or nobody is owed anything:
        rounds that were charged are the same in every world, and equal worlds have nothing to exchange.
        """
        entries = self._entries.values()
        return (
            self.mode == "deterministic"
            or not any(e.owed[0] for e in entries)
            or any(len(set(e.owed)) > 1 for e in entries)
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot what each member is owed now. Return the Matplotlib axes, new ones unless `ax` is given."""
        owed = {name: float(value) for name, value in self.owed.items()}
        return cast("Axes", notebook.draw_on_axes("isegoria.figures.turn_debts:draw_current_debts", owed, ax=ax))

    def _repr_html_(self) -> str:
        """Return an HTML table of what each member is owed, for a notebook."""
        rows = [[name, f"{float(value):+.2f}", self.waited[name]] for name, value in self.owed.items()]
        head = notebook.html_line(f"{self.mode}, round {self.round}", "Turns")
        return notebook.html_box(head, notebook.html_table(["member", "decisions owed", "rounds waited"], rows))

    def propose(self, instance: Instance, rule: Any = "procedural") -> RoundProposal:
        """Prepare the next round. Nothing changes.

        Parameters
        ----------
        instance : Instance
            Who is present, what is on offer, and who wants what.
        rule : str or rule
            Any rule whose policy is fair on this instance.

        Returns
        -------
        RoundProposal
            Everything that the draw will use.

        Raises
        ------
        InputError
            If `instance` is no `Instance`, or the policy of `rule` is not fair.
        """
        ballots, held = build_ballots(instance, rule)
        points: list[int] | None = None
        tied: list[int] = []
        if self.mode == "deterministic":
            owed = build_debt_table(self._entries, ballots.members, 1)
            waited = [self._entries[name].waited if name in self._entries else 0 for name in ballots.members]
            points = score_deterministic(ballots, owed, waited)
            tied = find_top_options(ballots, points)
        return RoundProposal(
            self.round,
            ballots.members,
            tuple(held.arms),
            tuple(held.arms[arm] for arm in tied),
            held,
            ballots,
            None if points is None else tuple(points),
        )

    def draw(self, proposal: RoundProposal, seed: bytes | str) -> Turn:
        """Decide the proposed round and update the ledger.

        Parameters
        ----------
        proposal : RoundProposal
            What `propose` returned for this round.
        seed : bytes or str
            The randomness, as in `draw`; no other randomness is used.

        Returns
        -------
        Turn
            The option, the voice that decided, and the debts before and after.

        Raises
        ------
        InputError
            If an argument has the wrong type.
        TicketError
            If the proposal is for another round.
        """
        self._check(proposal)
        stream = DrawStream(NO_FREEZE_HASH, encode_seed(seed))
        balls = self.balls(proposal, stream)
        return self._record_turn(proposal, locate_arms(proposal.voices, balls), balls[0])

    def balls(self, proposal: RoundProposal, stream: DrawStream) -> list[int]:
        """Return the ball of each world (M,), the real one first, that `stream` draws. The ledger does not change."""
        held, ballots = proposal.voices, proposal.ballots
        if self.mode == "deterministic":
            return [draw_among_tied(stream, ballots.voices, [proposal.options.index(name) for name in proposal.tied])]
        balls, order = deal_balls(stream, held.total, self.worlds)
        owed = build_debt_table(self._entries, ballots.members, self.worlds)
        return exchange_balls(balls, locate_arms(held, balls), order, score_options(ballots, owed))

    def charge(self, proposal: RoundProposal, option: str) -> Turn:
        """Update the ledger by a round that was decided elsewhere: every world is charged with the same option.

        Parameters
        ----------
        proposal : RoundProposal
            What `propose` returned for this round.
        option : str
            The name of the option that was played.

        Returns
        -------
        Turn
            The option, and the debts before and after; no ball and no voice.

        Raises
        ------
        TicketError
            If the proposal is for another round.
        UnknownNameError
            If the proposal has no such option.
        """
        self._check(proposal)
        if option not in proposal.options:
            raise unknown_name_error("option", option, proposal.options)
        return self._record_turn(proposal, [proposal.options.index(option)] * self.worlds, None)

    def plan(self, instance: Instance | Sequence[Instance], rounds: int = 12, rule: Any = "procedural") -> Plan:
        """Plan several rounds of known options at once, so that debts stay small. Nothing changes.

        Parameters
        ----------
        instance : Instance or sequence of Instance
            The same options in every round, or one instance per round.
        rounds : int
            The number of rounds; ignored for a sequence of instances.
        rule : str or rule
            Any rule whose policies are fair.

        Returns
        -------
        Plan
            The options in order, and the debts after each round.

        Raises
        ------
        InputError
            If there are no rounds to plan, or a policy is not fair.

        Examples
        --------
        >>> import isegoria as iso
        >>> films = iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["Alien", "Brazil"])
        >>> iso.Turns("deterministic").plan(films, rounds=6).options
        ('Alien', 'Brazil', 'Alien', 'Alien', 'Brazil', 'Alien')
        """
        if isinstance(instance, Sequence):
            coming = [PlannedRound(*_ballots_with_options(each, rule)) for each in instance]
        else:
            if not isinstance(rounds, (int, np.integer)) or isinstance(rounds, bool) or rounds < 1:
                raise InputError(f"rounds is {rounds!r}; plan one round or more.")
            coming = [PlannedRound(*_ballots_with_options(instance, rule))] * int(rounds)
        if not coming:
            raise InputError("plan needs an instance for each round, and the list is empty.")
        return build_plan(coming, self._entries)

    def to_json(self) -> str:
        """Serialise everything that the next round depends on, as canonical JSON."""
        return dump_state(self.mode, self.worlds, self.round, self._entries)

    @classmethod
    def from_json(cls, text: str | bytes) -> Turns:
        """Restore the turns that `to_json` wrote; they continue bit for bit. Raise `StateError` for anything else.

        >>> again = Turns.from_json(Turns("lottery", worlds=4).to_json())
        >>> again.mode, again.worlds, again.round
        ('lottery', 4, 1)
        """
        mode, worlds, round, entries = load_state(text)
        turns = cls(mode, None if mode == "deterministic" and worlds == 1 else worlds)
        turns.round, turns._entries = round, entries
        return turns

    def __repr__(self) -> str:
        worlds = f", worlds={self.worlds}" * (self.mode == "lottery")
        return f"Turns({self.mode!r}{worlds}; round {self.round}, {len(self._entries)} members)"

    def _check(self, proposal: RoundProposal) -> None:
        if not isinstance(proposal, RoundProposal):
            raise InputError(f"this needs what propose returns, not a {type(proposal).__name__}.")
        if proposal.round != self.round:
            raise TicketError(
                f"this proposal is for round {proposal.round}, and round {self.round} is next; propose again."
            )

    def _record_turn(self, proposal: RoundProposal, arms: Sequence[int], ball: int | None) -> Turn:
        before = self._owed_before or self.owed
        self._entries = charge_ledger(self._entries, proposal.ballots, arms)
        self.round += 1
        options = tuple(proposal.options[arm] for arm in arms)
        voice = None if ball is None else proposal.voices.agents[locate_agent(proposal.voices, ball)]
        self._owed_before = after = self.owed
        return Turn(proposal.round, options[0], voice, ball, options, before, after)


def build_ballots(instance: Instance, rule: Any = "procedural") -> tuple[Ballots, Voices]:
    """Return the ballots of one round, and the exact voices of the policy that `rule` gives it."""
    if not isinstance(instance, Instance):
        raise InputError(f"a round is an Instance (who wants what), not a {type(instance).__name__}.")
    return _procedural_ballots(instance) if rule == "procedural" else _allocate_ballots(instance, rule)


def _allocate_ballots(instance: Instance, rule: Any) -> tuple[Ballots, Voices]:
    instance = instance.to_dense()
    held = voices(instance, None if rule == "procedural" else solve(instance, rule).policy)
    return Ballots(tuple(instance.agents), instance.weights, held.sets[held.member], held.voices), held


@cached_per_object
def _procedural_ballots(instance: Instance) -> tuple[Ballots, Voices]:
    """Return the ballots under the procedural rule, cached: wishes often stay the same from round to round."""
    return _allocate_ballots(instance, "procedural")


def _ballots_with_options(instance: Instance, rule: Any) -> tuple[Ballots, tuple[str, ...]]:
    return build_ballots(instance, rule)[0], tuple(instance.arms)

"""`DecisionEngine`: decisions of named agents, one after the other, in which everyone is heard in turn."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from isegoria.agents.ballot_table import Approvals, Rankings, Ratings, build_instance
from isegoria.errors import InputError, StateError
from isegoria.profiles import Instance
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.explanations import format_decisions
from isegoria.record.turns.modes import Mode
from isegoria.record.turns.perpetual import RoundProposal, Turn, Turns
from isegoria.utils.formatting import join_names

ENGINE_FORMAT, ENGINE_VERSION = "isegoria agents", 1


@dataclass(frozen=True)
class Decision:
    """One decision of a group of agents.

    Attributes
    ----------
    round : int
        Its number, from 1.
    option : str
        What was decided.
    reason : str
        Why, in one sentence.
    heard : tuple of str
        The agents who voted and have this option among their favourites.
    chances : dict of str to float
        What each option would get in the fair lottery of this round.
    credit : dict of str to float
        The decisions that each agent is owed now; below 0 if it had more than its share.
    """

    round: int
    option: str
    reason: str
    heard: tuple[str, ...]
    chances: dict[str, float] = field(repr=False)
    credit: dict[str, float] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data for JSON."""
        return asdict(self) | {"heard": list(self.heard)}


class DecisionEngine:
    """Decide for a group of agents, again and again, so that each is heard as often as equal voice promises.

    Options and agents may change between decisions. An agent without a ballot is absent: it is neither promised nor
    charged anything. Which speaker is next is such a decision, too: the options are then the speakers.

    Parameters
    ----------
    mode : {"deterministic", "lottery"}
        Play the option with the largest claim, or draw with exactly fair odds in every round. Both remember.
    weights : mapping of str to int, optional
        How many voices each agent has; 1 if it is not named.
    rule : str
        Any fair rule; its policy is what each decision promises.
    seed : str, optional
        All randomness; by default a random one, which is kept in the state.

    Raises
    ------
    InputError
        If an argument cannot be used.

    Examples
    --------
    >>> engine = DecisionEngine(seed="1")
    >>> votes = {"Ann": ["tea"], "Ben": ["tea"], "Cem": ["milk"]}
    >>> [engine.decide(["tea", "milk"], rankings=votes).option for _ in range(6)]
    ['tea', 'tea', 'milk', 'tea', 'tea', 'milk']
    >>> engine.decide(["tea", "milk"], rankings=votes).reason
    'tea has the largest claim, 2.8 of a decision against 0.8 for milk, and is a favourite of Ann and Ben.'
    """

    def __init__(
        self,
        mode: Mode = "deterministic",
        weights: Mapping[str, int] | None = None,
        rule: str = "procedural",
        seed: str | None = None,
    ) -> None:
        self.turns, self.rule = Turns(mode), rule
        if not isinstance(weights, Mapping | None):
            raise InputError(f"weights is {weights!r}; give each agent's, such as {{'Ann': 2}}.")
        self.weights = dict(weights or {})
        for agent, weight in self.weights.items():
            if not isinstance(weight, int) or isinstance(weight, bool) or weight < 1:
                raise InputError(f"agent '{agent}' has the weight {weight!r}; give a whole number from 1 up.")
        self.seed = secrets.token_hex(16) if seed is None else str(seed)
        self._before: tuple[tuple[Any, ...], Instance] | None = None

    @property
    def credit(self) -> dict[str, float]:
        """The decisions that each agent is owed, by name."""
        return {agent: float(owed) for agent, owed in self.turns.owed.items()}

    def decide(
        self,
        options: Sequence[str],
        rankings: Rankings | None = None,
        *,
        approvals: Approvals | None = None,
        ratings: Ratings | None = None,
        scale: tuple[float, float] = (0.0, 1.0),
    ) -> Decision:
        """Decide between the options and update everyone's credit. Each agent gives one ballot, of any kind.

        Parameters
        ----------
        options : sequence of str
            What is on offer.
        rankings : mapping, optional
            For each agent its options, best first; it may leave out the last ones.
        approvals : mapping, optional
            For each agent the options that it approves.
        ratings : mapping, optional
            For each agent {option: rating}; an option without a rating has the lowest.
        scale : (low, high)
            The ends of the scale of the ratings.

        Returns
        -------
        Decision

        Raises
        ------
        InputError
            If nobody votes, or a ballot does not fit the options.

        Examples
        --------
        >>> engine = DecisionEngine(seed="1")
        >>> decision = engine.decide(["a", "b"], approvals={"x": ["a"]}, ratings={"y": {"a": 2, "b": 5}}, scale=(1, 5))
        >>> decision.chances, sorted(engine.credit.values())
        ({'a': 0.5, 'b': 0.5}, [-0.5, 0.5])
        """
        instance = self._build_instance((options, rankings, approvals, ratings, scale, self.weights))
        proposal = self.turns.propose(instance, self.rule)
        turn = self.turns.draw(proposal, f"{self.seed} {self.turns.round}")
        arm = proposal.options.index(turn.option)
        wants = proposal.ballots.wants[:, arm].tolist()
        heard = tuple(agent for agent, liked in zip(proposal.members, wants, strict=True) if liked)
        held = proposal.voices
        chances = dict(zip(proposal.options, (held.voices / held.total).tolist(), strict=True))
        credit = {agent: float(owed) for agent, owed in turn.after.items()}
        return Decision(turn.round, turn.option, _explain(proposal, turn, heard), heard, chances, credit)

    def _build_instance(self, given: tuple[Any, ...]) -> Instance:
        """Return the instance of the ballots; that of the decision before if they are the same."""
        if self._before is None or given != self._before[0]:
            copies = tuple(
                {name: copy(ballot) for name, ballot in part.items()} if isinstance(part, Mapping) else copy(part)
                for part in given
            )
            self._before = copies, build_instance(*given)
        return self._before[1]

    def to_json(self) -> str:
        """Serialise everything that the next decision depends on."""
        state = {"format": ENGINE_FORMAT, "version": ENGINE_VERSION, "rule": self.rule, "seed": self.seed}
        return json.dumps(state | {"weights": self.weights, "turns": json.loads(self.turns.to_json())})

    @classmethod
    def from_json(cls, text: str | bytes) -> DecisionEngine:
        """Restore the engine that `to_json` wrote; it continues with the same decisions. Raise `StateError` otherwise.

        >>> DecisionEngine.from_json(DecisionEngine("lottery", {"Ann": 2}, seed="1").to_json())
        DecisionEngine('lottery'; 0 decisions, 0 agents)
        """
        try:
            state = json.loads(text)
            if state["format"] != ENGINE_FORMAT or state["version"] != ENGINE_VERSION:
                raise ValueError(state["format"])
            turns = Turns.from_json(json.dumps(state["turns"]))
            engine = cls(turns.mode, state["weights"], state["rule"], state["seed"])
        except StateError:
            raise
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            raise StateError("this is no state of an engine; give what DecisionEngine.to_json wrote.") from None
        engine.turns = turns
        return engine

    def __repr__(self) -> str:
        return f"DecisionEngine({self.turns.mode!r}; {self.turns.round - 1} decisions, {len(self.turns.owed)} agents)"


def _explain(proposal: RoundProposal, turn: Turn, heard: Sequence[str]) -> str:
    """Return why the option was decided, in one sentence."""
    arm, points = proposal.options.index(turn.option), proposal.points
    if len(proposal.options) == 1:
        why = "is the only option"
    elif points is None:
        why = f"was drawn at odds of {float(proposal.policy[arm]):.3g}"
    elif len(proposal.tied) > 1:
        why = f"won a draw between options with equal claims, {join_names(proposal.tied)}"
    else:
        second, place = max((claim, k) for k, claim in enumerate(points) if k != arm)
        most, next_most = (format_decisions(Fraction(claim, 4 * UNITS_PER_VOICE)) for claim in (points[arm], second))
        unit = "" if most == "nothing" else " of a decision"
        why = f"has the largest claim, {most}{unit} against {next_most} for {proposal.options[place]}"
    whose = f"is a favourite of {join_names(heard)}" if heard else "is nobody's favourite"
    return f"{turn.option} {why}, and {whose}."

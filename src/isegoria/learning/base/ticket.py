"""`Ticket`, the result of `ask`: plain data that can be stored until the rewards are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from isegoria.errors import TicketError
from isegoria.utils.notebook import NotebookView


@dataclass(frozen=True, slots=True)
class Ticket(NotebookView):
    """The decision of one round, with everything needed to evaluate it later.

    Attributes
    ----------
    round : int
        The number of the round, from 1 up.
    arm : int
        The index of the arm to pull.
    arm_name : str
        The name of that arm.
    policy : tuple of float
        The learned policy P^t of the round, whether or not the arm was drawn from it.
    propensities : tuple of float
        The probability of each arm of being pulled, given everything that happened before the round.
    exploring : bool
        Whether the arm was drawn to explore instead of from `policy`. A forced first pull is not exploring.
    forced : bool
        Whether the arm had to be pulled because it had never been asked for.
    notes : tuple of str
        Messages from the learner to its group about this round.
    run_id : str
        The id of the learner's run. The ticket is valid for that learner and for any restored from its state.

    Examples
    --------
    >>> ticket = Ticket(1, 0, "tea", (0.5, 0.5), (1.0, 0.0), False, True, (), "51f0")
    >>> Ticket.from_dict(ticket.to_dict()) == ticket
    True
    """

    round: int
    arm: int
    arm_name: str
    policy: tuple[float, ...]
    propensities: tuple[float, ...]
    exploring: bool
    forced: bool
    notes: tuple[str, ...]
    run_id: str

    def view_lines(self) -> list[str]:
        """Return the round, the arm and how it was drawn."""
        how = "forced" if self.forced else "exploring" if self.exploring else "from the policy"
        return [f"round {self.round}: {self.arm_name} ({how})", *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return the ticket as plain lists, numbers and strings, ready for JSON or a database."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Ticket:
        """Create the ticket that `to_dict` described; raise `TicketError` for a missing or unknown entry."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != names:
            raise TicketError(f"a ticket has exactly the entries {', '.join(sorted(names))}; pass on what ask() gave.")
        entries: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**entries)

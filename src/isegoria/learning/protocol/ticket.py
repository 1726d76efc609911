"""What `ask` hands out: a `Ticket`, plain data that can wait in a database until the rewards are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from isegoria.errors import TicketError


@dataclass(frozen=True, slots=True)
class Ticket:
    """One round's decision, and all that is needed to evaluate it later.

    - `round`: the number of asks so far, from 1 up.
    - `arm`, `name`: the arm to pull, as an index and by name.
    - `policy`: the learned policy P^t at that round, whether or not it was the one played.
    - `propensities`: the probability that each arm had of being pulled, given all that happened before the round.
    - `exploring`: the arm was drawn to learn, not from `policy`. A forced first pull is not exploring.
    - `forced`: the arm had never been asked for, so it had to be.
    - `notes`: what the learner wants its group to know about this round.
    - `learner`: which learner asked; the ticket is good for that one, and for any restored from its state.

    >>> ticket = Ticket(1, 0, "tea", (0.5, 0.5), (1.0, 0.0), False, True, (), "51f0")
    >>> Ticket.from_dict(ticket.to_dict()) == ticket
    True
    """

    round: int
    arm: int
    name: str
    policy: tuple[float, ...]
    propensities: tuple[float, ...]
    exploring: bool
    forced: bool
    notes: tuple[str, ...]
    learner: str

    def to_dict(self) -> dict[str, Any]:
        """The ticket as plain lists, numbers and strings: what JSON or a database can keep."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Ticket:
        """The ticket that `to_dict` described; a missing or unknown entry raises `TicketError`."""
        names = {field.name for field in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != names:
            raise TicketError(f"a ticket has exactly the entries {', '.join(sorted(names))}; pass on what ask() gave.")
        entries: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**entries)

"""`Round`: one round of a group, with the cutoff of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isegoria.record.format.identities import SignedRatings
from isegoria.record.format.lines import compute_policy, locate_voice
from isegoria.record.format.record_view import LinePayload

if TYPE_CHECKING:
    pass

SlotRating = tuple[int, int, int, int, SignedRatings]  # round, slot, member, arm, and the submitted rating


@dataclass(frozen=True)
class Cutoff:
    """A cutoff: what became final for the freeze that follows. Later ratings, joins and keys are late.

    - `counted`: each member's ratings of the options. `told`: ratings of rounds that happened, each once.
    - `entries`: the roster of the freeze. `absent`: the members of it who take no part. `available`: the arms of the
      page. `seq`: the number of the event. `occurrence`: the number in the timetable.
    """

    occurrence: int | None
    seq: int
    counted: Mapping[int, SignedRatings]
    told: list[SlotRating]
    entries: list[LinePayload | None]
    available: list[int]
    absent: tuple[int, ...] = ()


@dataclass(frozen=True)
class ProposedOption:
    """An option that is on no line yet: its name (None if withdrawn) and the number of its author.

    The number is -1 for the organiser and for an author who was erased.
    """

    name: str | None
    by: int


@dataclass
class Round:
    """One round: its page (a freeze or a trial), what members stated about it, and how it ended.

    - `source`, `roster`, `arms` are those in force when it was frozen; `line`, `drawn_line` are numbers of lines.
    - `commits` (hashes), `reveals` (numbers), `throws` (source bytes): in hexadecimal, by member. `early`: who signed
      this page before it was drawn, and when. `since`: who signed past its draw.
    - `overrides` by slot. `put`: the arms of the overrides that count as played, because they came before any later
      page.
    - `closing`: the cutoff of its freeze. `answers[slot][member]`: (arm, rating) of what happened in that slot.
      `told[slot, member]`: the same as submitted, with any signature. `rooted`: the (slot, member) that can no longer
      change, each with the number of its ratings line (0 if that line is still to come).
    - `turns`: the charter's term on turns. Of their worlds, only the first, the real one, is played.
    """

    number: int
    freeze: LinePayload
    freeze_hash: bytes
    source: LinePayload
    roster: LinePayload
    arms: list[str]
    line: int
    closing: Cutoff
    commits: dict[int, str] = field(default_factory=dict)
    reveals: dict[int, str] = field(default_factory=dict)
    throws: dict[int, str] = field(default_factory=dict)
    early: dict[int, int] = field(default_factory=dict)
    since: set[int] = field(default_factory=set)
    overrides: dict[int, LinePayload] = field(default_factory=dict)
    put: dict[int, int] = field(default_factory=dict)
    answers: dict[int, dict[int, tuple[int, str]]] = field(default_factory=dict)
    told: dict[tuple[int, int], SignedRatings] = field(default_factory=dict)
    rooted: dict[tuple[int, int], int] = field(default_factory=dict)
    draw: LinePayload | None = None
    drawn_line: int = 0
    left: bool = False
    turns: LinePayload | None = None

    @property
    def state(self) -> str:
        """ "open", "drawn", "trial", or "never drawn"."""
        if not self.fair:
            return "trial"
        return "drawn" if self.draw else "never drawn" if self.left else "open"

    @property
    def fair(self) -> bool:
        """Whether the round is drawn from everyone's voices; if not, it is the first trial of an arm."""
        return bool(self.freeze["line"] == "freeze")

    @property
    def happened(self) -> bool:
        """Whether arms were played in the round: it was drawn, or is a trial."""
        return self.draw is not None or not self.fair

    @property
    def block(self) -> int:
        """The number of slots."""
        return int(self.freeze["block"]) if self.fair and self.turns is None else 1

    @property
    def slots(self) -> range:
        """The slots of the round if it happened, else none."""
        return range(self.block) if self.happened else range(0)

    @property
    def drawn(self) -> list[int]:
        """The arm of each slot as drawn, or as tried."""
        arms: list[int] = self.draw["arms"] if self.draw else [] if self.fair else [self.freeze["arm"]]
        return arms[: self.block]

    @property
    def played(self) -> list[int]:
        """The arm of each slot as played, with overrides that came in time; empty while the round is not drawn."""
        return [self.put.get(slot, arm) for slot, arm in enumerate(self.drawn)]

    @property
    def charged(self) -> list[int] | None:
        """With turns, the arm that each world is charged with; None if nothing was played that counts.

        An override that came in time is charged in all worlds.
        """
        if 0 in self.put:
            return [self.put[0]] * int(self.freeze["block"])
        return self.draw["arms"] if self.draw else None

    @property
    def policy(self) -> list[float] | None:
        """The chance of each arm; None where `compute_policy` returns none."""
        return compute_policy(self.freeze, self.turns)

    @property
    def speaks_at(self) -> int | None:
        """The time at which the beacon speaks, in Unix seconds; None for any other source and for a trial."""
        if not self.fair or self.source["kind"] != "beacon":
            return None
        return int(self.source["genesis"] + (self.freeze["source_round"] - 1) * self.source["period"])

    def whose(self, slot: int) -> str | None:
        """Return the pseudonym whose voice decided a slot, or None if the round was not drawn."""
        return locate_voice(self.freeze, self.draw["balls"][slot])[1] if self.draw else None

    def has(self, member: int) -> bool:
        """Return whether a member was on the round's roster."""
        return member < len(self.roster["members"]) and self.roster["members"][member] is not None

    def row(self, arm: int, rating: str | None) -> list[str | None]:
        """Return a rating of what happened as a row over the arms of this round, extended to `arm` if that is newer."""
        return [rating if place == arm else None for place in range(max(len(self.arms), arm + 1))]

"""`Round`: one round of a group, and what it is made of: the closing that its page counts, and the page itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isegoria.record.format.lines import Said, chances, voice_of
from isegoria.record.format.people import Told

Answer = tuple[int, int, int, int, Told]  # round, slot, member, arm, and what she told


@dataclass(frozen=True)
class Closing:
    """What a closing made final for the freeze that follows: later ratings, joins and keys are late.

    - `counted`: by member, her ratings of the options. `told`: what was told of rounds that happened, each once.
    - `entries`: the roster as it is to be, `available`: the arms of the page. `seq` is the number of the event,
      `occasion` that of the timetable.
    """

    occasion: int | None
    seq: int
    counted: Mapping[int, Told]
    told: list[Answer]
    entries: list[Said | None]
    available: list[int]


@dataclass(frozen=True)
class ProposedOption:
    """An option that is on no line yet: its name, and the number of whoever proposed it (-1: the organiser, or one who
    was erased). None for a name: it was withdrawn."""

    name: str | None
    by: int


@dataclass
class Round:
    """One round: its page (a freeze or a trial), what was said about it, and how it ended.

    - `source`, `roster`, `arms` are those in force when it was frozen; `line`, `drawn_line` are numbers of lines.
    - `commits` (hashes), `reveals` (numbers), `throws` (source bytes), in hexadecimal, by member; `early`: who signed
      over this page before it was drawn, and when; `since`: who signed past its draw.
    - `overrides` by slot; `put`: the arms of those that count as played, since no later page stood before them.
    - `closing` is what its freeze counted; `answers[slot][member]` is (arm, rating) of what happened in that slot,
      `told[slot, member]` the same as it was signed, and `rooted` are the (slot, member) that can no longer change,
      each with its ratings line (0: that is to come).
    - `turns`: what the charter says of turns. Of their worlds only the real one, the first, is played.
    """

    number: int
    freeze: Said
    freeze_hash: bytes
    source: Said
    roster: Said
    arms: list[str]
    line: int
    closing: Closing
    commits: dict[int, str] = field(default_factory=dict)
    reveals: dict[int, str] = field(default_factory=dict)
    throws: dict[int, str] = field(default_factory=dict)
    early: dict[int, int] = field(default_factory=dict)
    since: set[int] = field(default_factory=set)
    overrides: dict[int, Said] = field(default_factory=dict)
    put: dict[int, int] = field(default_factory=dict)
    answers: dict[int, dict[int, tuple[int, str]]] = field(default_factory=dict)
    told: dict[tuple[int, int], Told] = field(default_factory=dict)
    rooted: dict[tuple[int, int], int] = field(default_factory=dict)
    draw: Said | None = None
    drawn_line: int = 0
    left: bool = False
    turns: Said | None = None

    @property
    def state(self) -> str:
        """ "open", "drawn", "trial", or "never drawn"."""
        if not self.fair:
            return "trial"
        return "drawn" if self.draw else "never drawn" if self.left else "open"

    @property
    def fair(self) -> bool:
        """Whether it is drawn from everyone's voices; else it is the first trial of an arm."""
        return bool(self.freeze["line"] == "freeze")

    @property
    def happened(self) -> bool:
        """Whether arms were played in it: it was drawn, or is a trial."""
        return self.draw is not None or not self.fair

    @property
    def block(self) -> int:
        """How many slots it has."""
        return int(self.freeze["block"]) if self.fair and self.turns is None else 1

    @property
    def slots(self) -> range:
        """The slots of a round that happened."""
        return range(self.block) if self.happened else range(0)

    @property
    def drawn(self) -> list[int]:
        """The arm of each slot as it was drawn, or tried."""
        arms: list[int] = self.draw["arms"] if self.draw else [] if self.fair else [self.freeze["arm"]]
        return arms[: self.block]

    @property
    def played(self) -> list[int]:
        """The arm of each slot, overrides in time counted; nothing while it is not drawn."""
        return [self.put.get(slot, arm) for slot, arm in enumerate(self.drawn)]

    @property
    def charged(self) -> list[int] | None:
        """With turns: the arm that each world is charged with; None if nothing was played that counts.

        What was put in in time is charged in all worlds.
        """
        if 0 in self.put:
            return [self.put[0]] * int(self.freeze["block"])
        return self.draw["arms"] if self.draw else None

    @property
    def policy(self) -> list[float] | None:
        """The chance of each arm; None where there is none to be told."""
        return chances(self.freeze, self.turns)

    @property
    def speaks_at(self) -> int | None:
        """When the beacon speaks, in Unix seconds; None for any other source, and for a trial."""
        if not self.fair or self.source["kind"] != "beacon":
            return None
        return int(self.source["genesis"] + (self.freeze["source_round"] - 1) * self.source["period"])

    def whose(self, slot: int) -> str | None:
        """The pseudonym whose voice decided a slot; None in a first trial."""
        return voice_of(self.freeze, self.draw["balls"][slot])[1] if self.draw else None

    def has(self, member: int) -> bool:
        """Whether a member was on its roster."""
        return member < len(self.roster["members"]) and self.roster["members"][member] is not None

    def row(self, arm: int, rating: str | None) -> list[str | None]:
        """A rating of what happened as a row over the arms of this round (and one put in its place later)."""
        return [rating if place == arm else None for place in range(max(len(self.arms), arm + 1))]

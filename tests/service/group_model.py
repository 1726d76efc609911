"""An independent model of a group: from what people did and the lines of the record alone, it says what must be so.

It is written from the page on the record and the rules of the pages, and shares no code with the service.
"""

import hmac
import json
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class ModelMember:
    """What is known of one member; `secret` is their own, from their receipt."""

    name: str
    present: bool = True
    has_device: bool = False
    answer: dict[str, int] | None = None
    secret: str = ""


@dataclass
class ModelRound:
    """A round as the model sees it: the lines of its page and draw, and what each member liked when it was closed."""

    page: dict
    roster: frozenset[int]
    favourites: dict[int, frozenset[int]]
    answered: frozenset[int]
    names: dict[int, str]
    drawn: dict | None = None
    overrides: dict[int, tuple[int, str]] = field(default_factory=dict)
    in_time: set[int] = field(default_factory=set)

    def played(self) -> list[int]:
        """Return the arms as played: an override counts if it came before the next page."""
        if self.drawn is None:
            return []
        arms = list(self.drawn["arms"])[: self.slots]
        for slot in self.in_time:
            arms[slot] = self.overrides[slot][0]
        return arms

    slots: int = 1

    def share(self, number: int) -> Fraction:
        """Return the chance of a member's favourites in this round."""
        voices = self.page["arm_units"]
        return Fraction(sum(voices[arm] for arm in self.favourites[number]), sum(voices))

    def owner(self, ball: int) -> str:
        """Return the pseudonym whose unit a ball hit: the drum is laid out arm by arm, type by type, name by name."""
        for arm in range(len(self.page["arm_units"])):
            for kind in self.page["types"]:
                for name in kind["pseudonyms"]:
                    if ball < kind["units"][arm]:
                        return name
                    ball -= kind["units"][arm]
        raise AssertionError("a ball outside the drum")


class GroupModel:
    """The whole group. Methods named after events change it; the others say what must be so."""

    def __init__(self, group: str, members: list[str], arms: list[str], turns: bool):
        self.group, self.turns = bytes.fromhex(group), turns
        self.members = {number: ModelMember(name) for number, name in enumerate(members)}
        self.arms, self.masked = list(arms), set[str]()
        self.rounds: list[ModelRound] = []

    # -- events --------------------------------------------------------------------------------------------------------

    def joined(self, number: int, name: str) -> None:
        self.members[number] = ModelMember(name)

    def left(self, number: int) -> None:
        self.members[number].present, self.members[number].answer = False, None

    def answered(self, number: int, values: dict[str, int] | None) -> None:
        self.members[number].answer = values

    def closed(self, page: dict, slots: int) -> None:
        """Answers were closed: this page is on the record now."""
        here = {number: member for number, member in self.members.items() if member.present}
        names = {number: self.alias(number, page["round"]) for number in here}
        favourites = {number: self.favourites(number, page["available"]) for number in here}
        said = frozenset(number for number, member in here.items() if member.answer)
        self.rounds.append(ModelRound(page, frozenset(here), favourites, said, names, slots=slots))

    def drew(self, line: dict) -> None:
        self.rounds[-1].drawn = line

    def overrode(self, number: int, slot: int, arm: int, reason: str) -> None:
        round_ = self.rounds[number - 1]
        round_.overrides[slot] = arm, reason
        if round_ is self.rounds[-1]:
            round_.in_time.add(slot)

    # -- what must be so -----------------------------------------------------------------------------------------------

    def alias(self, number: int, round_: int) -> str:
        """Return the pseudonym of a member; with turns it is the same in every round."""
        said = self.group + (0 if self.turns else round_).to_bytes(8, "big") + number.to_bytes(4, "big")
        return hmac.digest(bytes.fromhex(self.members[number].secret), said, "sha256")[:24].hex()

    def favourites(self, number: int, available: list[int]) -> frozenset[int]:
        """Return the arms on offer that a member rated highest; all of them if they rated none."""
        answer = self.members[number].answer or {}
        rated = {arm: answer[self.arms[arm]] for arm in available if self.arms[arm] in answer}
        return frozenset(arm for arm in rated if rated[arm] == max(rated.values())) or frozenset(available)

    def here(self) -> list[int]:
        return [number for number, member in self.members.items() if member.present]

    def has_answered(self, number: int) -> bool:
        """Return whether a member has rated something; with turns, something that is on offer now."""
        answer = self.members[number].answer or {}
        return any(not self.turns or arm not in self.masked for arm in answer)

    def is_pending(self, number: int) -> bool:
        """Return whether a member joined after the last page: nothing of theirs can be in a round yet."""
        return bool(self.rounds) and number not in self.rounds[-1].roster

    def find_page_faults(self) -> list[str]:
        """Return in what the last page differs from what its members said."""
        last, wanted = self.rounds[-1], {}
        for number, liked in last.favourites.items():
            wanted[last.names[number]] = sorted(liked)
        shown = {name: kind["candidates"] for kind in last.page["types"] for name in kind["pseudonyms"]}
        faults = [] if shown == wanted else [f"round {last.page['round']}: {shown} is not {wanted}"]
        weights = {name: sum(kind["units"]) for kind in last.page["types"] for name in kind["pseudonyms"]}
        return faults if len(set(weights.values())) == 1 else [*faults, "voices are not equal"]

    def find_draw_faults(self) -> list[str]:
        """Return in what the last draw differs from the balls on its page."""
        last = self.rounds[-1]
        assert last.drawn is not None
        ends, total = [], 0
        for units in last.page["arm_units"]:
            total += units
            ends.append(total)
        arms = [next(arm for arm, end in enumerate(ends) if ball < end) for ball in last.drawn["balls"]]
        return [] if arms == last.drawn["arms"] else [f"the balls say {arms}, the line {last.drawn['arms']}"]

    def voice(self, number: int) -> dict[str, float]:
        """Return what a member's page must say of their voice."""
        found: dict[str, float] = dict.fromkeys(("slots", "received", "silent", "turns", "lost", "rounds"), 0)
        promised = Fraction(0)
        for round_ in self.rounds:
            if round_.drawn is None or number not in round_.roster:
                continue
            found["rounds"] += 1
            for slot, arm in enumerate(round_.played()):
                if self.is_turn_of(number, round_, slot):
                    found["lost" if slot in round_.in_time else "turns"] += 1
                if number not in round_.answered:
                    found["silent"] += 1
                    continue
                found["slots"] += 1
                found["received"] += arm in round_.favourites[number]
                promised += round_.share(number)
        return found | {"promised": float(promised)}

    def is_turn_of(self, number: int, round_: ModelRound, slot: int) -> bool:
        assert round_.drawn is not None
        return round_.owner(round_.drawn["balls"][slot]) == round_.names.get(number)

    def hero(self, number: int) -> str | None:
        """Return the sentence of *Today* on the newest decision, as a member reads it; None before the first."""
        round_ = next((one for one in reversed(self.rounds) if one.drawn is not None), None)
        if round_ is None:
            return None
        assert round_.drawn is not None
        mine = self.is_turn_of(number, round_, 0)
        if 0 in round_.overrides:
            drawn, whose = self.arms[round_.drawn["arms"][0]], ", on your turn" if mine else ""
            return f"{drawn} was drawn{whose}; the organiser changed it: {round_.overrides[0][1]}."
        return "Decided by your voice." if mine else "Somebody else’s turn."

    def read_lines(self, record: bytes, kind: str) -> dict:
        """Return the last line of a kind."""
        return next(one for line in reversed(record.splitlines()) if (one := json.loads(line))["line"] == kind)

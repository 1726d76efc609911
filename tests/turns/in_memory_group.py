"""Groups with turns that are kept nowhere, for tests: their events are applied as soon as they are made."""

from __future__ import annotations

import random

from isegoria.record.actions import members, ratings, rounds
from isegoria.record.actions.action import ActionContext
from isegoria.record.state.group import Group
from isegoria.record.turns.modes import build_turn_terms

AT = 1_800_000_000
MODES = [("lottery", 1), ("lottery", 2), ("lottery", 8), ("lottery", 20), ("deterministic", None)]


class InMemoryGroup:
    """A group with turns that is kept nowhere: its events are applied as soon as they are made."""

    def __init__(self, names, weights, arms, turns, rng: random.Random):
        self.group, self.people, self.rng, self.now = Group(), {}, rng, AT
        body = {"title": "films", "arms": arms, "source": {"kind": "rehearsal"}, "members": names, "weights": weights}
        self.do(members.found_group, **body, turns=turns)

    def do(self, action, by: int = -1, **body) -> dict:
        chance = self.rng.randbytes
        change = action(
            ActionContext(self.group, body, self.now, by, chance=chance, people=self.people, secret=bytes(32))
        )
        for event in change.events:
            self.group.apply(event.kind, event.body, event.line, self.now)
        self.people |= {person.number: person for person in change.people}
        self.now += 100
        return change.answer

    def rate(self, number: int, row) -> None:
        values = {arm: None if value is None else str(value) for arm, value in zip(self.group.arms, row, strict=True)}
        self.do(ratings.rate, number, round=None, slot=None, values=values)

    def freeze(self, **more) -> None:
        self.do(rounds.freeze, occurrence=None, event=None, form=None, **more)

    def draw(self) -> None:
        self.do(rounds.draw, value=None)


def play_random_round(kept: InMemoryGroup, rng: random.Random) -> None:
    for number in kept.group.members:
        if rng.random() < 0.7:
            row = [rng.choice([0, 0, 1]) for _ in kept.group.arms]
            kept.rate(number, row if rng.random() < 0.9 else [None] * len(row))


def make_film_group(mode="deterministic", worlds=None, single_use=False) -> InMemoryGroup:
    kept = InMemoryGroup(
        ["Ann", "Ben", "Cem"],
        [1, 1, 1],
        ["Alien", "Brazil", "Clue"],
        build_turn_terms(mode, worlds, single_use),
        random.Random(5),
    )
    for number, row in enumerate(([1, 0, 0], [1, 0, 0], [0, 1, 0])):
        kept.rate(number, row)
    return kept


def make_random_history(seed: int, rounds_: int = 8, most: int = 7) -> InMemoryGroup:
    """A random group with turns and what happened: absences, weights, new options, overrides, rounds never drawn."""
    rng = random.Random(f"turns {seed}")
    mode, worlds = rng.choice(MODES)
    names = [f"member {number}" for number in range(rng.randint(2, most))]
    term = build_turn_terms(mode, worlds, rng.random() < 0.3)
    arms = [f"o{k}" for k in range(rng.randint(2, 5))]
    kept = InMemoryGroup(names, [rng.choice([1, 1, 2, 3]) for _ in names], arms, term, rng)
    for number in range(1, rounds_ + 1):
        if len(kept.group.available) < 2 or rng.random() < 0.2:
            kept.do(rounds.add_option, name=f"new {number}", reason=None)
        if rng.random() < 0.15:
            kept.do(members.join, name=f"late {number}", weight=1)
        if rng.random() < 0.1 and len(kept.group.members) > 2:
            kept.do(members.remove_member, member=min(kept.group.members))
        play_random_round(kept, rng)
        kept.freeze(undrawn=True)
        fate = rng.random()
        if fate > 0.15:
            kept.draw()
        if fate < 0.25:
            kept.do(rounds.override, round=number, slot=0, arm=rng.choice(kept.group.arms), reason="it rained")
        elif fate > 0.9 and number > 2 and not kept.group.rounds[number - 2].overrides:
            kept.do(rounds.override, round=number - 1, slot=0, arm=rng.choice(kept.group.arms), reason="we forgot")
    return kept

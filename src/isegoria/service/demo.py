"""A living example: a group of five who learn where to have lunch, a round every half minute."""

from __future__ import annotations

import itertools
import logging
import random
import threading
from typing import TYPE_CHECKING

from isegoria.errors import IsegoriaError
from isegoria.record.ratings import rate
from isegoria.service.creating import Made, new_group
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.http.request import Request
from isegoria.service.http.tokens import MEMBER, ORGANISER, Actor
from isegoria.service.rounds import draw, freeze

if TYPE_CHECKING:
    from isegoria.service.app import Service

PAUSE = 30.0  # seconds between two rounds
FIRST_ROUNDS = 12
TASTES = {
    "Ada": {"Thai": 4.6, "Pizza": 2.0, "Salad": 1.5, "Soup": 2.5},
    "Ben": {"Thai": 1.5, "Pizza": 4.5, "Salad": 1.0, "Soup": 2.0},
    "Cleo": {"Thai": 4.4, "Pizza": 3.0, "Salad": 2.0, "Soup": 1.0},
    "Dev": {"Thai": 1.0, "Pizza": 2.0, "Salad": 4.7, "Soup": 3.0},
    "Eva": {"Thai": 2.0, "Pizza": 4.4, "Salad": 2.5, "Soup": 4.4},
}
log = logging.getLogger("isegoria.service")


class Example:
    """The example group, and what its members do."""

    def __init__(self, service: Service, made: Made, seed: int = 1) -> None:
        self.service, self.group = service, made.row.id
        self.organiser = Actor(self.group, ORGANISER, 0, made.organiser)
        self.members = {
            name: Actor(self.group, MEMBER, number, made.members[name]) for number, name in enumerate(TASTES)
        }
        self.chance = random.Random(seed)
        self.keys = (f"demo-{number}" for number in itertools.count(1))

    def round(self) -> None:
        """Freeze and draw; then most of them say how it was."""
        nowhere = Request("POST", "/", self.group, "", False, "", {}, {}, {}, {}, b"")
        freeze(
            self.service,
            nowhere,
            self.organiser,
            {"event": None, "form": None, "undrawn": False},
            next(self.keys),
            "demo",
        )
        draw(self.service, nowhere, self.organiser, {"value": None}, next(self.keys), "demo")
        with self.service.groups.reading(self.group) as (state, _):
            last = state.rounds[-1]
            happened = [(last.number, slot, state.arms[arm]) for slot, arm in enumerate(last.played)]
        for name, actor in self.members.items():
            for number, slot, arm in happened:
                if self.chance.random() < 0.85:
                    stars = min(5, max(0, round(self.chance.gauss(TASTES[name][arm], 0.6))))
                    body = {"round": number, "slot": slot, "values": {arm: stars}, "at": None, "signature": None}
                    self.service.groups.act(actor, rate, body, next(self.keys), "demo")

    def live(self, stop: threading.Event) -> None:
        """Go on, a round every half minute, until the server stops."""
        while not stop.wait(PAUSE):
            try:
                self.round()
            except IsegoriaError as error:  # a visitor may have changed the group
                log.warning("the example group: %s", error)
            except RuntimeError:  # the server has stopped
                return


def living_example(service: Service, site: str) -> str:
    """Make the example group, let it live, and say where to look."""
    body = NEW_GROUP.check(
        {"title": "Lunch of the five", "arms": list(TASTES["Ada"]), "members": list(TASTES), "learner": "guided",
         "privacy": "open", "scale": [0, 5], "block": 1}
    )  # fmt: skip
    made = new_group(body, int(service.groups.clock()))
    with service.store.writing() as session:
        session.add_group(made.row)
        made.keep(session)
    example = Example(service, made)
    for _ in range(FIRST_ROUNDS):
        example.round()
    threading.Thread(target=example.live, args=(threading.Event(),), daemon=True).start()
    page = f"{site}/g/{made.row.id}"
    links = [f"  {name:<10} {page}#k={token}" for name, token in [("organiser", made.organiser), *made.members.items()]]
    return "\n".join([f"The example group decides every {PAUSE:.0f} seconds:", f"  {'anybody':<10} {page}", *links])

"""The example: five people with known tastes, a year of their lunches decided week by week, and one doubtful week.

`isegoria serve --demo` serves it as a group to walk about in. Every server shows what came of it at `/example`: it is a
real group, decided and verified as any other, in a store that is gone once the page knows that.
"""

from __future__ import annotations

import itertools
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from isegoria.record.ratings import rate
from isegoria.service import pictures
from isegoria.service.creating import Made, new_group
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.groups import StorePeople
from isegoria.service.heard import heard
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import MEMBER, ORGANISER, Actor
from isegoria.service.occasions import turns
from isegoria.service.rendering import html
from isegoria.service.rounds import draw, freeze
from isegoria.service.settings import Settings
from isegoria.verifier import isegoria_verify

if TYPE_CHECKING:
    from isegoria.service.app import Service

WEEKS = 53
DOUBTFUL = 31
"""The week whose first page was left undrawn: a doubt for everyone to look at."""
ARMS = ["Thai", "Pizza", "Salad", "Soup"]
TASTES = {
    "Ada": ["Thai"],
    "Ben": ["Pizza"],
    "Cleo": ["Thai"],
    "Dev": ["Salad", "Soup"],
    "Eva": ["Pizza", "Soup"],
}


class Example:
    """The example group, and what its members do."""

    def __init__(self, service: Service, made: Made) -> None:
        self.service, self.group = service, made.row.id
        self.organiser = Actor(self.group, ORGANISER, 0, made.organiser)
        self.members = {
            name: Actor(self.group, MEMBER, number, made.members[name]) for number, name in enumerate(TASTES)
        }
        self.keys = (f"demo-{number}" for number in itertools.count(1))

    def answer(self) -> None:
        """Everyone taps what she likes."""
        for name, actor in self.members.items():
            values = {arm: 5 if arm in TASTES[name] else 0 for arm in ARMS}
            body = {"round": None, "slot": None, "values": values, "at": None, "signature": None}
            self.service.groups.act(actor, rate, body, next(self.keys), "demo")

    def week(self, doubtful: bool = False) -> None:
        """Fix the next five days and draw them; a doubtful one is fixed twice, and the first is never drawn."""
        nowhere = Request("POST", "/", self.group, "", False, "", {}, {}, {}, {}, b"")
        for left in (False, True) if doubtful else (False,):
            body = {"event": None, "form": None, "undrawn": left}
            freeze(self.service, nowhere, self.organiser, body, next(self.keys), "demo")
        draw(self.service, nowhere, self.organiser, {"value": None}, next(self.keys), "demo")


def a_year(service: Service) -> tuple[Example, Made]:
    """The example group with a year behind it, to the end of this week; the service's clock goes through it."""
    clock = service.groups.clock
    now = datetime.fromtimestamp(clock(), UTC)
    monday = (now + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0)
    monday -= timedelta(days=monday.weekday(), weeks=WEEKS - 1)
    try:
        service.groups.clock = (monday - timedelta(days=2)).timestamp
        body = NEW_GROUP.check(
            {"title": "Lunch of the five", "arms": ARMS, "members": list(TASTES), "privacy": "open", "scale": [0, 5],
             "block": 5, "timetable": {"recurrence": "weekdays", "time": "12:00", "zone": "UTC"}}
        )  # fmt: skip
        made = new_group(body, int(service.groups.clock()))
        with service.store.writing() as session:
            session.add_group(made.row)
            made.keep(session)
        example = Example(service, made)
        example.answer()
        for week in range(1, WEEKS + 1):
            service.groups.clock = (monday + timedelta(weeks=week - 1, days=-2)).timestamp
            example.week(doubtful=week == DOUBTFUL)
    finally:
        service.groups.clock = clock
    return example, made


def living_example(service: Service, site: str) -> str:
    """Make the example group, which goes on by its timetable, and say where to look."""
    example, made = a_year(service)
    service.example = example.group
    page = f"{site}/g/{made.row.id}"
    links = [f"  {name:<10} {page}#k={token}" for name, token in [("organiser", made.organiser), *made.members.items()]]
    return "\n".join([f"The example group, with {WEEKS} weeks behind it:", f"  {'anybody':<10} {page}", *links])


# -- what came of it, on a page ----------------------------------------------------------------------------------------

_once = Lock()


def example(service: Service, request: Request) -> Reply:
    """What equal voice is, at a glance; on a server that shows the example as a group, that group."""
    if service.example is not None:
        return Reply(b"", 303, headers={"location": f"/g/{service.example}"})
    with _once:
        told = a_year_told()
    return html(request, "example.html", **told)


@cache
def a_year_told() -> dict[str, Any]:
    """The year as plain data: the same for everybody, worked out when somebody first asks."""
    from isegoria.service.app import Service

    with tempfile.TemporaryDirectory(prefix="isegoria-example-") as folder:
        service = Service(Settings(store=f"sqlite:///{Path(folder) / 'example.db'}", keeps_time=False))
        try:
            made, _ = a_year(service)
            with service.groups.reading(made.group) as (state, session):
                people = StorePeople(session, state)
                voices = [(state.name(n), heard(state, people[n])) for n in state.members]
                fair = state.rounds[-1]
                days = [turn.arm for round_ in state.rounds if round_.happened for turn in turns(state, round_)]
                flow = pictures.flow(state, fair)
                record = "".join(f"{line}\n" for _, line in session.lines(made.group)).encode()
        finally:
            service.close()
    found = isegoria_verify.verify(record)
    undrawn = [one for one in found["rounds"] if one["status"] == "undrawn"]
    return {
        "arms": ARMS, "days": [ARMS.index(arm) for arm in days], "flow": flow,
        "counts": [days.count(arm) for arm in ARMS],
        "people": [
            {"name": name, "likes": TASTES[name], "promised": told["promised"], "received": told["received"],
             "turns": told["turns"]} for name, told in voices
        ],
        "doubtful": {"week": DOUBTFUL, "verdict": found["verdict"], "choices": len(undrawn) + 1},
    }  # fmt: skip

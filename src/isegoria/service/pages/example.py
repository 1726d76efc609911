"""Demo group: five people with known tastes, a year of lunches decided week by week, and one doubtful week.

`isegoria serve --demo` serves it as a group to explore. Every server shows its results at `/example`. For that page a
real group is decided and verified like any other, in a temporary store that is deleted afterwards.
"""

from __future__ import annotations

import itertools
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from isegoria.record.actions.ratings import rate
from isegoria.service.actions.draw_round import draw_frozen_round
from isegoria.service.actions.freeze_round import FreezeJob
from isegoria.service.actions.group_creation import NewGroup, build_new_group
from isegoria.service.api.body_schemas import NEW_GROUP_SCHEMA
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.occurrences import list_turns
from isegoria.service.groups.repository import GroupRepository, StoredPeople
from isegoria.service.groups.voice_history import build_voice_history
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import ROLE_MEMBER, ROLE_ORGANISER, Actor, generate_token, make_token_row
from isegoria.service.pages import group_charts
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext, Resources
from isegoria.service.store import open_store
from isegoria.verifier import isegoria_verify

EXAMPLE_WEEKS = 53
UNDRAWN_WEEK = 31
"""The week whose first freeze page was left undrawn, as an example of a doubtful case."""
EXAMPLE_OPTIONS = ["Thai", "Pizza", "Salad", "Soup"]
EXAMPLE_FAVOURITES = {
    "Ada": ["Thai"],
    "Ben": ["Pizza"],
    "Cleo": ["Thai"],
    "Dev": ["Salad", "Soup"],
    "Eva": ["Pizza", "Soup"],
}


class ExampleGroup:
    """Demo group and the actions of its members."""

    def __init__(self, groups: GroupRepository, made: NewGroup) -> None:
        self.groups, self.gate, self.group = groups, FreezeGate(), made.row.id
        self.organiser = Actor(self.group, ROLE_ORGANISER, 0, made.organiser)
        self.members = {
            name: Actor(self.group, ROLE_MEMBER, number, "") for number, name in enumerate(EXAMPLE_FAVOURITES)
        }
        self.keys = (f"demo-{number}" for number in itertools.count(1))

    def answer(self) -> None:
        """Submit every member's ratings: 5 for what they like, 0 for the rest."""
        for name, actor in self.members.items():
            values = {arm: 5 if arm in EXAMPLE_FAVOURITES[name] else 0 for arm in EXAMPLE_OPTIONS}
            body = {"round": None, "slot": None, "values": values, "at": None, "signature": None}
            self.groups.act(actor, rate, body, next(self.keys), "demo")

    def week(self, doubtful: bool = False) -> None:
        """Freeze and draw the next five days; a doubtful week is frozen twice, and its first freeze is never drawn."""
        for left in (False, True) if doubtful else (False,):
            body = {"event": None, "form": None, "undrawn": left}
            FreezeJob(self.groups, self.gate, self.organiser, body, next(self.keys), "demo").run()
        draw_frozen_round(self.groups, None, self.organiser, {"value": None}, next(self.keys), "demo")


def create_example_year(groups: GroupRepository) -> tuple[ExampleGroup, NewGroup]:
    """Create the demo group with a year of decisions up to the end of this week.

    The clock of the groups is set to each week in turn, and restored at the end.
    """
    clock = groups.clock
    now = datetime.fromtimestamp(clock(), UTC)
    monday = (now + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0)
    monday -= timedelta(days=monday.weekday(), weeks=EXAMPLE_WEEKS - 1)
    try:
        groups.clock = (monday - timedelta(days=2)).timestamp
        body = NEW_GROUP_SCHEMA.check(
            {
                "title": "Lunch of the five",
                "arms": EXAMPLE_OPTIONS,
                "members": list(EXAMPLE_FAVOURITES),
                "privacy": "open",
                "scale": [0, 5],
                "block": 5,
                "timetable": {"recurrence": "weekdays", "time": "12:00", "zone": "UTC"},
            }
        )
        made = build_new_group(body, int(groups.clock()))
        with groups.store.writing() as session:
            made.insert(session)
        example = ExampleGroup(groups, made)
        example.answer()
        for week in range(1, EXAMPLE_WEEKS + 1):
            groups.clock = (monday + timedelta(weeks=week - 1, days=-2)).timestamp
            example.week(doubtful=week == UNDRAWN_WEEK)
    finally:
        groups.clock = clock
    return example, made


def create_demo_group(resources: Resources, site: str) -> str:
    """Create the demo group, which continues by its timetable, and return a text with its links."""
    example, made = create_example_year(resources.groups)
    resources.demo_group_id = example.group
    page = f"{site}/g/{made.row.id}"
    tokens = {person.name: (person.number, generate_token()) for person in made.change.people}
    with resources.store.writing() as session:
        now = int(resources.groups.clock())
        session.add_tokens(
            make_token_row(token, made.row.id, ROLE_MEMBER, number, now) for number, token in tokens.values()
        )
    shown = [("organiser", made.organiser), *((name, token) for name, (_, token) in tokens.items())]
    links = [f"  {name:<10} {page}#k={token}" for name, token in shown]
    return "\n".join([f"The example group, with {EXAMPLE_WEEKS} weeks behind it:", f"  {'anybody':<10} {page}", *links])


# -- the page with the results -----------------------------------------------------------------------------------------

_summary_lock = Lock()


def render_example(context: RequestContext) -> Reply:
    """Return the page that explains equal voice by the demo year; redirect to the demo group if this server has it."""
    if context.demo_group_id is not None:
        return Reply(b"", 303, headers={"location": f"/g/{context.demo_group_id}"})
    with _summary_lock:
        told = compute_example_summary()
    return render_page(context.request, "example.html", **told)


@cache
def compute_example_summary() -> dict[str, Any]:
    """Compute the demo year as plain data for the page, once per process at the first request."""
    with tempfile.TemporaryDirectory(prefix="isegoria-example-") as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'example.db'}")
        try:
            groups = GroupRepository(store)
            made, _ = create_example_year(groups)
            with groups.reading(made.group) as (state, session):
                people = StoredPeople(session, state)
                voices = [(state.name(n), build_voice_history(state, people[n])) for n in state.members]
                fair = state.rounds[-1]
                days = [turn.arm for round_ in state.rounds if round_.happened for turn in list_turns(state, round_)]
                flow = group_charts.build_flow(state, fair)
                record = "".join(f"{line}\n" for _, line in session.lines(made.group)).encode()
        finally:
            store.close()
    found = isegoria_verify.verify(record)
    undrawn = [one for one in found["rounds"] if one["status"] == "undrawn"]
    return {
        "arms": EXAMPLE_OPTIONS,
        "days": [EXAMPLE_OPTIONS.index(arm) for arm in days],
        "flow": flow,
        "counts": [days.count(arm) for arm in EXAMPLE_OPTIONS],
        "people": [
            {
                "name": name,
                "likes": EXAMPLE_FAVOURITES[name],
                "promised": told["promised"],
                "received": told["received"],
                "turns": told["turns"],
            }
            for name, told in voices
        ],
        "doubtful": {"week": UNDRAWN_WEEK, "verdict": found["verdict"], "choices": len(undrawn) + 1},
    }

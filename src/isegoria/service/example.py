"""The example on every server: known tastes, fair shares, a year of turns, and one doubtful week checked.

It is a real group, decided and verified as any other, in a store that is gone once the page knows what came of it.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from isegoria.service import pictures
from isegoria.service.demo import ARMS, DOUBTFUL, TASTES, a_year
from isegoria.service.groups import StorePeople
from isegoria.service.heard import heard
from isegoria.service.http.request import Reply, Request
from isegoria.service.occasions import turns
from isegoria.service.rendering import html
from isegoria.service.settings import Settings
from isegoria.verifier import isegoria_verify

if TYPE_CHECKING:
    from isegoria.service.app import Service

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
                record = b"".join(line + b"\n" for line in state.lines)
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

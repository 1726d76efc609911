"""What only the service refuses around a round: each sentence, over HTTP, with a set clock."""

import pytest
from api_clients import SampleGroup, make_client

from isegoria.service.actions import freeze_round
from isegoria.service.groups import freeze_gate
from isegoria.service.http.http_errors import Conflict
from isegoria.service.http.tokens import ROLE_SCHEDULER, Actor
from isegoria.service.store import open_store

NOON = 1_789_041_600
FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}
LUNCH = {"recurrence": "daily", "time": "12:30", "zone": "Europe/Berlin", "lead": 180}
SLIP = {"size": 2, "head": "00" * 32, "at": NOON, "kind": "commit", "value": "00" * 32, "signature": "00" * 64}


@pytest.fixture(params=[None, "http://127.0.0.1:9"], ids=["no relay", "relay"])
def client(request, tmp_path):
    """A server at a fixed time, with and without a relay (which nobody answers)."""
    opened = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    with make_client(opened, relay=request.param) as found:
        found.app.state.service.groups.clock = lambda: NOON
        yield found


def refused(answer, status: int, sentence: str) -> None:
    assert (answer.status_code, answer.json()["error"].startswith(sentence)) == (status, True), answer.text


def test_draws(client):
    group = SampleGroup(client, source="dice")
    draw, thrown = group.organiser, [1, 2, 3, 4, 5, 6, 1, 2, 3]
    refused(draw.post("draw", {"value": thrown}), 409, "no round is frozen; freeze one first.")
    assert draw.post("freeze", {"form": FORM}).status_code == 201
    refused(draw.post("draw"), 409, "this group throws dice; send what was thrown as value.")
    refused(draw.post("source", {"source": "rehearsal"}), 409, "round 1 is fixed under the source that it has")
    assert draw.post("draw", {"value": thrown}).status_code == 201
    assert draw.post("draw", {"value": thrown}).status_code == 200
    refused(draw.post("draw", {"value": thrown[::-1]}), 409, "round 1 was drawn already, with other numbers.")


def test_a_beacon(client):
    relayed = client.app.state.service.settings.relay is not None
    group = SampleGroup(client, source="beacon", timetable=LUNCH)
    assert group.organiser.post("freeze").status_code == 201
    other = LUNCH | {"time": "13:00"}
    refused(
        group.organiser.post("timetable", {"timetable": other}), 409, "round 1 is fixed for its time; draw it first"
    )
    refused(group.organiser.post("draw"), 409, "the beacon speaks in 81000 s; the draw waits for it.")
    client.app.state.service.groups.clock = lambda: NOON + 2 * 86400
    missing = "the relay http://127.0.0.1:9 did not tell round" if relayed else "no relay is set (--relay ADDRESS)"
    refused(group.organiser.post("draw"), 409, missing)
    refused(group.organiser.post("draw", {"value": "00"}), 409, "a beacon's signature has 48 bytes (96 digits), not 1.")


def test_sources(client):
    group = SampleGroup(client)
    if client.app.state.service.settings.relay is None:
        refused(group.organiser.post("source", {"source": "beacon"}), 409, "this server fetches no beacon; start it")
    else:
        far = {"source": "beacon", "first": NOON + 4000 * 86400}
        refused(group.organiser.post("source", far), 400, "first is more than ten years from now")
    asked = {"source": "dice", "first": NOON + 3600, "every": 3600}
    refused(group.organiser.post("source", asked), 400, "first and every belong to a beacon")


def test_numbers(client):
    group = SampleGroup(client, source="commit_reveal")
    refused(group["Ann"].post("say", SLIP), 409, "nobody asks for numbers now; the organiser does so")
    assert group.organiser.post("freeze").status_code == 202
    refused(group.organiser.post("freeze"), 409, "no phone has added a number yet; open this group on phones")
    refused(group.organiser.post("timetable", {"timetable": LUNCH}), 409, "members' own devices add numbers only while")


def test_crowds_and_occurrences(client, monkeypatch):
    group, service = SampleGroup(client, timetable=LUNCH), client.app.state.service
    with monkeypatch.context() as patch:
        patch.setattr(freeze_round, "MAX_ATTEMPTS", 0)
        refused(group.organiser.post("freeze"), 409, "others keep changing this group; freeze it again in a moment.")
    with monkeypatch.context() as patch, service.freeze_gate.lock:
        patch.setattr(freeze_gate, "LARGE_FREEZE_CELLS", 0)
        refused(group.organiser.post("freeze"), 409, "another large group is being decided; freeze again in a moment.")
    clock = Actor(group.group, ROLE_SCHEDULER, 0, "")
    freeze_round.freeze_on_schedule(service.groups, service.freeze_gate, clock, 1)
    assert group.organiser.post("draw").status_code == 201
    with pytest.raises(Conflict, match=r"^occurrence 1 was decided before\.$"):
        freeze_round.freeze_on_schedule(service.groups, service.freeze_gate, clock, 1)


def test_repeats(client):
    group = SampleGroup(client)
    assert group.organiser.post("freeze", {"event": "one"}, key="again").status_code == 201
    refused(group.organiser.post("freeze", {"event": "two"}, key="again"), 409, "this Idempotency-Key was used for")
    assert group.organiser.post("people", {"name": "Eve"}, key="links").status_code == 201
    refused(
        group.organiser.post("people", {"name": "Eve"}, key="links"),
        409,
        "this was done before, and its answer was not",
    )

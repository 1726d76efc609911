"""The security events of a group: what is logged, and who sees it."""

from api_clients import GroupClient, SampleGroup
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def read_events(visitor: GroupClient) -> list[tuple[str, str, str]]:
    answer = visitor.get("security")
    assert answer.status_code == 200, answer.text
    return [(event["event"], event["by"], event["concerns"]) for event in answer.json()["events"]]


def test_organiser_sees_all_and_members_their_own(client):
    group = SampleGroup(client)
    assert read_events(group.organiser) == []
    opened = group["Ann"].post("session", {"token": group["Ann"].token})
    assert opened.status_code == 200
    assert (
        group["Bob"]
        .post("keys", {"key": Ed25519PrivateKey.generate().public_key().public_bytes_raw().hex()})
        .status_code
        == 200
    )
    helper = group.organiser.post("coorganisers", {"name": "Dora"})
    assert helper.status_code == 201
    assert group.organiser.get("export").status_code == 200
    numbers = {link["name"]: link["number"] for link in group.organiser.get("links").json()["links"]}
    issued = group.organiser.post("links", {"role": "member", "number": numbers["Bob"]})
    assert issued.status_code == 201
    everything = {
        ("link used", "Ann", "Ann"),
        ("key registered", "Bob", "Bob"),
        ("organiser added", "organiser", "organiser"),
        ("export", "organiser", "organiser"),
        ("link issued again", "organiser", "Bob"),
    }
    assert set(read_events(group.organiser)) == everything
    assert read_events(group["Ann"]) == [("link used", "Ann", "Ann")]
    client.cookies.clear()
    assert group.nobody.get("security").status_code == 401


def test_failed_action_leaves_no_event(client):
    group = SampleGroup(client)
    assert group["Bob"].post("keys", {"key": "short"}).status_code == 400
    assert group["Bob"].get("export").status_code == 403
    assert read_events(group.organiser) == []


def test_old_events_are_forgotten(client):
    group = SampleGroup(client)
    service = client.app.state.service
    assert group.organiser.get("export").status_code == 200
    clock = service.groups.clock
    service.groups.clock = lambda: clock() + 400 * 86400
    assert group.organiser.get("export").status_code == 200
    assert len(read_events(group.organiser)) == 1


def test_erased_group_leaves_no_event(client, store):
    group = SampleGroup(client)
    group.organiser.get("export")
    with store.writing() as session:
        assert session.security_events(group.group)
        session.remove_group(group.group)
        assert session.security_events(group.group) == []

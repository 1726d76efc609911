"""The security events of a group: what is logged, and who sees it."""

from api_clients import GroupClient, SampleGroup, make_client

from isegoria.service.backup.backup_file import write_backup
from isegoria.service.backup.restore_backup import restore
from isegoria.service.store import open_store


def read_events(visitor: GroupClient) -> list[tuple[str, str, str]]:
    answer = visitor.get("security")
    assert answer.status_code == 200, answer.text
    return [(event["event"], event["by"], event["concerns"]) for event in answer.json()["events"]]


def show_events(visitor: GroupClient) -> str:
    """Return the part of the page of devices that lists the events."""
    headers = {"authorization": f"Bearer {visitor.token}"}
    return visitor.client.get(f"/g/{visitor.group}/devices", headers=headers).text.partition('id="security"')[2]


def test_organiser_sees_all_and_members_their_own(client):
    group = SampleGroup(client)
    assert read_events(group.organiser) == []
    opened = group["Ann"].post("session", {"token": group["Ann"].token})
    assert opened.status_code == 200
    assert group["Bob"].post("keys", group.key("Bob", bytes(32))).status_code == 200
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
    shown = show_events(group.organiser)
    assert "Bob registered a key." in shown
    assert "the organiser issued a new link for Bob." in shown
    assert "Bob" not in show_events(group["Ann"])
    assert group.nobody.get("security").status_code == 401


def test_restored_group_shows_it_to_everybody(client, store, tmp_path):
    group = SampleGroup(client)
    write_backup(store, tmp_path / "backup")
    other = open_store(f"sqlite:///{tmp_path / 'other.db'}")
    restore(other, tmp_path / "backup")
    with make_client(other) as after:
        for token in (group.organiser.token, group["Ann"].token):
            visitor = GroupClient(after, group.group, token)
            assert read_events(visitor) == [("restore", "operator", "operator")]


def test_failed_action_leaves_no_event(client):
    group = SampleGroup(client)
    assert group["Bob"].post("keys", {"key": "short", "proof": "short"}).status_code == 400
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

"""Joins, departures and keys that wait: rosters stand only before rounds 1, N + 1, 2N + 1, …, in file and service."""

import json

from api_clients import SampleGroup

import isegoria as iso
from isegoria.cli.record.operations import add_key, add_member, create_record, draw, freeze, rate, remove_member
from isegoria.record.files.file_store import iter_events, open_record
from isegoria.record.replay import replay
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.service.backup.record_export import export_record
from isegoria.verifier.isegoria_verify import verify
from service.test_page_responses import sign_in, submit

AT = 1_700_000_000


def rosters(record: bytes) -> dict[int, list[int]]:
    """By round, who stood on a new roster right before it."""
    found, last = {}, None
    for line in map(json.loads, record.splitlines()):
        if line["line"] == "roster":
            last = [number for number, one in enumerate(line["members"]) if one]
        if line["line"] in ("freeze", "trial") and last is not None:
            found[line["round"]], last = last, None
    return found


def sets(record: bytes) -> list[list[tuple[tuple[int, ...], int]]]:
    """For each round, how many have which set."""
    lines = map(json.loads, record.splitlines())
    return [
        sorted((tuple(one["candidates"]), len(one["pseudonyms"])) for one in line["types"])
        for line in lines
        if line["line"] == "freeze"
    ]


def test_in_a_service_changes_wait_and_what_was_said_counts_until_then(quick, tmp_path):
    group = SampleGroup(quick)
    assert group.organiser.post("settings", {"changes": 3}).status_code == 200
    for name, arm in (("Ann", "Thai"), ("Bob", "Pizza"), ("Cem", "Salad")):
        group[name].rate({arm: 5})
    group.decide()
    assert group["Bob"].post("leave").status_code == 200
    headers = {"authorization": f"Bearer {group.add_member('Dan').token}"}
    assert quick.get(f"/api/groups/{group.group}", headers=headers).json()["you"]["from_round"] == 4
    group["Ann"].post("keys", group.key("Ann", bytes(32)))
    for _ in range(4):
        group.decide()
    record = group.record()
    assert rosters(record) == {1: [0, 1, 2], 4: [0, 2, 3]}
    assert sets(record)[0] == sets(record)[1] == sets(record)[2] != sets(record)[3]
    assert verify(record)["exit_code"] == 3
    assert group["Ann"].get().json()["you"]["from_round"] is None
    assert group.organiser.post("people/erase", {"member": 2}).status_code == 200  # does not wait
    group.decide()
    assert rosters(group.record())[6] == [0, 3]
    group.decide()
    assert group.organiser.post("links", {"role": "member", "number": 0}).status_code == 201  # nor does this
    group.decide()
    assert set(rosters(group.record())) == {1, 4, 6, 8}
    path = tmp_path / "out.record"
    with quick.app.state.service.store.reading() as session:
        export_record(session, group.group, path)
    with open_record(path) as kept:
        assert replay(iter_events(kept), lambda group: kept.people()).exit_code == 0


def test_in_a_file_too_and_it_replays(tmp_path):
    path = tmp_path / "lunch.record"
    table = iso.Instance([[1, 0], [0, 1], [1, 1]], agents=["Ann", "Bob", "Cid"], arms=["tea", "pie"])
    create_record(path, table, source=RANDOMNESS_SOURCES["rehearsal"].terms(), scale=(0, 5), changes=2)
    for number in range(5):
        with open_record(path) as kept:
            freeze(kept, AT + number)
            draw(kept, AT + number)
        with open_record(path) as kept:
            if number == 0:
                add_member(kept, "Dee", values={"tea": 5})
                remove_member(kept, "Bob")
                add_key(kept, "Ann")
            if number == 1:
                rate(kept, "Cid", {"tea": 1}, now=AT)
    record = path.read_bytes()
    assert rosters(record) == {1: [0, 1, 2], 3: [0, 2, 3]}
    assert verify(record)["exit_code"] == 3
    with open_record(path) as kept:
        found = replay(iter_events(kept), lambda group: kept.people())
    assert (found.exit_code, found.pages) == (0, 5)


def test_the_question_and_the_field_say_it(quick):
    group = SampleGroup(quick)
    sign_in(quick, group.organiser)
    page = quick.get(f"/g/{group.group}/organise").text
    assert 'name="changes" value="1"' in page
    assert submit(quick, group.group, "settings", page, changes="4").status_code == 303
    group.decide()
    asked = submit(quick, group.group, "remove", quick.get(f"/g/{group.group}/organise").text, member="1").text
    assert "Bob leaves the group: this voice counts as it last was until round 5" in asked
    assert group.organiser.post("settings", {"changes": 0}).status_code == 400
    assert group.organiser.post("settings", {"changes": None}).status_code == 200
    assert group.organiser.get().json()["settings"]["changes"] == 1


def test_a_group_with_turns_replays_with_what_was_proposed(quick, tmp_path):
    films = SampleGroup(quick, arms=["Alien"], turns={"mode": "lottery"})
    films["Ann"].post("propose", {"name": "Brazil"})
    films["Bob"].post("propose", {"name": "Cube"})
    films["Bob"].post("withdraw", {"name": "Cube"})
    films["Ann"].rate({"Brazil": 5})
    films.decide()
    films["Cem"].rate({"Alien": 5, "Brazil": 5})
    films.decide()
    with quick.app.state.service.store.reading() as session:
        export_record(session, films.group, tmp_path / "films.record")
    with open_record(tmp_path / "films.record") as kept:
        found = replay(iter_events(kept), lambda group: kept.people())
    assert (found.exit_code, found.pages) == (0, 2), found.sentence

"""What members' devices say over HTTP: pages signed in time, numbers and throws, and every refusal."""

import json
from hashlib import sha256

import pytest
from api_clients import SampleGroup

import isegoria as iso
from isegoria.errors import InputError
from isegoria.record.format.canonical_json import parse_canonical
from isegoria.record.format.lines import encode_statement
from isegoria.record.signing.device import Device, sign_record
from isegoria.record.signing.ed25519 import sign
from isegoria.record.state.group import Group
from isegoria.verifier.isegoria_verify import verify
from service.test_page_responses import sign_in, submit

FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}


class SigningDevices:
    """A device for each member of a circle; all of them are honest."""

    def __init__(self, circle: SampleGroup):
        self.circle = circle
        self.devices = {name: Device(sha256(name.encode()).hexdigest()) for name in circle.members}
        for name, device in self.devices.items():
            answer = circle[name].post("keys", circle.key(name, bytes.fromhex(device.seed)))
            assert answer.status_code == 200, answer.text

    def group(self) -> Group:
        return Group.from_bytes(self.circle.record())

    def say(self, name: str, what: str = "seen", value: str | None = None, **changed):
        receipt = parse_canonical(self.circle[name].get("receipt").content.removesuffix(b"\n"))
        now = self.circle.client.app.state.service.groups.clock()
        self.devices[name], slip = sign_record(
            self.devices[name], self.group(), receipt, int(now), what, value, lambda question: True
        )
        if changed:
            slip = {**slip, **changed}
            seed = bytes.fromhex(self.devices[name].seed)
            slip["signature"] = sign(seed, encode_statement(self.group().record, slip)).hex()
        return self.circle[name].post("say", {key: slip[key] for key in slip if key not in ("line", "member")})


def verify_group(circle: SampleGroup, path, **asked):
    path.write_bytes(circle.record())
    line = circle.record().split(b"\n")[1]
    return iso.verify(path, trust="members", head=sha256(line).hexdigest(), **asked)


def test_a_group_with_dice_is_proved_by_its_phones(quick, tmp_path):
    circle = SampleGroup(quick, source="dice")
    phones = SigningDevices(circle)
    assert circle.record() == b""
    for name in circle.members:
        assert circle[name].rate({"Thai": 5, "Pizza": 1}).status_code == 200
    assert circle.organiser.post("freeze", {"form": FORM, "event": "nine dice"}).status_code == 201
    for name in circle.members:
        assert phones.say(name).status_code == 201
    for name in circle.members:
        assert phones.say(name, "dice", "314426531").status_code == 201
    assert circle.organiser.post("draw", {"value": "314426531"}).status_code == 201
    for name in circle.members:
        assert phones.say(name).status_code == 201
    found = verify_group(circle, tmp_path / "r")
    assert (found.exit_code, found.beta) == (0, 1)
    seen = circle.nobody.get().json()["seen"]
    assert (seen["early"], seen["since"], seen["of"]) == (3, 3, 3)


def test_numbers_of_the_group_itself(quick, tmp_path):
    circle = SampleGroup(quick, source="commit_reveal")
    phones = SigningDevices(circle)
    asked = circle.organiser.post("freeze")
    assert (asked.status_code, asked.json()["round"]) == (202, 1)
    for name in circle.members:
        assert phones.say(name, "commit").status_code == 202
    assert circle.organiser.post("freeze").status_code == 201
    for name in ("Ann", "Bob"):
        assert phones.say(name, "reveal").status_code == 201
    refused = circle.organiser.post("draw")
    assert (refused.status_code, "Cem" in refused.text) == (409, True)
    assert phones.say("Cem", "reveal").status_code == 201
    assert circle.organiser.post("draw").status_code == 201
    assert verify_group(circle, tmp_path / "r").exit_code == 0


def test_numbers_are_held_for_half_a_minute_and_only_of_those_who_are_still_there(client):
    circle = SampleGroup(client, source="commit_reveal")
    phones, groups = SigningDevices(circle), client.app.state.service.groups
    start = int(groups.clock())
    at = {"now": start}
    groups.clock = lambda: at["now"]
    refused = phones_say_unasked(circle, phones)
    assert (refused.status_code, "nobody asks" in refused.text) == (409, True)
    assert circle.organiser.post("freeze").json()["asked_until"] == start + 30
    assert circle["Ann"].get().json()["asked_until"] == start + 30
    assert "no phone has added" in circle.organiser.post("freeze").json()["error"]
    for name in circle.members:
        assert phones.say(name, "commit").status_code == 202
    assert b'"commit"' not in circle.record(), "what is held is not written"
    assert circle.organiser.get().json()["phones"] == ["Ann", "Bob", "Cem"]
    at["now"] = start + 6
    first = phones.devices["Ann"].statements[-1]
    assert phones.say("Ann", "commit").status_code == 202  # still here, and the same number
    assert phones.devices["Ann"].statements[-1]["value"] == first["value"]
    at["now"] = start + 10
    assert phones.say("Bob", "commit").status_code == 202
    assert circle.organiser.get().json()["phones"] == ["Ann", "Bob"], "Cem was not heard from for ten seconds"
    at["now"] = start + 31
    again = circle.organiser.post("freeze")
    assert (again.status_code, again.json()["asked_until"]) == (202, start + 61), "held no longer"
    assert phones.say("Bob", "commit").status_code == 202
    at["now"] = start + 35
    frozen = circle.organiser.post("freeze", {"event": "lunch"}, key="a-freeze-that-is-sent-twice")
    assert frozen.status_code == 201
    assert (
        circle.organiser.post("freeze", {"event": "lunch"}, key="a-freeze-that-is-sent-twice").content == frozen.content
    )
    said = [line for line in map(json.loads, circle.record().splitlines()) if line["line"] == "statement"]
    assert [(line["member"], line["kind"]) for line in said] == [(1, "commit")]
    with groups.store.reading() as session:
        assert session.held(circle.group) == []
    assert phones.say("Bob", "reveal").status_code == 201
    assert circle.organiser.post("draw").status_code == 201


def test_a_number_whose_key_is_replaced_meanwhile_is_not_taken(quick):
    circle = SampleGroup(quick, source="commit_reveal")
    phones = SigningDevices(circle)
    circle.organiser.post("freeze")
    for name in ("Ann", "Bob"):
        phones.say(name, "commit")
    assert circle.organiser.post("links", {"role": "member", "number": 1}).status_code == 201
    assert circle.organiser.get().json()["phones"] == ["Ann"]
    assert circle.organiser.post("freeze").status_code == 201
    assert phones.group().open.commits.keys() == {0}
    assert phones.say("Ann", "reveal").status_code == 201
    left = circle.organiser.post("freeze", {"undrawn": True})
    assert left.status_code == 202, "the round that is open may be left, and the next one asks again"


def phones_say_unasked(circle: SampleGroup, phones: SigningDevices):
    circle.organiser.post("roster")
    return phones.say("Ann", "commit")


def test_what_is_refused(quick):
    circle = SampleGroup(quick, source="dice")
    phones = SigningDevices(circle)
    circle.organiser.post("freeze", {"form": FORM})
    now = int(circle.client.app.state.service.groups.clock())
    for off in (-90, 90):
        answer = phones.say("Ann", at=now + off)
        assert (answer.status_code, "differ by" in answer.text) == (409, True)
    assert phones.say("Ann", head="0" * 64).status_code == 409
    assert phones.say("Ann", size=99).status_code == 409
    assert circle.organiser.post("void", {"reason": "x"}).status_code == 404
    for gone in ("witness", "commit", "reveal", "seen", "checked"):
        assert circle["Ann"].post(gone, {}).status_code == 404
    assert circle.nobody.post("say", {}).status_code in (400, 401)


def test_a_round_that_is_left_and_a_link_that_is_issued_again(quick, tmp_path):
    circle = SampleGroup(quick)
    assert circle["Bob"].post("keys", circle.key("Bob", bytes(32))).is_success
    circle.organiser.post("freeze")
    again = circle.organiser.post("freeze")
    assert (again.status_code, again.json()["round"]) == (200, 1)
    assert circle.organiser.post("freeze", {"undrawn": True}).json()["round"] == 2
    circle.organiser.post("draw")
    made = circle.organiser.post("links", {"role": "member", "number": 1})
    assert made.status_code == 201
    assert circle["Bob"].get("receipt").status_code == 401
    circle.organiser.post("freeze")
    path = tmp_path / "r"
    path.write_bytes(circle.record())
    found = iso.verify(path)
    assert any("keys replaced: 1." in note for note in found.notes)
    assert "Never drawn: rounds 1." in found.sentence
    assert [json.loads(line)["line"] for line in circle.record().splitlines()][-2:] == ["roster", "freeze"]


def test_a_throw_names_who_has_not_confirmed_and_a_day_later_what_was_done_instead(quick):
    circle = SampleGroup(quick, source="dice")
    phones, groups = SigningDevices(circle), quick.app.state.service.groups
    for name in circle.members:
        circle[name].rate({"Thai": 5})
    circle.organiser.post("freeze", {"form": FORM, "event": "nine dice"})
    start = int(groups.clock())
    for name in circle.members:
        phones.say(name)
    seen = circle.nobody.get().json()["seen"]
    assert (seen["early"], seen["wanted"]) == (3, 2), "before the throw it is the page that phones must have"
    sign_in(quick, circle.organiser)
    organise = f"/g/{circle.group}/organise"
    assert "not confirmed yet by Ann, Bob, Cem." in " ".join(quick.get(organise).text.split())
    asked = submit(quick, circle.group, "draw", quick.get(organise).text, value="314426531").text
    assert "Draw anyway? It will be proved only for those who confirmed. Not yet: Ann, Bob, Cem." in asked
    for name in ("Ann", "Bob"):
        phones.say(name, "dice", "314426531")
    assert "not confirmed yet by Cem." in " ".join(quick.get(organise).text.split())
    assert 'id="instead"' not in quick.get(organise).text
    groups.clock = lambda: start + 86_500
    assert circle.nobody.get().json()["overdue"]
    assert "Round 1 was never drawn" in quick.get(f"/g/{circle.group}").text
    page = quick.get(organise).text
    assert "What did you do instead?" in page
    done = submit(quick, circle.group, "override", page, round="1", slot="0", arm="Pizza", reason="no dice there")
    assert done.status_code == 303
    assert json.loads(circle.record().splitlines()[-1])["line"] == "override"
    assert circle.organiser.post("freeze", {"form": FORM, "undrawn": True}).status_code == 201
    assert "Never drawn: rounds 1." in verify(circle.record(), now=start + 86_510)["sentence"]


def test_a_member_finds_her_key_to_tell_it_to_somebody_who_doubts(quick, tmp_path):
    circle = SampleGroup(quick, source="dice")
    phones = SigningDevices(circle)
    sign_in(quick, circle["Ann"])
    assert phones.devices["Ann"].key in quick.get(f"/g/{circle.group}/devices").text


def test_nothing_is_signed_before_the_record_begins_nor_thrown_where_no_dice_are_asked_for(quick):
    circle = SampleGroup(quick)
    slip = {"size": 2, "head": "0" * 64, "at": int(quick.app.state.service.groups.clock()), "kind": "seen"}
    refused = circle["Ann"].post("say", {**slip, "value": None, "signature": "0" * 128})
    assert (refused.status_code, "has not begun" in refused.text) == (409, True)
    phones = SigningDevices(circle)
    circle.organiser.post("freeze")
    for what, value, why in (
        ("dice", "314426531", "no round under dice is open"),
        ("reveal", None, "under commit_reveal"),
    ):
        with pytest.raises(InputError, match=why):
            phones.say("Ann", what, value)

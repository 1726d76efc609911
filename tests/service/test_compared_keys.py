"""Members compare keys on each other's phones: the page shows the words, and a signed statement says that they did."""

from hashlib import sha256

from api_clients import SampleGroup

from isegoria.record.format.head_words import encode_words
from isegoria.record.format.lines import encode_statement
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.state.group import Group
from isegoria.verifier.isegoria_verify import verify

SEEDS = {name: sha256(name.encode()).digest() for name in ("Ann", "Bob", "Cem")}


def compare(lunch: SampleGroup, by: int, name: str, other: int, key: bytes):
    group = Group.from_bytes(lunch.record())
    at = int(lunch.client.app.state.service.groups.clock())
    slip = {"size": len(group.lines), "head": group.head.hex(), "at": at, "kind": "compare"}
    slip["value"] = other.to_bytes(4, "big").hex() + key.hex()
    signature = sign(SEEDS[name], encode_statement(group.record, {**slip, "member": by})).hex()
    return lunch[name].post("say", {**slip, "signature": signature})


def test_members_see_keys_in_words_and_say_that_they_compared_them(quick):
    lunch = SampleGroup(quick)
    for name, seed in SEEDS.items():
        assert lunch[name].post("keys", lunch.key(name, seed)).is_success
    lunch.organiser.post("freeze")
    bob = public_key(SEEDS["Bob"])
    headers = {"authorization": f"Bearer {lunch['Ann'].token}"}
    page = quick.get(f"/g/{lunch.group}/devices", headers=headers).text
    assert encode_words(sha256(bob).digest()) in page
    assert encode_words(sha256(public_key(SEEDS["Ann"])).digest()) in page
    assert compare(lunch, 0, "Ann", 1, public_key(SEEDS["Cem"])).status_code == 409
    assert compare(lunch, 0, "Ann", 0, public_key(SEEDS["Ann"])).status_code == 409
    for number, name in ((0, "Ann"), (2, "Cem")):
        assert compare(lunch, number, name, 1, bob).status_code == 201
    assert "compared by 2 people" in quick.get(f"/g/{lunch.group}/devices", headers=headers).text
    notes = verify(lunch.record())["notes"]
    assert any("1 (link issued by the organiser, " in note and "compared by 2 members)" in note for note in notes)

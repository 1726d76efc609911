"""Groups whose options are proposed anew: film nights by the API and by the pages, on either store."""

import json

from api_clients import GroupClient, SampleGroup

from isegoria.record.actions.proposals import MAX_PROPOSALS_PER_ROUND
from isegoria.record.signing.ed25519 import public_key
from isegoria.record.state.group import Group
from isegoria.verifier.isegoria_verify import verify
from service.test_page_responses import sign_in, submit

FILMS = {"arms": ["Alien", "Brazil"], "turns": {"mode": "lottery", "single_use": True}}


def make_film_group(client, **given) -> SampleGroup:
    return SampleGroup(client, **{**FILMS, **given})


def test_options_are_proposed_rated_played_and_used_up(client):
    films = make_film_group(client)
    assert films["Ann"].post("propose", {"name": " Cube "}).json() == {"arm": "Cube", "number": 2}
    assert films["Bob"].get().json()["available"] == ["Alien", "Brazil", "Cube"]
    films["Ann"].rate({"Cube": 5})
    films["Bob"].rate({"Alien": 5})
    drawn = films.decide()
    state = films["Cem"].get().json()
    assert [slot["arm"] for slot in state["last"]["slots"]] == drawn["arms"][:1]
    assert drawn["arms"][0] not in state["available"]
    kinds = [line["line"] for line in Group.from_bytes(films.record()).parsed]
    assert kinds == ["charter", "roster", "amend", "freeze", "draw"]
    found = verify(films.record())
    assert found["exit_code"] == 3
    assert len(found["debts"]) == 2  # Cem did not ask


def test_doubles_are_told_by_the_name_that_is_there(client):
    films = make_film_group(client)
    for name in ("alien", " ALIEN ", "Alien"):
        refused = films["Ann"].post("propose", {"name": name})
        assert refused.status_code == 409
        assert refused.json()["error"] == "'Alien' is on offer already."
    for name in films.members:
        films[name].rate({"Alien": 5})
    films.decide()
    assert "used up" in films["Cem"].post("propose", {"name": "alien"}).json()["error"]


def test_a_proposal_is_withdrawn_by_its_maker_or_an_organiser_before_the_freeze(client):
    films = make_film_group(client)
    films["Ann"].post("propose", {"name": "Cube"})
    films["Ann"].post("propose", {"name": "Dune"})
    films["Cem"].rate({"Cube": 5, "Dune": 5})
    assert films["Bob"].post("withdraw", {"name": "Cube"}).status_code == 409
    assert films["Ann"].post("withdraw", {"name": "Cube"}).status_code == 200
    assert films["Cem"].get().json()["available"] == ["Alien", "Brazil", "Dune"]
    films.decide()
    record = Group.from_bytes(films.record())
    assert record.arms == ["Alien", "Brazil", "(withdrawn 2)", "Dune"]
    assert 2 not in record.rounds[0].freeze["available"]
    assert b"Cube" not in films.record()
    assert verify(films.record())["exit_code"] == 3
    assert "on record" in films.organiser.post("withdraw", {"name": "Brazil"}).json()["error"]
    films["Bob"].post("propose", {"name": "Eden"})
    assert films.organiser.post("withdraw", {"name": "Eden"}).status_code == 200


def read_pseudonyms(record: bytes) -> list[dict[str, list[int]]]:
    """What somebody who has the record reads from it: by round, the favourites of each pseudonym."""
    pages = [json.loads(line) for line in record.splitlines() if b'"line":"freeze"' in line]
    return [{who: one["candidates"] for one in page["types"] for who in one["pseudonyms"]} for page in pages]


def test_who_reads_a_record_with_turns_and_what_it_tells(client):
    """A stranger reads no pseudonym anywhere. A member learns the one of who joined alone, as who-sees-what says."""
    films = make_film_group(client)
    for name in films.members:
        films[name].rate({"Alien": 5})
    films.decide()
    token = films.add_member("Zoe").token
    zoe = GroupClient(client, films.group, token)
    zoe.rate({"Brazil": 5})
    films.decide()
    refused = films.nobody.get("record")
    assert (refused.status_code, "is for its members" in refused.text) == (401, True)
    before, after = read_pseudonyms(films["Ann"].get("record").content)
    joined = after.keys() - before.keys()
    assert [after[who] for who in joined] == [[1]], "one pseudonym came, and its favourites are Zoe's"
    assert before.keys() < after.keys(), "all others stay, for good"
    seen = [films.nobody.get(path).text for path in ("", "calendar.ics", "events?once=1")]
    seen += [client.get(f"/g/{films.group}{page}").text for page in ("", "/board", "/voice", "/organise")]
    assert not [who for who in after if who in "".join(seen)]
    assert films.nobody.get().json()["head"] == films["Ann"].get().json()["head"], "heads stay public"
    assert f"/api/groups/{films.group}/record" not in seen[3]
    told = "which answers are yours"
    assert told in client.get(f"/g/{films.group}/join").text, "who joins is told before"
    assert told not in client.get(f"/g/{SampleGroup(client).group}/join").text
    sign_in(client, films.organiser)
    assert "Let several join at once" in client.get(f"/g/{films.group}/organise").text


def test_a_link_issued_again_shows_nobody_s_pseudonym(client):
    """Neither the rounds of before nor those that follow are known to be the member's: only the key goes."""
    films = make_film_group(client)
    films["Bob"].post("keys", films.key("Bob", bytes(32)))
    for name in films.members:
        films[name].rate({"Alien": 5})
    films.decide()
    token = films.organiser.post("links", {"role": "member", "number": 1}).json()["token"]
    assert films["Bob"].get("voice").status_code == 401, "the old link is void"
    bob = GroupClient(client, films.group, token)
    assert bob.rate({"Brazil": 5}).is_success
    films.decide()
    before, after = read_pseudonyms(films.record())
    assert before.keys() == after.keys()
    record = Group.from_bytes(films.record())
    keys = [roster["members"][1]["key"] for roster in record.rosters]
    assert keys == [public_key(bytes(32)).hex(), None], "whoever reads the record sees that the key is gone"
    verdict = verify(films.record(), receipt=bob.get("receipt").content)
    assert (verdict["exit_code"], "Line 5: keys replaced: 1." in verdict["notes"]) == (3, True), verdict
    assert bob.get().json()["you"]["reissued"]["by"] == "organiser"


def test_a_member_proposes_so_many_for_a_round_and_no_more(client):
    films = make_film_group(client)
    for number in range(MAX_PROPOSALS_PER_ROUND):
        assert films["Ann"].post("propose", {"name": f"film {number}"}).status_code == 201
        assert films["Ann"].post("withdraw", {"name": f"film {number}"}).status_code == 200
    refused = films["Ann"].post("propose", {"name": "one more"})
    assert (refused.status_code, "propose more in the next" in refused.text) == (409, True)
    assert films["Bob"].post("propose", {"name": "one more"}).status_code == 201
    films["Bob"].rate({"one more": 5})
    films.decide()
    assert films["Ann"].post("propose", {"name": "another"}).status_code == 201


def test_what_somebody_proposed_stays_when_she_is_erased(client):
    films = make_film_group(client)
    films["Ann"].post("propose", {"name": "Cube"})
    assert films.organiser.post("people/erase", {"member": 0}).status_code == 200
    assert "Cube" in films["Bob"].get().json()["available"]
    assert films["Bob"].post("withdraw", {"name": "Cube"}).status_code == 409
    assert films.organiser.get().json()["proposed"] == ["Cube"]


def test_nothing_on_offer_is_said_and_a_group_without_turns_takes_no_proposals(client):
    films = make_film_group(client, arms=["Alien"])
    films["Ann"].rate({"Alien": 5})
    films.decide()
    assert "nothing is on offer" in films.organiser.post("freeze").json()["error"]
    films["Bob"].post("propose", {"name": "Brazil"})
    assert films.organiser.post("freeze").status_code == 201
    lunch = SampleGroup(client)
    assert "only in a group with turns" in lunch["Ann"].post("propose", {"name": "Ramen"}).json()["error"]


def test_each_sees_what_she_is_owed_and_all_only_where_the_organiser_opens_it(quick):
    films = make_film_group(quick, turns={"mode": "deterministic"})
    for name, film in (("Ann", "Alien"), ("Bob", "Alien"), ("Cem", "Brazil")):
        films[name].rate({film: 5})
    films.decide()
    assert films["Cem"].get("voice").json()["owed"] == {"tenths": 3, "shown": "0.3", "waited": 1}
    assert films["Ann"].get("voice").json()["owed"]["tenths"] < 0
    sign_in(quick, films["Cem"])
    assert "You are owed 0.3 of a decision. You have waited 1 round for" in quick.get(f"/g/{films.group}/voice").text
    assert "Who is owed what" not in quick.get(f"/g/{films.group}/group").text
    assert films.organiser.post("settings", {"owed": True}).status_code == 200
    assert "Who is owed what" in quick.get(f"/g/{films.group}/group").text


def test_nothing_is_said_of_odds_where_there_are_none(quick):
    for turns, told in (
        ({"mode": "lottery"}, True),
        ({"mode": "lottery", "single_use": True}, False),
        ({"mode": "deterministic"}, False),
    ):
        films = make_film_group(quick, turns=turns)
        for name, film in (("Ann", "Alien"), ("Bob", "Alien"), ("Cem", "Brazil")):
            films[name].rate({film: 5})
        films.organiser.post("propose", {"name": "Cube"})
        first, again = films.organiser.post("freeze"), films.organiser.post("freeze")
        assert (first.json()["policy"] is not None) == told
        assert again.json() == first.json()
        assert not told or set(first.json()["policy"]) == {"Alien", "Brazil", "Cube"}
        films.organiser.post("draw")
        sign_in(quick, films["Cem"])
        pages = {path: quick.get(f"/g/{films.group}/{path}").text for path in ("group", "voice", "")}
        for words in ("The chances", ">Chance</th>", "normal luck", 'data-odds="1"'):
            assert any(words in page for page in pages.values()) == told, words
        assert ("as chance allows" in films["Cem"].get("voice").json()["sentence"]) == told


def test_tapping_says_nothing_of_what_was_not_tapped_and_a_tile_is_proposed_by_a_form(quick):
    films = make_film_group(quick)
    sign_in(quick, films["Ann"])
    page = quick.get(f"/g/{films.group}").text
    assert submit(quick, films.group, "propose", page, name="Cube").status_code == 303
    page = quick.get(f"/g/{films.group}").text
    assert 'data-arm="Cube"' in page
    assert submit(quick, films.group, "rate", page, ballot="favourites", arm0="5").status_code == 303
    assert films["Ann"].get().json()["you"]["ratings"] == {"Alien": 5}
    assert submit(quick, films.group, "withdraw", page, name="Cube").status_code == 303
    assert 'data-arm="Cube"' not in quick.get(f"/g/{films.group}").text

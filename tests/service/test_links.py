"""Links are issued again and taken away: who may, what the old one opens afterwards, and what is refused in words."""

import pytest
from api_clients import GroupClient, SampleGroup


@pytest.fixture
def lunch(client):
    return SampleGroup(client)


@pytest.fixture
def helper(lunch):
    """A co-organiser."""
    return GroupClient(
        lunch.client, lunch.group, lunch.organiser.post("coorganisers", {"name": "Helper"}).json()["token"]
    )


def opens(visitor: GroupClient) -> bool:
    """Whether the link still opens what only people of the group see."""
    return visitor.get("links").status_code == 200


def test_the_organiser_issues_her_own_link_again(lunch):
    answer = lunch.organiser.post("links", {"role": "organiser", "number": 0})
    assert answer.status_code == 201, answer.text
    again = GroupClient(lunch.client, lunch.group, answer.json()["token"])
    assert opens(again)
    assert not opens(lunch.organiser)


def test_a_helpers_link_is_issued_again_by_the_organiser_only(lunch, helper):
    refused = helper.post("links", {"role": "co-organiser", "number": 1})
    assert refused.status_code == 403
    assert refused.json()["error"] == "a co-organiser's link is issued again by the organiser only."
    assert helper.post("links", {"role": "organiser", "number": 0}).status_code == 403
    assert opens(helper)
    answer = lunch.organiser.post("links", {"role": "co-organiser", "number": 1})
    assert answer.status_code == 201, answer.text
    assert opens(GroupClient(lunch.client, lunch.group, answer.json()["token"]))
    assert not opens(helper)
    missing = lunch.organiser.post("links", {"role": "co-organiser", "number": 7})
    assert (missing.status_code, missing.json()["error"]) == (400, "there is no co-organiser 7.")


def test_a_helper_who_is_dismissed_is_nobody(lunch, helper):
    assert helper.post("coorganisers/dismiss", {"number": 1}).status_code == 403
    answer = lunch.organiser.post("coorganisers/dismiss", {"number": 1})
    assert answer.json() == {"number": 1, "dismissed": True}
    assert not opens(helper)
    again = lunch.organiser.post("coorganisers/dismiss", {"number": 1})
    assert (again.status_code, again.json()["error"]) == (409, "there is no co-organiser 1.")


def test_a_member_who_was_erased_is_not_erased_again(lunch):
    assert lunch.organiser.post("people/erase", {"member": 2}).status_code == 200
    again = lunch.organiser.post("people/erase", {"member": 2})
    assert (again.status_code, again.json()["error"]) == (409, "member 2 was erased before.")

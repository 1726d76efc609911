"""What an organiser can gain under each source: `make attacks` with fewer tries."""

import attacks
import pytest


@pytest.mark.parametrize(
    "attack",
    [attacks.rehearsal, attacks.dice_seen, attacks.beacon_seen, attacks.colluders(2)],
    ids=["rehearsal", "dice", "beacon", "group"],
)
def test_she_gains_what_theory_says_and_no_more(attack):
    *_, held = attack(40)
    assert held


def test_an_unseen_page_is_hers_and_the_verifier_says_so():
    *_, held = attacks.beacon_unseen(3)
    assert held

"""What an organiser can gain: `make attacks` with fewer tries."""

import attacks
import pytest


@pytest.mark.parametrize("row", attacks.NAMED)
def test_an_attack_gets_its_exit_and_its_words(row):
    code, sentence = attacks.named(row)
    assert code == attacks.NAMED[row][1]
    assert attacks.NAMED[row][2] in sentence


@pytest.mark.parametrize("game", attacks.GAMES)
def test_nobody_wins_more_than_the_share_of_her_arm(game):
    *_, held = attacks.played(game, 12)
    assert held

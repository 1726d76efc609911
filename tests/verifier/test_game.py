"""Nobody wins more than the share of her arm: exactly for few keys, at random for more."""

import game
import pytest


def test_in_every_small_game_the_value_is_the_share_of_the_arm():
    for n, quorum, b, c in game.cells(6):
        found = game.value(n, quorum, b, c)
        assert found <= game.P, (n, quorum, b, c, found)
    assert game.value(5, 3, 1, 0) == game.P  # an honest organiser has it at her first try


def test_with_as_many_false_keys_as_the_proof_names_she_has_more():
    assert game.shown("beacon", 5, 5, 0, 3, 3)  # all five had it in time: β = 3
    assert max(game.value(5, 3, b, b) for b in (1, 2, 3)) > game.P


def test_ten_thousand_worlds():
    won, p, spread = game.worlds(10_000)
    assert 0 < won <= p + 3 * spread


@pytest.mark.parametrize(("n", "quorum"), [(9, None), (9, 5), (10, 7)])
def test_the_rule_leaves_room_to_prove_at_all(n, quorum):
    assert game.shown("beacon", n, n, 0, quorum, 1)
    assert game.shown("dice", n, n, 0, quorum, 1)

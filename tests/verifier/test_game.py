"""Nobody wins more than the share of her arm: exactly for few keys, at random for more."""

import adversary_game
import pytest


def test_in_every_small_game_the_value_is_the_share_of_the_arm():
    for n, quorum, b, c in adversary_game.iter_parameters(6):
        found = adversary_game.optimal_win_probability(n, quorum, b, c)
        assert found <= adversary_game.P, (n, quorum, b, c, found)
    assert (
        adversary_game.optimal_win_probability(5, 3, 1, 0) == adversary_game.P
    )  # an honest organiser has it at her first try


def test_with_as_many_false_keys_as_the_proof_names_she_has_more():
    assert adversary_game.is_page_accepted("beacon", 5, 5, 0, 3, 3)  # all five had it in time: β = 3
    assert max(adversary_game.optimal_win_probability(5, 3, b, b) for b in (1, 2, 3)) > adversary_game.P


def test_ten_thousand_worlds():
    won, p, spread = adversary_game.simulate_games(10_000)
    assert 0 < won <= p + 3 * spread


@pytest.mark.parametrize(("n", "quorum"), [(9, None), (9, 5), (10, 7)])
def test_the_rule_leaves_room_to_prove_at_all(n, quorum):
    assert adversary_game.is_page_accepted("beacon", n, n, 0, quorum, 1)
    assert adversary_game.is_page_accepted("dice", n, n, 0, quorum, 1)

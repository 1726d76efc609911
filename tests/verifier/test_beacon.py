"""The beacon: real rounds of drand's quicknet, mutated ones, and a league of one."""

from types import SimpleNamespace

from beacons import REAL, agreed, mutants
from maker import QUICKNET, League, Maker
from shelf import judged, league

from isegoria.verifier.beacon import wrong_beacons
from isegoria.verifier.isegoria_verify import summary

ROUND = {"round": 1, "kind": "fair", "state": "drawn", "balls": [0], "arms": [0], "voices": [None], "seen": 1}
ROUND |= {"keys": 1, "signers": 0, "vouched": 0, "sound": True, "reason": ""}


def test_real_rounds_are_accepted_together():
    assert wrong_beacons([(QUICKNET["key"], number, said) for number, said in REAL.items()]) == []


def test_a_wrong_one_is_found_among_right_ones():
    asked = [(QUICKNET["key"], number, said) for number, said in REAL.items()]
    first = asked[0][2]
    assert wrong_beacons([asked[0], (asked[1][0], asked[1][1], first)]) == [1]


def test_errors_that_cancel_in_a_plain_sum_do_not_cancel_here():
    """Two signatures shifted by opposite amounts: their sum is right, and each is wrong."""
    from py_ecc.bls.point_compression import compress_G1, decompress_G1
    from py_ecc.optimized_bls12_381 import G1, add, neg

    asked = [(QUICKNET["key"], number, said) for number, said in REAL.items()]
    shifted = []
    for (key, number, said), shift in zip(asked[:2], (G1, neg(G1)), strict=True):
        moved = add(decompress_G1(int.from_bytes(said, "big")), shift)
        shifted.append((key, number, compress_G1(moved).to_bytes(48, "big")))
    assert wrong_beacons(shifted) == [0, 1]


def test_the_two_libraries_agree_on_real_and_mutated_rounds():
    right, wrong = agreed(mutants(5, seed=1))
    assert right == []
    assert len(wrong) == 5
    accepted, _ = agreed([(QUICKNET["key"], *next(iter(REAL.items())))])
    assert len(accepted) == 1


def test_a_key_at_infinity_vouches_for_nothing():
    nothing = "c0" + "00" * 95
    asked = [(nothing, 1, bytes.fromhex("c0" + "00" * 47))]
    assert agreed(asked) == ([], asked)


def test_a_league_of_one_from_charter_to_verdict():
    made = Maker(200, source=league(), members=3)
    made.whole_round()
    made.whole_round(skip=2)
    made.close()
    answer = judged(made.bytes())
    assert answer["exit_code"] == 0
    assert "Round 2: occasions skipped before it: 2." in answer["notes"]
    other = League(99)
    made = Maker(201, source=league(), members=3)
    made.freeze()
    made.witness()
    made.draw(other.speak(made.frozen()["source_round"]).hex())
    assert judged(made.bytes())["sentence"].endswith("(draw): the beacon did not say this.")


def test_quicknet_is_pinned_by_all_four_parameters():
    """A charter that borrows its name, or its key with another timetable, is not known; the four together are."""
    own = {"kind": "beacon", "fallback": [], **QUICKNET, "first": 1692803400, "every": 60}
    wrong = {"chain": "22" * 32, "key": league().key, "genesis": 1692803368, "period": 4}
    walk = SimpleNamespace(beacon_key=None, checked=True, charter={"arms": ["tea"]})
    for field, value in [(None, None), *wrong.items()]:
        source = own if field is None else {**own, field: value}
        now = SimpleNamespace(**ROUND, source=source)
        reasons = ["its beacon is not one that this verifier knows"] if field else []
        assert summary(walk, now)["reasons"] == reasons

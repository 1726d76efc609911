"""The beacon's signatures, checked in the one file itself, beside py_ecc."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from beacon_signatures import REAL, list_real_signatures, make_invalid_signatures, on_the_curve, verify_with_py_ecc
from engines import verify_with_node, verify_with_python, verify_with_reference
from record_maker import QUICKNET, LocalBeacon, RecordMaker
from sample_records import league, verify_bytes

from isegoria.verifier import isegoria_verify
from isegoria.verifier.isegoria_verify import MINUS_G, TAG, Q, decompress_point, first_wrong, hash_to_curve, said_all


def spoken(number: int) -> tuple[str, int, bytes]:
    return league().key, number, league().speak(number)


@pytest.mark.slow
def test_real_rounds_of_quicknet_are_accepted():
    assert said_all(tuple(list_real_signatures()))
    assert verify_with_py_ecc(*list_real_signatures()[0])


def test_hash_to_curve_equals_py_ecc():
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.optimized_bls12_381 import normalize

    for n in range(20):
        message = hashlib.sha256(bytes([n])).digest()[: n + 1]
        x, y = normalize(hash_to_G1(message, TAG, hashlib.sha256))
        assert hash_to_curve(message) == ((int(x), 0), (int(y), 0))


def test_points_open_as_in_py_ecc():
    from py_ecc.bls.point_compression import decompress_G2
    from py_ecc.optimized_bls12_381 import normalize

    for key in (QUICKNET["key"], MINUS_G, *(LocalBeacon(n).key for n in (3, 4, 5))):
        x, y = normalize(decompress_G2((int(key[:96], 16), int(key[96:], 16))))
        assert decompress_point(bytes.fromhex(key)) == (tuple(map(int, x.coeffs)), tuple(map(int, y.coeffs)))


@pytest.mark.slow
def test_thirty_rounds_of_a_test_key_and_one_wrong_at_each_place():
    asked = tuple(spoken(number) for number in range(1, 31))
    assert first_wrong(asked) is None
    few = asked[:5]
    for place in range(5):
        wrong = (*few[:place], (few[place][0], few[place][1], few[(place + 1) % 5][2]), *few[place + 1 :])
        assert first_wrong(wrong) == place


def test_several_keys_in_one_batch():
    other = LocalBeacon(99)
    asked = (spoken(1), (other.key, 1, other.speak(1)), (QUICKNET["key"], *list_real_signatures()[0][1:]))
    assert first_wrong(asked) is None
    assert first_wrong((asked[0], (other.key, 1, asked[0][2]), asked[2])) == 1


def test_errors_that_cancel_in_a_plain_sum_do_not_cancel_here():
    """Two signatures shifted by opposite amounts: their sum is right, and each is wrong."""
    from py_ecc.bls.point_compression import compress_G1, decompress_G1
    from py_ecc.optimized_bls12_381 import G1, add, neg

    shifted = []
    for (key, number, said), shift in zip(list_real_signatures()[:2], (G1, neg(G1)), strict=True):
        moved = add(decompress_G1(int.from_bytes(said, "big")), shift)
        shifted.append((key, number, compress_G1(moved).to_bytes(48, "big")))
    assert first_wrong(tuple(shifted)) == 0
    assert first_wrong(tuple(reversed(shifted))) == 0


def test_points_that_are_none_are_refused():
    rng = random.Random(5)
    key, number, said = list_real_signatures()[0]
    off_subgroup = [on_the_curve(rng) for _ in range(6)]
    assert all(decompress_point(one) is None for one in off_subgroup)
    off_curve = 0
    for _ in range(12):
        x = rng.randrange(Q)
        if pow(x**3 + 4, (Q - 1) // 2, Q) != 1:
            off_curve += 1
            assert decompress_point((x | 1 << 383).to_bytes(48, "big")) is None
    assert off_curve
    x = int.from_bytes(bytes([said[0] & 31]) + said[1:], "big")
    odd = [
        bytes([0xC0]) + bytes(47),  # zero
        bytes([0xE0]) + bytes(47),
        bytes([said[0] & 0x7F]) + said[1:],  # not compressed
        bytes([said[0] ^ 0x20]) + said[1:],  # the negative
        *([(x + Q | (said[0] >> 5) << 381).to_bytes(48, "big")] if x + Q < 2**381 else []),  # not below the prime
    ]
    for one in [*off_subgroup, *odd]:
        assert not said_all(((key, number, one),))
    nothing = "c0" + "00" * 95
    assert not said_all(((nothing, 1, bytes.fromhex("c0" + "00" * 47)),))
    flipped = bytearray.fromhex(key)
    flipped[-1] ^= 1
    assert not said_all(((flipped.hex(), number, said),))


@pytest.mark.slow
def test_both_agree_on_mutated_rounds():
    for one in make_invalid_signatures(7, seed=1):
        assert not said_all((one,))
    for one in make_invalid_signatures(3, seed=2):
        assert not verify_with_py_ecc(*one)


def test_a_league_of_one_from_charter_to_verdict():
    made = RecordMaker(200, source=league(), members=3)
    made.whole_round()
    made.whole_round(skip=2)
    answer = verify_bytes(made.bytes(), trust=["members"], head=[made.head(2)])
    assert answer["exit_code"] == 0
    assert "Round 2: occurrences skipped before it: 2." in answer["notes"]
    made = RecordMaker(201, source=league(), members=3)
    made.freeze()
    made.draw(LocalBeacon(99).speak(made.frozen()["source_round"]))
    assert verify_bytes(made.bytes())["sentence"] == "False: line 4 (draw): the beacon did not say this."


def quicknet_record() -> RecordMaker:
    """A record on quicknet's real round 1000, made long after: consistent, and bound by nobody."""
    speaks = QUICKNET["genesis"] + 999 * QUICKNET["period"]
    source = {"kind": "beacon", **QUICKNET, "first_at": speaks, "interval_seconds": 86_400}
    made = RecordMaker(3, source=source, members=4)
    made.freeze()
    made.says([1, 2, 3], at=speaks - 3600)
    made.draw(bytes.fromhex(REAL[1000]))
    made.says([1, 2, 3])
    return made


def test_a_record_of_2023_made_today():
    made = quicknet_record()
    assert made.frozen()["source_round"] == 1000
    assert verify_bytes(made.bytes())["exit_code"] == 3
    assert verify_bytes(made.bytes(), trust=["members"])["exit_code"] == 2
    assert verify_bytes(made.bytes(), trust=["members"], head=[made.head(2)], beacon=None)["exit_code"] == 0


@pytest.mark.parametrize("field", ["chain", "key", "genesis", "period"])
def test_quicknet_is_pinned_by_all_four_parameters(field):
    source = {"kind": "beacon", **QUICKNET, "first_at": QUICKNET["genesis"] + 600, "interval_seconds": 60}
    other = {"chain": "22" * 32, "key": league().key, "genesis": QUICKNET["genesis"] - 30, "period": 30}
    made = RecordMaker(3, source={**source, field: other[field]}, members=3)
    made.league = league() if field == "key" else None
    made.freeze()
    if field == "key":
        made.draw()
        answer = verify_bytes(made.bytes(), beacon=None)
        assert answer["rounds"][0]["reasons"] == ["its beacon is not one that this verifier knows"]
    made.lines.append(
        {"line": "draw", "round": 1, "source_bytes": "00" * 48, "balls": [], "arms": [], "prev": made.head()}
    )
    assert verify_bytes(made.bytes())["exit_code"] == 1
    assert not QUICKNET.items() <= made.source.items()


@pytest.mark.parametrize(
    "changed", [{"genesis_time": 1_700_086_400}, {"period": 30}, {"groupHash": "11" * 32}, {"name": "default"}]
)
def test_a_beacon_is_known_by_its_whole_chain_info(changed):
    made = RecordMaker(202, source=league(), members=3)
    made.whole_round()
    question = {"trust": ["members"], "head": [made.head(2)]}
    assert verify_bytes(made.bytes(), **question)["exit_code"] == 0
    answer = verify_bytes(made.bytes(), **question, beacon=league().chain_info(**changed))
    assert answer["exit_code"] == 3
    assert answer["rounds"][0]["reasons"] == ["its beacon is not one that this verifier knows"]


def test_chain_info_must_hash_to_its_chain():
    info = json.loads(league().chain_info())
    bad = [{**info, "genesis_time": info["genesis_time"] + 1}, {**info, "period": 2**32}, {"public_key": league().key}]
    cases = [{"record": b"", "beacon": json.dumps(one).encode()} for one in bad]
    made = RecordMaker(203, members=2).bytes()
    cases += [{"record": made, "beacon": json.dumps(one).encode()} for one in [*bad, [], None, {**info, "more": 1}]]
    cases += [{"record": made, "beacon": raw} for raw in (b"", b"\xff", b'{"period":NaN}', league().key.encode())]
    answers = verify_with_python(cases)
    assert answers == verify_with_node(cases) == verify_with_reference(cases)
    assert {one["exit_code"] for one in answers} == {2}
    assert "does not hash to its chain hash" in answers[-1]["sentence"]


def test_quicknets_own_chain_info_is_taken():
    group_hash = "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"
    info = {"public_key": QUICKNET["key"], "period": 3, "genesis_time": QUICKNET["genesis"], "groupHash": group_hash}
    info |= {"hash": QUICKNET["chain"], "schemeID": QUICKNET["scheme"], "metadata": {"beaconID": "quicknet"}}
    case = {"record": quicknet_record().bytes(), "beacon": json.dumps(info, indent=1).encode(), "now": 2_000_000_000}
    assert [one["exit_code"] for one in verify_with_python([case])] == [3]
    assert verify_with_python([case]) == verify_with_node([case]) == verify_with_reference([case])


def test_alone_with_python_and_nothing_else_it_proves_a_beacon(tmp_path):
    made = quicknet_record()
    (tmp_path / "a.record").write_bytes(made.bytes())
    command = [sys.executable, "-I", "-S", str(Path(isegoria_verify.__file__)), "a.record", "--trust", "members"]
    command += ["--head", made.head(2), "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["verdict"] == "proved"

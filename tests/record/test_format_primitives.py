"""The bricks of a record, against independent ones: canonical JSON, the tree of RFC 6962, Ed25519, the beacon."""

import json
from hashlib import sha256

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

import isegoria as iso
from isegoria.record.format.canonical_json import dump_canonical, format_decimal, parse_canonical
from isegoria.record.format.head_words import encode_words
from isegoria.record.format.merkle import audit_path, hash_leaf, hash_node, merkle_root
from isegoria.record.signing.ed25519 import L, P, public_key, sign, verify
from isegoria.record.sources.beacon import QUICKNET_CHAIN, compute_beacon_round, is_beacon_signature
from record.invalid_signatures import make_invalid_signatures
from record.record_factory import LEAGUE, REAL_ROUNDS

plain = st.recursive(
    st.none() | st.integers(0, 2**53 - 1) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from("abc"), plain))
def test_what_is_written_is_read_again(value):
    try:
        assert parse_canonical(dump_canonical(value)) == value
    except iso.InputError:
        assert json.dumps(value).count("[") + json.dumps(value).count("{") > 8


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{} ",
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":-1}',
        b'{"a":01}',
        b'{"a":true}',
        b'{"a":NaN}',
        b'{"a":9007199254740992}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\xff"}',
        b'{"\xc3\xa9":1}',
        b'{"a":"\\u001F"}',
        b'{"a":1}\r',
        b'{"a":"\t"}',
        b"null",
    ],
)
def test_what_is_not_canonical_is_refused(line):
    with pytest.raises(iso.InputError, match="canonical"):
        parse_canonical(line)


@given(st.floats(0, 1e6) | st.integers(-(10**9), 10**9))
def test_decimals_are_exact_and_shortest(number):
    text = format_decimal(number)
    assert float(text) == number
    assert format_decimal(text) == text


def _naive(leaves):
    """RFC 6962, section 2.1, as it is written there."""
    if len(leaves) < 2:
        return hash_leaf(leaves[0]) if leaves else sha256(b"").digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hash_node(_naive(leaves[:split]), _naive(leaves[split:]))


def _climb(leaf, index, size, hashes):
    """RFC 9162, section 2.1.3.2."""
    fn, sn, found = index, size - 1, hash_leaf(leaf)
    for node in hashes:
        if fn & 1 or fn == sn:
            found = hash_node(node, found)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            found = hash_node(found, node)
        fn, sn = fn >> 1, sn >> 1
    return found


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 13, 21])
def test_the_tree_is_that_of_rfc_6962(size):
    leaves = [bytes([i]) * 3 for i in range(size)]
    assert merkle_root(leaves) == _naive(leaves)
    hashes = [hash_leaf(leaf) for leaf in leaves]
    assert all(_climb(leaves[i], i, size, audit_path(hashes, i)) == merkle_root(leaves) for i in range(size))


@settings(max_examples=20)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80))
def test_signatures_are_those_of_an_independent_library(seed, message):
    other = Ed25519PrivateKey.from_private_bytes(seed)
    assert public_key(seed) == other.public_key().public_bytes_raw()
    assert sign(seed, message) == other.sign(message)
    Ed25519PublicKey.from_public_bytes(public_key(seed)).verify(sign(seed, message), message)


def test_every_flipped_bit_of_a_signature_is_noticed():
    seed, message = bytes(range(32)), b"seen"
    key, good = public_key(seed), sign(seed, message)
    assert verify(key, message, good)
    for bit in range(0, 512, 7):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        assert not verify(key, message, bytes(bad))
        with pytest.raises(InvalidSignature):
            Ed25519PublicKey.from_public_bytes(key).verify(bytes(bad), message)


@pytest.mark.parametrize("y", [0, 1, P - 1, P, P + 1, 2**255 - 1])
def test_points_of_small_order_and_above_p_are_no_keys(y):
    key = y.to_bytes(32, "little")
    assert not verify(key, b"x", key + bytes(32))


def test_a_signature_with_an_answer_above_the_order_is_refused():
    seed = bytes(32)
    good = sign(seed, b"x")
    raised = int.from_bytes(good[32:], "little") + L
    assert not verify(public_key(seed), b"x", good[:32] + raised.to_bytes(32, "little"))


@pytest.mark.slow
def test_real_rounds_of_quicknet_are_accepted_and_others_not():
    for number, signature in REAL_ROUNDS.items():  # `make stress` tries all six that could be had
        assert is_beacon_signature(QUICKNET_CHAIN["key"], number, bytes.fromhex(signature))
    assert not is_beacon_signature(QUICKNET_CHAIN["key"], 1001, bytes.fromhex(REAL_ROUNDS[1000]))
    assert is_beacon_signature(LEAGUE.key, 7, LEAGUE.speak(7))


@pytest.mark.parametrize("number", sorted(REAL_ROUNDS))
def test_a_beacon_s_signature_with_a_bit_flipped_is_refused(number):
    for bad in make_invalid_signatures(number, 4):
        assert is_beacon_signature(QUICKNET_CHAIN["key"], number, bad) is False


@pytest.mark.parametrize("spoilt", [b"", b"\x00", b"\xc0" + bytes(47), b"\xff" * 48, bytes(48)])
def test_what_is_no_signature_of_a_beacon_is_refused(spoilt):
    assert is_beacon_signature(QUICKNET_CHAIN["key"], 1000, spoilt) is False


def test_the_timetable_names_the_first_round_at_or_after_an_occurrence():
    source = {"genesis": 1000, "period": 3, "first_at": 1000, "interval_seconds": 10}
    for occurrence in range(20):
        number = compute_beacon_round(source, occurrence)
        speaks, due = 1000 + (number - 1) * 3, 1000 + 10 * occurrence
        assert speaks - 3 < due <= speaks


def test_ten_words_tell_heads_apart():
    assert encode_words(bytes(32)) == "-".join(["babab"] * 10)
    assert len({encode_words(sha256(bytes([i])).digest()) for i in range(200)}) == 200

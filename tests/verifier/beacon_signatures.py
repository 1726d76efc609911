"""Signatures of a beacon, right and wrong, put to the one-file verifier and to py_ecc.

python tests/verifier/beacon_signatures.py        1,000 mutated rounds; make stress runs it
"""

import hashlib
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from record_maker import QUICKNET, LocalBeacon

from isegoria.verifier.isegoria_verify import TAG, first_wrong, said_all

REAL = {
    1: "b55e7cb2d5c613ee0b2e28d6750aabbb78c39dcc96bd9d38c2c2e12198df95571de8e8e402a0cc48871c7089a2b3af4b",
    2: "b6b6a585449b66eb12e875b64fcbab3799861a00e4dbf092d99e969a5eac57dd3f798acf61e705fe4f093db926626807",
    3: "b3fab6df720b68cc47175f2c777e86d84187caab5770906f515ff1099cb01e4deaa027075d860823e49477b93c72bd64",
    100: "a4a4ff2320c23471a4bf9540ee5fc68e4c6a750dc89fd8bbeb9ba56e0708673b2d285461388f14537332492726efd282",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
    12040883: "929906c959032ab363c9f26570d215d66f5c06cb0c44fe508c12bb5839f04ec895bb6868e5b9ff13ab289bdb5266b394",
    32281667: "b0f5ae301358ff87a9d3dd539ed4a07c0148b1ab4f7b61a8ca43c7e9ca7ca9553e4faae9188deb30b2cd1a7f447e3e5b",
    32285085: "81dbce51d584d90d618547f4b50391d53ace6f6b9aeb8fb67e1879427af9d0310ac0ec6f519271d9a313ee84b378d416",
    32285086: "a64d99fd7fa3e48912be7209c7b69c72c88fc5224be2516949b6f29f3a4b7e3fa069dd58b2bbb4bf2c34ae61ef631a44",
}
"""Rounds of drand's quicknet, as public test suites hold them."""


def list_real_signatures() -> list[tuple[str, int, bytes]]:
    return [(QUICKNET["key"], number, bytes.fromhex(said)) for number, said in REAL.items()]


def verify_with_py_ecc(key: str, number: int, said: bytes) -> bool:
    """Whether the beacon with this key said this, by py_ecc: the points in their subgroups, and the pairings equal."""
    from py_ecc.bls.g2_primitives import subgroup_check
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.bls.point_compression import decompress_G1, decompress_G2
    from py_ecc.optimized_bls12_381 import G2, is_inf, pairing

    try:
        a = decompress_G1(int.from_bytes(said, "big"))
        b = decompress_G2((int(key[:96], 16), int(key[96:], 16)))
    except (ValueError, AssertionError):
        return False
    if any(is_inf(one) or not subgroup_check(one) for one in (a, b)):
        return False
    message = hash_to_G1(hashlib.sha256(number.to_bytes(8, "big")).digest(), TAG, hashlib.sha256)
    return pairing(G2, a) == pairing(b, message)


def make_invalid_signatures(count: int, seed: int) -> list[tuple[str, int, bytes]]:
    """Wrong (key, round, signature): a bit of the signature, of the round, another sign, garbage, other keys."""
    rng = random.Random(f"beacon {seed}")
    found = []
    while len(found) < count:
        key, number, said = rng.choice(list_real_signatures())
        turn = len(found) % 7
        if turn < 2:
            changed = bytearray(said)
            changed[rng.randrange(48)] ^= 1 << rng.randrange(8)
            said = bytes(changed)
        elif turn == 2:
            number += rng.choice([-1, 1, 2**20])
        elif turn == 3:
            said = bytes([said[0] ^ 0x20]) + said[1:]  # the other square root
        elif turn == 4:
            said = on_the_curve(rng)
        elif turn == 5:
            said = rng.randbytes(48)
        else:
            key = LocalBeacon(rng.randrange(2, 10**9)).key
        found.append((key, number, said))
    return found


def on_the_curve(rng: random.Random) -> bytes:
    """A point of the curve, most likely outside the subgroup."""
    from py_ecc.bls.point_compression import decompress_G1

    while True:
        said = bytes([0x80 | rng.randrange(0x1A)]) + rng.randbytes(47)
        try:
            decompress_G1(int.from_bytes(said, "big"))
            return said
        except ValueError:
            continue


def find_missed_indices(count: int = 30) -> list[int]:
    """The places of a batch of the tests' own beacon at which one that is wrong is not the one named."""
    own = LocalBeacon(77)
    asked = [(own.key, number, own.speak(number)) for number in range(1, count + 1)]
    missed = [] if first_wrong(tuple(asked)) is None else [-1]
    for place, (key, number, _) in enumerate(asked):
        wrong = [*asked[:place], (key, number, asked[place - 1][2]), *asked[place + 1 :]]
        missed += [place] if first_wrong(tuple(wrong)) != place else []
    return missed


def main(count: int = 1000, seed: int = 2) -> int:
    wrong = [one for one in make_invalid_signatures(count, seed=seed) if said_all((one,)) or verify_with_py_ecc(*one)]
    good = said_all(tuple(list_real_signatures())) and all(verify_with_py_ecc(*one) for one in list_real_signatures())
    print(f"beacon: {len(REAL)} real rounds of quicknet accepted by both: {good}")
    print(f"beacon: of {count} mutated rounds {len(wrong)} accepted by either")
    missed = find_missed_indices()
    print(f"beacon: 30 rounds of a test key, one wrong at each place: {len(missed)} not named")
    return bool(wrong or missed) or not good


if __name__ == "__main__":
    sys.exit(main())

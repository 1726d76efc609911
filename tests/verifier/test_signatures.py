"""Ed25519 by RFC 8032, as strictly as the record asks: a known library, noble and the one file agree."""

import json
import random
import subprocess

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from engines import WEB

from browser import downloads
from isegoria.verifier.isegoria_verify import BASE, L, P, add, point, signed

# The eight points of small order, as RFC 8032 would write them, and forms with y not below P.
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
LARGE_Y = ["eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "ff" * 31 + "7f", "ff" * 32]


def by_node(cases: list[tuple[str, str, str]]) -> list[bool]:
    code = f"""
        import {{ isValidSignature }} from "{(WEB / "signatures.js").as_uri()}";
        import {{ fromHex }} from "{(WEB / "bytes.js").as_uri()}";
        let text = "";
        for await (const chunk of process.stdin) text += chunk;
        const cases = JSON.parse(text);
        const check = ([key, signature, message]) => isValidSignature(key, signature, fromHex(message));
        console.log(JSON.stringify(cases.map(check)));
    """
    command = [downloads.find_node(), "--input-type=module", "-e", code]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def signatures(count: int):
    rng = random.Random("signatures")
    for length in range(count):
        private = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))
        message = rng.randbytes(length)
        yield rng, private.public_key().public_bytes_raw().hex(), private.sign(message).hex(), message.hex()


def test_good_signatures_hold_and_changed_ones_do_not():
    good, changed = [], []
    for rng, key, signature, message in signatures(30):
        good.append((key, signature, message))
        place = rng.randrange(128)
        other = format(int(signature[place], 16) ^ rng.choice([1, 2, 4, 8]), "x")
        changed.append((key, signature[:place] + other + signature[place + 1 :], message))
        changed.append((key, signature, message + "00"))
        s = int.from_bytes(bytes.fromhex(signature[64:]), "little") + L  # the same number again, S not below L
        changed.append((key, signature[:64] + s.to_bytes(32, "little").hex(), message))
    assert all(signed(key, signature, bytes.fromhex(message)) for key, signature, message in good)
    assert not any(signed(key, signature, bytes.fromhex(message)) for key, signature, message in changed)
    assert by_node(good + changed) == [True] * len(good) + [False] * len(changed)


def test_a_key_that_signs_often_is_looked_at_as_strictly():
    """From its third signature on the page has a table of a key's multiples; nothing else may change with it."""
    rng, cases, expected = random.Random("often"), [], []
    for private in [Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) for _ in range(3)]:
        key = private.public_key().public_bytes_raw().hex()
        for turn in range(12):
            message = rng.randbytes(turn)
            signature = bytearray(private.sign(message))
            signature[rng.randrange(64)] ^= (turn % 3 == 2) << rng.randrange(8)
            cases.append((key, signature.hex(), message.hex()))
            expected.append(turn % 3 != 2)
    assert [signed(key, signature, bytes.fromhex(message)) for key, signature, message in cases] == expected
    assert by_node(cases) == expected


def test_the_examples_of_the_rfc():
    """RFC 8032, section 7.1: tests 1 to 3."""
    examples = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            "",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            "72",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
            "af82",
        ),
    ]
    assert all(signed(key, signature, bytes.fromhex(message)) for key, signature, message in examples)
    assert by_node(examples) == [True] * 3


def test_points_of_small_order_and_large_coordinates_sign_nothing():
    """With such a key or R, one signature would fit many messages: S = 0 and R = A of order 8 fits about one in 8."""
    zero = "00" * 32
    cases = [(key, r + zero, f"{n:02x}") for key in SMALL + LARGE_Y for r in SMALL + LARGE_Y for n in range(3)]
    good = next(signatures(1))
    cases += [(good[1], r + good[2][64:], good[3]) for r in SMALL + LARGE_Y]
    cases += [(key, good[2], good[3]) for key in SMALL + LARGE_Y]
    assert not any(signed(key, signature, bytes.fromhex(message)) for key, signature, message in cases)
    assert not any(by_node(cases))


def test_the_equation_is_the_cofactored_one():
    """A key plus a point of order 8 passes only if the equation is multiplied by 8; both verifiers do so."""
    import hashlib

    def times(number, a):
        total = (0, 1, 1, 0)
        for bit in bin(number)[2:]:
            total = add(total, total)
            total = add(total, a) if bit == "1" else total
        return total

    def packed(a):
        x, y, z, _ = a
        inverse = pow(z, P - 2, P)
        return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")

    y = int.from_bytes(bytes.fromhex(SMALL[4]), "little")
    x2 = (y * y - 1) * pow(-121665 * pow(121666, P - 2, P) * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if x * x % P == x2 else x * pow(2, (P - 1) // 4, P) % P
    torsion = (x, y, 1, x * y % P)
    secret, nonce, message = 1234567, 7654321, b"mixed order"
    key, r = packed(add(times(secret, BASE), torsion)), packed(times(nonce, BASE))
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    signature = r + ((nonce + k * secret) % L).to_bytes(32, "little")
    assert point(key) is not None
    assert signed(key.hex(), signature.hex(), message)
    assert by_node([(key.hex(), signature.hex(), message.hex())] * 5) == [True] * 5

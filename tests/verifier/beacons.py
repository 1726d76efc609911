"""Signatures of a beacon, right and wrong, put to py_ecc and to noble.

python tests/verifier/beacons.py        1,000 mutated rounds; make stress runs it
"""

import json
import random
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from engines import WEB
from maker import QUICKNET

from browser import fetch
from isegoria.verifier.beacon import wrong_beacons
from record.records import MORE_ROUNDS, REAL_ROUNDS

SEEN = {
    12040883: "929906c959032ab363c9f26570d215d66f5c06cb0c44fe508c12bb5839f04ec895bb6868e5b9ff13ab289bdb5266b394",
    32281667: "b0f5ae301358ff87a9d3dd539ed4a07c0148b1ab4f7b61a8ca43c7e9ca7ca9553e4faae9188deb30b2cd1a7f447e3e5b",
    32285085: "81dbce51d584d90d618547f4b50391d53ace6f6b9aeb8fb67e1879427af9d0310ac0ec6f519271d9a313ee84b378d416",
    32285086: "a64d99fd7fa3e48912be7209c7b69c72c88fc5224be2516949b6f29f3a4b7e3fa069dd58b2bbb4bf2c34ae61ef631a44",
}
REAL = {number: bytes.fromhex(said) for number, said in {**REAL_ROUNDS, **MORE_ROUNDS, **SEEN}.items()}
"""Ten rounds of drand's quicknet, as public test suites hold them; more could not be had without a network."""


def mutants(count: int, seed: int) -> list[tuple[str, int, bytes]]:
    """Wrong (key, round, signature): a bit of the signature, of the round, another sign, garbage."""
    rng = random.Random(f"beacon {seed}")
    found = []
    while len(found) < count:
        number, said = rng.choice(list(REAL.items()))
        turn = len(found) % 6
        if turn < 2:
            changed = bytearray(said)
            changed[rng.randrange(48)] ^= 1 << rng.randrange(8)
            found.append((QUICKNET["key"], number, bytes(changed)))
        elif turn == 2:
            found.append((QUICKNET["key"], number + rng.choice([-1, 1, 2**20]), said))
        elif turn == 3:
            found.append((QUICKNET["key"], number, bytes([said[0] ^ 0x20]) + said[1:]))  # the other square root
        elif turn == 4:
            found.append((QUICKNET["key"], number, _on_the_curve(rng)))
        else:
            found.append((QUICKNET["key"], number, rng.randbytes(48)))
    return found


def _on_the_curve(rng: random.Random) -> bytes:
    """A point of the curve, most likely outside the subgroup."""
    from py_ecc.bls.point_compression import decompress_G1

    while True:
        said = bytes([0x80 | rng.randrange(0x1A)]) + rng.randbytes(47)
        try:
            decompress_G1(int.from_bytes(said, "big"))
            return said
        except ValueError:
            continue


def by_noble(asked) -> list[int]:
    """The places of those that noble refuses, each asked alone."""
    code = f"""
        import {{ wrongBeacons }} from "{(WEB / "signing.js").as_uri()}";
        import {{ unhex }} from "{(WEB / "bytes.js").as_uri()}";
        let text = "";
        for await (const chunk of process.stdin) text += chunk;
        const wrong = [];
        for (const [i, [key, round, said]] of JSON.parse(text).entries())
            if ((await wrongBeacons([{{ key, round, said: unhex(said) }}])).length) wrong.push(i);
        console.log(JSON.stringify(wrong));
    """
    given = json.dumps([(key, number, said.hex()) for key, number, said in asked])
    command = [fetch.node(), "--input-type=module", "-e", code]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def agreed(asked) -> tuple[list, list]:
    """Those that both accept and those that both refuse; they must not differ."""
    python = {i for i, one in enumerate(asked) if wrong_beacons([one])}
    noble = set(by_noble(asked))
    assert python == noble, f"py_ecc and noble differ on {sorted(python ^ noble)}"
    return [one for i, one in enumerate(asked) if i not in python], [asked[i] for i in sorted(python)]


def main(count: int = 1000, seed: int = 2) -> int:
    right, wrong = agreed(mutants(count, seed=seed))
    real, _ = agreed([(QUICKNET["key"], number, said) for number, said in REAL.items()])
    print(f"beacon: {len(real)} real rounds of quicknet accepted; py_ecc and noble agree on every round")
    print(f"beacon: of {len(right) + len(wrong)} mutated rounds {len(right)} accepted")
    return bool(right) or len(real) != len(REAL)


if __name__ == "__main__":
    sys.exit(main())

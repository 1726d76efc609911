"""Write `docs/reference/draw-vectors.json`: what an implementation of the record in any language can be tested against.

python tests/verifier/vectors.py

Everything comes from the tests' maker, which shares no code with the package's writer or with a verifier.
"""

import json
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from member_learner import MemberLearner
from record_maker import RecordMaker, arm_of, audit_path, canonical, merkle, public, sha, words

FILE = Path(__file__).parents[2] / "docs" / "reference" / "draw-vectors.json"
ABOUT = "Draws, names, trees, signed messages, words and a learner's answers; record.md says how each is made."
SETTINGS = {"error": "0.9", "resolution": "0.5", "explore": "0.25"}


def draws(count: int) -> list[dict]:
    """Freezes and what is drawn from them."""
    found = []
    for seed in range(count):
        rng = random.Random(f"vector {seed}")
        made = RecordMaker(
            seed, members=rng.randint(1, 9), arms=rng.randint(1, 5), block=rng.choice([None, 1, 4]), keyed=False
        )
        made.units = 3_724_680_960 * 36
        made.freeze()
        drawn = made.draw(rng.randbytes(rng.randint(1, 60)))
        freeze = made.frozen()
        assert [arm_of(freeze, ball) for ball in drawn["balls"]] == drawn["arms"]
        told = {"freeze": canonical(freeze).decode(), "freeze_hash": sha(canonical(freeze)).hex()}
        found.append({**told, **{key: drawn[key] for key in ("source_bytes", "balls", "arms")}})
    return found


def people() -> list[dict]:
    """Members with commitment, pseudonym, nonce, and what they sign."""
    made = RecordMaker(5, members=3, source="commit_reveal")
    found = []
    for person in made.people:
        leaf = person.leaf(made.group, 7, 2, 1_700_000_000, ["0.5", None], 7)
        commit = made.commit(person.number)
        found.append(
            {
                "group": made.group.hex(),
                "record": made.record.hex(),
                "member": person.number,
                "name": person.name,
                "salt": person.salt.hex(),
                "secret": person.secret.hex(),
                "seed": person.signer.hex(),
                "key": public(person.signer),
                "key_words": words(sha(bytes.fromhex(public(person.signer))).hex()),
                "entry": person.entry(made.group),
                "round": 7,
                "pseudonym": person.pseudonym(made.group, 7),
                "leaf": leaf,
                "number": made.numbers[person.number].hex(),
                "commit": commit,
                "override": made.override(slot=1, arm=0, by=person.number, number=1),
            }
        )
    return found


def trees() -> list[dict]:
    found = []
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 11):
        leaves = [canonical({"leaf": n}) for n in range(count)]
        paths = [audit_path(leaves, index) for index in range(count)]
        found.append({"leaves": [leaf.decode() for leaf in leaves], "root": merkle(leaves).hex(), "paths": paths})
    return found


def learner() -> list[dict]:
    """One member's answers, and her set and leader after each, on a page with all arms and on a masked one."""
    found = []
    for seed in range(8):
        rng = random.Random(f"learner {seed}")
        arms, price = rng.randint(2, 4), 2 * rng.randint(1, 3)
        mind, told = MemberLearner(price, SETTINGS), []
        mind.arms_are(arms, 2)
        means = [rng.random() for _ in range(arms)]
        for _ in range(160):
            arm, voices = rng.randrange(arms), rng.choice([None, [rng.randrange(10**9) for _ in range(arms)]])
            reward = max(0, min(10, round(10 * rng.gauss(means[arm], 0.15)))) / 10
            mind.told(arm, reward, voices)
            masked = sorted(rng.sample(range(arms), arms - 1))
            pages = [[*mind.page(range(arms))], [*mind.page(masked)]]
            told.append({"arm": arm, "reward": reward, "arm_units": voices, "masked": masked, "pages": pages})
        found.append({"arms": arms, "A": price, "G": 2, "settings": SETTINGS, "told": told})
    return found


def vectors() -> dict:
    heads = [sha(bytes([n])).hex() for n in range(8)]
    values = [{"b": [1, None], "a": 'é "\\ \n\x01\u2028'}, {"": {}, "A": [], "a": 2**53 - 1}]
    return {
        "about": ABOUT,
        "draws": draws(60),
        "people": people(),
        "trees": trees(),
        "learner": learner(),
        "words": [{"head": head, "words": words(head)} for head in heads],
        "canonical": [{"value": value, "bytes": canonical(value).hex()} for value in values],
    }


def text() -> str:
    return json.dumps(vectors(), ensure_ascii=False, indent=None, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE}: {FILE.stat().st_size} bytes")

"""Records made for the tests, straight from docs/reference/record.md: the organiser's side, and the forger's.

It shares no code with the package's own writer or with the verifier. `Maker` writes lines; `rechained` links forged
lines again, as an organiser who holds the file can.
"""

import hashlib
import hmac
import json
import random
import sys
from fractions import Fraction
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

UNITS = 3_724_680_960
QUICKNET = {
    "scheme": "bls-unchained-g1-rfc9380",
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "genesis": 1692803367,
    "period": 3,
}


def canonical(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mac(secret: bytes, data: bytes) -> bytes:
    return hmac.new(secret, data, hashlib.sha256).digest()


def joined(lines: list[dict]) -> bytes:
    return b"".join(canonical(line) + b"\n" for line in lines)


def rechained(lines: list[dict], start: int = 0) -> list[dict]:
    """The lines with every `prev` from `start` on made right again; nothing else is touched."""
    linked = lines[:start]
    for line in lines[start:]:
        before = sha(canonical(linked[-1])).hex() if linked else "0" * 64
        linked.append({**line, "prev": before})
    return linked


def merkle(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha(b"")
    if len(leaves) == 1:
        return sha(b"\0" + leaves[0])
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\1" + merkle(leaves[:half]) + merkle(leaves[half:]))


def audit_path(leaves: list[bytes], index: int) -> list[str]:
    if len(leaves) <= 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*audit_path(leaves[:half], index), merkle(leaves[half:]).hex()]
    return [*audit_path(leaves[half:], index - half), merkle(leaves[:half]).hex()]


def fair_policy(sets: list[tuple[int, ...]], weights: list[int], arms: int) -> list[float] | None:
    """The policy of largest product, by multiplication with each arm's demand; None if that is slow to settle."""
    policy = [1 / arms] * arms
    total = sum(weights)
    for _ in range(3000):
        demand = [0.0] * arms
        for own, weight in zip(sets, weights, strict=True):
            have = sum(policy[arm] for arm in own)
            for arm in own:
                demand[arm] += weight / total / have
        if max(demand) < 1 + 1e-8:
            return policy
        policy = [share * ask for share, ask in zip(policy, demand, strict=True)]
    return None


def row(own: tuple[int, ...], policy: list[float], total: int) -> list[int]:
    """A member's units on her arms in proportion to the policy, rounded by largest remainder."""
    have = sum(Fraction(policy[arm]) for arm in own)
    exact = {arm: Fraction(policy[arm]) * total / have for arm in own}
    units = [int(exact.get(arm, 0)) for arm in range(len(policy))]
    order = sorted(own, key=lambda arm: (units[arm] - exact[arm], arm))
    for arm in order[: total - sum(units)]:
        units[arm] += 1
    return units


def balls(freeze: dict, source: bytes) -> list[int]:
    seed = sha(b"isegoria draw 1\0" + sha(canonical(freeze)) + source)
    counter = 0

    def below(limit: int) -> int:
        nonlocal counter
        while True:
            x = int.from_bytes(sha(seed + counter.to_bytes(4, "big"))[:8], "big")
            counter += 1
            if x < 2**64 - 2**64 % limit:
                return x % limit

    block = freeze["block"]
    step = (sum(freeze["voices"]) + sum(freeze["explore"])) // block
    first = below(step)
    drawn = [first + j * step for j in range(block)]
    for i in range(block - 1, 0, -1):
        j = below(i + 1)
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return drawn


def arm_of(freeze: dict, ball: int) -> int:
    for arm, (voice, extra) in enumerate(zip(freeze["voices"], freeze["explore"], strict=True)):
        if ball < voice + extra:
            return arm
        ball -= voice + extra
    raise AssertionError("the ball is outside the drum")


class League:
    """A beacon of one: its secret number is known here, so that tests can make it speak."""

    def __init__(self, secret: int = 20_231_107):
        depth = sys.getrecursionlimit()
        from py_ecc.bls.point_compression import compress_G2
        from py_ecc.optimized_bls12_381 import G2, multiply

        sys.setrecursionlimit(depth)  # py_ecc lifts it, and deep JSON would end the whole process
        self.secret = secret
        high, low = compress_G2(multiply(G2, secret))
        self.key = (high.to_bytes(48, "big") + low.to_bytes(48, "big")).hex()

    def source(self, first: int = 2000, every: int = 86_400) -> dict:
        own = {"scheme": QUICKNET["scheme"], "chain": "11" * 32, "key": self.key, "genesis": 1000, "period": 3}
        return {"kind": "beacon", "fallback": [], **own, "first": first, "every": every}

    @cache  # noqa: B019 - one league lives as long as the tests
    def speak(self, number: int) -> bytes:
        from py_ecc.bls.hash_to_curve import hash_to_G1
        from py_ecc.bls.point_compression import compress_G1
        from py_ecc.optimized_bls12_381 import multiply

        tag = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
        message = hash_to_G1(sha(number.to_bytes(8, "big")), tag, hashlib.sha256)
        return compress_G1(multiply(message, self.secret)).to_bytes(48, "big")


class Person:
    def __init__(self, rng: random.Random, number: int, keyed: bool):
        self.number, self.name = number, f"Member {number} é"
        self.salt, self.secret = rng.randbytes(32), rng.randbytes(32)
        self.weight = rng.choice([1, 1, 1, 2])
        self.signer = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32)) if keyed else None
        self.ratings: list[tuple[int, dict, int, list[str]]] = []
        self.tallies: list[tuple[int, dict, int, list[str]]] = []

    def entry(self) -> dict:
        text = b"isegoria member 1\0" + self.salt + self.number.to_bytes(4, "big") + self.secret + self.name.encode()
        key = self.signer.public_key().public_bytes_raw().hex() if self.signer else None
        return {"commitment": sha(text).hex(), "weight": self.weight, "key": key}

    def pseudonym(self, group: bytes, number: int) -> str:
        return mac(self.secret, group + number.to_bytes(8, "big") + self.number.to_bytes(4, "big"))[:24].hex()

    def nonce(self, group: bytes, number: int, kind: str) -> str:
        return mac(self.secret, b"leaf\0" + group + number.to_bytes(8, "big") + kind.encode()).hex()

    def sign(self, message: bytes) -> str:
        return self.signer.sign(message).hex()


class Maker:
    """A group whose record grows line by line. Ratings are tenths; a learner's sets are simply drawn."""

    def __init__(self, seed: int = 0, members=4, arms=3, source="rehearsal", learner=None, privacy="ballots",
                 block=None, units=UNITS, keyed=True):  # fmt: skip
        self.rng = random.Random(f"record {seed}")
        self.group = self.rng.randbytes(16)
        self.people = [Person(self.rng, n, keyed) for n in range(members)]
        self.present = list(self.people)
        self.lines: list[dict] = []
        self.told: dict[int, list[list[str | None]]] = {}
        self.organiser = self.rng.randbytes(32)
        self.league = source if isinstance(source, League) else None
        self.source = source if isinstance(source, dict) else {"kind": source, "fallback": []}
        if self.league:
            self.source = self.league.source()
        self.commits: dict[int, bytes] = {}
        self.round, self.version, self.occasion, self.played = 0, 0, -1, set()
        rules = {"close": "freeze", "late": "next", "tie": "centre", "trial": "lowest" if learner else "none"}
        self.charter = {
            "format": "isegoria record", "version": 1, "group": self.group.hex(), "title": "Lunch “ü”", "units": units,
            "arms": [f"arm {k}" for k in range(arms)], "explore_max": "1/5", "scale": ["0", "1"], "privacy": privacy,
            "block": block, "learner": learner, "settings": {"gamma": "0.7"} if learner else {}, "rules": rules,
            "source": self.source, "software": "tests",
        }  # fmt: skip
        self.add("charter", **self.charter)
        self.roster()

    # -- lines ---------------------------------------------------------------------------------------------------
    def add(self, line_kind: str, /, **fields) -> dict:
        before = sha(canonical(self.lines[-1])).hex() if self.lines else "0" * 64
        self.lines.append({"line": line_kind, "prev": before, **fields})
        return self.lines[-1]

    def bytes(self) -> bytes:
        return joined(self.lines)

    @property
    def arms(self) -> int:
        return len(self.charter["arms"])

    def roster(self, joined=(), left=()) -> None:
        self.version += 1
        before = next((line for line in reversed(self.lines) if line["line"] == "roster"), {"members": []})
        for number in left:
            self.present = [person for person in self.present if person.number != number]
        for person in joined:
            self.people.append(person)
            self.present.append(person)
        members = [person.entry() if person in self.present else None for person in self.people]
        new = list(range(len(before["members"]), len(members)))
        self.add("roster", version=self.version, joined=new, left=sorted(left), members=members)

    def join(self) -> None:
        self.roster(joined=[Person(self.rng, len(self.people), True)])

    def commit(self, people=None) -> None:
        for person in people or self.present:
            value = self.rng.randbytes(32)
            self.commits[person.number] = value
            text = b"isegoria commit 1\0" + self.group + (self.round + 1).to_bytes(8, "big")
            text += person.number.to_bytes(4, "big") + value
            self.add("commit", round=self.round + 1, by=person.number, hash=sha(text).hex())

    def freeze(self, available=None, explore=False, event="the numbers of Saturday", form=None, skip=0) -> dict:
        self.round += 1
        available = list(range(self.arms)) if available is None else available
        learner = self.charter["learner"]
        own, leaves = self._sets(available)
        types, voices = self._types(own)
        weight = sum(person.weight for person in self.present)
        block = self.charter["block"] or min(len(self.present), 20)
        doubt = sorted({arm for one in types if len(one["set"]) > 1 for arm in one["set"]})
        extra = [0] * self.arms
        if explore and learner and doubt:
            each = weight * self.charter["units"] // (9 * len(doubt) * block) * block
            extra = [each if arm in doubt else 0 for arm in range(self.arms)]
        dice = self.source["kind"] == "dice"
        line = self.add(
            "freeze", round=self.round, roster=self.version, available=available, kind="fair", arm=None, block=block,
            event=event if dice else None, form=form if dice else None, voices=voices, explore=extra, types=types,
            tally_root=merkle([leaf for _, leaf in leaves]).hex(), answered=len(leaves), **self._timetable(True, skip),
        )  # fmt: skip
        for index, (person, leaf) in enumerate(leaves):
            item = (len(self.lines), json.loads(leaf), index, audit_path([one for _, one in leaves], index))
            (person.tallies if learner else person.ratings).append(item)
        return line

    def trial(self, available=None, skip=0) -> dict:
        self.round += 1
        available = list(range(self.arms)) if available is None else available
        arm = next(arm for arm in available if arm not in self.played)
        return self.add(
            "freeze", round=self.round, roster=self.version, available=available, kind="trial", arm=arm, block=1,
            event=None, form=None, voices=[], explore=[], types=[], tally_root=sha(b"").hex(), answered=0,
            **self._timetable(False, skip),
        )  # fmt: skip

    def _timetable(self, fair: bool, skip: int) -> dict:
        if self.source["kind"] != "beacon":
            return {"occasion": None, "source_round": None}
        self.occasion += 1 + skip
        due = self.source["first"] + self.occasion * self.source["every"] - self.source["genesis"]
        return {"occasion": self.occasion, "source_round": -(-due // self.source["period"]) + 1 if fair else None}

    def _sets(self, available):
        """Each member's favourites, and the leaves behind them, in the order of the tree."""
        order = sorted(self.present, key=lambda person: person.pseudonym(self.group, self.round))
        while True:
            own, leaves = {}, []
            for person in order:
                if self.charter["learner"]:
                    own[person.number] = tuple(sorted(self.rng.sample(available, self.rng.randint(1, len(available)))))
                    leaf = self._tally(person)
                else:
                    own[person.number], leaf = self._rated(person, available)
                if leaf is not None:
                    leaves.append((person, canonical(leaf)))
            weights = [person.weight for person in order]
            self.policy = fair_policy([own[person.number] for person in order], weights, self.arms)
            if self.policy:
                return own, leaves

    def _rated(self, person, available):
        if self.rng.random() < 0.1:
            return tuple(available), None
        tenths = [self.rng.choice([None, *range(11)]) for _ in range(self.arms)]
        values = [None if t is None else "0" if t == 0 else "1" if t == 10 else f"0.{t}" for t in tenths]
        rated = [arm for arm in available if tenths[arm] is not None]
        best = max((tenths[arm] for arm in rated), default=None)
        own = tuple(arm for arm in rated if tenths[arm] == best) or tuple(available)
        nonce = person.nonce(self.group, self.round, "ratings")
        return own, {"nonce": nonce, "round": self.round, "slot": None, "values": values}

    def _tally(self, person):
        told = self.told.get(person.number)
        if not told:
            return None
        told = [row + [None] * (self.arms - len(row)) for row in told]  # arms may have been added since
        columns = [[Fraction(row[arm]) for row in told if row[arm] is not None] for arm in range(self.arms)]
        nonce = person.nonce(self.group, self.round, "tally")
        return {"nonce": nonce, "counts": list(map(len, columns)), "sums": [decimal(sum(c)) for c in columns]}

    def _types(self, own):
        groups: dict[tuple, list] = {}
        for person in self.present:
            groups.setdefault((own[person.number], person.weight), []).append(person.pseudonym(self.group, self.round))
        types = [
            {"set": list(s), "weight": w, "units": row(s, self.policy, w * self.charter["units"]), "who": sorted(who)}
            for (s, w), who in sorted(groups.items(), key=lambda item: (list(item[0][0]), item[0][1]))
        ]
        sizes = [len(one["who"]) for one in types]
        columns = zip(*(one["units"] for one in types), strict=True)
        return types, [sum(n * u for n, u in zip(sizes, column, strict=True)) for column in columns]

    def message(self, what: str, *rest: bytes) -> bytes:
        freeze = next(line for line in reversed(self.lines) if line["line"] == "freeze")
        own = [sha(canonical(self.lines[0])), sha(canonical(freeze))]
        return b"".join([f"isegoria {what} 1\0".encode(), *own, *rest])

    def frozen(self) -> dict:
        return next(line for line in reversed(self.lines) if line["line"] == "freeze")

    def witness(self, people=None, at=1500, signed=True) -> None:
        for person in self.present if people is None else people:
            message = self.message("witness", at.to_bytes(8, "big"))
            signature = person.sign(message) if signed and person.signer else None
            freeze = sha(canonical(self.frozen())).hex()
            self.add("witness", freeze=freeze, by=person.number, at=at, signature=signature)

    def reveal(self, people=None, signed=True) -> None:
        for person in self.present if people is None else people:
            value = self.commits[person.number]
            signature = person.sign(self.message("reveal", value)) if signed and person.signer else None
            freeze = sha(canonical(self.frozen())).hex()
            fields = {"round": self.round, "by": person.number, "value": value.hex()}
            self.add("reveal", **fields, freeze=freeze, signature=signature)

    def draw(self, value: str | None = None, signers=2) -> dict:
        freeze = self.frozen()
        if freeze["kind"] == "trial":
            self.played.add(freeze["arm"])
            self.commits = {}
            return self.add("draw", round=self.round, source_bytes=None, balls=[], arms=[freeze["arm"]], signatures=[])
        source = self._source_bytes(freeze, value)
        drawn = balls(freeze, source)
        signatures = []
        if self.source["kind"] == "dice":
            message = self.message("value", source)
            signatures = [{"by": p.number, "signature": p.sign(message)} for p in self.present[:signers] if p.signer]
        arms = [arm_of(freeze, ball) for ball in drawn]
        self.played.update(arms)
        self.commits = {}
        fields = {"round": self.round, "source_bytes": source.hex(), "balls": drawn, "arms": arms}
        return self.add("draw", **fields, signatures=signatures)

    def _source_bytes(self, freeze: dict, value: str | None) -> bytes:
        kind = self.source["kind"]
        if kind == "rehearsal":
            return mac(self.organiser, sha(canonical(freeze)))
        if kind == "dice":
            return (value or "".join(self.rng.choices("0123456789", k=8))).encode()
        if kind == "beacon":
            return bytes.fromhex(value) if value else self.league.speak(freeze["source_round"])
        start = self.lines.index(freeze)
        said = {line["by"]: line["value"] for line in self.lines[start:] if line["line"] == "reveal"}
        return b"".join(by.to_bytes(4, "big") + bytes.fromhex(said[by]) for by in sorted(said))

    def rate(self, slots=(0,)) -> None:
        """Everyone present rates what was drawn in the last round."""
        drawn = self.lines[-1]["arms"] if self.lines[-1]["line"] == "draw" else self.last_draw()["arms"]
        order = sorted(self.present, key=lambda person: person.pseudonym(self.group, self.round))
        leaves = []
        for person in order:
            for slot in slots:
                tenth = self.rng.randint(1, 9)
                values = [f"0.{tenth}" if arm == drawn[slot] else None for arm in range(self.arms)]
                nonce = person.nonce(self.group, self.round, "ratings")
                leaf = {"nonce": nonce, "round": self.round, "slot": slot, "values": values}
                leaves.append((person, canonical(leaf)))
                self.told.setdefault(person.number, []).append(values)
        self.add("ratings", round=self.round, root=merkle([leaf for _, leaf in leaves]).hex(), count=len(leaves))
        for index, (person, leaf) in enumerate(leaves):
            path = audit_path([one for _, one in leaves], index)
            person.ratings.append((len(self.lines), json.loads(leaf), index, path))

    def last_draw(self) -> dict:
        return next(line for line in reversed(self.lines) if line["line"] == "draw")

    def override(self, slot=0, arm=0, by=None) -> None:
        self.add("override", round=self.round, slot=slot, arm=arm, reason="the kitchen is closed", by=by)

    def void(self, at=1500, signers=1) -> None:
        message = self.message("void", at.to_bytes(8, "big"))
        trial = self.frozen()["kind"] == "trial"
        signatures = [] if trial else [{"by": p.number, "signature": p.sign(message)} for p in self.present[:signers]]
        self.commits = {}
        self.add("void", round=self.round, at=at, reason="the table was wrong", signatures=signatures)

    def amend(self, field: str, value) -> None:
        self.charter[field] = value
        if field == "source":
            self.source, self.occasion = value, -1
        self.add("amend", field=field, value=value, reason="the group said so")

    def close(self) -> None:
        self.add("close")

    def whole_round(self, **options) -> None:
        """A freeze, everyone's witness, the source, the draw."""
        if self.source["kind"] == "group":
            self.commit()
        self.freeze(**options)
        self.witness(at=1500)
        if self.source["kind"] == "group":
            self.reveal()
        self.draw()

    # -- files beside the record ---------------------------------------------------------------------------------
    def receipt(self, number: int) -> dict:
        person = self.people[number]

        def items(kept):
            return [dict(zip(("line", "leaf", "index", "path"), item, strict=True)) for item in kept]

        return {
            "format": "isegoria receipt", "version": 1, "group": self.group.hex(),
            "charter": sha(canonical(self.lines[0])).hex(), "head": sha(canonical(self.lines[-1])).hex(),
            "member": number, "name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex(),
            "ratings": items(person.ratings), "tallies": items(person.tallies),
        }  # fmt: skip

    def names(self) -> dict:
        people = [
            {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex()} for person in self.people
        ]
        return {"format": "isegoria names", "version": 1, "group": self.group.hex(), "members": people}


def decimal(number: Fraction) -> str:
    """A multiple of a tenth as the shortest decimal."""
    tenths = int(number * 10)
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)

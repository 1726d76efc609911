"""Records of format 3 made for tests: the organiser, the members' devices, a beacon of one, and the forger's tools.

It shares no code with the package's own writer or with either verifier. Everything is repeatable: `seed` decides all.

    made = RecordMaker(seed=1, members=5, source="commit_reveal")   # or "rehearsal", "dice", LocalBeacon(), data
    made.whole_round()                      # commits, freeze, everyone's say, the source, the draw, says past the draw
    made.freeze(); made.say(1); made.draw()            # or step by step: every method appends lines to `made.lines`
    made.bytes()                            # the file;  joined(lines) for lines that a test has changed
    made.head(2)                            # the hash of line 2 (no number: of the last line)
    made.file(made.receipt(0)), made.file(made.names())         # the files beside it, as bytes

- `RecordMaker(learner="guided")` keeps a `MemberLearner` (guided.py) for each member: `trial()`, `freeze()`, `draw()`,
  `rate()`.
- Rosters: `join()`, `leave(n)`, `rekey(n)`, `reissue(n)`, `mark(n)`; each is a roster line.
- Says: `say(n, what, value, size=, at=, signer=)`, `commit(n)`, `reveal(n)`, `confirm(n)` (dice);
  `slip(…)` makes one and does not append it.
- `RecordMaker(turns={"mode": "lottery", "worlds": 4, "single_use": 1})`: turns with memory; `used`: the arms used up.
- `amend(field, value)`, `end()`, `override(…)`; `fork()` is a copy that grows apart, with the same keys and people.
- `rechain_lines(lines, start)` makes every `prev` right again, and nothing else.

Member 0 has the organiser's mark unless `marked` says otherwise. `made.clock` stands before each beacon's word.
"""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from member_learner import MemberLearner, doubters_row

UNITS = 3_724_680_960
START = 1_700_000_000
QUICKNET = {
    "scheme": "bls-unchained-g1-rfc9380",
    "chain": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "key": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "genesis": 1692803367,
    "period": 3,
}
FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}
SETTINGS = {"error": "0.01", "resolution": "0.05", "explore": "0.25"}


def canonical(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def mac(secret: bytes, *parts: bytes) -> bytes:
    return hmac.new(secret, b"".join(parts), hashlib.sha256).digest()


def dump_lines(lines: list[dict]) -> bytes:
    return b"".join(canonical(line) + b"\n" for line in lines)


def rechain_lines(lines: list[dict], start: int = 0) -> list[dict]:
    """The lines with every `prev` from `start` (counted from 0) on made right again; nothing else is touched."""
    linked = lines[:start]
    for line in lines[start:]:
        before = sha(canonical(linked[-1])).hex() if linked else "0" * 64
        linked.append({**line, "prev": before})
    return linked


def words(digits: str) -> str:
    """The ten words of a hash."""
    c, v, found = "bdfghjklmnprstvz", "aiou", []
    for place in range(0, 40, 4):
        b = int(digits[place : place + 4], 16)
        found.append(c[b >> 12] + v[b >> 10 & 3] + c[b >> 6 & 15] + v[b >> 4 & 3] + c[b & 15])
    return "-".join(found)


def merkle(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha(b"")
    if len(leaves) == 1:
        return sha(b"\0", leaves[0])
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\1", merkle(leaves[:half]), merkle(leaves[half:]))


def audit_path(leaves: list[bytes], index: int) -> list[str]:
    if len(leaves) <= 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*audit_path(leaves[:half], index), merkle(leaves[half:]).hex()]
    return [*audit_path(leaves[half:], index - half), merkle(leaves[:half]).hex()]


def fair_policy(sets: list[tuple[int, ...]], weights: list[int], arms: int) -> list[float]:
    """The policy of largest product, by multiplication with each arm's demand."""
    total = sum(weights)

    def demand(policy):
        asked = [0.0] * arms
        for own, weight in zip(sets, weights, strict=True):
            have = sum(policy[arm] for arm in own)
            for arm in own:
                asked[arm] += weight / total / have
        return asked

    policy = [1 / arms] * arms
    for turn in range(100_000):
        asked = demand(policy)
        if max(asked) < 1 + 1e-8:
            return policy
        policy = [share * ask for share, ask in zip(policy, asked, strict=True)]
        if turn % 500 == 499:  # arms that fade slowly: leave them out at once, if nobody then lacks anything
            kept = [share if share > 0.03 / (1 + turn // 500) else 0.0 for share in policy]
            if all(any(kept[arm] for arm in own) for own in sets):
                kept = [share / sum(kept) for share in kept]
                for _ in range(500):
                    asked = demand(kept)
                    if max(asked) < 1 + 1e-8:
                        return kept
                    kept = [share * ask for share, ask in zip(kept, asked, strict=True)]
    raise AssertionError("no policy found; take another seed")


def row(own: tuple[int, ...], policy: list[float], total: int) -> list[int]:
    """A member's units on her arms in proportion to the policy, rounded by largest remainder."""
    have = sum(Fraction(policy[arm]) for arm in own)
    exact = {arm: Fraction(policy[arm]) * total / have for arm in own}
    units = [int(exact.get(arm, 0)) for arm in range(len(policy))]
    order = sorted(own, key=lambda arm: (units[arm] - exact[arm], arm))
    for arm in order[: total - sum(units)]:
        units[arm] += 1
    return units


def numbers_below(freeze: dict, source: bytes) -> Callable[[int], int]:
    """The stream of a freeze line under these source bytes: each call gives the next number below a limit."""
    seed = sha(b"isegoria draw 1\0", sha(canonical(freeze)), source)
    counter = 0

    def below(limit: int) -> int:
        nonlocal counter
        while True:
            x = int.from_bytes(sha(seed, counter.to_bytes(4, "big"))[:8], "big")
            counter += 1
            if x < 2**64 - 2**64 % limit:
                return x % limit

    return below


def balls(freeze: dict, source: bytes) -> list[int]:
    """The balls of a freeze line under these source bytes, in slot order."""
    below = numbers_below(freeze, source)
    block = freeze["block"]
    step = sum(freeze["arm_units"]) // block
    first = below(step)
    drawn = [first + j * step for j in range(block)]
    for i in range(block - 1, 0, -1):
        j = below(i + 1)
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return drawn


def arm_of(freeze: dict, ball: int) -> int:
    for arm, voice in enumerate(freeze["arm_units"]):
        if ball < voice:
            return arm
        ball -= voice
    raise AssertionError("the ball is outside the drum")


class LocalBeacon:
    """A beacon of one: its secret number is known here, so that tests can make it speak (BLS by py_ecc)."""

    def __init__(self, secret: int = 20_231_107):
        depth = sys.getrecursionlimit()
        from py_ecc.bls.point_compression import compress_G2
        from py_ecc.optimized_bls12_381 import G2, multiply

        sys.setrecursionlimit(depth)  # py_ecc lifts it, and deep JSON would end the whole process
        self.secret = secret
        high, low = compress_G2(multiply(G2, secret))
        self.key = (high.to_bytes(48, "big") + low.to_bytes(48, "big")).hex()

    def source(self, first: int = START + 86_400, every: int = 86_400) -> dict:
        chain = json.loads(self.chain_info())["hash"]
        own = {"scheme": QUICKNET["scheme"], "chain": chain, "key": self.key, "genesis": START, "period": 3}
        return {"kind": "beacon", **own, "first_at": first, "interval_seconds": every}

    def chain_info(self, name: str = "tests", **changed) -> bytes:
        """What this beacon's server would say of it, as drand's do; its chain hash is right whatever is changed."""
        info = {"public_key": self.key, "period": 3, "genesis_time": START, "groupHash": "5e" * 32, **changed}
        times = info["period"].to_bytes(4, "big") + info["genesis_time"].to_bytes(8, "big")
        parts = [bytes.fromhex(info[key]) for key in ("public_key", "groupHash")]
        chain = sha(times, *parts, b"" if name == "default" else name.encode()).hex()
        rest = {"hash": chain, "schemeID": QUICKNET["scheme"], "metadata": {"beaconID": name}}
        return json.dumps({**info, **rest}).encode()

    def speak(self, number: int) -> bytes:
        return _spoken(self.secret, number)


@cache
def _spoken(secret: int, number: int) -> bytes:
    from py_ecc.bls.hash_to_curve import hash_to_G1
    from py_ecc.bls.point_compression import compress_G1
    from py_ecc.optimized_bls12_381 import multiply

    tag = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
    message = hash_to_G1(sha(number.to_bytes(8, "big")), tag, hashlib.sha256)
    return compress_G1(multiply(message, secret)).to_bytes(48, "big")


def sign(seed: bytes, message: bytes) -> str:
    return _signer(seed).sign(message).hex()


def public(seed: bytes) -> str:
    return _signer(seed).public_key().public_bytes_raw().hex()


@cache
def _signer(seed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(seed)


class Person:
    """A member: name, secrets, signing key (32 bytes, or None), and the leaves that her receipt will hold."""

    def __init__(self, rng: random.Random, number: int, keyed: bool = True, organiser: int = 0, weight: int = 1):
        self.number, self.name, self.weight, self.organiser = number, f"Member {number} é", weight, organiser
        self.salt, self.secret, self.since = rng.randbytes(32), rng.randbytes(32), 1
        self.by_hand, self.how, self.at = 0, "founder" if number == 0 else "join_link", START - 3600 + number
        self.signer = rng.randbytes(32) if keyed else None
        self.tastes = [rng.random() for _ in range(40)]
        self.leaves: list[dict] = []

    @property
    def key(self) -> str | None:
        return public(self.signer) if self.signer else None

    def entry(self, group: bytes) -> dict:
        number = self.number.to_bytes(4, "big")
        opened = sha(b"isegoria member 3\0", self.salt, number, self.secret, self.name.encode())
        message = b"isegoria key 3\0" + group + number + bytes.fromhex(self.key or "")
        return {
            "commitment": opened.hex(),
            "weight": self.weight,
            "key": self.key,
            "provenance": {"how": self.how, "at": self.at} if self.key else None,
            "proof": sign(self.signer, message) if self.signer else None,
            "organiser": self.organiser,
            "by_hand": self.by_hand,
        }

    def pseudonym(self, group: bytes, number: int) -> str:
        return mac(self.secret, group, number.to_bytes(8, "big"), self.number.to_bytes(4, "big"))[:24].hex()

    def leaf(self, group: bytes, number: int, slot: int | None, at: int, values: list, told: int, signed=True) -> dict:
        """A ratings leaf; `told` is the round that the signature names (0 for known ratings)."""
        nonce = mac(self.secret, b"leaf\0", group, number.to_bytes(8, "big"), b"ratings").hex()
        place = 0xFFFFFFFF if slot is None else slot
        message = b"isegoria rating 3\0" + group + self.number.to_bytes(4, "big") + told.to_bytes(8, "big")
        message += place.to_bytes(4, "big") + at.to_bytes(8, "big") + sha(canonical(values))
        signature = sign(self.signer, message) if signed and self.signer else None
        return {"at": at, "nonce": nonce, "round": number, "signature": signature, "slot": slot, "values": values}


class RecordMaker:
    """A group whose record grows line by line."""

    def __init__(
        self,
        seed=0,
        members=4,
        arms=3,
        source="rehearsal",
        learner=None,
        privacy="ballots",
        block=None,
        units=UNITS,
        keyed=True,
        marked=(0,),
        weights=None,
        settings=None,
        scale=("0", "1"),
        turns=None,
        resting=0,
    ):
        self.rng = random.Random(f"record {seed}")
        self.group, self.units, self.clock = self.rng.randbytes(16), units, START
        self.people: list[Person] = []
        for number in range(members):
            weight = weights[number] if weights else 1
            self.people.append(Person(self.rng, number, keyed, int(number in marked), weight))
        self.gone: set[int] = set()
        self.away: set[int] = set()
        self.lines: list[dict] = []
        self.organiser = self.rng.randbytes(32)
        self.league = source if isinstance(source, LocalBeacon) else None
        self.source = source.source() if self.league else source if isinstance(source, dict) else {"kind": source}
        self.numbers: dict[int, bytes] = {}
        self.revealed: set[int] = set()
        self.throw: bytes | None = None
        self.round, self.version, self.occurrence = 0, 0, -1
        self.played: set[int] = set()
        self.minds: dict[int, MemberLearner] = {}
        self.rated: set[tuple[int, int, int]] = set()
        self.charter = {
            "format": "isegoria record",
            "version": 3,
            "group": self.group.hex(),
            "title": "Lunch “ü”",
            "arms": [f"arm {k}" for k in range(arms)],
            "scale": list(scale),
            "privacy": privacy,
            "block": block,
            "learner": learner,
            "settings": (settings or dict(SETTINGS)) if learner else {},
            "resting": resting,
            "tie_break": "centre",
            "turns": turns,
            "source": self.source,
            "software": "tests",
        }
        self.add("charter", **copy.deepcopy(self.charter))
        self.roster()

    # -- looking ------------------------------------------------------------------------------------------------
    def bytes(self) -> bytes:
        return dump_lines(self.lines)

    @staticmethod
    def file(value: dict) -> bytes:
        return canonical(value) + b"\n"

    def head(self, number: int | None = None) -> str:
        """The hash of line `number` (from 1), or of the last line."""
        return sha(canonical(self.lines[(number or len(self.lines)) - 1])).hex()

    @property
    def record(self) -> bytes:
        """I, the hash of line 2."""
        return sha(canonical(self.lines[1]))

    @property
    def arms(self) -> int:
        return len(self.charter["arms"])

    @property
    def present(self) -> list[Person]:
        return [person for person in self.people if person.number not in self.gone]

    @property
    def here(self) -> list[Person]:
        """Those who take part in the next round."""
        return [person for person in self.present if person.number not in self.away]

    def resting(self) -> set[int]:
        """The arms that rest now: played in one of the last rounds that played any."""
        if not self.charter["resting"]:
            return set()
        found = [set(arms) for number in range(self.round, 0, -1) if (arms := self.arms_charged(number))]
        return set().union(*found[: self.charter["resting"]])

    def offer(self) -> list[int]:
        """The arms that do not rest; all of them if none is left."""
        return sorted(set(range(self.arms)) - self.resting()) or list(range(self.arms))

    def naming(self, number: int) -> int:
        """The round in pseudonyms: with turns it is 0."""
        return number if self.charter["turns"] is None else 0

    def frozen(self) -> dict:
        return next(line for line in reversed(self.lines) if line["line"] == "freeze")

    def page(self, number: int) -> dict:
        """The freeze or trial line of a round."""
        return next(line for line in self.lines if line["line"] in ("freeze", "trial") and line["round"] == number)

    def speaks(self) -> int:
        return self.source["genesis"] + (self.frozen()["source_round"] - 1) * self.source["period"]

    def fork(self) -> RecordMaker:
        return copy.deepcopy(self)

    # -- lines --------------------------------------------------------------------------------------------------
    def add(self, line_kind: str, /, **fields) -> dict:
        before = self.head() if self.lines else "0" * 64
        self.lines.append({"line": line_kind, "prev": before, **fields})
        return self.lines[-1]

    def roster(self) -> dict:
        self.version += 1
        members = [None if person.number in self.gone else person.entry(self.group) for person in self.people]
        return self.add("roster", version=self.version, members=members)

    def join(self, keyed=True, weight=1) -> Person:
        person = Person(self.rng, len(self.people), keyed, 0, weight)
        person.since = self.version + 1
        self.people.append(person)
        self.roster()
        return person

    def leave(self, number: int) -> dict:
        self.gone.add(number)
        return self.roster()

    def rekey(self, number: int, keyed=True, how="organiser_link") -> dict:
        person = self.people[number]
        person.signer, person.by_hand = self.rng.randbytes(32) if keyed else None, 0
        person.how, person.at = how, self.clock
        return self.roster()

    def hand(self, number: int) -> dict:
        """A member without a device, whose answers the organiser enters."""
        self.people[number].signer, self.people[number].by_hand = None, 1
        return self.roster()

    def compare(self, by: int, other: int, **options) -> dict:
        """A member says that they compared another's key."""
        value = other.to_bytes(4, "big").hex() + (self.people[other].key or "00" * 32)
        return self.say(by, "compare", value, **options)

    def reissue(self, number: int) -> dict:
        """No key until their new device registers one: a link issued again. The ballot secret stays."""
        self.people[number].signer = None
        return self.roster()

    def mark(self, number: int, organiser=1) -> dict:
        self.people[number].organiser = organiser
        return self.roster()

    def slip(
        self, by: int, what="seen", value: str | None = None, size=None, at=None, signer=None, record=None
    ) -> dict:
        """A say without `prev`: signed over the record as it stands, at the maker's clock."""
        size, at = len(self.lines) if size is None else size, self.clock if at is None else at
        head = self.head(size) if size <= len(self.lines) else "00" * 32
        message = b"isegoria statement 3\0" + (record or self.record) + by.to_bytes(4, "big") + size.to_bytes(8, "big")
        message += bytes.fromhex(head) + at.to_bytes(8, "big") + what.encode() + b"\0" + bytes.fromhex(value or "")
        own = {"member": by, "size": size, "head": head, "at": at, "kind": what, "value": value}
        return {"line": "statement", **own, "signature": sign(signer or self.people[by].signer, message)}

    def say(self, by: int, what="seen", value=None, **options) -> dict:
        slip = self.slip(by, what, value, **options)
        return self.add("statement", **{key: one for key, one in slip.items() if key != "line"})

    def says(self, who=None, **options) -> None:
        """A plain say by each of these numbers; everyone present with a key unless told."""
        for number in [p.number for p in self.present if p.signer] if who is None else who:
            self.say(number, **options)

    def commit(self, by: int, **options) -> dict:
        self.numbers[by] = self.rng.randbytes(32)
        hashed = sha(b"isegoria commit 3\0", self.record, by.to_bytes(4, "big"), self.numbers[by])
        return self.say(by, "commit", hashed.hex(), **options)

    def reveal(self, by: int, **options) -> dict:
        self.revealed.add(by)
        return self.say(by, "reveal", self.numbers[by].hex(), **options)

    def thrown(self) -> bytes:
        """What the dice of the open round show: thrown once."""
        form = self.frozen()["dice_form"]
        if self.throw is None:
            shown = [self.rng.randint(form["low"], form["high"]) for _ in range(form["count"])]
            shown = sorted(shown) if form["order"] == "sorted" else shown
            self.throw = "".join(f"{number}." for number in shown).encode()
        return self.throw

    def confirm(self, by: int, **options) -> dict:
        return self.say(by, "dice", self.thrown().hex(), **options)

    def freeze(self, available=None, title=None, form=None, at=None, skip=0, units=None) -> dict:
        available = self.offer() if available is None else available
        self.round += 1
        self.throw, self.revealed = None, set()
        kind, learner, units = self.source["kind"], self.charter["learner"], units or self.units
        place = self._timetable(True, skip)
        self._new_page()
        if learner:
            own, leaves = {n: self.minds[n].page(available) for n in self._numbers()}, []
        else:
            own, leaves = self._known(available)
        types, voices = self._types(own, units)
        turns = self.charter["turns"]
        block = turns["worlds"] if turns else self.charter["block"] or min(len(self.here), 20)
        at = (self.speaks_at(place) - 3 * 3600 if kind == "beacon" else self.clock) if at is None else at
        self.clock = max(self.clock, at)
        line = self.add(
            "freeze",
            round=self.round,
            at=at,
            roster=self.version,
            available=available,
            block=block,
            title=title or f"Lunch {self.round}",
            dice_form=(form or FORM) if kind == "dice" else None,
            arm_units=voices,
            types=types,
            absent=self._absent(),
            units=units,
            root=merkle([leaf for _, leaf in leaves]).hex(),
            leaf_count=len(leaves),
            **place,
        )
        self._keep(leaves)
        return line

    def speaks_at(self, place: dict) -> int:
        return self.source["genesis"] + (place["source_round"] - 1) * self.source["period"]

    def trial(self, available=None, skip=0) -> dict:
        available = self.offer() if available is None else available
        self.round += 1
        arm = next(arm for arm in available if arm not in self.played)
        self._new_page()
        self.played.add(arm)
        occurrence = self._timetable(False, skip)["occurrence"]
        return self.add(
            "trial", round=self.round, occurrence=occurrence, roster=self.version, available=available, arm=arm
        )

    def _numbers(self) -> list[int]:
        return [person.number for person in self.present]

    def _new_page(self) -> None:
        """What a learner knows of its page: who is there, and which arms."""
        if not self.charter["learner"]:
            return
        if not self.minds:
            self.first, self.begun, self.pages, self.known_arms = len(self.present), len(self.people), 0, self.arms
        if self.arms > self.known_arms:
            self.pages, self.known_arms = self.pages + 1, self.arms
        for number in range(len(self.people)):
            later = number - self.begun + 1
            price = 2 * self.first if later <= 0 else 2 * later * (later + 1)
            if number not in self.minds:
                self.minds[number] = MemberLearner(price, self.charter["settings"])
            self.minds[number].arms_are(self.arms, (self.pages + 1) * (self.pages + 2))

    def _timetable(self, fair: bool, skip: int) -> dict:
        if self.source["kind"] != "beacon":
            return {"occurrence": None, "source_round": None}
        self.occurrence += 1 + skip
        due = self.source["first_at"] + self.occurrence * self.source["interval_seconds"] - self.source["genesis"]
        return {"occurrence": self.occurrence, "source_round": -(-due // self.source["period"]) + 1 if fair else None}

    def _known(self, available):
        """Known ratings: each member's favourites, and the leaves behind them, in the order of the tree."""
        order = sorted(self.here, key=lambda person: person.pseudonym(self.group, self.naming(self.round)))
        own, leaves = {}, []
        for person in order:
            own[person.number], leaf = self._rated(person, available)
            if leaf is not None:
                leaves.append((person, canonical(leaf)))
        return own, leaves

    def _rated(self, person, available):
        if self.rng.random() < 0.1:
            return (tuple(available), None), None
        tenths = [self.rng.choice([None, *range(11)]) for _ in range(self.arms)]
        values = [None if t is None else self._on_scale(t) for t in tenths]
        rated = [arm for arm in available if tenths[arm] is not None]
        best = max((tenths[arm] for arm in rated), default=None)
        own = tuple(arm for arm in rated if tenths[arm] == best) or tuple(available)
        signed = self.rng.random() < 0.9
        return (own, None), person.leaf(self.group, self.round, None, self.clock, values, 0, signed)

    def _on_scale(self, tenth: int) -> str:
        low, high = map(Fraction, self.charter["scale"])
        return decimal(low + (high - low) * tenth / 10)

    def _types(self, own, units):
        """The types of (set, leader) by number, and the voices."""
        sure = [person for person in self.here if own[person.number][1] is None]
        self.policy = None
        if sure:
            sets, weights = [own[person.number][0] for person in sure], [person.weight for person in sure]
            self.policy = fair_policy(sets, weights, self.arms)
        groups: dict[tuple, list] = {}
        for person in self.here:
            name = person.pseudonym(self.group, self.naming(self.round))
            groups.setdefault((*own[person.number], person.weight), []).append(name)
        types = []
        explore = self.charter["settings"].get("explore")
        order = sorted(groups, key=lambda key: (list(key[0]), -1 if key[1] is None else key[1], key[2]))
        for own_set, leader, weight in order:
            total = weight * units
            rows = (
                row(own_set, self.policy, total)
                if leader is None
                else doubters_row(own_set, leader, total, explore, self.arms)
            )
            who = sorted(groups[own_set, leader, weight])
            found = {"candidates": list(own_set), "leader": leader, "weight": weight, "units": rows}
            types.append({**found, "pseudonyms": who})
        sizes = [len(one["pseudonyms"]) for one in types]
        columns = zip(*(one["units"] for one in types), strict=True)
        return types, [sum(n * u for n, u in zip(sizes, column, strict=True)) for column in columns]

    def _absent(self) -> list[dict]:
        """The members who are away, by weight."""
        found: dict[int, list[str]] = {}
        for person in self.present:
            if person.number in self.away:
                found.setdefault(person.weight, []).append(person.pseudonym(self.group, self.naming(self.round)))
        return [{"weight": weight, "pseudonyms": sorted(found[weight])} for weight in sorted(found)]

    def source_bytes(self) -> bytes:
        """What the source of the open round says."""
        kind, freeze = self.source["kind"], self.frozen()
        if kind == "dice":
            return self.thrown()
        if kind == "commit_reveal":
            return b"".join(by.to_bytes(4, "big") + self.numbers[by] for by in sorted(self.numbers))
        if kind == "beacon":
            return self.league.speak(freeze["source_round"])
        return mac(self.organiser, sha(canonical(freeze)))

    def draw(self, said: bytes | None = None) -> dict:
        freeze = self.frozen()
        said = self.source_bytes() if said is None else said
        drawn = self._turn(freeze, said) if self.charter["turns"] else balls(freeze, said)
        self.numbers = {}
        if self.source["kind"] == "beacon":
            self.clock = max(self.clock, self.speaks())
        arms = [arm_of(freeze, ball) for ball in drawn]
        self.played.update(arms)
        return self.add("draw", round=freeze["round"], source_bytes=said.hex(), balls=drawn, arms=arms)

    def _turn(self, freeze: dict, said: bytes) -> list[int]:
        """The balls of a turn, world by world: what is owed is the third reader's sum."""
        from verifier.reference_verifier.turns import Ledger

        return Ledger(self.lines[: self.lines.index(freeze)]).balls(freeze, numbers_below(freeze, said))

    @property
    def used(self) -> set[int]:
        """With turns that use options up: the arms that were played."""
        from verifier.reference_verifier.turns import Ledger

        return Ledger(self.lines).used if self.charter["turns"] else set()

    def arms_played(self, number: int) -> list[int]:
        """The arms of a round as they stand on record now, put in ones included."""
        page = self.page(number)
        draws = [line for line in self.lines if line["line"] == "draw" and line["round"] == number]
        arms = [page["arm"]] if page["line"] == "trial" else list(draws[0]["arms"])
        start = self.lines.index(page)
        for line in self.lines[start + 1 :]:
            if line["line"] in ("freeze", "trial"):
                break
            if line["line"] == "override" and line["round"] == number:
                arms[line["slot"]] = line["arm"]
        return arms

    def arms_charged(self, number: int) -> list[int]:
        """The arms that count as played in a round: with turns world 0's; none if it was never drawn."""
        page = self.page(number)
        start = self.lines.index(page)
        after = [line for line in self.lines[start + 1 :]]
        end = next((i for i, line in enumerate(after) if line["line"] in ("freeze", "trial")), len(after))
        put = [one["arm"] for one in after[:end] if one["line"] == "override" and one["round"] == number]
        happened = page["line"] == "trial" or any(one["line"] == "draw" for one in after[:end])
        if self.charter["turns"] and put:
            return put[:1]
        arms = self.arms_played(number) if happened else []
        return arms[:1] if self.charter["turns"] else arms

    def rate(self, number: int | None = None, chance=0.9, who=None) -> dict | None:
        """A ratings line of a round (the last), with what members tell of the arms played; None if nobody does."""
        number = number or self.round
        page, arms, found = self.page(number), self.arms_played(number), []
        roster = next(line for line in self.lines if line["line"] == "roster" and line["version"] == page["roster"])
        for person in self.present:
            here = person.number < len(roster["members"]) and roster["members"][person.number] is not None
            if not here or person.since > page["roster"] or (who is not None and person.number not in who):
                continue
            for slot, arm in enumerate(arms):
                if (person.number, number, slot) in self.rated or self.rng.random() > chance:
                    continue
                liked = self.rng.gauss(person.tastes[arm], 0.1)
                tenth = max(0, min(10, round(10 * liked)))
                values = [self._on_scale(tenth) if other == arm else None for other in range(self.arms)]
                signed = self.rng.random() < 0.9
                leaf = person.leaf(self.group, number, slot, self.clock, values, number, signed)
                found.append((person, leaf, arm, slot))
        if not found:
            return None
        found.sort(key=lambda one: (one[0].pseudonym(self.group, number), one[3]))
        return self._ratings(number, page, found)

    def _ratings(self, number: int, page: dict, found: list) -> dict:
        leaves = [(person, canonical(leaf)) for person, leaf, _, _ in found]
        line = self.add(
            "ratings", round=number, root=merkle([leaf for _, leaf in leaves]).hex(), leaf_count=len(leaves)
        )
        self._keep(leaves)
        for person, leaf, arm, slot in found:
            self.rated.add((person.number, number, slot))
            if self.charter["learner"]:
                low, high = map(float, self.charter["scale"])
                reward = (float(leaf["values"][arm]) - low) / (high - low)
                self.minds[person.number].told(arm, reward, page.get("arm_units"))
        return line

    def _keep(self, leaves) -> None:
        plain = [leaf for _, leaf in leaves]
        for index, (person, leaf) in enumerate(leaves):
            path = audit_path(plain, index)
            person.leaves.append({"line": len(self.lines), "leaf": json.loads(leaf), "index": index, "path": path})

    def override(self, slot=0, arm=0, by=None, number=None, reason="the kitchen is closed", signer=None) -> dict:
        number, signature = number or self.round, None
        if by is not None:
            message = b"isegoria override 3\0" + self.record + by.to_bytes(4, "big") + number.to_bytes(8, "big")
            message += slot.to_bytes(4, "big") + arm.to_bytes(4, "big") + sha(reason.encode())
            signature = sign(signer or self.people[by].signer, message)
        line = self.add("override", round=number, slot=slot, arm=arm, reason=reason, member=by, signature=signature)
        if number == self.round:
            self.played = self._played()
        return line

    def _played(self) -> set[int]:
        drawn = {line["round"] for line in self.lines if line["line"] in ("draw", "trial")}
        return {arm for number in drawn for arm in self.arms_played(number)}

    def amend(self, field: str, value, reason="the group said so") -> dict:
        if field != "end":
            self.charter[field] = value
        if field == "source":
            self.source, self.occurrence = value, -1
        return self.add("amend", field=field, value=copy.deepcopy(value), reason=reason)

    def end(self) -> dict:
        return self.amend("end", None)

    def whole_round(self, who=None, after=None, **options) -> dict:
        """Commits, freeze, says of `who` (all with keys), the source, the draw, says of `after` past it (all)."""
        keyed = [person.number for person in self.present if person.signer]
        who, after = keyed if who is None else who, keyed if after is None else after
        kind = self.source["kind"]
        if kind == "commit_reveal":
            for number in who:
                self.commit(number)
        self.freeze(**options)
        if kind == "commit_reveal":
            for number in who:
                self.reveal(number)
        else:
            self.says(who)
        if kind == "dice":
            for number in who:
                self.confirm(number)
        line = self.draw()
        self.says(after)
        return line

    # -- files beside the record --------------------------------------------------------------------------------
    def receipt(self, number: int, **changed) -> dict:
        person, pages = self.people[number], [line for line in self.lines if line["line"] in ("freeze", "trial")]
        late = not pages or person.since > pages[-1]["roster"]
        state = (
            "left"
            if number in self.gone
            else "by_hand"
            if person.by_hand
            else "away"
            if number in self.away
            else "pending"
            if late
            else "active"
            if person.signer
            else "invited"
        )
        return {
            "format": "isegoria receipt",
            "version": 3,
            "group": self.group.hex(),
            "record": self.record.hex(),
            "head": self.head(),
            "member": number,
            "state": state,
            "round": self.round + 1 if state == "pending" else None,
            "until": self.clock + 86_400 if state == "away" else None,
            "name": person.name,
            "salt": person.salt.hex(),
            "secret": person.secret.hex(),
            "ratings": copy.deepcopy(person.leaves),
            **changed,
        }

    def names(self) -> dict:
        people = [{"name": p.name, "salt": p.salt.hex(), "secret": p.secret.hex()} for p in self.people]
        return {"format": "isegoria names", "version": 3, "group": self.group.hex(), "members": people}


def decimal(number: Fraction) -> str:
    """A number with a short decimal as the shortest one."""
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(number * 10**digits))
    text = str(whole).rjust(digits + 1, "0")
    text = text[: len(text) - digits] + ("." + text[len(text) - digits :] if digits else "")
    return ("-" if number < 0 else "") + text

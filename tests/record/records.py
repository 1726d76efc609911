"""Records of every sort, made by the writer from a number: good ones, for verifiers to accept and forgers to spoil."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from random import Random

from isegoria.record import fixing
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format import lines
from isegoria.record.format.canonical import decimal
from isegoria.record.format.lines import NewLine
from isegoria.record.format.messages import commit_hash, reveal_message, value_message, void_message, witness_message
from isegoria.record.format.order import untried
from isegoria.record.format.people import Person, commitment, in_order, number8, ratings_leaf
from isegoria.record.group import Group
from isegoria.record.receipts import Tree, names_file, written
from isegoria.record.sources import SOURCES
from isegoria.record.sources.beacon import QUICKNET, TAG

NAMES = [
    "Ann",
    "Bob",
    "Çelik",
    "Đorđe",
    "Ēlīna",
    "Φαίδρα",
    "Гриша",
    "Hana 花",
    "Ida",
    "Jun",
    "Kofi",
    "Łucja",
    "Mo'e",
    'N"o',
]
ARMS = ["noodles", "pizza", "salad", "curry", "süß", "粥", "a\\b"]
REAL_ROUNDS = {
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}
"""Rounds of drand's quicknet and their signatures, checked with py_ecc."""

MORE_ROUNDS = {
    1: "b55e7cb2d5c613ee0b2e28d6750aabbb78c39dcc96bd9d38c2c2e12198df95571de8e8e402a0cc48871c7089a2b3af4b",
    2: "b6b6a585449b66eb12e875b64fcbab3799861a00e4dbf092d99e969a5eac57dd3f798acf61e705fe4f093db926626807",
    3: "b3fab6df720b68cc47175f2c777e86d84187caab5770906f515ff1099cb01e4deaa027075d860823e49477b93c72bd64",
    100: "a4a4ff2320c23471a4bf9540ee5fc68e4c6a750dc89fd8bbeb9ba56e0708673b2d285461388f14537332492726efd282",
}
"""Further ones, from public test suites: six real rounds in all."""

LEAGUE_SECRET = 20261116
GENESIS = 1_700_000_000
SOURCE_KINDS = ("rehearsal", "dice", "group", "league", "quicknet")


@cache
def league_of_one() -> dict:
    """A beacon of our own: the parameters that its charter shows."""
    from isegoria.record.sources.curve import signed

    key = signed(LEAGUE_SECRET, b"", TAG)[1].hex()
    return {"chain": sha256(b"league of one").hexdigest(), "key": key, "genesis": GENESIS, "period": 3}


@cache
def league_says(round_: int) -> bytes:
    """What the league of one says in a round."""
    from isegoria.record.sources.curve import signed

    return signed(LEAGUE_SECRET, sha256(number8(round_)).digest(), TAG)[0]


@dataclass
class Sample:
    """A record with all that belongs to it."""

    data: bytes
    exit_code: int
    receipts: dict[int, bytes] = field(repr=False)
    names: bytes | None = field(repr=False)
    beacon_key: str | None = None
    scribe: Scribe | None = field(default=None, repr=False)


class Scribe:
    """Keeps a record and everybody's secrets, and does what it is told; all chance comes from its number."""

    def __init__(self, number: int, kind: str, privacy: str = "ballots", members: int = 5, arms: int = 4, block=None,
                 learner: str | None = None, units: int | None = None, weights=None, fallback=()):  # fmt: skip
        self.random, self.kind = Random(f"isegoria {number}"), kind
        self.record = Group()
        self.seeds: dict[int, bytes] = {}
        self.people: dict[int, Person] = {}
        self.ratings: dict[int, list[str | None]] = {}
        self.told: dict[int, list[list[str | None]]] = {}
        self.trees: dict[str, list[tuple[int, list[tuple[int, bytes]]]]] = {"ratings": [], "tallies": []}
        self.values: dict[int, bytes] = {}
        self.occasion = -1
        self.unproven: set[int] = set()
        extra = {} if units is None else {"units": units}
        self.take(
            lines.charter(
                self.record, id=self.bytes(16), title=f"Sample {number}", arms=ARMS[:arms],
                source=self.source(kind, fallback),
                privacy=privacy, block=block, learner=learner, settings={"gamma": "0.7"} if learner else None,
                scale=(0, 5), **extra,
            )
        )  # fmt: skip
        for n in range(members):
            self._meet(n, 1 if weights is None else weights[n])
        self.take(lines.roster(self.record, self.entries()))

    def bytes(self, count: int) -> bytes:
        return self.random.randbytes(count)

    def source(self, kind: str, fallback=()) -> dict:
        if kind == "league":
            return SOURCES["beacon"].terms(first=GENESIS + 1000, every=3600, chain=league_of_one(), fallback=fallback)
        if kind == "quicknet":
            first, second = sorted(REAL_ROUNDS)
            timetable = {"first": QUICKNET["genesis"] + (first - 1) * 3, "every": (second - first) * 3}
            return SOURCES["beacon"].terms(**timetable, fallback=fallback)
        return SOURCES[kind].terms(fallback=list(fallback))

    def take(self, line: bytes | NewLine) -> None:
        self.record.append(line)

    def _meet(self, n: int, weight: int = 1) -> None:
        name = NAMES[n % len(NAMES)] + ("" if n < len(NAMES) else f" {n}")
        self.people[n] = Person(n, weight, self.bytes(32), self.bytes(32), name)
        self.seeds[n] = self.bytes(32)
        self.ratings[n] = self._stars()

    def _stars(self) -> list[str | None]:
        return [decimal(self.random.randrange(0, 11) / 2) for _ in self.record.terms["arms"]]

    def entries(self) -> list[dict | None]:
        before = self.record.roster["members"] if self.record.rosters else []
        found = []
        for n in range(max(len(before), max(self.people) + 1)):
            person = self.people.get(n)
            found.append(
                person
                and {
                    "commitment": commitment(person.salt, n, person.secret, person.name).hex(),
                    "weight": person.weight,
                    "key": public_key(self.seeds[n]).hex() if n in self.seeds else None,
                }
            )
        return found

    def join(self, weight: int = 1) -> None:
        self._meet(len(self.record.roster["members"]), weight)
        self.take(lines.roster(self.record, self.entries()))

    def leave(self, n: int) -> None:
        del self.people[n]
        self.take(lines.roster(self.record, self.entries()))

    def commits(self) -> None:
        for n in sorted(self.people):
            self.values[n] = self.bytes(32)
            hashed = commit_hash(self.record.id, self.record.next_round, n, self.values[n])
            self.take(lines.commit(self.record, n, hashed.hex()))

    def freeze(self, available=None, form=None) -> None:
        said = {}
        if self.kind in ("league", "quicknet"):
            self.occasion += 1
            said = {"occasion": self.occasion}
        if (
            self.record.charter["learner"]
            and untried(self.record, self.record.checked_available(available)) is not None
        ):
            self.take(lines.trial(self.record, available=available, **said))
            return
        if self.kind == "group":
            self.commits()
        if self.kind == "dice":
            said = {"event": "eight dice on the table", "form": form}
        people = list(self.people.values())
        if self.record.charter["learner"]:
            frozen = self._learned(people, available)
        else:
            frozen = fixing.known(self.record, people, self.ratings, available)
        self.take(lines.freeze(self.record, frozen, **said))
        kept = "tallies" if self.record.charter["learner"] else "ratings"
        self.trees[kept].append((len(self.record.lines), frozen.leaves))

    def _learned(self, people, available):
        """A learner in doubt: anything could be held possible, as long as it is not empty."""
        arms = self.record.checked_available(available)
        sets = {}
        for person in people:
            chosen = {k for k in arms if self.random.random() < 0.5} or {self.random.choice(arms)}
            sets[person.number] = [k in chosen for k in range(len(self.record.terms["arms"]))]
        doubtful = sorted({k for row in sets.values() if sum(row) > 1 for k in range(len(row)) if row[k]})
        doubtful = [k for k in doubtful if self.random.random() < 0.7]
        return fixing.learned(
            self.record, people, sets, self.told, rate=self.random.random() / 3, doubtful=doubtful, available=available
        )

    def witness(self, by: int, at: int | None = None, signed: bool = True) -> None:
        now = self.record.open
        at = at if at is not None else (now.speaks_at - 60 if now.speaks_at else GENESIS)
        message = witness_message(self.record.charter_hash, now.freeze_hash, at)
        self.take(lines.witness(self.record, by, at, sign(self.seeds[by], message) if signed else None))

    def reveal(self, by: int, signed: bool = True) -> None:
        now, value = self.record.open, self.values[by]
        message = reveal_message(self.record.charter_hash, now.freeze_hash, value)
        self.take(lines.reveal(self.record, by, value, sign(self.seeds[by], message) if signed else None))

    def draw(self, seen_by=()) -> None:
        now = self.record.open
        if now.freeze["kind"] == "trial":
            return self.take(lines.draw(self.record))
        source = self._spoken(now)
        message = value_message(self.record.charter_hash, now.freeze_hash, source)
        signed = {by: sign(self.seeds[by], message) for by in seen_by} if self.kind == "dice" else {}
        return self.take(lines.draw(self.record, source, signed))

    def _spoken(self, now) -> bytes:
        if self.kind == "league":
            return league_says(now.freeze["source_round"])
        if self.kind == "quicknet":
            return bytes.fromhex(REAL_ROUNDS[now.freeze["source_round"]])
        typed = None
        if self.kind == "dice":
            form = now.freeze["form"]
            count, low, high = form[:3] if form else (12, 0, 9)
            numbers = [self.random.randint(low, high) for _ in range(count)]
            typed = (",".join if form else "".join)(map(str, numbers))
        return SOURCES[now.source["kind"]].spoken(self.record, now, typed, organiser=bytes(32))

    def rate(self, round_: int, members) -> None:
        """Members tell how the slots of a round were: one ratings line."""
        there = self.record.rounds[round_ - 1]
        people = [self.people[n] for n in members]
        leaves = []
        for _, person in in_order(self.record.id, round_, people):
            for slot, arm in enumerate(there.played):
                row = [None] * len(self.record.terms["arms"])
                row[arm] = decimal(self.random.randrange(0, 11) / 2)
                leaves.append((person.number, ratings_leaf(self.record.id, person, round_, slot, row)))
                self.told.setdefault(person.number, []).append(row)
        self.take(lines.ratings(self.record, round_, [leaf for _, leaf in leaves]))
        self.trees["ratings"].append((len(self.record.lines), leaves))

    def void(self, signers=(), at=None, reason="the restaurant burnt down") -> None:
        now = self.record.open
        at = at if at is not None else (now.speaks_at - 30 if now.speaks_at else GENESIS)
        message = void_message(self.record.charter_hash, now.freeze_hash, at)
        self.take(lines.void(self.record, at, reason, {by: sign(self.seeds[by], message) for by in signers}))

    def proofs(self, member: int, kind: str) -> list[dict]:
        return [
            proof
            for line, leaves in self.trees[kind]
            for proof in Tree.over(leaves).proofs(line, member, [leaf for owner, leaf in leaves if owner == member])
        ]

    def finished(self, exit_code: int) -> Sample:
        learner = self.record.charter["learner"]
        receipts = {
            n: written(self.record, person, self.proofs(n, "ratings"), self.proofs(n, "tallies") if learner else [])
            for n, person in self.people.items()
        }
        names = names_file(self.record, self.people) if self.record.charter["privacy"] == "open" else None
        key = league_of_one()["key"] if self.kind == "league" else None
        data = b"".join(line + b"\n" for line in self.record.lines)
        return Sample(data, exit_code, receipts, names, key, self)


def good_record(number: int, kind: str | None = None) -> Sample:
    """Record `number`: all sources, both privacies, with and without a learner, and whatever else can happen.

    `exit_code` is what a verifier that can check the beacon must answer (with the sample's `beacon_key`).
    """
    random = Random(number)
    kind = kind or SOURCE_KINDS[number % len(SOURCE_KINDS)]
    learner = random.choice([None, None, "procedural"]) if kind != "quicknet" else None
    members = random.randint(2, 8)
    weights = [random.choice([1, 1, 1, 2, 3]) for _ in range(members)]
    scribe = Scribe(
        number, kind, random.choice(["open", "ballots"]), members, random.randint(2, 5),
        random.choice([None, 1, 2, 5, 12]), learner, weights=weights,
        fallback=random.choice([[], [SOURCES["dice"].terms()]]),
    )  # fmt: skip
    exit_code = 0
    for _ in range(2 if kind == "quicknet" else random.randint(1, 5)):
        exit_code = max(exit_code, _round(scribe, random))
    if random.random() < 0.3:
        scribe.take(lines.close(scribe.record))
    return scribe.finished(exit_code)


def _round(scribe: Scribe, random: Random) -> int:
    """One round with some of all that can happen; 3 if it leaves something unproven."""
    record, kind = scribe.record, scribe.kind
    _between(scribe, random)
    arms = len(record.terms["arms"])
    available = sorted(random.sample(range(arms), random.randint(1, arms))) if random.random() < 0.3 else None
    scribe.freeze(available, random.choice([None, [8, 1, 6, 0], [6, 1, 49, 1]]))
    fair = record.open.freeze["kind"] == "fair"
    seen = random.sample(
        sorted(scribe.people), random.randint(0 if random.random() < 0.2 else 1, min(3, len(scribe.people)))
    )
    late = kind == "league" and seen and random.random() < 0.1
    for by in seen:
        scribe.witness(by, record.open.speaks_at if late and fair else None)
    silent = [n for n in scribe.people if n not in seen]
    if silent and random.random() < 0.2:
        scribe.witness(silent[0], signed=False)
    if random.random() < 0.1 and kind != "quicknet":
        signers = seen[:1] if fair else []
        scribe.void(signers)
        return 0 if signers or not fair else 3
    signed = _reveals(scribe, random) if kind == "group" and fair else True
    scribe.draw(seen_by=seen)
    if not fair:
        return 0
    enough = len(seen) >= 2 if kind == "dice" else bool(seen)
    return 0 if kind != "rehearsal" and enough and not late and signed else 3


def _reveals(scribe: Scribe, random: Random) -> bool:
    committed = sorted(scribe.record.open.commits)
    there = committed if random.random() < 0.6 else committed[: max(1, len(committed) - 1)]
    signed = random.random() < 0.9
    for by in there:
        scribe.reveal(by, signed)
    return signed


def _between(scribe: Scribe, random: Random) -> None:
    """Joins, leaves, ratings, overrides and amendments between two rounds."""
    record = scribe.record
    drawn = [one.number for one in record.rounds if one.state == "drawn"]
    if drawn and random.random() < 0.6:
        told = random.sample(sorted(scribe.people), random.randint(1, len(scribe.people)))
        last = drawn[-1]
        if not any(said["line"] == "ratings" and said["round"] == last for said in record.parsed):
            on_roster = [n for n in told if n < len(record.rounds[last - 1].roster["members"])]
            if on_roster:
                scribe.rate(last, on_roster)
    if drawn and random.random() < 0.3 and 0 not in record.rounds[drawn[-1] - 1].overrides:
        arm = random.randrange(len(record.terms["arms"]))
        scribe.take(
            lines.override(record, drawn[-1], 0, arm, "it was closed", random.choice([None, min(scribe.people)]))
        )
    if random.random() < 0.25:
        scribe.join(random.choice([1, 2]))
    if random.random() < 0.2 and len(scribe.people) > 2:
        scribe.leave(random.choice(sorted(scribe.people)))
    if random.random() < 0.2:
        more = [*record.terms["arms"], f"new {len(record.lines)}"]
        field, value = random.choice([("title", "Renamed"), ("block", 4), ("explore_max", "1/8"), ("arms", more)])
        scribe.take(lines.amend(record, field, value, "we agreed"))
    if random.random() < 0.3 and not record.charter["learner"]:
        n = random.choice(sorted(scribe.people))
        scribe.ratings[n] = scribe._stars()

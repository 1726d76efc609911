"""Records of every sort, by the package's own writer in memory: a keeper, members' devices, a clock to be set."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "verifier"))

from record_maker import LocalBeacon

from isegoria.record.actions import members as member_actions
from isegoria.record.actions import ratings, rounds
from isegoria.record.actions.action import Action, ActionContext, ActionResult
from isegoria.record.format.canonical_json import parse_canonical
from isegoria.record.format.identities import encode_key_proof, encode_override, encode_rating
from isegoria.record.format.lines import encode_statement
from isegoria.record.format.record_view import LinePayload
from isegoria.record.receipts import LeafTree, build_names_file, build_receipt
from isegoria.record.replay import ReplayResult, replay
from isegoria.record.signing.device import Device, sign_record
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.sources.beacon import QUICKNET_CHAIN
from isegoria.record.state.group import Group

NAMES = ["Ann", "Bob", "Çelik", "Đorđe", "Ēlīna", "Φαίδρα", "Гриша", "Hana 花", "Ida", "Jun", "Mo'e", 'N"o']
ARMS = ["noodles", "pizza", "salad", "curry", "süß", "粥", "a\\b"]
REAL_ROUNDS = {
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}
"""Rounds of drand's quicknet and their signatures."""

START = 1_800_000_000
DAY = 86_400
FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}
LEAGUE = LocalBeacon()


class RecordBuilder:
    """A record in memory, kept by the same actions as one in a file; all chance comes from its number.

    Member 0 organises. `devices` are the members', each with its own memory; `now` is everyone's clock.
    """

    def __init__(
        self,
        number: int,
        source: str = "rehearsal",
        members: int = 4,
        arms: int = 3,
        learner: str | None = None,
        keyed: bool = True,
        **terms: Any,
    ) -> None:
        self.random, self.now, self.source = Random(f"keeper {number}"), START, source
        self.group, self.people, self.log = Group(), {}, []
        self.devices: dict[int, Device] = {}
        names = [NAMES[n % len(NAMES)] + ("" if n < len(NAMES) else f" {n}") for n in range(members)]
        body = {
            "title": f"Sample {number}",
            "arms": ARMS[:arms],
            "members": names,
            "scale": (0, 5),
            "learner": learner,
            "source": self.terms(source),
            "organisers": names[:1],
            **terms,
        }
        if learner is None:
            body["ratings"] = [[str(self.random.randrange(6)) for _ in range(arms)] for _ in names]
        self.act(member_actions.found_group, body=body)
        for n in range(1, members) if keyed else ():
            self.key(n)

    def terms(self, source: str) -> LinePayload:
        if source == "league":
            return LEAGUE.source(first=START + DAY, every=DAY)
        if source == "quicknet":
            first, second = sorted(REAL_ROUNDS)
            self.now = QUICKNET_CHAIN["genesis"] + (first - 1) * 3 - 1000
            return RANDOMNESS_SOURCES["beacon"].terms(first=self.now + 1000, every=(second - first) * 3)
        return RANDOMNESS_SOURCES[source].terms()

    def act(self, action: Action, member: int = -1, body: Mapping[str, Any] | None = None) -> ActionResult:
        context = ActionContext(
            self.group, body or {}, self.now, member, chance=self.random.randbytes, people=self.people, secret=bytes(32)
        )
        change = action(context)
        for person in change.people:
            self.people[person.number] = person
        for event in change.events:
            line = event.line.data if event.line else None
            self.log.append((event.kind, event.body, line, self.now))
            self.group.apply(event.kind, event.body, event.line, self.now)
        self.group.names = {n: person.name for n, person in self.people.items()}
        return change

    # -- people ----------------------------------------------------------------------------------------------------

    def key(self, n: int) -> None:
        """Member n has a fresh device."""
        numbers = self.devices[n].committed_numbers if n in self.devices else []
        self.devices[n] = device = Device(self.random.randbytes(32).hex(), committed_numbers=numbers)
        self.act(member_actions.register_key, n, {"key": device.key, "proof": prove_key(self.group, n, device.seed)})

    def join(self, keyed: bool = True, **body: Any) -> int:
        number = len(self.group.entries)
        self.act(member_actions.join, body={"name": f"New {number}", **body})
        if keyed:
            self.key(number)
        return number

    def leave(self, n: int) -> None:
        self.act(member_actions.remove_member, body={"member": n})
        self.devices.pop(n, None)

    def rate(self, n: int, values: Mapping[str, Any], number: int | None = None, slot: int | None = None) -> None:
        """Member n rates, signed if her device has a key."""
        body: dict[str, Any] = {"round": number, "slot": slot, "values": values}
        row = ratings.build_rating_row(self.group, n, number, ratings.parse_ratings(self.group, values))
        if n in self.devices:
            message = encode_rating(self.group.id, n, number, slot, self.now, row)
            body |= {"at": self.now, "signature": sign(bytes.fromhex(self.devices[n].seed), message).hex()}
            self.devices[n] = self.devices[n].remember(number, slot, self.now, row)
        self.act(ratings.rate, n, body)

    # -- a round ---------------------------------------------------------------------------------------------------

    def freeze(self, **body: Any) -> None:
        """Commits under the group, and the page of the next round."""
        self.now += 3600
        if self.group.source == "commit_reveal":
            self.act(rounds.write_roster)
            self.sign(set(self.devices) - set(self.group.commits), what="commit")
        if self.group.source == "dice":
            body.setdefault("form", FORM)
        self.act(rounds.freeze, body=body)

    def receipt(self, n: int) -> bytes:
        return build_receipt(self.group, self.people[n], self.trees().__getitem__)

    def trees(self) -> dict[int, LeafTree]:
        """Owners and hashes of the leaves under each root, as they were kept when it was written."""
        written = [(kind, body) for kind, body, line, _ in self.log if line is not None]
        return {
            number: LeafTree([n for n, _ in body["tree"]], [bytes.fromhex(hashed) for _, hashed in body["tree"]])
            for number, (_, body) in enumerate(written, start=1)
            if "tree" in body
        }

    def slip(self, n: int, what: str = "seen", value: str | None = None, yes: bool = True) -> LinePayload:
        """What the device of member n says by its rules; its memory is kept."""
        own = parse_canonical(self.receipt(n).removesuffix(b"\n"))
        self.devices[n], slip = sign_record(self.devices[n], self.group, own, self.now, what, value, lambda ask: yes)
        return slip

    def sign(self, who=None, what: str = "seen", value: str | None = None) -> None:
        """Devices sign, and their slips are added."""
        for n in sorted(self.devices if who is None else who):
            if n < len(self.group.roster["members"]) and self.group.roster["members"][n] is not None:
                self.act(rounds.add_statement, body=self.slip(n, what, value))

    def draw(self, value: str | None = None) -> list[int]:
        """The source speaks, and the round is drawn."""
        now = self.group.open
        assert now is not None
        if now.speaks_at is not None:
            self.now = now.speaks_at + 5
            number = now.freeze["source_round"]
            value = REAL_ROUNDS[number] if self.source == "quicknet" else LEAGUE.speak(number).hex()
        if now.source["kind"] == "dice" and value is None:
            value = ",".join(str(self.random.randint(1, 6)) for _ in range(9))
        self.act(rounds.draw, body={"value": value})
        return list(now.drawn)

    def whole_round(self, **body: Any) -> None:
        """Everything that proves a round: pages signed in time, the draw, and signatures past it."""
        self.freeze(**body)
        now = self.group.open
        if now is not None:
            if now.source["kind"] == "commit_reveal":
                self.sign(set(self.devices) & set(now.commits), what="reveal")
                if set(now.commits) - set(now.reveals):
                    return  # who committed has left: it is never drawn
            else:
                self.sign()
            value = ",".join(str(self.random.randint(1, 6)) for _ in range(9)) if now.source["kind"] == "dice" else None
            if value is not None:
                self.sign(what="dice", value=value)
            self.draw(value)
        self.sign()

    def override(self, number: int, slot: int, arm: str, by: int | None = None, reason: str = "it was closed") -> None:
        body: dict[str, Any] = {"round": number, "slot": slot, "arm": arm, "reason": reason}
        if by is not None:
            message = encode_override(self.group.record, by, number, slot, self.group.arms.index(arm), reason)
            body |= {"by": by, "signature": sign(bytes.fromhex(self.devices[by].seed), message).hex()}
        self.act(rounds.override, body=body)

    # -- files -----------------------------------------------------------------------------------------------------

    def bytes(self) -> bytes:
        return b"".join(line + b"\n" for line in self.group.lines)

    def names(self) -> bytes:
        return build_names_file(self.group, self.people)

    def replay(self) -> ReplayResult:
        return replay(self.log, lambda group: self.people)


@dataclass
class RecordSample:
    """A record with all that belongs to it."""

    data: bytes
    receipts: dict[int, bytes] = field(repr=False)
    names: bytes | None = field(repr=False)
    beacon: bytes | None
    keeper: RecordBuilder = field(repr=False)


def prove_key(group: Group, n: int, seed: str) -> str:
    """The signature by which a key shows that it is in the hands of member n."""
    key = public_key(bytes.fromhex(seed))
    return sign(bytes.fromhex(seed), encode_key_proof(group.id, n, key)).hex()


def forge_statement(keeper: RecordBuilder, n: int, **changed: Any) -> LinePayload:
    """A say by member n's key with fields as one likes: what a device that broke the rules would send."""
    group = keeper.group
    slip = {
        "line": "statement",
        "member": n,
        "size": len(group.lines),
        "head": group.head.hex(),
        "at": keeper.now,
        "kind": "seen",
        "value": None,
        **changed,
    }
    slip["signature"] = sign(bytes.fromhex(keeper.devices[n].seed), encode_statement(group.record, slip)).hex()
    return slip


def make_record(number: int, source: str | None = None, learner: str | None = "any", rounds_: int = 4) -> RecordSample:
    """Record `number`: all sources, both privacies, with and without a learner, and whatever else can happen."""
    random = Random(number)
    source = source or ("rehearsal", "dice", "commit_reveal", "league")[number % 4]
    learner = random.choice([None, None, "guided"]) if learner == "any" else learner
    members = random.randint(2, 6)
    weights = [1] * members if learner else [random.choice([1, 1, 2, 3]) for _ in range(members)]
    keeper = RecordBuilder(
        number,
        source,
        members,
        random.randint(2, 5),
        learner,
        weights=weights,
        privacy=random.choice(["open", "ballots"]),
        block=random.choice([None, 1, 2, 5]),
        settings={"error": "0.5"} if learner else None,
        resting=random.choice([0, 0, 1]),
    )
    for _ in range(rounds_):
        _change_between_rounds(keeper, random)
        keeper.whole_round(undrawn=True)
    if random.random() < 0.3:
        keeper.act(rounds.end_record)
    group = keeper.group
    names = keeper.names() if group.charter["privacy"] == "open" else None
    receipts = {n: keeper.receipt(n) for n in group.members if n < len(group.roster["members"])}
    return RecordSample(keeper.bytes(), receipts, names, LEAGUE.chain_info() if source == "league" else None, keeper)


def _change_between_rounds(keeper: RecordBuilder, random: Random) -> None:
    """Joins, leaves, ratings, overrides, masks and amendments between two rounds."""
    group = keeper.group
    keeper.now += 60
    if group.learns:
        submit_ratings(keeper, random)
    elif random.random() < 0.5:
        keeper.rate(random.choice(sorted(group.members)), {group.arms[0]: random.randrange(6)})
    if group.rounds and random.random() < 0.3 and 0 not in group.rounds[-1].overrides:
        by = random.choice([None, *(n for n in keeper.devices if n < len(group.roster["members"]))])
        keeper.override(len(group.rounds), 0, random.choice(group.arms), by)
    if random.random() < 0.25:
        keeper.join(keyed=random.random() < 0.7)
    if random.random() < 0.15 and len(group.members) > 2:
        keeper.leave(max(group.members))
    if random.random() < 0.15 and keeper.devices:
        keeper.key(random.choice(sorted(keeper.devices)))
    if random.random() < 0.2:
        until = random.choice([None, keeper.now + 3 * DAY])
        keeper.act(member_actions.set_away, body={"member": random.choice(sorted(group.members)), "until": until})
    if len(group.absent_at(keeper.now + 3600)) == len(group.members) or random.random() < 0.3:
        for n in list(group.away):
            if n in group.members:
                keeper.act(member_actions.set_away, body={"member": n, "until": 0})
    if len(keeper.devices) > 1 and group.begun and random.random() < 0.3:
        by, other = random.sample(sorted(keeper.devices), 2)
        there = group.roster["members"]
        if all(n < len(there) and there[n] and there[n]["key"] == keeper.devices[n].key for n in (by, other)):
            keeper.sign([by], "compare", other.to_bytes(4, "big").hex() + keeper.devices[other].key)
    if random.random() < 0.1 and len(keeper.devices) > 2:
        number = max(keeper.devices)
        keeper.act(member_actions.set_by_hand, body={"member": number, "by_hand": 1})
        del keeper.devices[number]
    if random.random() < 0.2:
        keeper.act(rounds.add_option, body={"name": f"new {len(group.arms)}", "reason": None})
    unavailable = random.sample(group.arms, random.randrange(len(group.arms))) if random.random() < 0.3 else []
    keeper.act(rounds.mask_options, body={"unavailable": unavailable})


def submit_ratings(keeper: RecordBuilder, random: Random, chance: float = 0.7, taste=None) -> None:
    """Members tell how the last rounds were, some late, some never."""
    group = keeper.group
    for one in group.rounds[-2:]:
        for slot in one.slots:
            for n in sorted(group.members):
                if random.random() < chance and one.has(n) and (slot, n) not in one.rooted:
                    arm = one.played[slot]
                    value = random.randrange(6) if taste is None else taste(n, arm)
                    keeper.rate(n, {group.arms[arm]: value}, one.number, slot)

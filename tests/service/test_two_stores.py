"""One record, two keepers: the same script of actions gives the same bytes and the same refusals in file and store."""

from random import Random

import pytest
from api_clients import prove_key
from two_stores import DICE_FORM, START_TIME, FileAndDatabaseGroup

from isegoria.record.actions import members, ratings, rounds
from isegoria.record.format.identities import encode_override, encode_rating, hash_committed_number
from isegoria.record.format.lines import encode_statement
from isegoria.record.signing.ed25519 import sign
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify


def run_random_life(both: FileAndDatabaseGroup, learner: str | None) -> None:
    """Some rounds of everything that can happen, in turn and out of turn."""
    chance, seeds, values = both.random, {}, {}
    for _ in range(6 if learner else 4):
        group = both.group
        here = sorted(group.members)
        for member in here:
            if chance.random() < 0.4:
                seeds[member] = chance.randbytes(32)
                both.do(members.register_key, member, **prove_key(both.group, member, seeds[member]))
            if chance.random() < 0.6:
                rate(both, both.group, member, seeds.get(member))
        act_between_rounds(both, both.group, here, seeds)
        if group.source == "commit_reveal":
            both.do(rounds.write_roster)
            for member in sorted(set(both.group.members) & set(seeds)):
                values[member] = chance.randbytes(32)
                hashed = hash_committed_number(both.group.record, member, values[member])
                say(both, member, seeds[member], "commit", hashed.hex())
        form = DICE_FORM if group.source == "dice" else None
        if group.source != "commit_reveal" or both.group.commits:  # a service would ask open pages first
            both.do(rounds.freeze, event=chance.choice([None, "today"]), form=form, undrawn=True)
        both.do(rounds.amend, field="block", value=3, reason="why")
        decide_in_both(both, seeds, values)
        assert both.records()[0] == both.records()[1]


def say(
    both: FileAndDatabaseGroup,
    member: int,
    seed: bytes,
    what: str = "seen",
    value: str | None = None,
    at: int = START_TIME,
) -> None:
    """A device says something of the record as it is, or as it was a line ago."""
    group = both.group
    if not group.begun:
        return
    size = len(group.lines) - (both.random.random() < 0.1)
    slip = {"size": size, "head": group.hashes[size - 1].hex(), "at": at, "kind": what, "value": value}
    signature = sign(seed, encode_statement(group.record, {**slip, "member": member})).hex()
    both.do(rounds.submit_statement, member, **slip, signature=signature)


def rate(both: FileAndDatabaseGroup, group, member: int, seed: bytes | None) -> None:
    """She rates, with her signature where she has a key; sometimes what did not happen, or what is not hers to sign."""
    chance, last = both.random, group.last
    stars, number, slot = str(chance.randrange(11) / 2), None, None
    arm = chance.choice(group.arms)
    if group.learns and last is not None and last.happened:
        number, slot = last.number, chance.randrange(len(last.slots) + 1)
        arm = group.arms[last.played[min(slot, len(last.slots) - 1)]]
    body = {"round": number, "slot": slot, "values": {arm: stars}}
    if seed is not None and member in group.members:
        row = ratings.build_rating_row(group, member, number, ratings.parse_ratings(group, {arm: stars}))
        message = encode_rating(group.id, member, number, slot, START_TIME, row)
        body |= {"at": START_TIME, "signature": sign(seed, message).hex()}
    both.do(ratings.rate, member, **body)


def act_between_rounds(both: FileAndDatabaseGroup, group, here: list[int], seeds: dict) -> None:
    chance = both.random
    step = chance.randrange(8)
    if step == 0:
        both.do(members.join, name=f"New {chance.random()}")
    elif step == 1:
        both.do(members.remove_member, member=chance.choice([*here, 99]))
    elif step == 2:
        both.do(rounds.add_option, name=f"arm {chance.random()}", reason=None)
    elif step == 3:
        both.do(rounds.mask_options, unavailable=chance.sample(group.arms, chance.randrange(len(group.arms) + 1)))
    elif step == 4:
        both.do(rounds.amend, field="title", value="Supper", reason="later")
    elif step == 5:
        both.do(members.mark_organiser, member=chance.choice(here), organiser=1)
    elif step == 6:
        both.do(members.erase_member, member=chance.choice(here))
    elif group.last is not None:
        number, slot, arm = group.last.number, chance.choice([0, 9]), chance.choice(group.arms)
        body = {"round": number, "slot": slot, "arm": arm, "reason": "closed"}
        if seeds and chance.random() < 0.5:
            by = chance.choice(sorted(seeds))
            message = encode_override(group.record, by, number, slot, group.arms.index(arm), "closed")
            body |= {"by": by, "signature": sign(seeds[by], message).hex()}
        both.do(rounds.override, **body)


def decide_in_both(both: FileAndDatabaseGroup, seeds: dict, values: dict) -> None:
    chance, group = both.random, both.group
    now = group.open
    if now is None:
        return
    kind = now.source["kind"]
    for member, seed in seeds.items():
        if kind != "commit_reveal" and chance.random() < 0.8:
            say(both, member, seed, at=START_TIME - chance.choice([0, 0, 0, 61]))
    for member in sorted(set(now.commits) & set(values)) if kind == "commit_reveal" else ():
        say(both, member, seeds[member], "reveal", values[member].hex())
    thrown = [chance.randint(1, 6) for _ in range(9)]
    for member, seed in seeds.items() if kind == "dice" else ():
        say(both, member, seed, "dice", "".join(f"{number}." for number in thrown).encode().hex())
    if chance.random() < 0.85:
        both.do(rounds.draw, value=thrown if kind == "dice" else None)
    for member, seed in seeds.items():
        say(both, member, seed)


@pytest.mark.parametrize("number", range(18))
def test_file_and_store_keep_the_same_record(tmp_path, monkeypatch, number):
    source, learner = ["rehearsal", "dice", "commit_reveal"][number % 3], [None, "guided", None, "guided"][number % 4]
    store = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    chance = Random(f"script {number}")
    terms = {"block": chance.choice([None, 1, 2]), "privacy": chance.choice(["open", "ballots"])}
    both = FileAndDatabaseGroup(
        tmp_path / "lunch.record", store, monkeypatch, chance, source=source, learner=learner, **terms
    )
    both.forgets = number >= 12
    run_random_life(both, learner)
    both.do(rounds.end_record)
    both.do(rounds.freeze)
    in_file, in_store = both.records()
    store.close()
    assert in_file == in_store
    assert both.count["done"] > 8
    assert verify(in_file)["exit_code"] in (0, 3)

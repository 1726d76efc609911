"""The learner of records: what the writer shows of each member follows from her receipt, to the unit."""

import json
from random import Random

import pytest
from engines import verify_with_node, verify_with_python
from record_maker import dump_lines, rechain_lines

from isegoria.record.actions import rounds
from record.record_factory import RecordBuilder, submit_ratings


def make_long_record(number: int, pages: int = 30, error: str = "0.9") -> RecordBuilder:
    """A group with masks, joins, departures, new arms, overrides, late and missing answers."""
    random = Random(number)
    settings = {"error": error, "explore": "0.5", "resolution": random.choice(["0", "0.6"])}
    keeper = RecordBuilder(
        number, "rehearsal", 3, 3, "guided", keyed=False, settings=settings, block=random.choice([1, 5])
    )
    likes: dict[tuple[int, int], float] = {}

    def taste(member: int, arm: int) -> int:
        return 5 * (random.random() < likes.setdefault((member, arm), random.choice([0.02, 0.3, 0.98])))

    group = keeper.group
    for _ in range(pages):
        submit_ratings(keeper, random, 0.8, taste)
        if random.random() < 0.06:
            keeper.join(keyed=False)
        if random.random() < 0.03 and len(group.members) > 2:
            keeper.leave(random.choice(sorted(group.members)))
        if random.random() < 0.04 and len(group.arms) < 5:
            keeper.act(rounds.add_option, body={"name": f"new {len(group.arms)}", "reason": None})
        out = random.sample(group.arms, random.randrange(len(group.arms))) if random.random() < 0.15 else []
        keeper.act(rounds.mask_options, body={"unavailable": out})
        keeper.freeze(undrawn=True)
        if group.open is not None and random.random() < 0.95:
            keeper.draw()
        if random.random() < 0.05 and 0 not in group.rounds[-1].overrides:
            keeper.override(len(group.rounds), 0, random.choice(group.arms))
    return keeper


def cases(keeper: RecordBuilder) -> list[dict]:
    here = [n for n in keeper.group.members if n < len(keeper.group.roster["members"])]
    return [{"record": keeper.bytes(), "receipt": keeper.receipt(n), "now": keeper.now} for n in here]


def differences(keepers: list[RecordBuilder]) -> list[str]:
    """What the writer's learner, both verifiers with everyone's receipt, and a replay do not agree on; nothing, one
    hopes."""
    asked = [case for keeper in keepers for case in cases(keeper)]
    python, node = verify_with_python(asked), verify_with_node(asked)
    wrong = [one["sentence"] for one, other in zip(python, node, strict=True) if one != other or one["exit_code"] != 3]
    return wrong + [found.sentence for keeper in keepers if (found := keeper.replay()).exit_code]


@pytest.mark.slow
def test_sets_leaders_and_rows_follow_from_receipts_in_both_verifiers():
    assert (
        differences(
            [make_long_record(number, 14) for number in range(38)] + [make_long_record(number) for number in (38, 39)]
        )
        == []
    )


@pytest.mark.parametrize("zeros", [390, 322, 306])
def test_an_error_that_no_double_holds_is_taken_as_the_least_one(zeros):
    keeper = make_long_record(3, 12, error=f"0.{'0' * zeros}1")
    assert any(round_.fair for round_ in keeper.group.rounds)
    assert differences([keeper]) == []


def test_a_changed_leader_a_moved_unit_and_a_changed_rating_are_found():
    keeper = make_long_record(3)
    lines = [json.loads(line) for line in keeper.group.lines]
    at = max(place for place, line in enumerate(lines) if line["line"] == "freeze")
    doubted = next(kind for kind in lines[at]["types"] if kind["leader"] is not None and len(kind["candidates"]) > 1)
    leader, other = doubted["leader"], next(arm for arm in doubted["candidates"] if arm != doubted["leader"])
    doubted["leader"] = other
    found = verify_with_python([{"record": dump_lines(rechain_lines(lines, at)), "now": keeper.now}])[0]
    assert found["exit_code"] == 1
    doubted["leader"] = leader
    doubted["units"][leader] -= 1
    doubted["units"][other] += 1
    found = verify_with_python([{"record": dump_lines(rechain_lines(lines, at)), "now": keeper.now}])[0]
    assert (
        found["sentence"]
        == f"False: line {at + 1} (freeze): the row of a member in doubt is not the one of their leader."
    )
    case = next(one for one in cases(keeper) if json.loads(one["receipt"])["ratings"])
    receipt = json.loads(case["receipt"])
    values = receipt["ratings"][0]["leaf"]["values"]
    values[:] = [value and ("1" if value != "1" else "2") for value in values]
    case["receipt"] = json.dumps(receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    assert verify_with_python([case])[0]["exit_code"] == 1

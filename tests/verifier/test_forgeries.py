"""Nothing that was changed is accepted: bits, lines, and what a forger chains again."""

import random
from functools import cache

import forgeries
import mutations
import pytest
from maker import joined
from shelf import SOURCES, calm, eventful, head, judged

GOOD = [calm(70, "dice", members=3, rounds=1), calm(71, "group", members=3, rounds=1, privacy="open")]


def refused(answer: dict) -> bool:
    said = answer["sentence"]
    return answer["exit_code"] in (1, 2) and said.count("\n") == 0 and said.endswith(".") and "Traceback" not in said


@pytest.mark.parametrize("made", GOOD, ids=["ballots", "open"])
def test_no_flipped_bit_is_accepted(made):
    data = made.bytes()
    for flipped in mutations.some_flips(data, 600, seed=1):
        answer = judged(flipped)
        assert refused(answer), (answer, flipped)


@pytest.mark.parametrize("made", [*GOOD, eventful(72, "group")], ids=["ballots", "open", "eventful"])
def test_no_line_dropped_doubled_or_swapped_is_accepted(made):
    for data in mutations.rearranged(made.bytes()):
        assert refused(judged(data))


def test_a_file_cut_inside_a_line_is_unreadable():
    for data in mutations.cut_inside(GOOD[0].bytes(), step=7):
        assert judged(data)["exit_code"] == 2


BEACON = {"beacon_round_picked", "occasion_reused"}
PRODUCTS = {"units_stolen"}
"""What only records of known ratings have: with a learner no product is claimed."""
KNOWN = [calm(73, "dice", members=5, rounds=2), calm(74, "group", members=4, rounds=2)]


@cache
def victims(beacon: bool):
    return [eventful(seed, source) for seed, source in enumerate(SOURCES) if (source == "beacon") == beacon]


def attempts(kind, count: int):
    """Forgeries of one kind, on records of every source; the maker, the forged bytes, the first changed line."""
    rng = random.Random(kind.__name__)
    made = victims(kind.__name__ in BEACON)  # checking a beacon takes long: make stress does it for every kind
    made = KNOWN if kind.__name__ in PRODUCTS else made
    found = 0
    for turn in range(20 * count):
        victim = made[turn % len(made)]
        forged = kind(victim, rng)
        if forged is not None:
            found += 1
            yield victim, joined(forged[0]), forged[1]
        if found == count:
            return


@pytest.mark.parametrize("kind", forgeries.FOUND, ids=lambda kind: kind.__name__)
def test_a_forgery_is_found_by_anybody(kind):
    tried = 0
    for victim, data, first in attempts(kind, 1 if kind.__name__ in BEACON else 3):
        tried += 1
        answer = judged(data)
        assert refused(answer), (victim.source["kind"], answer["sentence"])
        kept = judged(data, head=head(victim.lines[first]))
        assert kept["sentence"] == "False: the kept head is not on this chain." or kept["exit_code"] == 2
    assert tried, "the kind never applied"


@pytest.mark.parametrize("kind", forgeries.PASSING, ids=lambda kind: kind.__name__)
def test_what_only_a_kept_head_finds_is_the_documented_list(kind):
    passed = 0
    for victim, data, first in attempts(kind, 3):
        passed += judged(data)["exit_code"] in (0, 3)
        assert judged(data, head=head(victim.lines[first]))["exit_code"] in (1, 2)
    assert passed, "nothing of this kind passes without a head: move it to FOUND"

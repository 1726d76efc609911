"""Random tables and rounds for the page: its lotteries against the library's, its records through all readers.

    python tests/one_page/trials.py --tables 100000 --rounds 10000

It prints counts and worst cases for people to read, and ends with exit code 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])


import isegoria as iso
from one_page import engines
from one_page.modules import ask_page
from oracles.hostile_instances import make_clones, make_hostile, make_square, make_weighty, make_wide

MAX_GAP, MAX_SHARE_ERROR, CLEAR_MARGIN, NEAR_EQUAL = 1e-9, 1e-6, 1e-6, 1e-8
MAX_ROWS, MAX_ARMS, MAX_WEIGHT, CHUNK = 1000, 50, 2_000_000, 500


def make_approvals(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Favourites tapped at random: the tables that people make."""
    rng = np.random.default_rng([61, number])
    shape = rng.integers(1, 40), rng.integers(1, 13)
    return (rng.random(shape) < rng.uniform(0.05, 0.7)).astype(float), np.ones(shape[0], dtype=int)


def make_stars(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratings with few steps, where many tie."""
    rng = np.random.default_rng([62, number])
    shape = rng.integers(1, 60), rng.integers(1, 15)
    return rng.choice([0, 0.25, 0.5, 0.75, 1], shape), rng.integers(1, 5, shape[0])


FAMILIES = (make_hostile, make_approvals, make_clones, make_stars, make_weighty, make_approvals, make_square, make_wide)


def make_table(number: int) -> tuple[np.ndarray, np.ndarray] | None:
    """A table of one of the families; None if it is larger than the page promises to take."""
    means, weights = FAMILIES[number % len(FAMILIES)](number)
    weights = np.asarray(weights)
    fits = means.shape[0] <= MAX_ROWS and means.shape[1] <= MAX_ARMS and weights.sum() <= MAX_WEIGHT
    return (np.asarray(means, dtype=float), weights) if fits and (weights == weights.round()).all() else None


def has_near_equal_arms(means: np.ndarray) -> bool:
    """Return whether two arms differ by less than anybody can tell: the library takes them for equal, a sum may not."""
    gaps = np.abs(means[:, :, None] - means[:, None, :]).max(axis=0)
    return bool(((gaps > 0) & (gaps < NEAR_EQUAL)).any())


def check_tables(numbers: range) -> tuple[int, dict[str, float], list[str]]:
    """How many tables were solved, the worst cases, and what was broken."""
    tables = {number: table for number in numbers if (table := make_table(number)) is not None}
    rules = ["procedural", "nash", "utilitarian", "cut", "uniform"]
    requests = [
        {"ask": "solve", "means": means.tolist(), "weights": weights.astype(int).tolist(), "rules": rules}
        for means, weights in tables.values()
    ]
    worst, faults = dict.fromkeys(["gap", "procedural", "nash", "utilitarian", "cut", "unproved"], 0.0), []
    for (number, (means, weights)), answer in zip(tables.items(), ask_page(requests), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            instance = iso.Instance(means, weights=weights.astype(int))
        for rule in rules[:4]:
            policy, gap = np.array(answer[rule]["policy"]), answer[rule]["gap"]
            if gap is not None:
                worst["gap"] = max(worst["gap"], gap)
            if abs(policy.sum() - 1) > 1e-12 or policy.min() < 0 or (gap is not None and not gap <= MAX_GAP):
                faults.append(f"table {number}, {rule}: gap {gap}, sum {policy.sum()}")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = iso.solve(instance, rule)
            except iso.IsegoriaError:
                worst["unproved"] += 1
                continue
            margin = getattr(expected, "tie_margin", None)
            if (margin is not None and margin < CLEAR_MARGIN) or has_near_equal_arms(means):
                continue
            apart = float(np.abs(policy - expected.policy).max())
            worst[rule] = max(worst[rule], apart)
            if apart > MAX_SHARE_ERROR:
                faults.append(f"table {number}, {rule}: apart by {apart:.3g} with a margin of {margin}")
    return len(tables), worst, faults


def make_round(number: int) -> dict:
    """A request for a record of one to three rounds, as one phone makes it."""
    rng = np.random.default_rng([63, number])
    members, arms, dice = int(rng.integers(1, 25)), int(rng.integers(1, 9)), bool(rng.random() < 0.5)
    rounds = [
        {
            "answers": [rng.permutation(arms)[: rng.integers(0, arms + 1)].tolist() for _ in range(members)],
            "at": 1_790_000_000 + 100 * number,
            "event": f"Lunch {number} «é» \u2028",
            "thrown": rng.integers(1, 7, 9).tolist() if dice else None,
        }
        for _ in range(rng.integers(1, 4))
    ]
    names, source = [f"Member {n} é" for n in range(members)], "dice" if dice else "rehearsal"
    options, block = [f'option {k} "ü"' for k in range(arms)], int(rng.integers(1, 21))
    return {"ask": "record", "seed": str(number), "title": "Lunch", "arms": options, "names": names} | {
        "source": source, "block": block, "rounds": rounds,
    }  # fmt: skip


def check_rounds(numbers: range) -> tuple[int, list[str]]:
    """How many rounds were written by the page, and where a reader does not find them consistent."""
    requests, faults, count = [make_round(number) for number in numbers], [], 0
    answers = ask_page(requests)
    cases = [{"record": one["text"].encode(), "names": one["names"].encode(), "now": 2_000_000_000} for one in answers]
    for number, request, answer, *verdicts in zip(
        numbers, requests, answers, engines.verify_with_python(cases), engines.verify_with_reference(cases), strict=True
    ):
        count += len(request["rounds"])
        drawn = [[draw["arm"] for draw in round_] for round_ in answer["drawn"]]
        if answer["verdict"] != "consistent":
            faults.append(f"record {number}: the page says {answer['sentence']}")
        for verdict in verdicts:
            found = [round_["arms"] for round_ in verdict["rounds"]]
            if verdict["exit_code"] != 3 or verdict["sentence"] != answer["sentence"] or found != drawn:
                faults.append(f"record {number}: {verdict['sentence']}")
    return count, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10_000)
    asked = parser.parse_args()
    tables, worst, faults, number = 0, {}, [], 0
    while tables < asked.tables:
        count, cases, broken = check_tables(range(number, number + CHUNK))
        tables, number, faults = tables + count, number + CHUNK, faults + broken
        for name, value in cases.items():
            worst[name] = worst.get(name, 0) + value if name == "unproved" else max(worst.get(name, 0.0), value)
    print(f"{tables} tables:", ", ".join(f"{name} {value:.3g}" for name, value in worst.items()), flush=True)
    rounds = number = 0
    while rounds < asked.rounds:
        count, broken = check_rounds(range(number, number + CHUNK))
        rounds, number, faults = rounds + count, number + CHUNK, faults + broken
    print(f"{rounds} rounds in {number} records, three readers each")
    print(*faults[:20], f"{len(faults)} faults", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

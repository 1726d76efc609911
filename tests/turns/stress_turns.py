"""Turns at their whole size: 10,000 random records by the writer, both verifiers and a third reader; resumed histories;
an opponent of 2,000 rounds; 1,000 plans.

python tests/turns/stress_turns.py [records] [histories] [opponent] [plans]       make stress runs all
python tests/turns/stress_turns.py records=2/4                        the second of four parts
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import numpy as np
from in_memory_group import make_random_history

import isegoria as iso
from turns.adversaries import find_worse_plans, play_adaptive_adversary
from verifier import reference_verifier
from verifier.engines import verify_with_node, verify_with_python

RECORDS, HISTORIES, TOGETHER = 10_000, 10_000, 250


def records(part: int, parts: int) -> tuple[str, bool]:
    """Writer, Python, JavaScript and the third reader carry the same debts, and say the same of everything else."""
    wrong = tried = 0
    for start in range((part - 1) * TOGETHER, RECORDS, parts * TOGETHER):
        lives = [make_random_history(seed) for seed in range(start, start + TOGETHER)]
        cases = [{"record": b"\n".join([*kept.group.lines, b""]), "now": kept.now} for kept in lives]
        for kept, python, node in zip(lives, verify_with_python(cases), verify_with_node(cases), strict=True):
            tried += 1
            owed = [(who, entry.owed[0], entry.waited) for who, entry in sorted(kept.group.owed.items())]
            found = [(one["pseudonym"], one["debt"], one["waiting_rounds"]) for one in python["debts"] or ()]
            plain = reference_verifier.read(b"\n".join([*kept.group.lines, b""]), now=kept.now)
            wrong += not python == node == plain or python["exit_code"] != 3 or found != owed
    return (
        f"{tried:,} records of turns: {wrong} on which writer, Python, JavaScript and a third reader differ",
        not wrong,
    )


def histories(part: int, parts: int) -> tuple[str, bool]:
    """A history that is saved and read again after every round goes on bit for bit; nobody's owed leaves the ledger."""
    wrong = 0
    seeds = range(part - 1, HISTORIES, parts)
    for seed in seeds:
        rng = np.random.default_rng([17, seed])
        mode = ("lottery", "deterministic")[seed % 2]
        through, resumed = iso.Turns(mode), iso.Turns(mode)
        for number in range(5):
            here = np.flatnonzero(rng.random(6) < 0.8)
            here = here if here.size else np.arange(6)
            table = (rng.random((here.size, 4)) < 0.4).astype(float)
            table[table.sum(axis=1) == 0, 0] = 1.0
            instance = iso.Instance(table, agents=[f"m{i}" for i in here], weights=rng.integers(1, 4, here.size))
            one = through.draw(through.propose(instance), seed=f"{seed} {number}")
            resumed = iso.Turns.from_json(resumed.to_json())
            wrong += one != resumed.draw(resumed.propose(instance), seed=f"{seed} {number}")
        wrong += through.to_json() != resumed.to_json()
    return f"{len(seeds):,} histories, saved after every round: {wrong} go on otherwise", not wrong


def opponent(part: int, parts: int) -> tuple[str, bool]:
    """Debts alone stay within their bound on a path that the worst of 200 ballots makes, round by round."""
    most = max(play_adaptive_adversary(rounds=2000, ballots=200, seed=part))
    return f"2,000 rounds against the worst of 200 ballots: at most {most:.3f} of the bound", most <= 1


def plans(part: int, parts: int) -> tuple[str, bool]:
    """No plan leaves more owed than debts alone."""
    worse = find_worse_plans(range(part - 1, 1000, parts))
    return f"{1000 // parts:,} plans: {len(worse)} leave more owed than debts alone", not worse


if __name__ == "__main__":
    asked = [one.partition("=") for one in sys.argv[1:]] or [
        (name, "", "") for name in ("records", "histories", "opponent", "plans")
    ]
    good = True
    for name, _, where in asked:
        part, _, parts = (where or "1/1").partition("/")
        said, ok = globals()[name](int(part), int(parts))
        print(said if ok else f"FAILED: {said}", flush=True)
        good &= ok
    sys.exit(not good)

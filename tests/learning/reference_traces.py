"""A life in a group, played by each learner: what was stored of it, so that a change of the rooms changes no round.

`python tests/learning/reference_traces.py NAME …` writes the files of these learners again,
after a change of their rule.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import isegoria as iso

FOLDER = Path(__file__).parent / "stored"
N, K, ROUNDS = 6, 4, 160
SAVED_AT, OPEN_FROM = 100, 97
"""Rounds after which the state is kept; two tickets are open then, none older than the second number."""
NAMES = [*(f"a{i}" for i in range(N)), "late"]
RNG = np.random.default_rng(20)
REWARDS, MASK_DRAWS, MISSING_DRAWS = (
    RNG.random((ROUNDS, N + 1)),
    RNG.random((ROUNDS, K + 1)),
    RNG.random((ROUNDS, N + 1)),
)


def make_learner(kind):
    """A new learner of that kind, for the group of this life."""
    more = {"may_join": True} if "may_join" in kind.settings else {}
    return kind(N, K, seed=3, agents=NAMES[:N], arms=[f"o{k}" for k in range(K)], **more)


def play_script(learner, tickets: list, until: int) -> list:
    """All tickets up to round `until`, of which `tickets` are there already: with gaps, late answers, masks, comings
    and goings."""
    tickets = list(tickets)
    for t in range(len(tickets), until):
        _apply_roster_changes(learner, t)
        mask = [name for name, u in zip(learner.arms, MASK_DRAWS[t], strict=False) if u < 0.6] if t % 5 == 4 else None
        tickets.append(learner.ask(available=mask or None))
        for told in range(t + 1):
            if told + _script_delay(told) == t:
                learner.tell(tickets[told], _script_rewards(told))
    return tickets


def _script_delay(t: int) -> int:
    return 3 if t % 7 in (0, 6) else 0


def _script_rewards(t: int) -> dict[str, float]:
    here = set(NAMES) - ({"a2"} if 80 <= t < 130 else set()) - ({"late"} if t < 95 else set())
    return {name: REWARDS[t, i] for i, name in enumerate(NAMES) if name in here and MISSING_DRAWS[t, i] > 0.15}


def _apply_roster_changes(learner, t: int) -> None:
    if t == 80:
        learner.leave("a2")
    if t == 95:
        learner.join("late")
    if t == 110:
        learner.add_arm("new")
    if t == 130:
        learner.join("a2")


def simulate_reference(kind) -> iso.Trace:
    """A simulated run, by the compiled loop where there is one."""
    means = np.random.default_rng(21).choice([0.2, 0.5, 0.8], (N, K))
    log = np.random.default_rng(22).random((K, 400, N)) * 0.4 + means.T[:, None, :] - 0.2
    rounds = 20_000 if kind.id in ("procedural", "elimination") else 400
    world = iso.ReplayRewards(list(log), means=means, cycle=True)
    return iso.simulate(kind(N, K, seed=4), world, rounds, seed=5, records=50, keep_arms=True)


def summarise(tickets: list, learner, trace: iso.Trace) -> dict:
    """What must not change: what was played in every round since the state was kept, what was learned by the end, and
    a run of many rounds, of which a digest says enough."""
    since = tickets[SAVED_AT:]
    return {
        "arms": "".join(str(ticket.arm) for ticket in since),
        "exploring": "".join(str(int(ticket.exploring)) for ticket in since),
        "policy": list(since[-1].policy),
        "propensities": list(since[-1].propensities),
        "sums": learner.sums.ravel().tolist(),
        "sets": "".join(map(str, learner.sets.astype(int).ravel())),
        "run_arms": hashlib.sha256(bytes(trace.arms.tolist())).hexdigest()[:16],
        "run_policy": trace.policies[-1].tolist(),
        "run_regret": int(trace.regret_curve[-1]),
        "run_patterns": [trace.patterns, trace.changes],
    }


def make_reference(kind) -> dict:
    """What is kept of a learner: what must not change, its state, and the tickets that are open then."""
    learner = make_learner(kind)
    tickets = play_script(learner, [], SAVED_AT)
    state = learner.to_json()
    tickets = play_script(learner, tickets, ROUNDS)
    opened = [ticket.to_dict() for ticket in tickets[OPEN_FROM:SAVED_AT]]
    return {"told": summarise(tickets, learner, simulate_reference(kind)), "state": state, "open": opened}


if __name__ == "__main__":
    for name in sys.argv[1:] or iso.LEARNERS:
        (FOLDER / f"{name}.json").write_text(json.dumps(make_reference(iso.LEARNERS[name])))

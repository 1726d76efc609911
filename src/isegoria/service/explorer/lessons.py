"""Learning live: several learners meet the same rewards, and their courses are sent as they grow."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.learning.registry import NOISES
from isegoria.learning.runs.contest import make_learner
from isegoria.learning.runs.simulation import Simulation
from isegoria.learning.runs.trace import Trace

if TYPE_CHECKING:
    from isegoria.learning.worlds.environment import Environment

MOST_ROUNDS = 1_000_000
MOST_LEARNERS = 6
MOST_CELLS = 2_000_000
"""Agents times arms: beyond it a live run would be a slide show; `isegoria learn` takes it."""
POINTS = 240
"""Points of a course: what a picture of some hundred pixels can show."""
PACE = 4
"""Points in a frame: a course grows before one's eyes in some sixty steps."""
FRAME = 0.04
"""Seconds between two frames of one course at least: 25 a second."""


def lesson(instance: Instance, options: Mapping[str, str]) -> list[Simulation]:
    """The runs that a page asks for, checked and not yet begun."""
    names = [name for name in options.get("learners", "procedural,guided").split(",") if name]
    rounds, seed = _whole(options, "rounds", 20_000, MOST_ROUNDS), _whole(options, "seed", 42, 2**32)
    if not 1 <= len(names) <= MOST_LEARNERS or len(set(names)) != len(names):
        raise InputError(f"choose from 1 to {MOST_LEARNERS} learners, each once.")
    if len(instance.agents) * len(instance.arms) > MOST_CELLS:
        raise InputError("this table is too large to learn live; run: isegoria learn FILE --out DIR.")
    world = _world(instance, options.get("noise", "beta"))
    return [
        Simulation(make_learner(name, world, rounds, seed), world, rounds, seed, min(POINTS, rounds)) for name in names
    ]


def _world(instance: Instance, noise: str) -> Environment:
    kind = NOISES[noise]
    return kind(instance, **({"sd": 0.1} if "sd" in inspect.signature(kind).parameters else {}))


def frames(runs: list[Simulation]) -> Iterator[dict[str, Any]]:
    """What is new in each run, a few points at a time, until all are at their end."""
    shown = [0] * len(runs)
    while any(run.done < run.rounds for run in runs):
        for number, run in enumerate(runs):
            if run.done < run.rounds:
                run.advance()
                trace = run.trace()
                for first in range(shown[number], len(trace.rounds), PACE):
                    yield _frame(run, trace, slice(first, first + PACE))
                    time.sleep(FRAME / len(runs))
                shown[number] = len(trace.rounds)


def _frame(run: Simulation, trace: Trace, part: slice) -> dict[str, Any]:
    return {
        "learner": run.learner.id,
        "label": run.learner.label,
        "rounds": trace.rounds[part].tolist(),
        "procedural": trace.scores[part, 0].tolist(),
        "regret": trace.regret_curve[part].tolist(),
        "done": run.done,
        "of": run.rounds,
        "last_mismatch": trace.last_mismatch,
    }


def _whole(options: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = options.get(name) or str(usual)
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:12]) <= most):
        raise InputError(f"{name} is {text!r}; give a whole number from 1 to {most:,}.")
    return int(text)

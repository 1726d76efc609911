"""Live learning: several learners get the same rewards, and their traces are sent as they grow."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.learning.registry import NOISE_MODELS
from isegoria.learning.simulation.learner_comparison import make_learner
from isegoria.learning.simulation.simulation import Simulation
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.utils.messages import Message

if TYPE_CHECKING:
    from isegoria.learning.environments.environment import Environment

MAX_LIVE_ROUNDS = 1_000_000
MAX_LIVE_LEARNERS = 6
MAX_LIVE_CELLS = 2_000_000
"""Maximum of agents times arms: a larger live run would be too slow to watch; `isegoria learn` can run it."""
MAX_TRACE_POINTS = 240
"""Maximum number of points in a trace: a chart of a few hundred pixels can show no more."""
POINTS_PER_FRAME = 4
"""Number of new points in a frame: the chart of a trace grows in about sixty steps."""
FRAME_INTERVAL_SECONDS = 0.04
"""Minimum time between two frames of one trace: at most 25 frames per second."""


def make_simulations(instance: Instance, options: Mapping[str, str]) -> list[Simulation]:
    """Validate the page's options and return the requested simulations, not yet started."""
    names = [name for name in options.get("learners", "procedural,elimination").split(",") if name]
    rounds, seed = (
        _parse_integer(options, "rounds", 20_000, MAX_LIVE_ROUNDS),
        _parse_integer(options, "seed", 42, 2**32),
    )
    if not 1 <= len(names) <= MAX_LIVE_LEARNERS or len(set(names)) != len(names):
        raise InputError(Message("choose_learners_each_once", max_live_learners=MAX_LIVE_LEARNERS))
    if len(instance.agents) * len(instance.arms) > MAX_LIVE_CELLS:
        raise InputError(Message("table_too_large_learn_live"))
    world = _make_environment(instance, options.get("noise", "beta"))
    return [
        Simulation(make_learner(name, world, rounds, seed), world, rounds, seed, min(MAX_TRACE_POINTS, rounds))
        for name in names
    ]


def _make_environment(instance: Instance, noise: str) -> Environment:
    kind = NOISE_MODELS[noise]
    return kind(instance, **({"sd": 0.1} if "sd" in inspect.signature(kind).parameters else {}))


def iterate_frames(runs: list[Simulation]) -> Iterator[dict[str, Any]]:
    """Advance all runs to their end and yield the new points of each, a few at a time."""
    shown = [0] * len(runs)
    while any(run.done < run.rounds for run in runs):
        for number, run in enumerate(runs):
            if run.done < run.rounds:
                run.advance()
                trace = run.trace()
                for first in range(shown[number], len(trace.rounds), POINTS_PER_FRAME):
                    yield _build_frame(run, trace, slice(first, first + POINTS_PER_FRAME))
                    time.sleep(FRAME_INTERVAL_SECONDS / len(runs))
                shown[number] = len(trace.rounds)


def _build_frame(run: Simulation, trace: Trace, part: slice) -> dict[str, Any]:
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


def _parse_integer(options: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = options.get(name) or str(usual)
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:12]) <= most):
        raise InputError(Message("give_whole_number", name=name, text=text, most=most))
    return int(text)

"""Rankings, approvals and ratings of named agents as one table of ratings; whoever votes for nothing is absent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.io.sheets.read_options import parse_scale
from isegoria.profiles import Instance
from isegoria.utils.formatting import describe_type

Rankings = Mapping[str, Sequence[str]]
Approvals = Mapping[str, Collection[str]]
Ratings = Mapping[str, Mapping[str, float]]


def build_instance(
    options: Sequence[str],
    rankings: Rankings | None,
    approvals: Approvals | None,
    ratings: Ratings | None,
    scale: tuple[float, float],
    weights: Mapping[str, int],
) -> Instance:
    """Return the instance of the agents who voted; raise `InputError` for a ballot that does not fit the options."""
    places = _number_options(options)
    low, high = parse_scale(scale) or (0.0, 1.0)
    rows: dict[str, list[float]] = {}
    for kind, ballots in (("rankings", rankings), ("approvals", approvals), ("ratings", ratings)):
        for agent, ballot in _require_ballots(kind, ballots).items():
            if agent in rows:
                raise InputError(f"agent '{agent}' has two ballots; give each agent one.")
            if not ballot:
                continue
            for option in ballot:
                if not isinstance(option, str) or option not in places:
                    raise unknown_name_error(f"option of agent '{agent}'", option, places)
            if kind == "ratings":
                values = {option: _rate(agent, option, value, low, high) for option, value in ballot.items()}
            elif kind == "approvals":
                values = dict.fromkeys(ballot, 1.0)
            else:
                values = {option: 1 - place / len(places) for place, option in enumerate(ballot)}
                if len(values) < len(ballot):
                    raise InputError(f"agent '{agent}' ranks an option twice; name each option once.")
            row = [0.0] * len(places)
            for option, value in values.items():
                row[places[option]] = value
            rows[agent] = row
    if not rows:
        raise InputError("no agent voted; give rankings, approvals or ratings of at least one agent.")
    held = [weights.get(agent, 1) for agent in rows] if weights else None
    return Instance(np.array(list(rows.values())), agents=list(rows), arms=list(places), weights=held)


def _number_options(options: Sequence[str]) -> dict[str, int]:
    if not isinstance(options, list | tuple) or not all(isinstance(option, str) for option in options):
        raise InputError("options must be a list of names, such as ['tea', 'milk'].")
    places = {option: k for k, option in enumerate(options)}
    if not places or len(places) < len(options):
        raise InputError("options is empty or names one twice; give every option once.")
    return places


def _require_ballots(kind: str, ballots: Any) -> Mapping[str, Any]:
    """Return the ballots of one kind; a string or a number in place of a ballot is refused."""
    if ballots is None:
        return {}
    example = '{"Ann": {"tea": 1, "milk": 0.2}}' if kind == "ratings" else '{"Ann": ["tea", "milk"]}'
    fits = isinstance(ballots, Mapping) and all(
        ballot is None or isinstance(ballot, Mapping if kind == "ratings" else list | tuple | set | frozenset)
        for ballot in ballots.values()
    )
    if not fits:
        raise InputError(f"{kind} is {describe_type(ballots)} of another shape; give each agent's, such as {example}.")
    return ballots


def _rate(agent: str, option: str, value: Any, low: float, high: float) -> float:
    try:
        rating = (float(value) - low) / (high - low)
    except (TypeError, ValueError):
        rating = -1.0
    if not 0 <= rating <= 1:
        raise InputError(
            f"agent '{agent}' rates '{option}' {value!r}; expected a number from {low:g} to {high:g}, or give scale."
        )
    return rating

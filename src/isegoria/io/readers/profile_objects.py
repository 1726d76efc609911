"""Profiles of pref_voting, abcvoting, preflibtools and pabutools, known by their interface: none of them is imported.

Rankings become ratings by `rewards`, approvals 1 and 0, and scores are rescaled from their range. Identical ballots
that a profile counts become one agent with that weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import FileError, InputError
from isegoria.io.readers.preflib import PreflibBallots, apply_unranked_rule
from isegoria.io.readers.rank_rewards import RankRewards
from isegoria.io.sheets.cells import rescale

WHERE = "the profile"


class ParsedBallots(NamedTuple):
    """The ballots of a profile.

    `kind` is "ranks" (each ballot maps options to ranks, the best lowest), "approvals" (each is a set) or "scores"
    (each maps options to numbers, on the scale `ends` if the profile states one). `options` are the options in order,
    and `counts` how many agents cast each ballot.
    """

    kind: str
    options: list[Any]
    names: list[str]
    ballots: list[Any]
    counts: list[Any]
    ends: tuple[float, float] | None = None


def parse_profile(profile: Any, rewards: Any, unranked: str, scale: tuple[float, float] | None) -> dict[str, Any]:
    """Return the parts of an `Instance`; raise `InputError` for an object that is no profile of these packages."""
    parse = next((parse for marks, parse in PROFILE_KINDS if all(hasattr(profile, name) for name in marks)), None)
    if parse is None:
        raise InputError(
            "read needs the path of a file, such as 'ratings.csv', or a profile of pref_voting, abcvoting, "
            f"preflibtools or pabutools, not a {type(profile).__name__}."
        )
    parsed = parse(profile)
    if not parsed.ballots:
        raise FileError(f"{WHERE} has no ballot; add one.")
    if parsed.kind != "scores" and scale is not None:
        raise InputError(f"scale is for ratings, and {WHERE} holds {parsed.kind}; leave it out.")
    if parsed.kind != "ranks" and (rewards, unranked) != ("linear", "refuse"):
        raise InputError(f"rewards and unranked are for rankings, and {WHERE} holds {parsed.kind}; leave them out.")
    places = {option: k for k, option in enumerate(parsed.options)}
    counts = np.asarray(parsed.counts)
    if parsed.kind == "ranks":
        means, kept = _rate_ranks(parsed, places, rewards, unranked)
        counts = counts[kept]
    elif parsed.kind == "approvals":
        means = np.zeros((len(parsed.ballots), len(places)))
        for row, ballot in enumerate(parsed.ballots):
            means[row, [places[option] for option in ballot]] = 1.0
    else:
        means = _rate_scores(parsed, places, scale)
    return {"means": means, "arms": parsed.names, "weights": counts}


def _rate_ranks(parsed: ParsedBallots, places: dict[Any, int], rewards: Any, unranked: str) -> tuple[np.ndarray, Any]:
    """Return the value of each option by the rank of its indifference class, and the ballots that were kept."""
    ranks = np.full((len(parsed.ballots), len(places)), -1)
    for row, ballot in enumerate(parsed.ballots):
        classes = {rank: number for number, rank in enumerate(sorted(set(ballot.values())))}
        for option, rank in ballot.items():
            ranks[row, places[option]] = classes[rank]
    lengths, rows = ranks.max(axis=1) + 1, np.arange(1, len(ranks) + 1)
    ballots = PreflibBallots(rows, np.asarray(parsed.counts), ranks, lengths)
    ranks, lengths, kept = apply_unranked_rule(ballots, ranks, lengths, unranked, parsed.names, WHERE)
    return RankRewards(rewards, WHERE).means(ranks, lengths, rows[kept].tolist()), kept


def _rate_scores(parsed: ParsedBallots, places: dict[Any, int], scale: tuple[float, float] | None) -> np.ndarray:
    """Return the scores on the scale; an option without a score has the lowest."""
    ends = scale or parsed.ends or (0.0, 1.0)
    values = np.full((len(parsed.ballots), len(places)), ends[0])
    for row, ballot in enumerate(parsed.ballots):
        for option, score in ballot.items():
            values[row, places[option]] = float(score)
    if scale is None and not ((values >= ends[0]) & (values <= ends[1])).all():
        raise InputError(
            f"{WHERE} has scores from {values.min():g} to {values.max():g}; give the ends of their scale, such as "
            f"scale=({min(0.0, float(values.min())):g}, {values.max():g})."
        )
    return rescale(values, ends, lambda row, k: f"{WHERE}, ballot {row + 1}, option '{parsed.names[k]}'")


def _parse_pref_voting_rankings(profile: Any) -> ParsedBallots:
    rankings, counts = profile.rankings_counts
    ballots = [
        dict(ranking.rmap) if hasattr(ranking, "rmap") else {int(option): place for place, option in enumerate(ranking)}
        for ranking in rankings
    ]
    options = list(profile.candidates)
    return ParsedBallots("ranks", options, _name(options, profile.cmap), ballots, list(counts))


def _parse_pref_voting_scores(profile: Any) -> ParsedBallots:
    grades = getattr(profile, "grades", None)
    maps, counts = profile.utilities_counts if grades is None else profile.grades_counts
    ballots = [dict(getattr(each, "mapping", each)) for each in maps]
    options = list(profile.domain if grades is None else profile.candidates)
    ends = None if grades is None else (float(min(grades)), float(max(grades)))
    return ParsedBallots("scores", options, _name(options, profile.cmap), ballots, list(counts), ends)


def _parse_abcvoting(profile: Any) -> ParsedBallots:
    voters, options = list(profile), list(profile.candidates)
    approved, weights = [voter.approved for voter in voters], [voter.weight for voter in voters]
    return ParsedBallots("approvals", options, list(map(str, profile.cand_names)), approved, weights)


def _parse_preflibtools(profile: Any) -> ParsedBallots:
    options = list(profile.alternatives_name)
    orders = profile.orders if hasattr(profile, "orders") else profile.preferences
    ballots = [{option: rank for rank, tied in enumerate(order) for option in tied} for order in orders]
    counts = [profile.multiplicity[order] for order in orders]
    return ParsedBallots("ranks", options, _name(options, profile.alternatives_name), ballots, counts)


def _parse_pabutools(profile: Any) -> ParsedBallots:
    ballots = list(profile)
    counts = [profile[ballot] for ballot in ballots] if isinstance(profile, Mapping) else [1] * len(ballots)
    options = sorted(profile.instance)
    names = list(map(str, options))
    if hasattr(profile, "legal_min_score"):
        scores = [score for ballot in ballots for score in ballot.values()]
        ends = (min([0.0, *map(float, scores)]), float(profile.legal_max_score or max(scores, default=1)))
        return ParsedBallots("scores", options, names, ballots, counts, ends)
    if hasattr(profile, "approval_scores"):
        return ParsedBallots("approvals", options, names, ballots, counts)
    return ParsedBallots("ranks", options, names, [_rank_in_order(ballot) for ballot in ballots], counts)


def _rank_in_order(ballot: Iterable[Any]) -> dict[Any, int]:
    return {option: place for place, option in enumerate(ballot)}


def _name(options: Sequence[Any], names: Mapping[Any, Any] | None) -> list[str]:
    return [str((names or {}).get(option, option)) for option in options]


PROFILE_KINDS: list[tuple[tuple[str, ...], Callable[[Any], ParsedBallots]]] = [
    (("rankings_counts", "cmap", "candidates"), _parse_pref_voting_rankings),
    (("utilities_counts", "cmap", "domain"), _parse_pref_voting_scores),
    (("grades_counts", "cmap", "candidates"), _parse_pref_voting_scores),
    (("cand_names", "candidates", "add_voter"), _parse_abcvoting),
    (("alternatives_name", "multiplicity"), _parse_preflibtools),
    (("ballot_validation", "instance"), _parse_pabutools),
]
"""The attributes by which the profiles of each package are known."""

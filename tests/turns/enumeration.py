"""Every way in which a drawn round can fall out, with its exact probability: an oracle without a stream.

The start of a block is uniform below T/M; it is cut into intervals on which the arms of all positions stay the same,
and every order of the worlds is as likely as any other.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np

import isegoria as iso
from isegoria.record.drawing import locate_arms
from isegoria.record.turns.ledger import LedgerEntry, build_debt_table, charge_ledger, score_options
from isegoria.record.turns.lottery import exchange_balls
from isegoria.record.turns.perpetual import build_ballots


def random_group(rng, members=5, options=3, weights=False, absent=0.0):
    """One round: random approvals of some of the members."""
    there = [i for i in range(members) if rng.random() >= absent] or [0]
    wants = rng.random((len(there), options)) < 0.45
    wants[np.arange(len(there)), rng.integers(options, size=len(there))] = True
    given = rng.integers(1, 4, members)[there] if weights else None
    return iso.Instance(wants.astype(float), agents=[f"m{i}" for i in there], weights=given)


def list_ball_intervals(held, worlds):
    """(start, end) of the runs of starts on which every position keeps its arm."""
    step = held.total // worlds
    cuts = {0, step} | {int(end) % step for end in np.cumsum(held.voices)}
    return list(pairwise(sorted(cuts)))


def enumerate_outcomes(instances, worlds, orders=None):
    """For each round: its ballots and voices, and {(entries, arms, balls' offsets): probability} of all that can be.

    `orders` other than every permutation is a fault that the tests plant.
    """
    states = {(): Fraction(1)}
    for instance in instances:
        ballots, held = build_ballots(instance)
        step = held.total // worlds
        chances = list(permutations(range(worlds))) if orders is None else orders
        outcomes, after = [], defaultdict(Fraction)
        for known, probability in states.items():
            entries = {name: LedgerEntry(owed, waited) for name, owed, waited in known}
            claims = score_options(ballots, build_debt_table(entries, ballots.members, worlds))
            for low, high in list_ball_intervals(held, worlds):
                balls = [low + j * step for j in range(worlds)]
                arms = locate_arms(held, balls)
                for order in chances:
                    got = exchange_balls(balls, arms, order, claims)
                    chance = probability * Fraction(high - low, step) / len(chances)
                    played = locate_arms(held, got)
                    moved = charge_ledger(entries, ballots, played)
                    outcomes.append((chance, got[0], high - low, played[0], moved))
                    after[tuple(sorted((n, e.owed, e.waited) for n, e in moved.items()))] += chance
        yield ballots, held, outcomes
        states = after


def option_probabilities(held, outcomes):
    """(K,) the exact probability that the real world plays each option."""
    odds = [Fraction(0)] * len(held.arms)
    for chance, _, _, arm, _ in outcomes:
        odds[arm] += chance
    return odds


def voice_probabilities(held, outcomes):
    """(n,) the exact probability that the real world's ball is each member's."""
    segments = _segments(held)
    odds = [Fraction(0)] * len(held.member)
    for chance, ball, length, _, _ in outcomes:
        for low, high, member in segments:
            overlap = min(high, ball + length) - max(low, ball)
            if overlap > 0:
                odds[member] += chance * Fraction(overlap, length)
    return odds


def _segments(held):
    """(start, end, member) of the drum: arm by arm, type by type, member by member."""
    place, found = 0, []
    for arm in range(len(held.arms)):
        for kind in range(len(held.counts)):
            for member in np.flatnonzero(held.member == kind).tolist():
                units = int(held.rows[kind, arm])
                if units:
                    found.append((place, place + units, member))
                place += units
    return found

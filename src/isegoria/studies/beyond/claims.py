"""What the guided learner must hold, measured: each claim beside what was asked and what was found."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isegoria.data import dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, simulate
from isegoria.learning.runs.contest import Contest, contest, make_learner
from isegoria.learning.worlds.environment import Environment
from isegoria.studies.beyond import coverage, worlds

ROUNDS = 100_000
SD = 0.1
PAIR = ("procedural", "guided")
LATEST, HARD_LATEST = 1_200, 10_000
BETA_SHARE, BERNOULLI_SHARE = 0.05, 0.2
TIED_SCORE = 0.95
MOST_COST = 3.0
TIMES = 5


@dataclass(frozen=True)
class Claim:
    """One line of the table: what is claimed, what was measured, what was asked, and whether it holds."""

    claim: str
    measured: str
    asked: str
    ok: bool


def duel(world: Environment, seeds: int | Iterable[int], workers: int | None = None) -> Contest:
    """Algorithm 1 and the guided learner on the same rewards."""
    return contest(world, PAIR, ROUNDS, seeds, workers, timed=False)


def dots_claims(seeds: int, workers: int | None = None) -> list[Claim]:
    """Regret and realised play on the paper's sample, with Beta and with Bernoulli rewards."""
    beta = duel(BetaRewards(dots_sample(), sd=SD), seeds, workers)
    coin = duel(BernoulliRewards(dots_sample()), seeds, workers)
    return [
        _regret_claim(f"Dots, {seeds} seeds: PF regret of guided / procedural", beta, BETA_SHARE),
        _regret_claim(f"Dots with Bernoulli rewards, {seeds} seeds: the same", coin, BERNOULLI_SHARE),
        _play_claim(f"Dots, {seeds} seeds: PF score of realised play", [beta]),
    ]


def sample_claims(samples: int, compared: int, workers: int | None = None) -> list[Claim]:
    """Other samples of 50 voters: when the sets are right for good, and realised play on the first `compared`."""
    duels = [
        duel(BetaRewards(group, sd=SD), [seed], workers) for seed, group in enumerate(worlds.other_samples(samples))
    ]
    last = np.array([found.entries[1].answers("sets")[0] for found in duels])
    return [
        _soon_claim(f"{samples} other samples", last, LATEST),
        _play_claim(f"{compared} other samples: PF score of realised play", duels[:compared]),
    ]


def hard_claims(count: int, workers: int | None = None) -> list[Claim]:
    """Groups with favourites 0.09 apart, where Algorithm 1 is wrong for all of its rounds."""
    duels = [duel(BetaRewards(worlds.hard(seed), sd=SD), [seed], workers) for seed in range(count)]
    guided = np.array([found.entries[1].answers("sets")[0] for found in duels])
    procedural = np.array([found.entries[0].answers("sets")[0] for found in duels])
    return [
        _soon_claim(f"{count} hard instances", guided, HARD_LATEST),
        Claim(
            f"{count} hard instances: procedural still wrong at round {ROUNDS:,}",
            f"in {int((procedural == ROUNDS).sum())}",
            f"in {count}",
            bool((procedural == ROUNDS).all()),
        ),
    ]


def tie_claims(seeds: int, workers: int | None = None) -> list[Claim]:
    """Ties cost little: realised play with one agent tied on two arms, and with one that likes all equally."""
    claims = []
    for arms, words in ((2, "one agent tied on two arms"), (4, "one agent indifferent")):
        found = contest(BetaRewards(worlds.tied(arms), sd=SD), ("guided",), ROUNDS, seeds, workers, timed=False)
        least = found.entries[0].answers("realised").min()
        asked, ok = f"≥ {TIED_SCORE} in each", bool(least >= TIED_SCORE)
        claims.append(Claim(f"{words}, {seeds} seeds: PF score of realised play", f"{least:.4f} at least", asked, ok))
    return claims


def coverage_claims(runs: int, rounds: int, report=lambda done, of: None) -> list[Claim]:
    """How often a true favourite is lost, and how often a single stream ever leaves its bounds."""
    lost = coverage.lost_favourites(runs, rounds, coverage.LEVEL, report)
    limit = coverage.lower_limit(lost, runs)
    default = coverage.lost_favourites(runs, rounds, None, report)
    claims = [
        Claim(f"error 0.05, {runs:,} runs of {rounds:,} rounds: a favourite lost", f"{lost} (lower limit {limit:.4f})",
              f"lower limit ≤ {coverage.LEVEL}", limit <= coverage.LEVEL),
        Claim(f"default error, {runs:,} runs of {rounds:,} rounds: a favourite lost", str(default), "0", default == 0),
    ]  # fmt: skip
    rates = {mean: coverage.ever_missed(mean) for mean in (0.5, 0.1)}
    for mean, found in rates.items():
        asked = f"≤ {coverage.LEVEL / 2:.1%}"
        claims.append(
            Claim(f"one stream at level 0.05, Bernoulli {mean}: ever missed", f"{found['none']:.2%}", asked,
                  found["none"] <= coverage.LEVEL / 2)
        )  # fmt: skip
    for fault in list(coverage.FAULTS)[1:]:
        worst = max(found[fault] for found in rates.values())
        asked, seen = f"> {coverage.LEVEL / 2:.1%}: seen", worst > coverage.LEVEL / 2
        claims.append(Claim(f"the same with a planted fault ({fault})", f"{worst:.2%}", asked, seen))
    return claims


def cost_claims(rounds: int = ROUNDS) -> list[Claim]:
    """What a round of guided costs, in rounds of procedural, through the same path; the quickest of a few runs."""
    world = BetaRewards(dots_sample(), sd=SD)
    seconds = {}
    for name in PAIR:
        learner = make_learner(name, world, rounds, seed=1)
        seconds[name] = min(_timed(learner, world, rounds) for _ in range(TIMES))
    ratio = seconds["guided"] / seconds["procedural"]
    asked = f"≤ {MOST_COST:g}"
    return [Claim("cost of a guided round / a procedural round, simulated", f"{ratio:.2f}", asked, ratio <= MOST_COST)]


def _timed(learner, world: Environment, rounds: int) -> float:
    start = time.perf_counter()
    simulate(learner, world, rounds, seed=1, records=10)
    return time.perf_counter() - start


def _regret_claim(words: str, found: Contest, share: float) -> Claim:
    procedural, guided = (entry.answers("regret") for entry in found.entries)
    ratio = guided / procedural
    return Claim(
        words, f"{ratio.min():.3f} to {ratio.max():.3f}", f"≤ {share:g} in every seed", bool((ratio <= share).all())
    )


def _soon_claim(groups: str, last: np.ndarray, latest: int) -> Claim:
    measured = f"{last.min():,.0f} to {last.max():,.0f}"
    words = f"{groups}: guided's sets right for good after round"
    return Claim(words, measured, f"< {latest:,} in each", bool((last < latest).all()))


def _play_claim(words: str, duels: list[Contest]) -> Claim:
    procedural, guided = (
        np.concatenate([found.entries[place].answers("realised") for found in duels]) for place in (0, 1)
    )
    measured = (
        f"guided {guided.min():.4f} to {guided.max():.4f}, procedural {procedural.min():.4f} to {procedural.max():.4f}"
    )
    return Claim(words, measured, "guided higher in each", bool((guided > procedural).all()))

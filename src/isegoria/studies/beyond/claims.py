"""What the guided learner must hold, measured: each claim beside what was asked and what was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isegoria.data import dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner, simulate
from isegoria.learning.runs.contest import Contest, contest, cost_of, make_learner
from isegoria.learning.worlds.environment import Environment
from isegoria.studies.beyond import coverage, worlds
from isegoria.studies.beyond.information import information_bound

if TYPE_CHECKING:
    from isegoria.learning.protocol.learner import Learner

ROUNDS = 100_000
SD = 0.1
PAIR = ("procedural", "guided")
LATEST, HARD_LATEST = 520, 3_500
BETA_SHARE, BERNOULLI_SHARE, BERNOULLI_MEAN_SHARE = 0.016, 0.07, 0.055
TIED_SCORE = 0.995
LUNCH_ROUNDS, LUNCH_SCORES = 20_000, {"beta": 0.995, "bernoulli": 0.99}
MOST_COST = 1.5
TIMES = 5
NEAREST = 3.0
"""How many times the information bound the guided learner may need, in the mean."""


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
    worlds_ = BetaRewards(dots_sample(), sd=SD), BernoulliRewards(dots_sample())
    beta, coin = (duel(world, seeds, workers) for world in worlds_)
    return [
        _regret_claim(f"Dots, {seeds} seeds: PF regret of guided / procedural", beta, BETA_SHARE),
        _regret_claim(f"Dots with Bernoulli rewards, {seeds} seeds: the same", coin, BERNOULLI_SHARE,
                      BERNOULLI_MEAN_SHARE),
        _bound_claim(f"Dots, {seeds} seeds", worlds_[0], beta, None),
        _bound_claim(f"Dots with Bernoulli rewards, {seeds} seeds", worlds_[1], coin, NEAREST),
        _play_claim(f"Dots, {seeds} seeds: PF score of realised play", [beta]),
    ]  # fmt: skip


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
        _multiple(f"{count} hard instances", guided, hard_bounds(count), None),
        Claim(
            f"{count} hard instances: procedural still wrong at round {ROUNDS:,}",
            f"in {int((procedural == ROUNDS).sum())}",
            f"in {count}",
            bool((procedural == ROUNDS).all()),
        ),
    ]


def hard_bounds(count: int) -> np.ndarray:
    """(count,) the information bound of each hard instance."""
    error = GuidedLearner(worlds.HARD_SIZE, worlds.HARD_SIZE).error
    return np.array([information_bound(BetaRewards(worlds.hard(seed), sd=SD), error) for seed in range(count)])


def tie_claims(seeds: int, workers: int | None = None) -> list[Claim]:
    """Ties cost little: what is played is what was promised, with agents tied on two arms or on all, and at lunch."""
    found = []
    for arms, words in ((2, "one agent tied on two arms"), (4, "one agent indifferent")):
        found += _caught_up(words, BetaRewards(worlds.tied(arms), sd=SD), ROUNDS, seeds, TIED_SCORE, workers)
    for noise, world in (("beta", BetaRewards), ("bernoulli", BernoulliRewards)):
        words = f"lunch, {noise} rewards"
        found += _caught_up(words, world(worlds.lunch()), LUNCH_ROUNDS, seeds, LUNCH_SCORES[noise], workers)
    return found


def _caught_up(words: str, world: Environment, rounds: int, seeds: int, asked: float,
               workers: int | None) -> list[Claim]:  # fmt: skip
    """The least score of the arms as played, and its mean beside that of a learner that does not catch up."""
    rounds = min(rounds, ROUNDS)
    with_it, without = (
        contest(world, ("guided",), rounds, seeds, workers, timed=False, catch_up=on).entries[0].answers("realised")
        for on in (True, False)
    )
    words = f"{words}, {seeds} seeds, {rounds:,} rounds: PF score of realised play"
    return [
        Claim(words, f"{with_it.min():.4f} at least", f"≥ {asked} in each", bool(with_it.min() >= asked)),
        Claim(f"{words}, in the mean", f"{with_it.mean():.4f}, {without.mean():.4f} without catching up",
              "not lower than without", bool(with_it.mean() >= without.mean())),
    ]  # fmt: skip


def coverage_claims(runs: int, rounds: int, report: Callable[..., object] = lambda done, of: None) -> list[Claim]:
    """How often a true favourite is lost where all arms are tied, and whether planted faults are seen."""
    claims = []
    for arms, error in ((4, coverage.LEVEL), (16, coverage.LEVEL), (4, None)):
        lost = coverage.lost_favourites(runs, rounds, error, arms, report=report)
        limit = coverage.lower_limit(lost, runs)
        promised = GuidedLearner(2, arms, error=error).error
        words = f"error {promised:.2g}, {arms} tied arms, {runs:,} runs of {rounds:,} rounds: a favourite lost"
        asked = f"lower limit ≤ {promised:.2g}"
        claims.append(Claim(words, f"{lost} (lower limit {limit:.4f})", asked, limit <= promised))
    return [*claims, *fault_claims(max(60, runs // 40))]


def fault_claims(runs: int, rounds: int = 3_000) -> list[Claim]:
    """The same study of learners with a planted fault: the lower limit of their losses must lie above the error."""
    claims = []
    for fault in coverage.FAULTS:
        lost = coverage.lost_with(fault, runs, rounds)
        limit, sound = coverage.lower_limit(lost, runs), fault == "none"
        asked = f"lower limit {'≤' if sound else '>'} {coverage.LEVEL}" + ("" if sound else ": seen")
        words = f"{coverage.FAULT_ARMS} tied arms, {runs} runs, planted fault: {fault}"
        claims.append(Claim(words, f"{lost} lost (lower limit {limit:.3f})", asked, (limit <= coverage.LEVEL) == sound))
    return claims


def cost_claims(rounds: int = ROUNDS) -> list[Claim]:
    """What a round of guided costs, in rounds of procedural: simulated, and asked and told; the quickest of a few."""
    world = BetaRewards(dots_sample(), sd=SD)
    asked, claims = f"≤ {MOST_COST:g}", []
    for words, timed in (("simulated", _timed), ("asked and told", lambda learner, world, _: cost_of(learner, world))):
        guided, procedural = (
            min(timed(make_learner(name, world, rounds, seed=1), world, rounds) for _ in range(TIMES))
            for name in reversed(PAIR)
        )
        ratio = guided / procedural
        words = f"cost of a guided round / a procedural round, {words}"
        claims.append(Claim(words, f"{ratio:.2f}", asked, ratio <= MOST_COST))
    return claims


def _timed(learner: Learner, world: Environment, rounds: int) -> float:
    start = time.perf_counter()
    simulate(learner, world, rounds, seed=1, records=10)
    return time.perf_counter() - start


def _regret_claim(words: str, found: Contest, share: float, in_the_mean: float | None = None) -> Claim:
    procedural, guided = (entry.answers("regret") for entry in found.entries)
    ratio = guided / procedural
    measured = f"{ratio.min():.4f} to {ratio.max():.4f}, mean {ratio.mean():.4f}"
    mean_asked = "" if in_the_mean is None else f", {in_the_mean:g} in the mean"
    ok = bool((ratio <= share).all() and ratio.mean() <= (in_the_mean or share))
    return Claim(words, measured, f"≤ {share:g} in every seed{mean_asked}", ok)


def _bound_claim(words: str, world: Environment, found: Contest, asked: float | None) -> Claim:
    """Rounds until all sets are right, as multiples of what any learner of the same error needs."""
    error = GuidedLearner(world.n_agents, world.n_arms).error
    last = found.entries[1].answers("sets")
    return _multiple(words, last, np.full(len(last), information_bound(world, error)), asked)


def _multiple(words: str, rounds: np.ndarray, bounds: np.ndarray, asked: float | None) -> Claim:
    times = (rounds / bounds).mean()
    measured = f"{times:.2f} times {bounds.mean():,.0f}"
    words = f"{words}: guided's rounds in the mean, by the information bound"
    return Claim(words, measured, "told" if asked is None else f"≤ {asked:g} times", asked is None or times <= asked)


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

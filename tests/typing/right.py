"""What a user writes, with the type that a checker must see."""

from typing import assert_type

import numpy as np

import isegoria as iso

instance = iso.Instance([[1, 0], [0, 1]])
assert_type(instance.total_weight, int)
profiles: list[iso.Profile] = [instance, iso.scan("votes.parquet")]
assert_type(iso.solve(profiles[1]).gap, float)
assert_type(iso.solve(instance), iso.Solution)
assert_type(iso.solve(instance, "nash", tie_break="vertex").gap, float)
assert_type(iso.score(instance, [0.5, 0.5]), iso.Scores)
assert_type(iso.score(instance, [0.5, 0.5]).procedural, float)
assert_type(iso.score(instance, "nash").procedural, float)
assert_type(iso.audit(instance, iso.RULES["cut"]).is_fair, bool)
assert_type(iso.solve(instance, "gini", gini_weights=[2, 1]), iso.Solution)
assert_type(iso.solve(instance, "random-priority", samples=10, seed=1), iso.Solution)
assert_type(iso.score(instance, [0.5, 0.5]).procedural_interval, tuple[float, float])
assert_type(iso.compare(instance), iso.Comparison)
assert_type(iso.compare(instance, policies={"mine": [1, 0]})["nash"].scores.utilitarian, float)
assert_type(iso.audit(instance, [0.5, 0.5]).is_fair, bool)
assert_type(iso.audit(instance, [0.5, 0.5]).sentences, tuple[str, ...])
assert_type(iso.core(instance, [0.5, 0.5]), iso.CoreVerdict)
assert_type(iso.frontier(instance), iso.Frontier)
assert_type(iso.RULES["nash"].label, str)
assert_type(iso.LEARNERS["elimination"](2, 2), iso.Learner)
assert_type(iso.ProceduralLearner(2, 2, seed=1).ask(), iso.Ticket)
assert_type(iso.simulate(iso.EliminationLearner(2, 2), iso.PointRewards([[1, 0], [0, 1]]), 100), iso.Trace)
assert_type(iso.regret_bounds(instance, 100).recovery_probability, float)
assert_type(iso.score_dominates(instance, [1, 0], [0, 1]), bool)
assert_type(iso.read("ratings.csv"), iso.Instance)
assert_type(iso.RULES["cut"].strategyproof != "", bool)
assert_type(iso.solve(instance, "CUT").proof == "closed form", bool)
assert_type(iso.FairSet(instance).bounds(), np.ndarray)
assert_type(iso.score(instance, [0.5, 0.5]).min_relative, float)


class Plurality(iso.Rule):
    id, label, input_kind = "plurality", "PLU", "favourites"

    def policy(self, instance: iso.Instance) -> np.ndarray:
        supporters = instance.weights @ instance.favourites
        return np.asarray(supporters == supporters.max()) / 1.0


class Approval(iso.Objective):
    id, label = "approval", "AV"

    def evaluate(self, instance: iso.Instance, policy: np.ndarray) -> float:
        return float(instance.weights @ (instance.means >= 0.5) @ policy)

    def optimise(self, instance: iso.Instance, tie_break: str = "centre", within: str | None = None) -> np.ndarray:
        return np.eye(len(instance.arms))[0]


assert_type(iso.solve(instance, Plurality()), iso.Solution)
assert_type(iso.compare(instance, rules=["paper", Approval()]), iso.Comparison)


class Steps:
    """A simulator as in Gymnasium."""

    def step(self, arm: int) -> tuple[None, list[float], bool, bool, dict[str, float]]:
        return None, [1.0, 0.0], False, False, {}


class Polite(iso.Learner):
    id, label, summary, citation, settings = "polite", "P", "everybody's turn", "folklore", ()

    def compute_policy(self, state: iso.StateView, arms: tuple[int, ...]) -> np.ndarray:
        return state.weights @ state.means / state.weights.sum()


def sample_camps(rng: np.random.Generator, n: int, k: int = 3) -> iso.Instance:
    return iso.Instance(rng.random((n, k)))


study = iso.study(["nash", Plurality(), Approval], {"model": sample_camps, "n": [3, 4]}, seeds=2)
assert_type(study, iso.Study)
assert_type(
    iso.study(learners=["elimination", Polite, Polite(2, 2)], groups=instance, environments=[Steps(), "beta"]),
    iso.Study,
)
assert_type(
    iso.study(learners=lambda n, k, seed: Polite(n, k, seed=seed), groups=[instance], environments=iso.BetaRewards),
    iso.Study,
)
assert_type(iso.axioms.check(instance, "nash", "gfs").sentence, str)
assert_type(iso.voices(instance).draw("1", draws=2), iso.DrawResult)
assert_type(Polite.from_instance(instance, seed=1), Polite)

"""Faults in learners, worlds and bounds."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

import isegoria as iso
from isegoria.studies.elimination import coverage
from mutants.planting import change_result, fault, replace_name

LEARNERS = "tests/learning/test_contract.py"
ORACLE_TEST = "tests/learning/test_elimination.py::test_it_plays_by_its_rule"


def scale_radius(factor: float) -> None:
    honest = iso.ProceduralLearner.__init__

    def made(self, *args, **options):
        honest(self, *args, **options)
        self.alpha = self.alpha * factor

    iso.ProceduralLearner.__init__ = made


@fault("lemma_1_hoeffding_concentration", "corollary_1_uniform_concentration")
def radius_is_halved():
    """Algorithm 1 uses half of its confidence radius."""
    scale_radius(0.5)


@fault("lemma_4_favourite_sets_are_recovered", "theorem_2_regret_is_sublinear")
def radius_is_a_quarter():
    """Algorithm 1 uses a quarter of its confidence radius."""
    scale_radius(0.25)


@fault("algorithm_1_learning")
def radius_is_a_little_small():
    """Algorithm 1 uses nine tenths of its confidence radius."""
    scale_radius(0.9)


def set_exploration_rate(rate) -> None:
    class Changed(iso.ProceduralLearner):
        def plan_exploration(self, state, arms):
            return rate(self.rounds), arms

        def step(self, truth):
            return None

    iso.ProceduralLearner = Changed


@fault("lemma_2_exploration_is_sublinear", "lemma_4_favourite_sets_are_recovered", "theorem_2_regret_is_sublinear")
def nothing_is_explored():
    """Algorithm 1 never explores."""
    set_exploration_rate(lambda t: 0.0)


@fault("algorithm_1_learning", "lemma_2_exploration_is_sublinear")
def half_of_the_rounds_explore():
    """Algorithm 1 explores half of the time, for ever."""
    set_exploration_rate(lambda t: 0.5)


@fault("lemma_3_every_arm_is_pulled_often", "lemma_2_exploration_is_sublinear")
def exploration_falls_too_fast():
    """Algorithm 1 explores with probability 1/t."""
    set_exploration_rate(lambda t: 1 / t)


def replace_algorithm1(other: str) -> None:
    kind = getattr(iso, other)
    iso.ProceduralLearner = lambda n, k, gamma=0.7, alpha=1.0, seed=None, **more: kind(n, k, seed=seed, **more)


@fault("algorithm_1_learning")
def posterior_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: the posterior one."""
    replace_algorithm1("ThompsonLearner")


@fault("algorithm_1_learning")
def guided_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: the elimination one."""
    replace_algorithm1("EliminationLearner")


def after_each_reward(plant) -> None:
    """Let something be done to the sets of the elimination learner after every answer that it hears."""

    def faulty(old):
        def heard(self, arm, rows, values):
            old(self, arm, rows, values)
            self._candidates.write_down()
            plant(self._candidates)

        return heard

    replace_name("learning.learners.elimination:EliminationLearner._notify_observer", faulty)


@fault(ORACLE_TEST)
def half_pairs_are_thrown_away():
    """A matched pair is thrown away when its first reward was bad for the bet."""
    after_each_reward(coverage._discard_bad_pairs)


@fault(ORACLE_TEST)
def bets_are_placed_after_a_look():
    """The bet of a matched pair is placed when its first reward is known."""
    after_each_reward(coverage._bet_after_first_reward)


@fault(ORACLE_TEST)
def half_pairs_are_opened_anew():
    """A half matched pair is given up, and opened anew, when another arm has taken the lead."""
    after_each_reward(coverage._abandon_on_new_leader)


@fault(ORACLE_TEST)
def prices_forget_the_count():
    """An arm of the elimination learner is dropped at a price that does not know how many candidates there are."""
    change_result(
        "learning.learners.elimination:EliminationLearner._prices",
        lambda prices, learner: changed(prices, bet=prices.bet * len(learner.arms)),
    )


@fault("algorithm_1_learning")
def dictatorship_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: dictatorship."""
    replace_algorithm1("RandomDictatorshipLearner")


def change_trace(**what) -> None:
    honest = iso.simulate
    iso.simulate = lambda *args, **options: (
        lambda trace: changed(trace, **{name: change(getattr(trace, name)) for name, change in what.items()})
    )(honest(*args, **options))


@fault("theorem_2_regret_is_sublinear", "lemma_4_favourite_sets_are_recovered")
def regret_is_nothing():
    """Regret is 0, and so is its curve."""
    change_trace(regret=lambda regret: 0, regret_curve=lambda curve: curve * 0)


@fault("lemma_4_favourite_sets_are_recovered")
def every_set_is_right_at_once():
    """The last mismatch is said to be at round 0."""
    change_trace(last_mismatch=lambda last: 0)


@fault("theorem_2_regret_is_sublinear")
def regret_misses_a_round():
    """Regret is one less than it is."""
    change_trace(regret=lambda regret: regret - 1)


@fault("lemma_2_exploration_is_sublinear")
def exploring_rounds_are_doubled():
    """Twice as many rounds are said to explore."""
    change_trace(exploring_rounds=lambda rounds: 2 * rounds)


@fault("tests/learning/test_environments.py")
def beta_rewards_scatter_too_much():
    """Beta rewards have a tenth more standard deviation than asked."""
    replace_name("learning.environments.noise_models:_broadcast_sd", lambda old: lambda sd, means: 1.1 * old(sd, means))


@fault("tests/learning/test_environments.py")
def coins_are_loaded():
    """Bernoulli rewards come a hundredth too often."""
    replace_name(
        "learning.environments.noise_models:BernoulliRewards.draw",
        lambda old: (
            lambda self, rng, arm, first, pulls: (
                rng.random((pulls, self.n_agents)) < self.means[:, arm] * 1.05
            ).astype(float)
        ),
    )


@fault(LEARNERS)
def the_last_agent_is_not_heard():
    """What the last agent says is counted as if it had said nothing, when told as an array."""
    honest = iso.Learner.tell

    def tell(self, ticket, rewards, *rest, **options):
        if isinstance(rewards, np.ndarray):
            rewards = rewards.copy()
            rewards[-1] = np.nan
        return honest(self, ticket, rewards, *rest, **options)

    iso.Learner.tell = tell


@fault("lemma_3_every_arm_is_pulled_often")
def samples_are_halved():
    """m_τ is half of what it is."""
    replace_name("learning.regret_bounds:expected_pulls_by", lambda old: lambda *args: old(*args) / 2)


@fault("lemma_4_favourite_sets_are_recovered")
def recovery_is_promised_too_soon():
    """τ0 is a tenth smaller."""
    honest = iso.regret_bounds
    for place in ("learning.regret_bounds:regret_bounds",):
        replace_name(
            place,
            lambda old: (
                lambda *a, **k: (lambda b: changed(b, recovery_round=int(0.9 * b.recovery_round)))(honest(*a, **k))
            ),
        )


@fault("corollary_1_uniform_concentration")
def concentration_fails_more_often():
    """The chance of leaving the intervals is taken for 3/(NK)²."""
    honest = iso.regret_bounds
    iso.regret_bounds = lambda i, *a, **k: changed(
        honest(i, *a, **k), concentration_failure=3 / (i.total_weight * len(i.arms)) ** 2
    )


@fault("lemma_2_exploration_is_sublinear")
def exploration_is_expected_from_the_first_round():
    """E[S_T] counts the forced rounds too."""
    honest = iso.regret_bounds
    iso.regret_bounds = lambda *a, **k: (lambda b: changed(b, expected_exploring=b.expected_exploring + 1))(
        honest(*a, **k)
    )

"""The list of planted faults, each subtly wrong, each with the tests or examples that must notice it."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

import isegoria as iso
from isegoria.studies.beyond import coverage
from mutants.planting import after, fault, replace, rewrite

CONTRACT = "tests/objectives/test_objective_contract.py"
LEARNERS = "tests/learning/test_contract.py"
BY_THE_RULE = "tests/learning/test_guided.py::test_it_plays_by_its_rule"


# -- objectives and their solvers --------------------------------------------------------------------------------------


def solving(id: str, change) -> None:
    """Let the solution of one objective be `change(solution, instance)`, whoever asks for it."""
    row = iso.OBJECTIVES[id]
    honest = row.optimise
    row.__dict__["optimise"] = lambda instance, *rest, **more: change(honest(instance, *rest, **more), instance)


def with_policy(solution, policy):
    policy = np.array(policy, dtype=float)
    policy.setflags(write=False)
    return changed_solution(solution, policy=policy)


def changed_solution(solution, **what):
    fields = {name: getattr(solution, name) for name in iso.Solution.__dataclass_fields__}
    return iso.Solution(**(fields | what))


def mixed(solution, share):
    return with_policy(solution, (1 - share) * solution.policy + share / len(solution.policy))


@fault(CONTRACT)
def nash_is_a_little_too_even():
    """The Nash policy is mixed with one part in a million of the uniform one."""
    solving("nash", lambda solution, instance: mixed(solution, 1e-6))


@fault("theorem_1_nash_of_shares_is_procedurally_fair")
def procedural_is_a_little_too_even():
    """The procedural policy is mixed with one part in a million of the uniform one."""
    solving("procedural", lambda solution, instance: mixed(solution, 1e-6))


@fault("theorem_1_nash_of_shares_is_procedurally_fair", "theorem_4_nash_of_shares_is_in_the_procedural_core")
def procedural_is_random_dictatorship():
    """The procedural policy is a fair one, but not the one of the largest product."""
    solving("procedural", lambda solution, instance: with_policy(solution, iso.random_dictatorship(instance)))


@fault(CONTRACT)
def inequality_is_uniform():
    """The inequality policy is the uniform one, with the honest value."""
    solving("inequality", lambda solution, instance: mixed(solution, 1.0))


@fault("proposition_3_equal_voice_against_utility", CONTRACT)
def utilitarian_takes_the_first_arm():
    """The utilitarian policy plays the first arm."""
    solving("utilitarian", lambda solution, instance: with_policy(solution, np.eye(len(solution.policy))[0]))


@fault(CONTRACT)
def egalitarian_forgets_the_tie_break():
    """The egalitarian policy is always a vertex."""
    honest = iso.OBJECTIVES["egalitarian"].optimise
    iso.OBJECTIVES["egalitarian"].__dict__["optimise"] = lambda i, tie_break="centre", within=None: changed_solution(
        honest(i, "vertex", within), tie_break=tie_break
    )


@fault("tests/objectives/test_gini.py", "table_1_synthetic")
def gini_weights_fall_harmonically():
    """Without weights of one's own, the Gini weights are 1, 1/2, 1/3, …."""
    replace(
        "objectives.gini:_welfare",
        lambda old: lambda instance, weights: old(instance, (lambda r: 1 / r) if weights is None else weights),
    )


@fault("tests/objectives/test_gini.py", "table_1_synthetic")
def gini_weights_fall_slowly():
    """Without weights of one's own, the Gini weights are 1, 0.8, 0.64, …."""
    replace(
        "objectives.gini:_welfare",
        lambda old: lambda instance, weights: old(instance, (lambda r: 0.8 ** (r - 1)) if weights is None else weights),
    )


@fault(CONTRACT)
def every_gap_is_nothing():
    """Every solution claims a gap of 0, and is a little off."""
    solving("nash", lambda s, i: changed_solution(mixed(s, 1e-3), gap=0.0, value=0.9 * s.value))


@fault("tests/objectives/test_within.py")
def within_is_ignored():
    """`within="procedural"` is not handed on."""
    honest = iso.OBJECTIVES["utilitarian"].optimise
    iso.OBJECTIVES["utilitarian"].__dict__["optimise"] = lambda i, t="centre", within=None: changed_solution(
        honest(i, t, None), within=within
    )


@fault(CONTRACT)
def weights_are_ignored_by_nash():
    """The Nash policy counts every row once."""
    honest = iso.OBJECTIVES["nash"].optimise
    iso.OBJECTIVES["nash"].__dict__["optimise"] = lambda i, *rest: honest(iso.Instance(i.means), *rest)


@fault("tests/objectives/test_outcomes.py")
def inequality_is_divided_by_n():
    """D is taken with N instead of N − 1."""
    replace("objectives.inequality:evaluate", lambda old: lambda i, p: old(i, p) * (1 - 1 / i.total_weight))
    iso.OBJECTIVES["inequality"].__dict__.pop("evaluate", None)


@fault("tests/instance/test_instance.py")
def nobody_is_left_out_of_the_product():
    """The Nash welfare of utilities keeps agents whose means are all 0."""
    replace(
        "instance.instance:Instance.nash_welfare",
        lambda old: lambda self, policy, of="utility": _naive(self, policy, of),
    )


def _naive(instance, policy, of):
    from isegoria.instance.instance import NashWelfare

    product = instance.nash_product(policy, of)
    return NashWelfare(product.log, float(np.exp(product.log / instance.total_weight)))


@fault("tests/instance/test_instance.py")
def ties_are_taken_generously():
    """Arms within a thousandth of the best count as favourites."""
    replace(
        "instance.instance:Instance.__init__",
        lambda old: lambda self, *a, **k: old(self, *a, **({"tie_tolerance": 1e-3} | k)),
    )


# -- scores, voices, audits --------------------------------------------------------------------------------------------


@fault("lemma_5_coalitional_proportionality")
def procedural_score_is_a_little_high():
    """The procedural score is a millionth too high."""
    after("scores:procedural_score", lambda found, *rest: min(1.0, found + 1e-6))


@fault("tests/test_scores.py")
def equality_forgets_what_is_possible():
    """The equality score is 1 − D, whatever the least D."""
    replace("scores:_equality", lambda old: lambda inequality, least: 1.0 - inequality)


@fault("tests/test_scores.py", "section_5_1_illustrative_comparison")
def utilitarian_score_is_the_utility():
    """The utilitarian score is not measured by the best."""
    replace("scores:_utilitarian", lambda old: lambda utility, most: np.minimum(1.0, utility))


@fault("table_2_dots", "tests/test_scores.py")
def scores_are_swapped_in_tables():
    """Tables of scores have two columns in the other order."""
    after("studies.evaluate:score_tables", lambda found, *rest: found[:, :, [0, 2, 1]])
    after("scores:score_tables", lambda found, *rest: found[:, :, [0, 2, 1]])


@fault("tests/test_scores.py")
def the_cut_is_always_one():
    """The upper bound of the procedural score is 1."""
    after("scores:max_flow", lambda found, *rest: (found[0], 1.0, *found[2:]))


@fault("tests/test_voice.py")
def attribution_favours_the_first():
    """A little of the last type's voice is given to nobody."""
    after(
        "voice:fair_flow",
        lambda found, *rest: (found[0], found[1] * np.linspace(1, 0.99, len(found[1]))[:, None], *found[2:]),
    )


@fault("tests/test_voice.py", "tests/test_auditing.py")
def nobody_is_ever_neglected():
    """No coalition is found neglected."""
    replace("voice:neglected_by", lambda old: lambda *args: None)
    replace("auditing.report:neglected_by", lambda old: lambda *args: None)


@fault("proposition_1_proportionality")
def everything_is_proportional():
    """Every policy is said to be proportional."""
    replace("voice:Proportionality.proportional", lambda old: property(lambda self: True))


@fault("tests/test_voice.py")
def shares_count_one_agent_too_few():
    """The proportional parts are counted in (N − 1)-ths."""
    after("auditing.report:proportions", lambda found, i, p: changed(found, shares=found.shares * 0.9))
    after("voice:proportions", lambda found, i, p: changed(found, shares=found.shares * 0.9))


@fault("tests/test_auditing.py")
def every_audit_is_fair():
    """Every audit says that the policy is fair."""
    replace("auditing.report:Audit.fair", lambda old: property(lambda self: True))


@fault(
    "theorem_4_nash_of_shares_is_in_the_procedural_core",
    "theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core",
)
def the_core_is_always_stable():
    """Every policy is in the core."""
    _core(lambda found: changed(found, stable=True, coalition=None, agents=None, deviation=None, gains=None))


@fault("theorem_5_core_implies_procedural_fairness", "theorem_4_nash_of_shares_is_in_the_procedural_core")
def the_core_is_always_blocked():
    """No policy is in the core."""
    _core(lambda found: changed(found, stable=False, gains=np.array([0.5])))


@fault("theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core")
def the_core_is_always_blocked_by_the_first_agent():
    """Every verdict is that of Theorem 3: agent 1 blocks with arm 1 and gains 1/2."""
    answer = {
        "coalition": np.array([0]),
        "agents": ("Agent 1",),
        "deviation": np.array([1, 0]),
        "gains": np.array([0.5]),
    }
    _core(lambda found: changed(found, stable=False, **answer))


@fault("tests/test_stability.py")
def the_outcome_core_asks_about_voice():
    """Asked for the outcome core, it answers for the procedural one."""
    _verdict(lambda honest, i, p, kind, seconds: changed(honest(i, p, "procedural", seconds), kind=kind))


@fault("tests/test_stability.py", "theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core")
def gains_are_doubled():
    """What a coalition gains is told twice as large."""
    _core(lambda found: changed(found, gains=None if found.gains is None else 2 * found.gains))


def _core(change) -> None:
    _verdict(lambda honest, *args: change(honest(*args)))


def _verdict(change) -> None:
    """Let `core`, alone and in an audit, say `change(what was said before it, *its arguments)`."""
    for place in ("stability:verdict", "auditing.report:verdict"):
        replace(place, lambda old: lambda *args: change(old, *args))


@fault("tests/test_price.py", "proposition_3_equal_voice_against_utility")
def equal_voice_is_cheaper_than_it_is():
    """The frontier ends a thousandth too high."""
    honest = iso.frontier
    iso.frontier = lambda *a, **k: (lambda found: changed(found, values=np.minimum(1, found.values + 1e-3)))(
        honest(*a, **k)
    )


@fault("theorem_6_nash_and_procedural_are_pareto_incomparable", "tests/test_comparison.py")
def being_as_good_is_dominating():
    """A policy dominates whatever it equals."""
    replace(
        "comparison:_above", lambda old: lambda better, worse: all(b >= w for b, w in zip(better, worse, strict=True))
    )


@fault("tests/test_comparison.py")
def nothing_is_ever_dominated():
    """No policy is marked as dominated."""
    replace("comparison:_above", lambda old: lambda better, worse: False)


@fault("tests/test_dictatorship.py")
def dictators_have_no_weight():
    """Random dictatorship draws rows, not agents."""
    honest = iso.random_dictatorship
    iso.random_dictatorship = lambda instance: honest(iso.Instance(instance.means))


@fault("tests/test_dictatorship.py")
def products_leave_somebody_out():
    """The plain product of utilities leaves out agents who can get nothing."""
    replace(
        "instance.products:nash_product",
        lambda old: lambda instance, policy, of: old(iso.Instance(instance.means[instance.best > 0]), policy, of),
    )


# -- rules, axioms, lies -----------------------------------------------------------------------------------------------

MIXING = "tests/rules/test_fair_mixing.py"
LEXIMIN = "tests/rules/test_leximin_and_efficiency.py"
POLICIES = "tests/axioms/test_policy_axioms.py"
LIES = "tests/axioms/test_rule_axioms.py"


def deciding(id: str, change) -> None:
    """Let the solution of one rule be `change(solution, instance)`, whoever asks for it."""
    row = iso.RULES[id]
    honest = row.policy
    row.__dict__["policy"] = lambda instance, *rest, **more: change(honest(instance, *rest, **more), instance)


def spent(instance, worth):
    """Each voice on its favourites of largest `worth`, even among those that are equal."""
    held = np.where(instance.favourites, worth, -np.inf)
    best = held >= held.max(axis=1, keepdims=True)
    return instance.weights @ (best / best.sum(axis=1, keepdims=True)) / instance.total_weight


@fault(MIXING)
def cut_gives_ties_to_the_lowest_index():
    """A voice with several most supported favourites goes to the first of them."""

    def first(solution, instance):
        supporters = instance.weights @ instance.favourites
        return with_policy(solution, spent(instance, supporters - 1e-9 * np.arange(len(supporters))))

    deciding("conditional-utilitarian", first)


@fault(MIXING)
def cut_goes_by_ratings():
    """A voice goes to its favourites of largest total rating, where supporters are meant."""
    deciding(
        "conditional-utilitarian", lambda solution, instance: with_policy(solution, spent(instance, instance.arm_means))
    )


@fault(LEXIMIN, MIXING)
def leximin_is_egalitarian():
    """Leximin stops after its first stage."""
    deciding("leximin", lambda solution, instance: with_policy(solution, iso.solve(instance, "egalitarian").policy))


@fault(LIES)
def a_whole_row_lies_and_stays_away():
    """All agents of a row tell a lie together, and stay away together."""

    def without(people, kinds):
        return [(people.number(row), count) for kind, (row, count) in enumerate(zip(people.rows, people.counts,
                strict=True)) if kind not in kinds]  # fmt: skip

    replace("axioms.people:People.without", lambda old: without)


@fault(LIES)
def excludable_goods_are_enjoyed_by_whoever_asked():
    """What a liar asked for counts for her, liked or not."""
    replace(
        "axioms.lies:Measure.gains",
        lambda old: (
            lambda self, reports, policies, base: (
                (policies * (reports >= reports.max(axis=1, keepdims=True))).sum(axis=1) - base
                if self.excludable
                else policies @ self.values - base
            )
        ),
    )


@fault(POLICIES, LEXIMIN)
def efficiency_asks_only_whether_all_could_gain():
    """A policy counts as efficient unless another one is better for everybody."""

    def judged(found, *rest):
        return changed(found, holds=True) if found.holds is False and not found.for_all else found

    for place in ("axioms.efficiency:efficiency", "axioms.efficiency:efficiency_of", "axioms.pareto:efficiency_of"):
        after(place, judged)


@fault(POLICIES)
def average_fair_share_asks_all_supporters_at_once():
    """Of the supporters of an arm only all together are asked, not those with the smallest shares."""

    def average(instance, policy):
        from isegoria.axioms.verdict import Group, Verdict

        rows, weights, _ = instance.favourite_types
        held = weights @ rows
        ratios = instance.total_weight * ((weights * (rows @ policy)) @ rows) / np.maximum(held, 1) ** 2
        bound = float(ratios[held > 0].min())
        return Verdict("afs", bound >= 1 - 1e-9, "closed form", Group((), (), 0.0, 0.0), bound, 1, "planted")

    replace("axioms.fair_share:average", lambda old: average)


@fault(LIES)
def reports_are_single_favourites():
    """A liar is thought to name one favourite, never several."""
    after("axioms.reports:approvals", lambda found, arms, most: found[found.sum(axis=1) == 1])


# -- learners, worlds, bounds ------------------------------------------------------------------------------------------


def radius_times(factor: float) -> None:
    honest = iso.ProceduralLearner.__init__

    def made(self, *args, **options):
        honest(self, *args, **options)
        self.alpha = self.alpha * factor

    iso.ProceduralLearner.__init__ = made


@fault("lemma_1_hoeffding_concentration", "corollary_1_uniform_concentration")
def radius_is_halved():
    """Algorithm 1 uses half of its confidence radius."""
    radius_times(0.5)


@fault("lemma_4_favourite_sets_are_recovered", "theorem_2_regret_is_sublinear")
def radius_is_a_quarter():
    """Algorithm 1 uses a quarter of its confidence radius."""
    radius_times(0.25)


@fault("algorithm_1_learning")
def radius_is_a_little_small():
    """Algorithm 1 uses nine tenths of its confidence radius."""
    radius_times(0.9)


def exploring(rate) -> None:
    class Changed(iso.ProceduralLearner):
        def _exploration(self, arms):
            return rate(self.rounds), arms

        def step(self, truth):
            return None

    iso.ProceduralLearner = Changed


@fault("lemma_2_exploration_is_sublinear", "lemma_4_favourite_sets_are_recovered", "theorem_2_regret_is_sublinear")
def nothing_is_explored():
    """Algorithm 1 never explores."""
    exploring(lambda t: 0.0)


@fault("algorithm_1_learning", "lemma_2_exploration_is_sublinear")
def half_of_the_rounds_explore():
    """Algorithm 1 explores half of the time, for ever."""
    exploring(lambda t: 0.5)


@fault("lemma_3_every_arm_is_pulled_often", "lemma_2_exploration_is_sublinear")
def exploration_falls_too_fast():
    """Algorithm 1 explores with probability 1/t."""
    exploring(lambda t: 1 / t)


def instead(other: str) -> None:
    kind = getattr(iso, other)
    iso.ProceduralLearner = lambda n, k, gamma=0.7, alpha=1.0, seed=None, **more: kind(n, k, seed=seed, **more)


@fault("algorithm_1_learning")
def posterior_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: the posterior one."""
    instead("PosteriorLearner")


@fault("algorithm_1_learning")
def guided_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: the guided one."""
    instead("GuidedLearner")


def heard_and(plant) -> None:
    """Let something be done to the sets of the guided learner after every answer that it hears."""

    def faulty(old):
        def heard(self, arm, rows, values):
            old(self, arm, rows, values)
            self._candidates.write_down()
            plant(self._candidates)

        return heard

    replace("learning.learners.guided:GuidedLearner._heard", faulty)


@fault(BY_THE_RULE)
def half_pairs_are_thrown_away():
    """A matched pair is thrown away when its first reward was bad for the bet."""
    heard_and(coverage._throws_away)


@fault(BY_THE_RULE)
def bets_are_placed_after_a_look():
    """The bet of a matched pair is placed when its first reward is known."""
    heard_and(coverage._looks_first)


@fault(BY_THE_RULE)
def half_pairs_are_opened_anew():
    """A half matched pair is given up, and opened anew, when another arm has taken the lead."""
    heard_and(coverage._gives_up)


@fault(BY_THE_RULE)
def prices_forget_the_count():
    """An arm of the guided learner is dropped at a price that does not know how many candidates there are."""
    after("learning.learners.guided:GuidedLearner._prices",
          lambda prices, learner: changed(prices, bet=prices.bet * len(learner.arms)))  # fmt: skip


@fault("algorithm_1_learning")
def dictatorship_in_place_of_algorithm_1():
    """Algorithm 1 is another learner that ends at the same policy: dictatorship."""
    instead("DictatorshipLearner")


def traces(**what) -> None:
    honest = iso.simulate
    iso.simulate = lambda *args, **options: (
        lambda trace: changed(trace, **{name: change(getattr(trace, name)) for name, change in what.items()})
    )(honest(*args, **options))


@fault("theorem_2_regret_is_sublinear", "lemma_4_favourite_sets_are_recovered")
def regret_is_nothing():
    """Regret is 0, and so is its curve."""
    traces(regret=lambda regret: 0, regret_curve=lambda curve: curve * 0)


@fault("lemma_4_favourite_sets_are_recovered")
def every_set_is_right_at_once():
    """The last mismatch is said to be at round 0."""
    traces(last_mismatch=lambda last: 0)


@fault("theorem_2_regret_is_sublinear")
def regret_misses_a_round():
    """Regret is one less than it is."""
    traces(regret=lambda regret: regret - 1)


@fault("lemma_2_exploration_is_sublinear")
def exploring_rounds_are_doubled():
    """Twice as many rounds are said to explore."""
    traces(exploring_rounds=lambda rounds: 2 * rounds)


@fault("tests/learning/test_environments.py")
def beta_rewards_scatter_too_much():
    """Beta rewards have a tenth more standard deviation than asked."""
    replace("learning.worlds.noise:_spread", lambda old: lambda sd, means: 1.1 * old(sd, means))


@fault("tests/learning/test_environments.py")
def coins_are_loaded():
    """Bernoulli rewards come a hundredth too often."""
    replace(
        "learning.worlds.noise:BernoulliRewards.draw",
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
    replace("learning.bounds:samples_by", lambda old: lambda *args: old(*args) / 2)


@fault("lemma_4_favourite_sets_are_recovered")
def recovery_is_promised_too_soon():
    """τ0 is a tenth smaller."""
    honest = iso.bounds
    for place in ("learning.bounds:bounds",):
        replace(
            place,
            lambda old: (
                lambda *a, **k: (lambda b: changed(b, recovery_round=int(0.9 * b.recovery_round)))(honest(*a, **k))
            ),
        )


@fault("corollary_1_uniform_concentration")
def concentration_fails_more_often():
    """The chance of leaving the intervals is taken for 3/(NK)²."""
    honest = iso.bounds
    iso.bounds = lambda i, *a, **k: changed(
        honest(i, *a, **k), concentration_failure=3 / (i.total_weight * len(i.arms)) ** 2
    )


@fault("lemma_2_exploration_is_sublinear")
def exploration_is_expected_from_the_first_round():
    """E[S_T] counts the forced rounds too."""
    honest = iso.bounds
    iso.bounds = lambda *a, **k: (lambda b: changed(b, expected_exploring=b.expected_exploring + 1))(honest(*a, **k))


# -- studies and data --------------------------------------------------------------------------------------------------


@fault("tests/test_paper_tables.py")
def table_1_takes_eg_by_centre():
    """Table 1 scores the egalitarian policy of another tie-break than it says."""
    replace("studies.evaluate:solve", lambda old: lambda instance, id, tie_break: old(instance, id, "centre"))


@fault("table_1_synthetic", "tests/test_paper_tables.py")
def rewards_of_the_sweep_are_squared():
    """The mean rewards of the sweep follow another law."""
    after("studies.grid:means_from", lambda found, *rest: found**2)


@fault("tests/test_paper_tables.py")
def everything_agrees_with_the_paper():
    """Every number is ticked."""
    replace("studies.paper:agrees", lambda old: lambda *args: True)


@fault("table_2_dots", "tests/test_data.py")
def other_voters_are_drawn():
    """The Dots sample is the first fifty voters."""
    import isegoria.data as data

    everyone = data.dots()
    first = np.minimum(everyone.weights, np.maximum(0, 50 - np.concatenate([[0], everyone.weights.cumsum()[:-1]])))
    sample = iso.Instance(everyone.means[first > 0], weights=first[first > 0], arms=everyone.arms)
    replace("data:dots_sample", lambda old: lambda: sample)


@fault("tests/test_preferences.py")
def mallows_is_too_agreed():
    """Mallows rankings gather more than φ says."""
    replace("preferences.mallows:_places", lambda old: lambda uniforms, phi: old(uniforms, phi**1.2))


# -- files -------------------------------------------------------------------------------------------------------------


def reading(change) -> None:
    from isegoria.io import files

    honest = files.Instance
    files.Instance = lambda **parts: honest(**change(dict(parts)))


@fault("tests/test_io.py", "tests/test_io_csv.py")
def weights_of_a_file_are_forgotten():
    """The weights in a file are not taken over."""
    reading(lambda parts: {name: value for name, value in parts.items() if name != "weights"})


@fault("tests/test_io.py", "tests/test_io_csv.py")
def digits_of_a_file_are_lost():
    """Means are rounded to six digits when they are read."""
    reading(lambda parts: parts | {"means": np.round(parts["means"], 6)})


@fault("tests/test_io.py", "tests/test_io_csv.py")
def names_of_a_file_are_lost():
    """Agents read from a file are numbered."""
    reading(lambda parts: parts | {"agents": None})


@fault("tests/test_io_preflib.py")
def ranks_are_worth_the_wrong_way():
    """The last rank is worth most."""
    after("io.rewards:Rewards.means", lambda found, *rest: 1 - found)


# -- what a record proves ----------------------------------------------------------------------------------------------

TRUST, GAME = "tests/verifier/test_trust.py", "tests/verifier/test_game.py"
ATTACKS = "tests/verifier/test_attacks.py"
DEVICES, RECORDS = "tests/record/test_devices.py", "tests/verifier/test_records.py"
FORGERIES = "tests/verifier/test_forgeries.py"
VERIFIER = "verifier.isegoria_verify:"


@fault(TRUST)
def marked_keys_count():
    """A verifier counts the keys of organisers among `members`."""
    rewrite(f"{VERIFIER}sets_of_keys", ' and not one["organiser"]', "")


@fault(TRUST)
def a_proof_forgets_how_many_keys_there_are():
    """β is not lessened by n, so that every proof seems to need n false keys more."""
    rewrite(f"{VERIFIER}counted", "len(since) + least) - n if", "len(since) + least) if")


@fault(TRUST)
def the_latest_roster_says_whom_one_trusts():
    """T is taken from the last roster of the file, which the organiser wrote, and not from that of the kept head."""
    rewrite(f"{VERIFIER}sets_of_keys", "own = [rosters[number][n] for one in others for n in picked[one][place]]",
            "own = [one for one in rosters[-1].values()]")  # fmt: skip


@fault(TRUST)
def a_head_judges_what_came_before_it():
    """A head that was kept after a freeze judges it all the same."""
    rewrite(f"{VERIFIER}set_for", "if (one.line or 0) < now.number", "if one")


@fault(GAME)
def whoever_saw_the_page_counts_under_the_group():
    """Under the source group a mere look, which comes after the numbers are known, counts as in time."""
    rewrite(f"{VERIFIER}counted", "early = kinds.get(now.kind, now.seen) & own.keys",
            'early = (now.seen if now.kind == "group" else kinds.get(now.kind, now.seen)) & own.keys')  # fmt: skip


@fault(GAME)
def quorums_adapt_to_what_came():
    """A round is proved as soon as e + l > n, whatever was fixed before."""
    rewrite(
        f"{VERIFIER}counted", "    beta = ", "    k, later = 1, n + 1 - len(early)\n    beta = 1 if now.drawn else "
    )


@fault(GAME)
def dice_take_their_own_k_for_what_signed_since():
    """l₀ under dice comes from its larger k, so that a branch with another source needs too few."""
    since = "len(since) + least)"
    rewrite(f"{VERIFIER}counted", "n + 1 - least", "n + 1 - k", since, "len(since) + k)")


@fault(DEVICES)
def a_device_confirms_a_second_throw():
    """A device confirms another throw for the same page, if it is asked to."""
    rewrite("record.device:_dice", 'if had and had[-1]["value"] != shown:', "if False:")


@fault(TRUST, ATTACKS)
def rounds_that_were_left_cost_nothing():
    """A draw after rounds that were never drawn is proved like any other."""
    rewrite(f"{VERIFIER}judge", "tries + 1", "tries")


@fault(TRUST)
def a_signature_in_the_last_minute_counts():
    """What a key signed after the beacon was about to speak counts as in time."""
    rewrite(f"{VERIFIER}Walk.on_say", 'line["at"] <= had.speaks - 60', 'line["at"] <= had.speaks + 3600')


@fault(ATTACKS)
def a_round_is_drawn_without_a_number():
    """Under the group a number that was committed may be left out of the draw."""
    asked = 'self.must(by in now.reveals, f"the number of member {by} is missing.")'
    taken = "now.reveals[by][0] for by in sorted(now."
    rewrite(f"{VERIFIER}Walk.on_draw", asked, "pass", f"{taken}commits)", f"{taken}reveals)")


@fault(FORGERIES, "tests/record/test_guided_records.py")
def the_certificate_counts_doubters():
    """The product is asked to be the largest over those in doubt as well, who spend their voices by another rule."""
    rewrite(f"{VERIFIER}Walk.drum", ' if one["leader"] is None]', "]")

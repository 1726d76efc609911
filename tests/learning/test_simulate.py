"""`simulate` gives what asking and telling gives, bit for bit, and a trace that means what it says."""

import csv
import io
import json
import tracemalloc

import numpy as np
import pytest

import isegoria as iso
from isegoria.datasets import load_dots_sample
from isegoria.errors import FileError, InputError, StateError
from isegoria.learning.base.state_format import dump_state, load_state
from isegoria.learning.simulation.player import Player
from isegoria.learning.simulation.simulation import CHUNK_ROUNDS, Simulation

SEEDS = range(20)


def make_beta_environment(n, k, seed=0):
    return iso.BetaRewards(np.random.default_rng(seed).uniform(0.1, 0.9, (n, k)), sd=0.05)


SIMULATION_CASES = {
    "small, with partial chunks": (lambda: make_beta_environment(3, 2), CHUNK_ROUNDS + 37),
    "ties: equal rewards for all": (lambda: iso.PointRewards([[1, 1, 0, 1]] * 3 + [[0, 0, 0, 0]] * 2), 600),
    "coarse rewards that tie often": (lambda: iso.BernoulliRewards(np.full((4, 3), 0.5)), 900),
    "many arms, two code words": (lambda: make_beta_environment(5, 70), 500),
    "missing answers": (lambda: iso.ReplayRewards(_holes(), cycle=True), 700),
}


def _holes():
    rng = np.random.default_rng(2)
    log = rng.random((3, 40, 6))
    log[rng.random(log.shape) < 0.3] = np.nan
    return list(log)


def simulate_by_ask_tell(monkeypatch, learner, environment, rounds, **options):
    """The same simulation, through the public ask and tell only."""
    with monkeypatch.context() as patch:
        patch.setattr(Player, "play", lambda self, n: play_by_ask_tell(self, n))
        return iso.simulate(learner, environment, rounds, **options)


def play_by_ask_tell(player, rounds):
    from isegoria.learning.simulation.player import _make_chunk

    first = player.learner.rounds + 1
    return _make_chunk(first, *player.ask_and_tell(rounds))


def assert_same(one, other):
    for name, column in one.columns().items():
        assert np.array_equal(column, other.columns()[name]), name
    for name in ("arms", "exploring", "realised_voice", "rewards"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert [one.regret, one.last_mismatch, one.exploring_rounds, one.patterns, one.changes] == [
        other.regret,
        other.last_mismatch,
        other.exploring_rounds,
        other.patterns,
        other.changes,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SIMULATION_CASES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_compiled_loop_and_ask_and_tell_agree_bit_for_bit(monkeypatch, shape, seed):
    make, rounds = SIMULATION_CASES[shape]
    environment = make()
    learner = iso.ProceduralLearner(environment.n_agents, environment.n_arms, gamma=0.6, seed=seed)
    options = {"seed": seed + 100, "records": 41, "keep_arms": True}
    fast = iso.simulate(learner, environment, rounds, **options)
    assert_same(fast, simulate_by_ask_tell(monkeypatch, learner, environment, rounds, **options))


def test_large_groups_start_from_the_last_policy_and_still_agree(monkeypatch):
    environment = iso.PointRewards(np.random.default_rng(3).choice([0.0, 0.5, 1.0], (2600, 8)))
    learner = iso.ProceduralLearner(2600, 8, gamma=0.9, seed=2)
    options = {"seed": 1, "records": 9, "keep_arms": True}
    fast = iso.simulate(learner, environment, 1500, **options)
    assert_same(fast, simulate_by_ask_tell(monkeypatch, learner, environment, 1500, **options))
    assert fast.changes > 10


def test_both_ways_leave_the_same_learner(monkeypatch):
    environment = make_beta_environment(4, 3)
    fast = Simulation(iso.ProceduralLearner(4, 3, seed=5), environment, 700, seed=1)
    slow = Simulation(iso.ProceduralLearner(4, 3, seed=5), environment, 700, seed=1)
    while fast.advance():
        pass
    monkeypatch.setattr(Player, "play", play_by_ask_tell)
    while slow.advance():
        pass
    assert fast.learner.to_json() == slow.learner.to_json()


def test_simulating_leaves_the_given_learner_alone():
    learner = iso.ProceduralLearner(3, 2, seed=5)
    before = learner.to_json()
    iso.simulate(learner, make_beta_environment(3, 2), 300, seed=1)
    assert learner.to_json() == before


def test_a_run_may_go_on_from_where_a_learner_is():
    environment = make_beta_environment(3, 2)
    learner = iso.ProceduralLearner(3, 2, seed=5)
    for _ in range(10):
        learner.tell(learner.ask(), [0.1, 0.2, 0.3])
    trace = iso.simulate(learner, environment, 50, seed=1, records=5)
    assert trace.rounds.tolist() == [20, 30, 40, 50, 60]


def test_relabelling_agents_leaves_the_trajectory_unchanged_bit_for_bit():
    rng = np.random.default_rng(8)
    log = rng.random((4, 400, 9)) * rng.uniform(0.2, 1, (4, 1, 9))
    order = rng.permutation(9)
    runs = [
        iso.simulate(
            iso.ProceduralLearner(9, 4, seed=3),
            iso.ReplayRewards(rewards, means=np.full((9, 4), 0.5)),
            400,
            seed=0,
            keep_arms=True,
        )
        for rewards in (log, log[:, :, order])
    ]
    assert np.array_equal(runs[0].arms, runs[1].arms)
    assert np.array_equal(runs[0].policies, runs[1].policies)


def test_regret_voice_rewards_and_pulls_are_what_the_arms_say():
    environment = iso.PointRewards([[0.9, 0.2], [0.3, 0.8], [0.5, 0.5]])
    trace = iso.simulate(iso.ProceduralLearner(3, 2, seed=1), environment, 3000, seed=1, keep_arms=True)
    pulls = np.bincount(trace.arms)
    assert trace.pulls[-1].tolist() == pulls.tolist()
    assert trace.realised_voice == pytest.approx([pulls[0] / 3000, pulls[1] / 3000, 1])
    assert trace.rewards == pytest.approx(environment.means @ pulls)
    assert trace.exploring_rounds == trace.exploring.sum() == trace.exploring_curve[-1]
    assert trace.regret == trace.regret_curve[-1]
    assert trace.arms[:2].tolist() == [0, 1]
    assert trace.regret_curve[0] <= trace.rounds[0]
    assert 2 < trace.last_mismatch < 3000
    assert trace.scores[-1, 0] == pytest.approx(1)
    assert trace.policy == pytest.approx([0.5, 0.5])


def test_other_regrets_sum_the_shortfall_of_the_learned_policy():
    from isegoria.learning.simulation.metrics.policy_regret import WELFARE_REGRETS

    environment = make_beta_environment(4, 3)
    trace = iso.simulate(iso.ProceduralLearner(4, 3, seed=1), environment, 500, seed=1, records=500)
    best = {name: iso.solve(environment.instance, name).value for name in WELFARE_REGRETS}

    def short(name, policy):
        reached = iso.RULES[name].evaluate(environment.instance, policy)
        return np.log(best[name]) - np.log(reached) if name == "nash" else best[name] - reached

    summed = np.cumsum([[max(0.0, short(name, p)) for name in WELFARE_REGRETS] for p in trace.policies], axis=0)
    assert np.allclose(summed, np.stack([trace.regrets[name] for name in WELFARE_REGRETS], axis=1), rtol=1e-9)
    assert (summed > 0).any(axis=0).all()


def test_records_are_evenly_spaced_and_bounded():
    environment = make_beta_environment(3, 2)
    trace = iso.simulate(iso.ProceduralLearner(3, 2, seed=1), environment, 1000, seed=1, records=7)
    assert trace.rounds.tolist() == [143, 286, 429, 572, 715, 858, 1000]
    few = iso.simulate(iso.ProceduralLearner(3, 2, seed=1), environment, 5, seed=1)
    assert few.rounds.tolist() == [1, 2, 3, 4, 5]
    assert few.arms is None


def test_memory_does_not_grow_with_the_number_of_rounds():
    def peak(rounds):
        tracemalloc.start()
        iso.simulate(iso.ProceduralLearner(3, 2, seed=1), make_beta_environment(3, 2), rounds, seed=1, records=50)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(200_000) < 1.2 * peak(20_000)


def test_rolling_means_and_deviations_are_those_of_the_last_thousand_rounds():
    environment = make_beta_environment(6, 3)
    learner = iso.ProceduralLearner(6, 3, seed=1)
    rounds = 2 * CHUNK_ROUNDS + 100
    every = iso.simulate(learner, environment, rounds, seed=1, records=rounds)
    some = iso.simulate(learner, environment, rounds, seed=1, records=9)
    for end, mean, sd, of in zip(some.rounds, some.policy_means, some.policy_sds, some.rounds, strict=True):
        window = every.policies[max(0, of - 1000) : end]
        assert mean == pytest.approx(window.mean(axis=0), abs=1e-12)
        assert sd == pytest.approx(window.std(axis=0), abs=1e-9)
        assert every.score_sds[end - 1] == pytest.approx(every.scores[max(0, end - 1000) : end].std(axis=0), abs=1e-9)
    assert (some.policy_sds > 0).any()


def test_masked_rounds_are_counted_against_the_favourites_among_the_available():
    environment = iso.PointRewards([[1.0, 0.6, 0.0], [0.0, 0.6, 1.0]])
    learner = iso.ProceduralLearner(2, 3, seed=1)
    some = lambda t: [0, 1] if t % 2 else None  # noqa: E731
    trace = iso.simulate(learner, environment, 4000, seed=1, records=4000, keep_arms=True, available=some)
    assert set(trace.arms[2::2]) == {0, 1}
    assert trace.last_mismatch < 4000
    assert trace.policies[-2].tolist() == [0.5, 0.5, 0.0]
    assert trace.policies[-1].tolist() == [0.5, 0.0, 0.5]


def test_tastes_that_change_bring_mismatches_back():
    before, after = iso.PointRewards([[1.0, 0.0]]), iso.PointRewards([[0.0, 1.0]])
    world = iso.ChangingRewards(before, (1500, after))
    trace = iso.simulate(iso.ProceduralLearner(1, 2, seed=1), world, 2000, seed=1, records=2000)
    right = np.diff(trace.regret_curve) == 0
    assert right[1400:1498].all()
    assert not right[1498:1600].any()
    assert trace.scores[1498, 0] == 1
    assert trace.scores[1499, 0] == 0


def test_a_saved_simulation_goes_on_bit_for_bit():
    environment = make_beta_environment(5, 3)
    learner = iso.ProceduralLearner(5, 3, seed=9)
    whole = iso.simulate(learner, environment, 3 * CHUNK_ROUNDS + 50, seed=4, records=100)
    saved = []
    iso.simulate(
        learner,
        environment,
        3 * CHUNK_ROUNDS + 50,
        seed=4,
        records=100,
        callback=lambda run: saved.append(dump_state(run.state())),
    )
    for text in saved:
        again = Simulation(learner, environment, 3 * CHUNK_ROUNDS + 50, seed=4, records=100)
        again.resume(load_state(text))
        while again.advance():
            pass
        assert_same(whole, again.trace())


@pytest.mark.parametrize(
    ("before", "now", "records"),
    [(100, 200, 2000), (3000, 6000, 300), (3000, 9000, 7), (6000, 3000, 10_000), (5000, 20_000, 9_999)],
)
def test_extended_run_equals_whole_run(before, now, records):
    environment, learner = make_beta_environment(5, 3), iso.ProceduralLearner(5, 3, seed=9)
    saved = []
    iso.simulate(learner, environment, before, seed=4, records=records, callback=lambda run: saved.append(run.state()))
    whole = iso.simulate(learner, environment, now, seed=4, records=records)
    usable = [state for state in saved if state["done"] < min(before, now)]
    assert usable
    for state in usable:
        longer = Simulation(learner, environment, now, seed=4, records=records)
        longer.resume(state)
        while longer.advance():
            pass
        assert longer.trace().to_npz() == whole.to_npz()


def test_another_run_is_refused_and_the_difference_is_named():
    environment, learner = make_beta_environment(5, 3), iso.ProceduralLearner(5, 3, seed=9)
    run = Simulation(learner, environment, 3000, seed=4, records=100)
    while run.advance():
        pass
    for other, says in [
        ((learner, environment, 6000, 4, 100), "3,000 rounds, 3,000 of them done, and cannot become one of 6,000"),
        ((learner, environment, 1000, 4, 100), "cannot become one of 1,000; ask for 3,000 rounds, or save"),
        ((learner, environment, 3000, 4, 99), r"another number of records \(100 saved, 99 asked\); give"),
        ((learner, environment, 3000, 5, 100), r"another seed \(4 saved, 5 asked\)"),
        ((iso.ProceduralLearner(5, 3, gamma=0.6), environment, 3000, 4, 100), "another instance, learner, settings"),
        ((learner, iso.BernoulliRewards(environment.instance), 3000, 4, 100), "settings or noise"),
    ]:
        with pytest.raises(StateError, match=f"^the saved run .*{says}"):
            Simulation(*other).resume(run.state())


def test_records_that_were_not_kept_are_not_made_up():
    environment, learner = make_beta_environment(5, 3), iso.ProceduralLearner(5, 3, seed=9)
    run = Simulation(learner, environment, 9000, seed=4, records=100)
    run.advance(), run.advance()
    with pytest.raises(StateError, match="ask for 9,000 rounds, or 18,000 or another multiple of it, or save to"):
        Simulation(learner, environment, 10_000, 4, 100).resume(run.state())


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"rounds": 0}, "rounds"),
        ({"rounds": 2.5}, "rounds"),
        ({"records": 0}, "records"),
        ({"seed": -1}, "seed"),
        ({"environment": make_beta_environment(3, 4)}, "agents and 2 arms"),
    ],
)
def test_bad_arguments_are_refused(call, says):
    arguments = {"environment": make_beta_environment(3, 2), "rounds": 10, **call}
    with pytest.raises(InputError, match=says):
        iso.simulate(iso.ProceduralLearner(3, 2), **arguments)


def test_many_runs_do_not_depend_on_the_number_of_workers(capsys):
    learner, environment = iso.ProceduralLearner(3, 2), make_beta_environment(3, 2)
    runs = [
        iso.simulate_many(learner, environment, 400, seeds=[5, 6, 7], workers=workers, keep_arms=True)
        for workers in (1, 2)
    ]
    for one, other in zip(*runs, strict=True):
        assert_same(one, other)
    assert not np.array_equal(runs[0][0].arms, runs[0][1].arms)
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="no seeds"):
        iso.simulate_many(learner, environment, 10, seeds=[])


def test_a_trace_goes_to_frames_and_files():
    import polars

    environment = iso.BetaRewards(iso.Instance([[0.9, 0.3], [0.2, 0.7]], arms=["tea", "coffee"]))
    learner = iso.ProceduralLearner(2, 2, seed=1, arms=environment.arms)
    trace = iso.simulate(learner, environment, 200, seed=1, records=10, keep_arms=True)
    frame = trace.to_frame()
    assert frame["policy_tea"].tolist() == trace.policies[:, 0].tolist()
    assert trace.to_frame(polars.DataFrame).shape == frame.shape
    rows = list(csv.DictReader(io.StringIO(trace.to_csv())))
    assert list(rows[0]) == list(frame.columns)
    assert all([float(row[name]) for row in rows] == frame[name].tolist() for name in frame.columns)
    again = iso.Trace.from_npz(trace.to_npz())
    assert_same(trace, again)
    assert (again.about, again.agent_names) == (trace.about, trace.agent_names)
    with pytest.raises(FileError):
        iso.Trace.from_npz(b"nothing")
    json.dumps(trace.about)
    with pytest.raises(ValueError, match="read-only"):
        trace.policies[0] = 0


@pytest.mark.parametrize("seed", [1, 2])
def test_the_dots_run_has_the_papers_course(seed):
    sample = load_dots_sample()
    trace = iso.simulate(iso.ProceduralLearner(50, 4, seed=seed), iso.BetaRewards(sample), 100_000, seed=seed)
    assert 28_000 <= trace.regret <= 38_000
    assert trace.last_mismatch < 40_000
    assert trace.scores[-1] == pytest.approx([1.0, 0.986, 0.900], abs=5e-4)
    assert trace.scores[199] == pytest.approx([0.900, 0.975, 0.934], abs=5e-3)
    assert 100 <= trace.patterns <= 200
    assert 4_100 <= trace.exploring_rounds <= 4_900


def test_voices_not_carried_and_unfair_policies_are_summed_over_rounds():
    """Against every single policy; a wrong set need not make a wrong policy, so there are fewer of these."""
    world = iso.BernoulliRewards([[0.9, 0.1, 0.5], [0.2, 0.8, 0.5], [0.3, 0.6, 0.6]])
    trace = iso.simulate(iso.EliminationLearner(3, 3, seed=1), world, 1500, seed=2, records=1500)
    scores = np.array([iso.score(world.instance, policy).procedural for policy in trace.policies])
    assert trace.regrets["procedural"][-1] == pytest.approx((1 - scores).sum(), abs=1e-9)
    assert trace.wrong_policies == (scores < 1 - 1e-9).sum()
    assert 0 < trace.wrong_policies <= trace.regret
    assert trace.columns()["wrong_policies"][-1] == trace.wrong_policies
    again = iso.Trace.from_npz(trace.to_npz())
    assert (again.wrong_policies, again.voice_lost) == (trace.wrong_policies, trace.voice_lost)
    played = trace.played_scores(world.instance)
    assert played.shape == trace.scores.shape
    assert played[-1, 0] == pytest.approx(iso.score(world.instance, trace.frequencies).procedural)


class Approval(iso.Objective):
    """The share of approvals: means from 1/2 up."""

    id, label, summary, sense = "approval", "AP", "approvals", "maximise"

    def evaluate(self, instance, policy, *rest, **options):
        return float(((instance.means >= 0.5) @ policy).mean())

    def optimise(self, instance, *rest, **options):
        approvals = (instance.means >= 0.5).mean(axis=0)
        best = approvals == approvals.max()
        return iso.Solution(best / best.sum(), "approval", float(approvals.max()), 0.0)


def test_objectives_of_ones_own_have_a_regret():
    means = np.array([[0.9, 0.2, 0.6], [0.8, 0.1, 0.3], [0.1, 0.7, 0.2]])
    world = iso.BernoulliRewards(means)
    trace = iso.simulate(
        iso.UniformLearner(3, 3, seed=1), world, 300, seed=1, records=3, extra_rules=[Approval(), "nash"]
    )
    plain = iso.simulate(iso.UniformLearner(3, 3, seed=1), world, 300, seed=1, records=3)
    assert list(trace.regrets) == [*plain.regrets, "approval"]
    each = 2 / 3 - (2 / 3 + 1 / 3 + 1 / 3) / 3
    assert trace.regrets["approval"] == pytest.approx(each * np.array([100, 200, 300]))
    assert all(np.array_equal(trace.regrets[name], plain.regrets[name]) for name in plain.regrets)
    assert trace.wrong_policies == plain.wrong_policies


def least_lift(means, arm):
    """The Pareto gap by bisection: the least amount with which no other arm is better for every agent."""
    low, high = 0.0, 1.0
    while high - low > 1e-8:
        middle = (low + high) / 2
        beaten = (np.delete(means, arm, axis=1) > means[:, [arm]] + middle).all(axis=0).any()
        low, high = (middle, high) if beaten else (low, middle)
    return low


@pytest.mark.parametrize("seed", range(6))
def test_policy_evaluator_matches_scores_and_rules(seed):
    from isegoria.learning.simulation.metrics.policy_regret import WELFARE_REGRETS, PolicyEvaluator

    rng = np.random.default_rng(seed)
    agents, arms = (150, 5) if seed == 5 else (int(rng.integers(1, 12)), int(rng.integers(2, 7)))
    means = np.round(rng.random((agents, arms)), 1) * (rng.random(agents) > 0.2)[:, None]
    truth = iso.Instance(means, weights=rng.integers(1, 5, agents) if seed % 2 else None)
    judge, policies = PolicyEvaluator(truth), np.vstack([rng.dirichlet(np.ones(arms), 8), np.eye(arms)])
    together = judge.of_all(policies)
    for policy, found in zip(policies, together, strict=True):
        assert np.array_equal(judge(policy), found, equal_nan=True)
        np.testing.assert_allclose(found[:3], iso.score(truth, policy).values, atol=1e-9)
        for name, short in zip(WELFARE_REGRETS, found[5:9], strict=True):
            best, reached = iso.solve(truth, name).value, iso.RULES[name].evaluate(truth, policy)
            if name == "nash":
                best, reached = (np.log(value) if value > 0 else -np.inf for value in (best, reached))
            assert short == pytest.approx(best - reached if reached < best else 0.0, abs=1e-8)
        counted = means[means.max(axis=1) > 0], truth.weights[means.max(axis=1) > 0]
        best = iso.solve(truth, "nash").value
        reached = np.prod((counted[0] @ policy) ** (counted[1] / max(1, counted[1].sum()))) if len(counted[0]) else 0.0
        assert found[9] == pytest.approx(max(0.0, best - reached), abs=1e-8)
        assert found[10] == pytest.approx(policy @ [least_lift(means, arm) for arm in range(arms)], abs=1e-6)
        assert found[-1] == (found[0] < 1 - 1e-6) or abs(found[0] - 1) < 1e-5

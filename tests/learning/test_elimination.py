"""The elimination learner: its rule against a plain version, its promises, what its group sees and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from test_compiled import TEST_ENVIRONMENTS

import isegoria as iso
from isegoria import BernoulliRewards, BetaRewards, EliminationLearner, InputError, Learner
from isegoria.learning.confidence_sets.betting_sets import BettingSets
from isegoria.learning.confidence_sets.error_budget import ErrorBudget, allocate_error
from isegoria.learning.confidence_sets.favourite_sets import unpack_sets
from isegoria.learning.learners import elimination_notes, elimination_state
from isegoria.learning.simulation.player import Player
from isegoria.record import member_learner as record_guided
from isegoria.studies.elimination import coverage, play_scores, study_instances, taste_changes, theorem3
from oracles.elimination_oracle import OracleAgent, compute_policy, multiplicity_of

MEANS = np.array([[0.9, 0.6, 0.1], [0.1, 0.8, 0.5], [0.7, 0.7, 0.2]])
FAVOURITES = MEANS.max(axis=1, keepdims=True) <= MEANS


def run_bernoulli(learner, means, rounds, seed=0, silent=()):
    """Run the learner on rewards of 0 and 1; the rows in `silent` never answer."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        ticket = learner.ask()
        rewards = (rng.random(len(means)) < means[:, ticket.arm]).astype(float)
        rewards[list(silent)] = np.nan
        learner.tell(ticket, rewards)
    return learner


def assert_matches_oracle(learner, ticket, doubters, weights, how, rows=False):
    """Whether the learner is where the plain version is; P to 1e-12, where a solver had no part in it."""
    told, voices = compute_policy(doubters, weights, len(ticket.policy), **how)
    solved = any(len(one.candidates) > 1 and not one.in_doubt for one in doubters)
    assert [set(np.flatnonzero(row)) for row in learner.sets] == [one.candidates for one in doubters]
    np.testing.assert_allclose(ticket.policy, told, rtol=0, atol=1e-6 if solved else 1e-12)
    if rows:
        assert learner.resolved.tolist() == [not one.in_doubt for one in doubters]
        np.testing.assert_allclose(learner.voices, voices, atol=1e-6)
        np.testing.assert_allclose(learner.voices.sum(axis=0), ticket.policy, atol=1e-6)


# -- the rule ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_elimination_matches_oracle(seed):
    """600 rounds with 10 % of the answers missing, saved and restored now and then: sets, policy, voices, capitals."""
    rng = np.random.default_rng(seed)
    agents, arms = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    means, weights = rng.random((agents, arms)), rng.integers(1, 4, agents).tolist()
    how = {"explore": [0.25, 0.5, 1.0][seed % 3], "lend": 0.3 * (seed % 4 == 3), "trickle": 0.2 * (seed % 7 == 1)}
    told = {"error": 0.3, "resolution": 0.5 * (seed % 2), "watch": seed % 5 != 2}
    learner = EliminationLearner(agents, arms, seed=seed, weights=weights, **told, **how)
    doubters = [OracleAgent(arms, multiplicity_of(i, agents), **told) for i in range(agents)]
    for t in range(600):
        means = means[:, ::-1] if t == 300 and seed % 3 else means
        ticket = learner.ask()
        if not ticket.forced:
            assert_matches_oracle(learner, ticket, doubters, weights, how, rows=t % 20 == 0)
        rewards = (
            (rng.random(agents) < means[:, ticket.arm]).astype(float)
            if seed % 2
            else rng.beta(*(np.maximum(1e-3, 8 * m) for m in (means[:, ticket.arm], 1 - means[:, ticket.arm])))
        )
        rewards[rng.random(agents) < 0.1] = np.nan
        learner.tell(ticket, rewards)
        for doubter, reward in zip(doubters, rewards.tolist(), strict=True):
            if reward == reward:
                doubter.hear(ticket.arm, reward, ticket.policy)
        learner = Learner.from_json(learner.to_json()) if t % 150 == 75 else learner
    capital = [[np.mean(one.capital[k]) if k in one.candidates else np.nan for k in range(arms)] for one in doubters]
    np.testing.assert_allclose(learner.capital, capital, rtol=1e-9)
    bounds = np.array([[one.bounds(k) for k in range(arms)] for one in doubters])
    np.testing.assert_allclose(np.stack([learner.lower, learner.upper], axis=2), bounds, atol=1e-9)
    assert len(learner.alarms) == sum(one.alarms for one in doubters)


@pytest.mark.parametrize("seed", range(4))
def test_oracle_with_masks_delays_and_roster_changes(seed):
    rng = np.random.default_rng(seed)
    learner = EliminationLearner(3, 3, error=0.3, resolution=0.4, seed=seed, may_join=True, arms=["a", "b", "c"])
    doubters = [OracleAgent(3, multiplicity_of(i, 3, 0), 0.3, 0.4) for i in range(3)]
    means, here, joins, waiting = np.pad(MEANS, ((0, 1), (0, 1)), constant_values=0.5), [0, 1, 2], 0, []
    for t in range(400):
        if t == 150:
            learner.leave("Agent 3")
            doubters[2].leave()
            here = [0, 1]
        if t == 200:
            learner.join("Agent 3")
            learner.join("late")
            here = [0, 1, 2, 3]
            doubters.append(OracleAgent(3, multiplicity_of(3, 3, 0), 0.3, 0.4))
        if t == 250:
            learner.add_arm("d")
            joins = 1
            for row, doubter in enumerate(doubters):
                doubter.add_arm(multiplicity_of(row, 3, joins))
        arms = len(learner.arms)
        mask = sorted(rng.choice(arms, int(rng.integers(1, arms + 1)), replace=False).tolist())
        ticket = learner.ask(mask if rng.random() < 0.4 else None)
        shown = mask if not all(np.array(ticket.policy)[[k for k in range(arms) if k not in mask]]) else range(arms)
        open_arms = set(np.flatnonzero(learner.sets.any(axis=0)).tolist()) | set(shown)
        if not ticket.forced and open_arms == set(range(arms)):
            told, _ = compute_policy([doubters[i] for i in here], [1] * len(here), arms)
            if [set(np.flatnonzero(row)) for row in learner.sets] == [doubters[i].candidates for i in here]:
                np.testing.assert_allclose(ticket.policy, told, atol=1e-6)
        waiting.append((ticket, list(here)))
        while waiting and (len(waiting) > 3 or rng.random() < 0.7):
            old, asked = waiting.pop(int(rng.integers(len(waiting))))
            said = {i: float(rng.random() < means[i, old.arm]) for i in asked if rng.random() < 0.9}
            late = {i: x for i, x in said.items() if rng.random() < 0.2}
            for answers in ({i: x for i, x in said.items() if i not in late}, late):
                learner.tell(old, answers) if answers or answers is not late else None
                for i, x in answers.items():
                    doubters[i].hear(old.arm, x, learner.policy)
    learner.ask()
    assert [set(np.flatnonzero(row)) for row in learner._candidate_matrix()] == [one.candidates for one in doubters]
    masked = learner.propose([0, 2])
    expected, rows = compute_policy([doubters[i] for i in here], [1] * len(here), 4, available=[0, 2])
    np.testing.assert_allclose(masked.policy, expected, atol=1e-6)
    np.testing.assert_allclose(learner.voices_over([0, 2]), rows, atol=1e-6)


def test_rewards_of_one_agent_leave_others_unchanged():
    """With pair sizes held at 1 and the arms kept, another's answers change nothing of one's own, bit for bit."""
    rng, rows, shares = np.random.default_rng(5), np.arange(4, dtype=np.intp), np.full(3, 1 / 3)
    prices = allocate_error(0.2, True, 4, 3, 4, None)
    one, other = (BettingSets(4, 3, rows, 4, prices, 0.05) for _ in range(2))
    for t in range(1500):
        arm, rewards = int(rng.integers(3)), rng.random(4)
        one.hear(t, arm, rewards, rows, shares)
        rewards[2] = rng.random()
        other.hear(t, arm, rewards, rows, shares)
    kept = [0, 1, 3]
    for sets in (one, other):
        sets.write_down()
        sets.pairs[list(elimination_state.OPEN_PAIR_FIELDS)][sets.pairs["leader"] < 0] = (
            0  # what a closed pair had matters no more
        )
    for name in one.pairs.dtype.names:
        assert one.pairs[name][:, kept].tobytes() == other.pairs[name][:, kept].tobytes()
    assert one.heard[:, kept].tobytes() == other.heard[:, kept].tobytes()
    assert np.array_equal(one.kept[:, kept], other.kept[:, kept])
    assert not np.array_equal(one.pairs[:, 2], other.pairs[:, 2])
    assert not np.array_equal(one.heard[:, 2], other.heard[:, 2])


@pytest.mark.parametrize("seed", range(3))
def test_batched_change_detection_equals_single_agents(seed):
    """Pairs that run alike are counted once for all of them; whoever is alone shares nothing with anybody."""
    rng, agents, arms = np.random.default_rng(seed), 12, 4
    prices = allocate_error(0.5, True, agents, arms, agents, None)
    together, rows = BettingSets(agents, arms, np.arange(agents), agents, prices, 0.05), np.arange(agents)
    one_price = replace(prices, **{name: getattr(prices, name)[:1] for name in ("part", "width", "alarm")})
    alone = [BettingSets(1, arms, rows[:1], 1, one_price, 0.05) for _ in range(agents)]
    means = np.where(rng.random((agents, arms)) < 0.5, 0.9, 0.2)
    means[np.arange(agents), rng.integers(arms, size=agents)] = 1.0
    alarms = np.zeros(2, dtype=int)
    for t in range(4000):
        if t == 2000:
            means = 1.0 - means
        shares = np.roll([0.6, 0.2, 0.1, 0.1], t // 300)
        arm = int(rng.choice(arms, p=shares))
        rewards = (rng.random(agents) < means[:, arm]).astype(float)
        rewards[rng.random(agents) < (0.3 if t % 500 < 60 else 0.0)] = np.nan
        together.hear(t, arm, rewards, rows, shares)
        for reward, mine in zip(rewards, alone, strict=True):
            mine.hear(t, arm, np.array([reward]), rows[:1], shares)
        alarms += (together.alarmed_at > 0).sum(), sum((mine.alarmed_at > 0).sum() for mine in alone)
        for sets in (together, *alone):
            sets.alarmed_at[:] = 0
    assert alarms[0] == alarms[1] > 0
    for sets in (together, *alone):
        sets.write_down()
        sets.pairs[list(elimination_state.OPEN_PAIR_FIELDS)][sets.pairs["leader"] < 0] = 0
    each = np.concatenate([mine.pairs for mine in alone], axis=1)
    assert all(np.array_equal(together.pairs[name], each[name]) for name in each.dtype.names)
    assert np.array_equal(together.heard, np.concatenate([mine.heard for mine in alone], axis=1))
    assert np.array_equal(together.kept, np.concatenate([mine.kept for mine in alone], axis=1))


def test_open_pair_closes_at_worst_case():
    learner = EliminationLearner(1, 2, seed=0, watch=False)
    for arm, reward in ((0, 0.9), (1, 0.1), (0, 0.9)):
        learner.tell(learner.accept(learner.propose(), arm), [reward])
    pair = learner._candidates.pairs[1, 0].copy()
    assert (pair["leader"], pair["own_seen"]) == (0, 0)
    learner._candidates.close_pairs(0)
    factor = 1 + pair["bet"] * (pair["ahead"] / pair["ahead_size"] - 1.0)
    np.testing.assert_allclose(learner._candidates.pairs[1, 0]["capital"], pair["capital"] * factor)


# -- the promise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", list(coverage.COVERAGE_ENVIRONMENTS)[::3])
def test_tied_favourites_are_rarely_lost(words):
    assert coverage.count_losses(coverage.COVERAGE_ENVIRONMENTS[words](), 60, 1500) <= coverage.MAX_LOSS_RATE * 60


@pytest.mark.parametrize("fault", list(coverage.PLANTED_FAULTS)[1:])
def test_planted_faults_are_seen(fault):
    arms = 10 if "given up" in fault else 2
    assert coverage.count_losses_with_fault(fault, arms, 16, 2500) > coverage.MIN_FAULT_RATE * 16 * 0.7
    assert coverage.count_losses_with_fault("none", arms, 16, 600) <= coverage.MAX_LOSS_RATE * 16


@pytest.mark.parametrize("seed", range(40))
def test_theorem_3_holds_in_random_groups(seed):
    lived = theorem3.check_random_group(seed)
    assert lived.wait < 1
    assert lived.plays > 0
    assert lived.score >= 0


def test_every_round_is_fair_to_what_is_known():
    """The rows of `voices` lie in the sets and sum to w/W, in every round; so P is decomposable over the sets."""
    learner, weights = EliminationLearner(3, 3, seed=2, error=0.2, weights=[1, 2, 3]), np.array([1, 2, 3])
    rng = np.random.default_rng(1)
    for _ in range(400):
        ticket = learner.ask()
        if not ticket.forced:
            voices = learner.voices
            assert (voices[~learner.sets] == 0).all()
            np.testing.assert_allclose(voices.sum(axis=1), weights / 6)
            np.testing.assert_allclose(voices.sum(axis=0), ticket.policy, atol=1e-9)
        learner.tell(ticket, (rng.random(3) < MEANS[:, ticket.arm]).astype(float))
    np.testing.assert_allclose(learner.due, weights / 6)


def test_lunch_waits_and_scores():
    truth = study_instances.make_lunch()
    world = BetaRewards(truth, sd=0.1)
    traces = iso.simulate_many(EliminationLearner(10, 4), world, 1000, 20, workers=1, keep_arms=True, records=1)
    assert max(trace.longest_wait.max() for trace in traces) <= 30
    shares = [[np.bincount(trace.arms[:at], minlength=4) / at for trace in traces] for at in (250, 1000)]
    early, late = (np.mean([iso.score(truth, share).procedural for share in rows]) for rows in shares)
    assert early >= 0.92
    assert late >= 0.975


def test_resolved_agent_does_not_wait_for_doubters():
    truth = study_instances.make_starving()
    learner = EliminationLearner(3, 3)
    for trace in iso.simulate_many(learner, BernoulliRewards(truth), 5000, 5, workers=1, keep_arms=True, records=1):
        assert 0 < trace.resolved_at[2] < 500
        assert play_scores.longest_waits_after_resolution(trace, truth)[2] < 9
        assert trace.realised_voice[2] > 0.95 / 3


def test_silent_agent_costs_others_nothing():
    learner = run_bernoulli(
        EliminationLearner(3, 2, seed=1), np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]), 400, silent=[2]
    )
    assert learner.resolved.tolist() == [True, True, False]
    np.testing.assert_allclose(learner.voices[:2], [[1 / 3, 0], [0, 1 / 3]])
    assert learner.voices[2].sum() == pytest.approx(1 / 3)


def test_weight_is_voice():
    means, weights = np.array([[0.9, 0.1], [0.1, 0.9]]), [3, 1]
    learner = run_bernoulli(EliminationLearner(2, 2, seed=1, weights=weights), means, 600)
    np.testing.assert_allclose(learner.voices, [[0.75, 0.0], [0.0, 0.25]])
    learner.set_weight("Agent 2", 3)
    np.testing.assert_allclose(learner.propose().policy, [0.5, 0.5])


def test_resolved_group_gets_procedural_policy():
    learner = run_bernoulli(EliminationLearner(3, 3, seed=1, resolution=0.35), MEANS, 3000)
    assert learner.resolved.all()
    fair = iso.solve(iso.Instance(learner.sets.astype(float)), "procedural").policy
    np.testing.assert_allclose(learner.propose().policy, fair, atol=1e-6)


# -- changes -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_change_to_played_arm_is_detected():
    found = taste_changes.measure_drift(5, ("A",), (0.0,))
    assert (found["noticed"], found["false"]) == ([5], [0])
    assert found["median"][0] <= 400
    assert found["score_after"][0] > 0.99


@pytest.mark.slow
def test_change_to_unplayed_arm_needs_monitoring():
    found = taste_changes.measure_drift(2, ("B",), (0.0, 0.1))
    assert found["noticed"] == [0, 2]
    assert found["score_after"][0] < 0.7 < 0.95 < found["score_after"][1]


def test_stationary_groups_raise_no_alarm():
    assert taste_changes.count_false_alarms(6, 4000) == 0


# -- what its group sees -----------------------------------------------------------------------------------------------


def test_notes_report_resolutions_and_alarms_once():
    before = np.array([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1]])
    learner = EliminationLearner(2, 3, seed=3, error=0.05, agents=["Ann", "Jun"], arms=["noodles", "curry", "soup"])
    rng, notes = np.random.default_rng(0), []
    for t in range(3000):
        ticket = learner.ask()
        notes += ticket.notes
        means = before if t < 1000 else before[:, [1, 0, 2]]
        learner.tell(ticket, (rng.random(2) < means[:, ticket.arm]).astype(float))
    text = " ".join(notes)
    assert "Ann is resolved: noodles (round " in text
    assert "Jun's answers no longer fit curry (round " in text
    assert ": Jun is in doubt again, at Jun's own cost." in text
    assert text.count("Everyone is resolved") >= 2
    assert len(notes) == len(set(notes))
    assert {agent for _, agent in learner.alarms} == {"Ann", "Jun"}
    assert learner.sets.tolist() == [[False, True, False], [True, False, False]]


def test_notes_about_many_become_one():
    found = [(7, f"A{i}", ["tea"]) for i in range(6)]
    assert elimination_notes.format_resolved_agents(found, 0.05) == ["6 agents are resolved (round 7)."]
    many = elimination_notes.format_alarms([(9, f"A{i}", "tea") for i in range(6)])
    assert len(many) == 1
    assert "6 agents" in many[0]


def test_played_share_uses_current_sets():
    learner = run_bernoulli(EliminationLearner(2, 2, seed=1, may_join=True), np.array([[0.9, 0.1], [0.1, 0.9]]), 500)
    pulls = learner.pulls
    np.testing.assert_allclose(learner.played, pulls / pulls.sum())
    last = learner.ask()
    assert learner.waiting[last.arm] == 0
    learner.join("new")
    assert learner.waiting[2] == 0
    assert learner.played[2] == 0
    learner.ask()
    assert learner.played[2] == 1
    copy = Learner.from_json(learner.to_json())
    assert np.array_equal(copy.waiting, learner.waiting)
    assert np.array_equal(copy.played, learner.played)


def test_proposal_lists_exploration_arms():
    learner = run_bernoulli(EliminationLearner(2, 3, seed=1), np.array([[0.9, 0.1, 0.1], [0.5, 0.5, 0.1]]), 900)
    assert learner.resolved.tolist() == [True, False]
    proposal = learner.propose()
    assert (proposal.exploration_rate, proposal.exploration_arms) == (
        0.0,
        tuple(np.flatnonzero(learner.sets[1]).tolist()),
    )
    assert proposal.propensities == proposal.policy
    ticket = learner.ask()
    assert not ticket.exploring
    trace = iso.simulate(EliminationLearner(2, 3), BernoulliRewards(MEANS[:2]), 300, seed=1)
    assert trace.exploring_rounds == 0


def test_ask_equals_propose_and_accept():
    one, other = (EliminationLearner(3, 3, seed=4) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(300):
        ticket, proposal = one.ask(), other.propose()
        assert ticket.policy == proposal.policy
        settled = other.accept(proposal, ticket.arm)
        rewards = (rng.random(3) < MEANS[:, ticket.arm]).astype(float)
        one.tell(ticket, rewards)
        other.tell(settled, rewards)
    assert np.array_equal(one.sets, other.sets)
    np.testing.assert_array_equal(one.capital, other.capital)


def test_saved_learner_resumes_exactly():
    world = TEST_ENVIRONMENTS["clear"]()
    learner = EliminationLearner(world.n_agents, world.n_arms, seed=9)
    player = Player(learner, world, world.stream(3))
    player.play(world.n_arms)
    player.play(57)
    twin = Learner.from_json(learner.to_json())
    stream = world.stream(11)
    for _ in range(200):
        ticket = learner.ask()
        assert twin.ask() == ticket
        rewards = stream.pull(ticket.arm)
        learner.tell(ticket, rewards)
        twin.tell(ticket, rewards)
    assert twin.to_json() == learner.to_json()


# -- settings and states -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"error": 0},
        {"error": 1},
        {"resolution": -0.1},
        {"resolution": 1},
        {"explore": 0},
        {"explore": 1.5},
        {"lend": -1},
        {"lend": 2},
        {"trickle": "a"},
        {"floor": 1.5},
        {"watch": "no"},
        {"may_join": 2},
    ],
)
def test_settings_outside_their_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        EliminationLearner(2, 2, **wrong)


def test_shared_exploration_moves_voice():
    learner = run_bernoulli(EliminationLearner(2, 2, seed=1, lend=0.5), np.array([[0.9, 0.1], [0.5, 0.5]]), 300)
    voices = learner.voices
    assert learner.resolved.tolist() == [True, False]
    np.testing.assert_allclose(voices.sum(axis=1), [0.25, 0.75])
    np.testing.assert_allclose(voices.sum(axis=0), learner.propose().policy)


def test_fixed_group_allows_return_only():
    learner = EliminationLearner(2, 2, agents=["a", "b"])
    learner.leave("b")
    learner.join("b")
    with pytest.raises(InputError, match="may_join=True"):
        learner.join("c")
    with pytest.raises(InputError, match="may_join=True"):
        learner.add_arm("new")
    assert learner.agents == ("a", "b")


def test_new_arm_is_candidate_and_wealth_stays():
    learner = run_bernoulli(EliminationLearner(3, 3, seed=1, may_join=True), MEANS, 600)
    before, known = learner.capital, learner.sets
    learner.add_arm("new")
    learner.join("late")
    np.testing.assert_array_equal(learner.capital[:3, :3], before)
    assert learner.ask().forced
    learner.ask()
    assert learner.sets[:3, :3].tolist() == known.tolist()
    assert learner.sets[:, 3].all()
    assert learner.sets[3].all()
    assert not learner.resolved.any()


def test_errors_are_shared_among_those_who_may_join():
    first, later = allocate_error(0.1, False, 4, 3, 2, 0), allocate_error(0.1, False, 4, 4, 2, 1)
    assert first.bet == pytest.approx(0.09)
    assert (1 / first.part).sum() <= 0.5
    assert (1 / later.part).sum() <= 1 / 6
    assert allocate_error(0.1, True, 4, 3, 4, None).bet == pytest.approx(0.08)
    assert (allocate_error(0.1, False, 4, 3, 4, None).alarm == np.inf).all()


def test_sets_shrink_between_alarms():
    learner, rng = EliminationLearner(3, 3, seed=1), np.random.default_rng(3)
    before, alarms = np.ones((3, 3), dtype=bool), 0
    for t in range(3000):
        ticket = learner.ask()
        if not ticket.forced:
            assert learner.sets.any(axis=1).all()
            assert len(learner.alarms) > alarms or not (learner.sets & ~before).any()
            before, alarms = learner.sets, len(learner.alarms)
        turned = MEANS if (t // 500) % 2 == 0 else 1 - MEANS
        learner.tell(ticket, np.clip(turned[:, ticket.arm] + rng.uniform(-0.05, 0.05, 3), 0, 1))
    assert alarms > 0


@pytest.mark.parametrize("seed", range(4))
def test_record_learner_equals_kernel(seed):
    """What writer and receipts of a record compute, beside the kernel with whole votes, their prices, and no watch."""
    rng, arms, error, growth, price = np.random.default_rng(seed), 4, 0.4, 2, 6
    bits = next(bits for bits in range(99) if 2**bits >= 32.0 * arms * growth * price * 10 / error)
    prices = ErrorBudget(
        np.array([growth * price * 1.0]),
        0.9 * error,
        np.array([bits * record_guided.LN2_ROUNDED_UP]),
        np.array([np.inf]),
        np.array(record_guided.PSI_E_VALUES),
    )
    rows, mind = np.arange(1, dtype=np.intp), record_guided.MemberLearner(error, 0.3 * (seed % 2), price)
    mind.turn(arms, growth)
    sets = BettingSets(1, arms, rows, 1, prices, mind.resolution)
    sets.count_votes()
    means, votes = rng.random(arms), np.ones(arms, dtype=int)
    for t in range(900):
        votes = rng.integers(0, 50, arms) if t % 40 == 0 else votes
        arm = int(rng.integers(arms))
        reward = float(rng.random() < means[arm]) if seed < 2 else float(rng.beta(2 * means[arm] + 0.1, 2 - means[arm]))
        sets.hear(t, arm, np.array([reward]), rows, votes.astype(float))
        mind.tell(arm, reward, votes.tolist())
        assert np.flatnonzero(unpack_sets(sets.kept, arms)[0]).tolist() == sorted(mind.candidates)
        assert (int(sets.leaders[0]), not sets.doubting[0]) == (mind.leader, mind.resolved)
        held = sets.pairs["capital"][:, 0]
        assert all(held[k].tolist() == mind.capital[k] for k in mind.candidates)
        assert sets.intervals()[0][0].tolist() == [mind.bounds(k)[0] for k in range(arms)]
    assert len(mind.candidates) < arms

"""`isegoria.testing`: the suites pass on good work of another author, and catch what each of them is for."""

import sys
from pathlib import Path

import numpy as np
import pytest

import isegoria as iso
from isegoria.io import FORMATS
from isegoria.testing import FORMAT_CHECKS, OBJECTIVE_CHECKS, check_format, check_learner, check_objective, check_rule

ROOT = Path(__file__).parents[1]
SAMPLES = {
    "soc": [b"# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: milk\n3: 1,2\n2: 2,1\n"],
    "csv": [(ROOT / "examples" / "drinks.csv").read_bytes()] if (ROOT / "examples" / "drinks.csv").exists() else [],
}


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "example_plugin"))
    yield
    for name in [name for name in sys.modules if name.startswith("example_plugin")]:
        del sys.modules[name]


@pytest.mark.parametrize("id", [row.id for row in FORMATS.values() if not row.ordinal])
def test_every_format_that_is_written_keeps_the_contract(id):
    module = FORMATS[id].load()
    assert check_format(module, SAMPLES.get(id, [])) == list(FORMAT_CHECKS)


def test_the_work_of_another_author_passes(plugin):
    from example_plugin import approval_rule, pair_format, turn_taking_learner

    assert check_objective(approval_rule.Approval()) == list(OBJECTIVE_CHECKS)
    assert check_format(pair_format) == list(FORMAT_CHECKS)
    check_learner(turn_taking_learner.TurnTakingLearner)


def fair(instance, tie_break="centre", within=None):
    return iso.solve(instance, "utilitarian", tie_break, within).policy


def total(instance, policy):
    return float(instance.weights @ instance.means @ policy) / instance.total_weight


FAULTY_OBJECTIVES = {
    "every answer": {"optimise": lambda i, t, w: np.full(len(i.arms), 0.5), "evaluate": total},
    "no policy is better": {"optimise": lambda i, t, w: np.full(len(i.arms), 1 / len(i.arms)), "evaluate": total},
    "tie breaks agree": {
        "optimise": lambda i, t, w: fair(i) if t == "centre" else np.eye(len(i.arms))[0],
        "evaluate": total,
    },
    "renamed arms": {"optimise": lambda i, t, w: np.eye(len(i.arms))[0], "evaluate": lambda i, p: float(p[0])},
    "reordered merged": {
        "optimise": lambda i, t, w: np.eye(len(i.arms))[i.means.sum(axis=0).argmax()],
        "evaluate": lambda i, p: float((i.means @ p).sum()),
    },
}


@pytest.mark.parametrize("fault", FAULTY_OBJECTIVES)
def test_a_faulty_objective_is_told_which_promise_it_breaks(fault):
    mine = iso.Objective("mine", summary="a rule with a fault", **FAULTY_OBJECTIVES[fault])
    with pytest.raises(AssertionError, match=f"^{fault}"):
        check_objective(mine)


def rows_of(instance):
    """(N, K) the means; a scanned table refuses."""
    return instance.means.toarray() if instance.is_sparse else instance.means


def spread(wanted):
    return wanted / wanted.sum(axis=1, keepdims=True)


def cut_by_ratings(instance):
    """Each voice on its favourites of largest total rating, where supporters are meant."""
    rows = rows_of(instance)
    worth = np.where(rows == rows.max(axis=1, keepdims=True), instance.arm_means, -1)
    best = spread(worth >= worth.max(axis=1, keepdims=True) - 1e-12)
    return instance.weights @ best / instance.total_weight


def to_the_first(instance):
    """Each voice on its first favourite."""
    return instance.weights @ np.eye(len(instance.arms))[rows_of(instance).argmax(axis=1)] / instance.total_weight


def by_rows(instance):
    """Each row even over its favourites, however many agents it stands for."""
    rows = rows_of(instance)
    return spread(rows == rows.max(axis=1, keepdims=True)).mean(axis=0)


def dense_only(instance):
    return np.vstack([instance.means, np.ones(len(instance.arms))])[-1] / len(instance.arms)


def even(instance):
    return np.ones(len(instance.arms)) / len(instance.arms)


FAULTY_RULES = {
    "ties to the lowest index": ("renamed arms", {"policy": to_the_first}),
    "a ValueError on sparse tables": ("a sparse table", {"policy": dense_only}),
    "means where favourites are said": ("it reads no more", {"policy": cut_by_ratings, "input_kind": "favourites"}),
    "a false claim to be fair": ("its claims.*fair", {"policy": even, "fair": True}),
    "a false claim to be honest": (
        "its claims.*honest",
        {"policy": lambda i: iso.solve(i).policy, "strategyproof": "shares"},
    ),
    "a row counted once": ("reordered merged", {"policy": by_rows}),
    "chance": ("equal calls", {"policy": lambda i: np.random.default_rng().dirichlet(even(i) * 1e24)}),
}


@pytest.mark.parametrize("fault", FAULTY_RULES)
def test_a_faulty_rule_is_told_which_promise_it_breaks(fault):
    broken, given = FAULTY_RULES[fault]
    with pytest.raises(AssertionError, match=f"^{broken}"):
        check_rule(iso.Rule("mine", summary="a rule with a fault", **given))


def test_an_objective_that_ignores_within_is_refused_rather_than_believed():
    mine = iso.Objective("mine", summary="no within", optimise=lambda i, t, w: fair(i, t), evaluate=total)
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    with pytest.raises(iso.InputError, match="'mine' does not keep within='fair'; leave it out"):
        iso.solve(instance, mine, within="fair")
    assert len(check_objective(mine)) == len(OBJECTIVE_CHECKS)


class Even(iso.Learner):
    """A learner without a fault: every available arm alike, tried by a subclass with one."""

    id, label, summary = "even", "Even", "every arm alike"

    def __init__(self, n_agents, n_arms, seed=None, agents=None, arms=None, weights=None):
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms, weights=weights)
        self.asked = 0  # set after the base class, as everyone does

    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = 1 / len(arms)
        return policy


class Unnamed(Even):
    label = ""


class Short(Even):
    def compute_policy(self, state, arms):
        return super().compute_policy(state, arms) / 2


class Global(Even):
    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[list(arms)[np.random.default_rng().integers(len(arms))]] = 1
        return policy


class Forgetful(Even):
    def observe(self, arm, rows, rewards):
        self.asked = getattr(self, "asked", 0) + 1

    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[arms[getattr(self, "asked", 0) % len(arms)]] = 1
        return policy


class Deaf(Even):
    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[0] = 1
        return policy


class Monarchy(Even):
    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[list(arms)[int(self._tally.means[list(arms), self._present[0]].argmax())]] = 1
        return policy


FAULTY_LEARNERS = {
    Unnamed: "it says what it is",
    Short: "",  # refused by the protocol, or by the check of probabilities
    Global: "",  # a proposal repeated, or a trajectory: whichever is looked at first
    Forgetful: "a saved learner continues",
    Deaf: "only available arms",
    Monarchy: "the order of agents",
}


def test_a_learner_without_a_fault_passes():
    assert len(check_learner(Even)) == 17


@pytest.mark.parametrize("kind", FAULTY_LEARNERS, ids=lambda kind: kind.__name__)
def test_a_faulty_learner_is_told_which_promise_it_breaks(kind):
    with pytest.raises(AssertionError, match=f"^{FAULTY_LEARNERS[kind]}"):
        check_learner(kind)


def test_a_faulty_format_is_told_which_promise_it_breaks(plugin):
    from types import SimpleNamespace

    with pytest.raises(AssertionError, match=r"^it has read"):
        check_format(SimpleNamespace())
    with pytest.raises(AssertionError, match=r"^junk is refused.*raises JSONDecodeError"):
        check_format(SimpleNamespace(read=lambda stream, where: __import__("json").load(stream)))
    with pytest.raises(AssertionError, match=r"^a good file gives.*not a dict"):
        check_format(SimpleNamespace(read=lambda stream, where: iso.Instance([[1]]), EXAMPLE=b"x"))
    good = FORMATS["json"].load()
    rounded = SimpleNamespace(read=good.read, write=lambda i: good.write(iso.Instance(i.means.round(2))))
    with pytest.raises(AssertionError, match=r"^what it writes it reads again: the means came back changed"):
        check_format(rounded)

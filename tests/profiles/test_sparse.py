"""Sparse means: the same answers as the dense table, and nothing made dense on the way."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import isegoria as iso


def random_sparse_table(seed: int, agents: int, arms: int, filled: float = 0.1, values=(0.25, 0.5, 1.0)):
    """A sparse table of a few values, in which some agents rate nothing."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((agents, arms)) < filled, rng.choice(values, (agents, arms)), 0.0)


KINDS = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.lil_array, sparse.dok_array]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_sparse_table_says_what_the_dense_one_says(kind):
    means = random_sparse_table(1, 12, 9)
    instance, dense = iso.Instance(kind(means)), iso.Instance(means)
    assert instance.is_sparse
    assert instance == dense
    assert isinstance(instance.means, sparse.csr_array)
    assert instance.favourites.dtype == bool
    assert np.array_equal(instance.indifferent, ~means.any(axis=1))
    assert np.array_equal(instance.favourites.toarray(), dense.favourites & ~instance.indifferent[:, None])
    assert np.array_equal(instance.best_means, means.max(axis=1))
    assert instance.smallest_gap == dense.smallest_gap
    policy = np.random.default_rng(0).dirichlet(np.ones(9))
    assert instance.utilities(policy) == pytest.approx(dense.utilities(policy), abs=1e-15)
    assert instance.decision_shares(policy) == pytest.approx(dense.decision_shares(policy), abs=1e-15)
    for payoff in ("utilities", "shares"):
        assert instance.nash_welfare(policy, payoff).log == pytest.approx(dense.nash_welfare(policy, payoff).log)


def test_the_callers_matrix_is_neither_changed_nor_copied():
    given = sparse.csr_array(random_sparse_table(2, 8, 5))
    instance = iso.Instance(given)
    assert np.shares_memory(instance.means.data, given.data)
    with pytest.raises(ValueError, match="read-only"):
        instance.means.data[0] = 0
    doubled = sparse.coo_array(([0.25, 0.25, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    again = iso.Instance(doubled)
    assert again.means.toarray().tolist() == [[0, 0.5, 0], [0, 0, 0]]
    assert again.means.nnz == 1
    assert doubled.nnz == 3


def test_types_are_merged_with_the_indifferent_as_one():
    means = np.vstack([random_sparse_table(3, 40, 70, 0.05), np.zeros((3, 70)), random_sparse_table(3, 40, 70, 0.05)])
    instance, dense = iso.Instance(sparse.csr_array(means), weights=[2] * 83), iso.Instance(means, weights=[2] * 83)
    assert instance.types.weights.sum() == 166
    assert np.array_equal(instance.types.rows.toarray()[instance.types.member], means)
    sets = instance.favourite_types
    assert np.array_equal(sets.rows.toarray()[sets.member], dense.favourites)
    assert np.array_equal(dense.favourite_types.rows[dense.favourite_types.member], dense.favourites)


@pytest.mark.parametrize("objective", ["procedural", "nash", "utilitarian"])
@pytest.mark.parametrize("arms", [5, 90, 300])
def test_sparse_and_dense_tables_have_one_optimum(objective, arms):
    for seed in range(4):
        means = random_sparse_table(seed, 60, arms, 4 / arms)
        instance, dense = iso.Instance(sparse.csr_array(means)), iso.Instance(means)
        one, other = iso.solve(instance, objective), iso.solve(dense, objective)
        assert one.gap <= 1e-9
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.policy == pytest.approx(other.policy, abs=1e-9)


@pytest.mark.parametrize("objective", ["procedural", "nash"])
@pytest.mark.parametrize("tie_break", ["centre", "utilitarian", "vertex"])
def test_ties_between_many_arms_are_broken_by_the_same_rule(objective, tie_break):
    """Twin arms: the kernels for few arms say which of the optima it is."""
    rng = np.random.default_rng(8)
    means = random_sparse_table(9, 30, 36, 0.1)
    twins = np.concatenate([np.arange(36), rng.integers(36, size=36)])
    few, many = iso.Instance(means[:, twins[:60]]), iso.Instance(sparse.csr_array(means[:, twins[:60]]))
    one, other = iso.solve(few, objective, tie_break), iso.solve(many, objective, tie_break)
    assert one.policy == pytest.approx(other.policy, abs=1e-9)


@pytest.mark.parametrize("objective", ["procedural", "nash"])
def test_the_order_of_many_arms_and_agents_does_not_matter(objective):
    for seed, (agents, arms) in enumerate([(200, 120), (50, 500), (900, 600)]):
        rng = np.random.default_rng(seed)
        means = random_sparse_table(seed, agents, arms, 5 / arms)
        means[0] = 0
        columns, rows = rng.permutation(arms), rng.permutation(agents)
        told = iso.solve(iso.Instance(sparse.csr_array(means)), objective)
        turned = iso.solve(iso.Instance(sparse.csr_array(means[rows][:, columns])), objective)
        assert told.gap <= 1e-9
        if told.tie_margin > 1e-8:
            assert turned.policy == pytest.approx(told.policy[columns], abs=1e-9)


def test_all_arms_survive_where_each_has_a_ballot_of_its_own():
    means = np.vstack([random_sparse_table(4, 300, 450, 0.02, (1.0,)), np.eye(450)])
    solution = iso.solve(iso.Instance(sparse.csr_array(means)))
    assert (solution.policy > 0).all()
    assert solution.gap <= 1e-12


def test_nobody_wants_anything():
    instance = iso.Instance(sparse.csr_array((4, 80)))
    for objective in ("procedural", "nash", "utilitarian"):
        solution = iso.solve(instance, objective)
        assert solution.policy == pytest.approx(np.full(80, 1 / 80))
        assert solution.gap == 0
    assert iso.solve(instance).value == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (sparse.csr_array([[0, 1.5], [0, 0]]), r"means\[0, 1\] .*is 1.5; means must lie in \[0, 1\]"),
        (sparse.csr_array([[0, 1], [-0.5, 0]]), r"means\[1, 0\] .*is -0.5"),
        (sparse.csr_array([[0, np.nan]]), r"means\[0, 1\] .*is nan"),
        (sparse.csr_array((0, 3)), "0 rows"),
        (sparse.csr_array([[1j, 0]]), "complex128"),
    ],
)
def test_what_is_no_mean_is_refused_at_its_place(given, said):
    with pytest.raises(iso.InputError, match=said):
        iso.Instance(given)


def test_a_sparse_instance_survives_pickling():
    instance = iso.Instance(sparse.csr_array(random_sparse_table(5, 6, 4)), agents=list("abcdef"))
    assert pickle.loads(pickle.dumps(instance)) == instance


@pytest.mark.slow
@pytest.mark.parametrize("arms", [8, 90])
def test_everything_else_can_be_asked_of_a_sparse_instance_too(arms):
    means = random_sparse_table(11, 40, arms, 5 / arms)
    means[3] = 0
    instance, dense = iso.Instance(sparse.csr_array(means)), iso.Instance(means)
    policy = np.random.default_rng(3).dirichlet(np.ones(arms))
    one, other = iso.score(instance, policy), iso.score(dense, policy)
    assert one.values == pytest.approx(other.values, abs=1e-12)
    assert one.procedural_interval == pytest.approx(other.procedural_interval, abs=1e-12)
    assert sparse.issparse(one.attribution_matrix)
    assert one.ratios == pytest.approx(other.ratios, abs=1e-12)
    assert one.attribution_matrix.toarray() == pytest.approx(other.attribution_matrix, abs=1e-9)
    assert iso.audit(instance, policy).agent_sentences.__len__() == iso.audit(dense, policy).agent_sentences.__len__()
    assert iso.audit(instance, policy).neglected_coalition.agents == iso.audit(dense, policy).neglected_coalition.agents
    one, other = iso.frontier(instance, points=21), iso.frontier(dense, points=21)
    assert one.values == pytest.approx(other.values, abs=1e-12)
    for payoff in ("shares", "utilities"):
        assert iso.core(instance, policy, payoff).stable is iso.core(dense, policy, payoff).stable
    table_of = iso.compare(instance)
    for name, entry in iso.compare(dense).items():
        assert table_of[name].solution.value == pytest.approx(entry.solution.value, abs=1e-10)
        if min(table_of[name].solution.tie_margin, entry.solution.tie_margin) > 1e-8:
            assert table_of[name].scores.values == pytest.approx(entry.scores.values, abs=1e-8)


def test_an_audit_of_few_agents_tells_each_of_them():
    means = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert iso.audit(iso.Instance(sparse.csr_array(means)), [0.5, 0.5, 0]).sentences == (
        iso.audit(iso.Instance(means), [0.5, 0.5, 0]).sentences
    )


def test_only_writing_makes_it_dense(tmp_path):
    instance = iso.Instance(sparse.csr_array(random_sparse_table(12, 6, 5)))
    for suffix in ("csv", "json", "npz"):
        assert iso.read(iso.write(instance, tmp_path / f"t.{suffix}")) == instance
    assert not instance.to_dense().is_sparse
    assert instance.to_dense() == instance


def test_arms_that_are_nobodys_favourite_take_no_part_in_an_attribution():
    means = np.zeros((6, 200))
    means[:, [3, 50, 120]] = np.random.default_rng(1).integers(1, 3, (6, 3)) / 2
    policy = np.random.default_rng(2).dirichlet(np.ones(200))
    few = iso.score(
        iso.Instance(means[:, [3, 50, 120, 0]]), np.append(policy[[3, 50, 120]], 1 - policy[[3, 50, 120]].sum())
    )
    for given in (means, sparse.csr_array(means)):
        scores = iso.score(iso.Instance(given), policy)
        carried = scores.attribution_matrix if given is means else scores.attribution_matrix.toarray()
        assert carried[:, [3, 50, 120]] == pytest.approx(few.attribution_matrix[:, :3], abs=1e-12)
        assert scores.ratios == pytest.approx(few.ratios, abs=1e-12)
        assert scores.attribution.total == pytest.approx(scores.procedural, abs=1e-12)

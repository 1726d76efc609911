"""The network of types and arms: its size, its links back in a table, and what members of a type carry of it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from isegoria.errors import InputError
from isegoria.solvers.flow.network import Network, on_links, split
from isegoria.solvers.flow.push_relabel import max_flow

ROWS = np.array([[True, False, True], [False, True, False]])


def test_links_are_counted_and_go_back_where_they_came_from():
    network = Network(ROWS)
    assert (network.types, network.arms, network.edges) == (2, 3, 3)
    assert on_links(ROWS, np.array([0.1, 0.2, 0.3])).tolist() == [[0.1, 0, 0.2], [0, 0.3, 0]]


@pytest.mark.parametrize("seed", range(10))
def test_lists_of_favourites_are_the_same_network_and_one_network_serves_again(seed):
    rng = np.random.default_rng(seed)
    rows = rng.random((6, 5)) < 0.5
    rows[np.arange(6), rng.integers(0, 5, 6)] = True
    network, listed = Network(rows), Network(csr_array(rows))
    for _ in range(3):
        shares, policy = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(5))
        flow, cut, y, arms, types = max_flow(rows, shares, policy)
        for other in (network, listed):
            again = max_flow(other, shares, policy)
            assert again[:2] == (flow, cut)
            table = again[2] if other is network else again[2].toarray()
            assert (table == y).all()
            assert (again[3] == arms).all()
            assert (again[4] == types).all()


class EndlessRows:
    """A sparse table of more favourites than an int can number, of which only the size is ever asked."""

    shape = (50_000, 50_000)
    nnz = 2**31


def test_more_links_than_can_be_numbered_are_refused_before_memory_is_asked_for():
    with pytest.raises(InputError, match="2,147,483,648 favourites of 50,000 kinds of agents"):
        Network(EndlessRows())


def test_members_share_by_weight():
    y = split(np.array([[0.6, 0.0], [0.0, 0.4]]), np.array([3, 1]), np.array([0, 1, 0]), np.array([1, 1, 2]))
    np.testing.assert_allclose(y, [[0.2, 0], [0, 0.4], [0.4, 0]])

"""Equal columns of a scanned table are told once: the answers of the same table in memory, from fewer columns."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.out_of_core import map_reduce

KINDS = 6
COPIES = np.array([3, 1, 5, 2, 8, 4])
MEMBER = np.random.default_rng(4).permutation(np.repeat(np.arange(KINDS), COPIES))


def make_duplicated_means(agents: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (agents, KINDS))[:, MEMBER] / 3


def write_parquet(folder, means: np.ndarray, groups: int):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {f"arm {k}": means[:, k] for k in range(means.shape[1])}
    parquet.write_table(pyarrow.table(columns), folder / "t.parquet", row_group_size=-(-len(means) // groups))
    return folder / "t.parquet"


@pytest.mark.parametrize("within", [None, "fair"])
@pytest.mark.parametrize("tie_break", ["centre", "utilitarian", "vertex"])
@pytest.mark.parametrize("objective", ["nash", "inequality", "egalitarian", "gini"])
def test_a_scan_and_the_table_in_memory_choose_alike(tmp_path, objective, tie_break, within):
    if objective == "nash" and within:
        pytest.skip("not solved on a scanned table")
    means = make_duplicated_means(40, 1)
    scan, instance = iso.scan(write_parquet(tmp_path, means, 3)), iso.Instance(means)
    ours = iso.solve(scan, objective, tie_break, within=within)
    theirs = iso.solve(instance, objective, tie_break, within=within)
    assert ours.value == pytest.approx(theirs.value, abs=1e-11)
    if min(ours.tie_margin, theirs.tie_margin) > 1e-8:
        np.testing.assert_allclose(ours.policy, theirs.policy, atol=1e-9)
    for kind in range(KINDS):
        alike = ours.policy[kind == MEMBER]
        if tie_break == "vertex":
            assert (alike[1:] == 0).all()
        else:
            np.testing.assert_allclose(alike, alike[0], atol=1e-15)


def test_only_the_first_of_each_kind_is_read_again(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(map_reduce, "map_chunk", record_arm_counts(map_reduce.map_chunk, seen))
    scan = iso.scan(write_parquet(tmp_path, make_duplicated_means(40, 1), 2))
    iso.solve(scan, "inequality")
    assert seen[:2] == [len(MEMBER)] * 2
    assert set(seen[2:]) == {KINDS}
    assert scan.passes == len(seen) / 2


def record_arm_counts(answers, seen):
    def spy(source, unit, columns, asked):
        seen.append(columns.arms)
        return answers(source, unit, columns, asked)

    return spy


def test_columns_that_part_in_one_unit_are_not_alike(tmp_path):
    means = make_duplicated_means(40, 2)
    twin = int(np.flatnonzero(MEMBER[0] == MEMBER)[1])
    means[-1, twin] = 1 - means[-1, twin]
    means[-2, twin] = 1 - means[-2, twin]
    scan = iso.scan(write_parquet(tmp_path, means, 4))
    assert scan.first.kinds.member.max() + 1 == KINDS + 1
    assert iso.solve(scan, "nash").policy == pytest.approx(iso.solve(iso.Instance(means), "nash").policy, abs=1e-9)


@pytest.mark.parametrize("tie_break", ["centre", "vertex"])
def test_a_table_of_zeros(tie_break):
    scan = iso.scan(iso.Instance(np.zeros((3, 20))))
    wanted = np.full(20, 0.05) if tie_break == "centre" else np.eye(20)[0]
    assert iso.solve(scan, "nash", tie_break).policy == pytest.approx(wanted)


def test_a_hundred_arms_of_ten_kinds(tmp_path):
    means = np.tile(np.random.default_rng(5).random((60, 10)), 10)
    scan = iso.scan(write_parquet(tmp_path, means, 2))
    for objective in ("procedural", "nash", "egalitarian", "inequality"):
        ours, theirs = iso.solve(scan, objective), iso.solve(iso.Instance(means), objective)
        assert ours.policy == pytest.approx(theirs.policy, abs=1e-9)
    assert iso.solve(scan, "inequality", within="fair").gap <= 1e-12

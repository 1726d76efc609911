"""The cells of a sweep: the paper's 7,776, and instances that depend on nothing but their own identity."""

import numpy as np
import pytest

from isegoria import Instance
from isegoria.errors import InputError
from isegoria.studies.grid import Block, Grid, parse_sizes


def means(grid, block):
    return dict(zip(grid.cells_of(block), grid.means_of(block), strict=True))


def test_the_paper_has_7776_cells_each_once():
    cells = list(Grid().cells())
    assert len(cells) == len(set(cells)) == 7776
    assert all(cell.favourites <= cell.arms for cell in cells)


def test_an_instance_depends_on_its_own_cell_only():
    block = Block(42, 0, 5)
    whole = means(Grid(), block)
    part = Grid(agents=(5, 9), arms=(7, 3), favourites=(3, 1), models=("mallows:0.5", "urn:0.5"), replicates=4)
    for cell, instance in means(part, block).items():
        if cell in whole:
            assert np.array_equal(instance, whole[cell]), cell


def test_no_two_cells_share_an_instance():
    seen = {
        array.tobytes()
        for block in (Block(42, 0, 4), Block(42, 1, 4), Block(43, 0, 4))
        for array in means(Grid(arms=(6,)), block).values()
    }
    assert len(seen) == 3 * 6 * 2 * 8


def test_favourite_sets_have_the_sizes_of_their_cell():
    mixed = []
    for cell, array in means(Grid(), Block(7, 0, 10)).items():
        counts = Instance(array).favourites.sum(axis=1)
        if cell.sets == "same":
            assert (counts == cell.favourites).all()
        else:
            assert counts.min() >= 1
            assert counts.max() <= cell.favourites
            mixed += (counts - 1).tolist() if cell.favourites == 4 else []
    # Four sizes, each equally likely: 560 agents, and a false alarm in 1 of 10,000.
    counts = np.bincount(mixed, minlength=4)
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 21.1


@pytest.mark.parametrize(
    ("text", "expected"), [("2:5", (2, 3, 4, 5)), ("10:30:10", (10, 20, 30)), ("4", (4,)), ("2:3,9", (2, 3, 9))]
)
def test_sizes_are_written_as_ranges_and_lists(text, expected):
    assert parse_sizes(text, "--agents") == expected


@pytest.mark.parametrize("text", ["", "x", "5:2", "1:2:3:4", "2:4:0", "2,,3", "2:"])
def test_bad_sizes_are_refused(text):
    with pytest.raises(InputError, match="--agents"):
        parse_sizes(text, "--agents")


def test_an_empty_grid_is_refused():
    with pytest.raises(InputError, match="no cell is left"):
        Grid(arms=(2, 3), favourites=(5,))
    with pytest.raises(InputError, match="agents must be whole numbers from 1 to 100,000"):
        Grid(agents=(0, 1))
    with pytest.raises(InputError, match="did you mean 'mallows'"):
        Grid(models=("malows:0.5",))


@pytest.mark.parametrize("text", ["2:999999999", "100001", "2,2:3000000000:5"])
def test_sizes_beyond_the_limit_are_refused_before_they_are_listed(text):
    with pytest.raises(InputError, match=r"--agents has .* expected sizes up to 100,000"):
        parse_sizes(text, "--agents")


def test_a_sweep_of_years_or_beyond_memory_is_refused_at_once():
    with pytest.raises(InputError, match="arms must be whole numbers from 1 to 100,000"):
        Grid(arms=(2, 100_001))
    with pytest.raises(InputError, match="the sweep has 7,776,000,000 cells; expected at most 1,000,000,000"):
        Grid(replicates=10**6)
    with pytest.raises(InputError, match=r"100,000 agents with 100,000 arms .* give smaller sizes"):
        Grid(agents=(100_000,), arms=(100_000,))
    assert len(Grid(agents=(100_000,)).blocks()) == 1

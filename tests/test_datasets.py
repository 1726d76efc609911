"""The Dots data are PrefLib's: 800 voters, 24 rankings; the paper's 50 are among them."""

from pathlib import Path

import numpy as np

import isegoria as iso
from isegoria.datasets import load_dots, load_dots_sample


def test_the_electorate_holds_every_ranking_once():
    electorate = load_dots()
    assert electorate.total_weight == 800
    assert len(set(electorate.agents)) == 24
    assert np.array_equal(np.sort(electorate.means, axis=1), np.tile([0.1, 0.37, 0.63, 0.9], (24, 1)))
    firsts = (electorate.favourites * electorate.weights[:, None]).sum(axis=0)
    assert firsts.tolist() == [403, 211, 113, 73]


def test_the_papers_sample_has_the_first_places_of_the_paper():
    assert load_dots_sample().favourites.sum(axis=0).tolist() == [19, 19, 7, 5]


def test_another_seed_is_another_sample_of_the_same_electorate():
    sample = load_dots_sample(seed=7, size=800)
    everyone = np.repeat(load_dots().means, load_dots().weights, axis=0)
    assert sorted(sample.means.tolist()) == sorted(everyone.tolist())


def test_the_lunch_table_ships():
    examples = Path(__file__).parents[1] / "examples" / "lunch.csv"
    assert iso.datasets.load_lunch().means.tolist() == iso.read(examples, scale=(1, 5)).means.tolist()
    assert (Path(iso.datasets.__file__).parent / "lunch.csv").read_bytes() == examples.read_bytes()

"""Faults in studies, data and files."""

from __future__ import annotations

import numpy as np

import isegoria as iso
from mutants.planting import change_result, fault, replace_name


@fault("tests/studies/test_paper_tables.py")
def table_1_takes_eg_by_centre():
    """Table 1 scores the egalitarian policy of another tie-break than it says."""
    replace_name("studies.policy_scores:solve", lambda old: lambda instance, id, tie_break: old(instance, id, "centre"))


@fault("table_1_synthetic", "tests/studies/test_paper_tables.py")
def rewards_of_the_sweep_are_squared():
    """The mean rewards of the sweep follow another law."""
    change_result("studies.grid:assign_means", lambda found, *rest: found**2)


@fault("tests/studies/test_paper_tables.py")
def everything_agrees_with_the_paper():
    """Every number is ticked."""
    replace_name("studies.published_tables:agrees_with_paper", lambda old: lambda *args: True)


@fault("table_2_dots", "tests/test_datasets.py")
def other_voters_are_drawn():
    """The Dots sample is the first fifty voters."""
    import isegoria.datasets as data

    everyone = data.load_dots()
    first = np.minimum(everyone.weights, np.maximum(0, 50 - np.concatenate([[0], everyone.weights.cumsum()[:-1]])))
    sample = iso.Instance(everyone.means[first > 0], weights=first[first > 0], arms=everyone.arms)
    replace_name("datasets:load_dots_sample", lambda old: lambda: sample)


@fault("tests/test_preferences.py")
def mallows_is_too_agreed():
    """Mallows rankings gather more than φ says."""
    replace_name("preferences.mallows:_insertion_places", lambda old: lambda uniforms, phi: old(uniforms, phi**1.2))


def change_read(change) -> None:
    from isegoria.io import files

    honest = files.Instance
    files.Instance = lambda **parts: honest(**change(dict(parts)))


@fault("tests/io/test_round_trip.py", "tests/io/test_csv.py")
def weights_of_a_file_are_forgotten():
    """The weights in a file are not taken over."""
    change_read(lambda parts: {name: value for name, value in parts.items() if name != "weights"})


@fault("tests/io/test_round_trip.py", "tests/io/test_csv.py")
def digits_of_a_file_are_lost():
    """Means are rounded to six digits when they are read."""
    change_read(lambda parts: parts | {"means": np.round(parts["means"], 6)})


@fault("tests/io/test_round_trip.py", "tests/io/test_csv.py")
def names_of_a_file_are_lost():
    """Agents read from a file are numbered."""
    change_read(lambda parts: parts | {"agents": None})


@fault("tests/io/test_preflib.py")
def ranks_are_worth_the_wrong_way():
    """The last rank is worth most."""
    change_result("io.readers.rank_rewards:RankRewards.means", lambda found, *rest: 1 - found)

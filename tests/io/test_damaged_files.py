"""A damaged file of any format gives a table or one sentence; the whole of it is in `mutated_files.py`."""

import pytest

import mutated_files


@pytest.mark.slow
@pytest.mark.parametrize("format", mutated_files.FORMATS)
def test_a_damaged_file_gives_a_table_or_one_sentence(format):
    went = mutated_files.trial(format, 100)
    assert went["bad"] == []
    assert sum(went["found"].values()) == 100
    assert went["found"]["sentence"] >= 10  # the damage is felt
    assert went["found"]["table"] >= 5  # and the seed is a good file

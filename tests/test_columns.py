"""Columns read back equal."""

import numpy as np

from isegoria.io.columns import read_columns, write_columns


def test_floats_read_back_to_the_last_bit(tmp_path):
    values = np.random.default_rng(1).random(200) ** 7
    path = write_columns(tmp_path / "new" / "t.csv", {"name": ["a, b"] * 200, "value": values})
    columns = read_columns(path)
    assert columns["value"] == values.tolist()
    assert set(columns["name"]) == {"a, b"}


def test_a_table_without_rows_keeps_its_header(tmp_path):
    assert read_columns(write_columns(tmp_path / "t.csv", {"policy": [], "score": []})) == {"policy": [], "score": []}

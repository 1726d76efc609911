"""Columns read back equal."""

import numpy as np
import pytest

from isegoria.io.storage import csv_columns as room
from isegoria.io.storage.csv_columns import read_columns, write_columns


def test_floats_read_back_to_the_last_bit(tmp_path):
    values = np.random.default_rng(1).random(200) ** 7
    path = write_columns(tmp_path / "new" / "t.csv", {"name": ["a, b"] * 200, "value": values})
    columns = read_columns(path)
    assert columns["value"] == values.tolist()
    assert set(columns["name"]) == {"a, b"}


def test_a_table_without_rows_keeps_its_header(tmp_path):
    assert read_columns(write_columns(tmp_path / "t.csv", {"policy": [], "score": []})) == {"policy": [], "score": []}


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7])
def test_parts_of_a_long_table_meet_without_a_seam(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(room, "ROWS_PER_BATCH", 3)
    columns = {"round": np.arange(rows), "score": list(range(rows, 0, -1))}
    expected = "round,score\n" + "".join(f"{i},{rows - i}\n" for i in range(rows))
    assert write_columns(tmp_path / "t.csv", columns).read_text() == expected


def test_columns_of_unequal_length_leave_no_file(tmp_path):
    with pytest.raises(ValueError, match="zip"):
        write_columns(tmp_path / "t.csv", {"a": [1, 2], "b": [1]})
    assert list(tmp_path.iterdir()) == []

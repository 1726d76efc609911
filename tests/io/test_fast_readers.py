"""The fast ways in: plain CSV and Arrow give the same table as the careful ones, or step aside."""

import io
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isegoria as iso
from isegoria.io.sheets.fast_csv import READ_CHUNK_BYTES, read_plain_table
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.separators import parse_separated_text
from isegoria.io.sheets.sheet_parser import parse_sheet
from isegoria.profiles.names import PackedNames

PLAIN = ReadOptions.checked()
NUMBERS = st.one_of(
    st.floats(0, 1).map(repr),
    st.integers(0, 10**18).map(lambda digits: f"0.{digits:018d}"),
    st.sampled_from(
        ["1", "0", "+1", ".5", "1.", "-0", "0e5", "5e-1", "1E-300", "0.1e+0", "00.25", "0.30000000000000004"]
    ),
)
CELLS = st.one_of(
    NUMBERS, st.sampled_from(["", "x", "nan", "1e", "0.5.", "1e5000", "50%", '"1"', " 1", "0_1", "2", "-1"])
)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=6)


def careful(text: str):
    try:
        return parse_sheet(parse_separated_text(text, "t.csv"), PLAIN)
    except iso.FileError:
        return None


def assert_same(fast: dict, slow: dict):
    assert fast["means"].tobytes() == slow["means"].tobytes()
    assert list(fast["agents"]) == slow["agents"]
    assert fast["arms"] == slow["arms"]
    assert list(fast.get("weights", [])) == slow.get("weights", [])


@given(
    rows=st.lists(st.tuples(NAMES, CELLS, CELLS), min_size=1, max_size=4), ending=st.sampled_from(["\n", "\r\n", ""])
)
def test_plain_csv_is_read_as_the_careful_reader_reads_it_or_not_at_all(rows, ending):
    text = "agent,tea,coffee\n" + (ending or "\n").join(",".join(row) for row in rows) + ending
    fast = read_plain_table(io.BytesIO(text.encode("utf-8")), PLAIN)
    if fast is not None:
        assert_same(fast, careful(text))


@given(rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5))
def test_every_number_comes_back_to_its_last_bit(rows):
    text = "agent,tea,coffee\n" + "".join(f"a{i},{one},{two}\n" for i, (one, two) in enumerate(rows))
    fast = read_plain_table(io.BytesIO(text.encode()), PLAIN)
    assert fast["means"].tobytes() == np.array(rows, dtype=float).tobytes()


@pytest.mark.parametrize(
    "text",
    [
        "agent;tea\nAnn;1\n",
        "agent,arm,value\nAnn,tea,1\n",
        "Timestamp,Q [tea]\n9,1\n",
        "agent,Weight\nAnn,1\n",
        "agent,tea,tea\nAnn,1,1\n",
        "1,2\n1,1\n",
        "tea,coffee\n1,0\n0,1\n",
        "agent,tea\nAnn,1\n\nBob,0\n",
        "agent,tea\nAnn,1\nAnn,0\n",
        'agent,tea\n"Ann",1\n',
        "agent,tea\nAnn ,1\n",
        "agent,tea\nAnn\u00a0,1\n",
        "agent,tea\nAnn,1,0\n",
        "agent,tea\nAnn\n",
        "agent,tea\nAnn,1.5\n",
        "agent,tea,weight\nAnn,1,1.5\n",
        "agent,tea",
        "agent,tea\n",
        "agent,tea\nAnn,1\r,\n",
    ],
)
def test_what_is_odd_is_left_to_the_careful_reader(text):
    assert read_plain_table(io.BytesIO(text.encode("utf-8")), PLAIN) is None


@pytest.mark.slow
def test_tables_of_many_parts(tmp_path):
    count = READ_CHUNK_BYTES // 20
    rng = np.random.default_rng(3)
    table = rng.integers(0, 10_000, (count, 3)) / 10_000
    lines = [f"agent {i},{','.join(map(repr, row))}" for i, row in enumerate(table.tolist())]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["name,a,b,c", *lines]))
    instance = iso.read(path, scale=(0, 2))
    assert np.array_equal(instance.means, table / 2)
    assert isinstance(instance.agents, PackedNames)
    assert instance.agents[count - 1] == f"agent {count - 1}"
    assert instance.agents.index("agent 77777") == 77777
    path.write_text("\n".join(["name,a,b,c", *lines, "agent 5,1,1,1"]))
    with pytest.raises(iso.FileError, match=f"line {count + 2}: the agent 'agent 5' is on line 7 already"):
        iso.read(path)


class TestPackedNames:
    def test_they_behave_as_a_tuple(self):
        names = ("Ann", "Zoë", "", "李")
        packed = PackedNames.of(names)
        assert (len(packed), packed == names, packed[1:3], packed == PackedNames.of(names)) == (
            4,
            True,
            names[1:3],
            True,
        )
        assert packed.index("李") == 3
        assert "Bob" not in packed
        with pytest.raises(ValueError, match="not among the 4 names"):
            packed.index("Bob")

    def test_an_instance_checks_them(self):
        table = np.eye(3)
        assert iso.Instance(table, agents=PackedNames.of(["a", "b", "c"])).agents[2] == "c"
        for names, said in (
            (["a", "b", "a"], "names must differ"),
            (["a", "", "b"], "empty name"),
            (["a", " ", "b"], "empty"),
        ):
            with pytest.raises(iso.InputError, match=said):
                iso.Instance(table, agents=PackedNames.of(names))
        with pytest.raises(iso.InputError, match="2 names for 3 agents"):
            iso.Instance(table, agents=PackedNames.of(["a", "b"]))


class TestArrow:
    @pytest.fixture
    def table(self):
        import pyarrow

        return pyarrow.table({"who": ["Ann", "Bob"], "tea": [5, 1], "coffee": [2.0, None], "note": ["x", "y"]})

    @pytest.mark.parametrize("suffix", ["parquet", "arrow"])
    def test_columns_are_read_by_their_types(self, table, tmp_path, suffix):
        import pyarrow.feather
        import pyarrow.parquet

        path = tmp_path / f"t.{suffix}"
        (pyarrow.parquet.write_table if suffix == "parquet" else pyarrow.feather.write_feather)(table, path)
        with pytest.raises(
            iso.FileError, match=r"row 2, column 'coffee' \(agent 'Bob'\) is empty; .* --missing lowest"
        ):
            iso.read(path, scale=(1, 5))
        with pytest.warns(iso.ReadingWarning, match="'note' holds no numbers and is left out; 1 gap counts as 3"):
            instance = iso.read(path, scale=(1, 5), missing=3)
        assert instance.means.tolist() == [[1, 0.25], [0, 0.5]]
        assert instance.agents == ("Ann", "Bob")
        with pytest.warns(iso.ReadingWarning, match="left out 1 agent of 2"):
            assert iso.read(path, scale=(1, 5), missing="drop", ignore="note").agents == ("Ann",)
        with pytest.raises(iso.FileError, match="no column 'who is it'"):
            iso.read(path, agent="who is it")
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(iso.FileError, match="is not a whole"):
            iso.read(path)

    def test_a_small_file_starts_no_threads(self, tmp_path):
        """A process that ends while Arrow starts its threads is aborted, and a refused file ends it at once."""
        path = tmp_path / "t.parquet"
        iso.write(iso.Instance([[1, 0], [0, 1]]), path)
        iso.write(iso.Instance([[1, 0], [0, 1]]), tmp_path / "t.arrow")
        script = f"""if True:
            import os, pyarrow.parquet, pyarrow.ipc, isegoria as iso
            threads = lambda: len(os.listdir("/proc/self/task"))
            before = threads()
            iso.read({str(path)!r})
            iso.read({str(tmp_path / "t.arrow")!r})
            print(threads() - before)"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        assert done.stdout.strip() == "0", done.stderr

    def test_without_pyarrow_the_extra_is_named(self, tmp_path, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        (tmp_path / "t.parquet").write_bytes(b"PAR1")
        with pytest.raises(iso.MissingExtraError, match=r"isegoria\[tables\]"):
            iso.read(tmp_path / "t.parquet")

    def test_many_names_stay_one_array(self, tmp_path):
        count = PackedNames.WORTH + 1
        path = iso.write(
            iso.Instance(np.ones((count, 1)), agents=PackedNames.of([f"a{i}" for i in range(count)])),
            tmp_path / "t.parquet",
        )
        agents = iso.read(path).agents
        assert isinstance(agents, PackedNames)
        assert (len(agents), agents[count - 1]) == (count, f"a{count - 1}")

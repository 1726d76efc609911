"""Data frames with the options of files, long tables from Parquet, and tables that stay sparse."""

import tracemalloc
import warnings

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError, ReadingWarning

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

WIDE = {"customer": ["Ann", "Ben", "Cem"], "tea": [5, 1, None], "mate": [1, None, None], "note": ["a", "b", "c"]}
LONG = {
    "customer": ["Ann", "Ben", "Ann", "Ben", "Cem"],
    "film": ["x", "x", "y", "z", "z"],
    "stars": [5, 1, 3, 4, 2],
    "day": [1, 2, 3, 4, 5],
}
ROLES = {"customer": "agent", "film": "arm", "stars": "value"}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


class OnlyInterface:
    """A frame that offers nothing but Arrow's stream."""

    def __init__(self, data):
        self._table = pa.table(data)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


LIBRARIES["stream"] = OnlyInterface


@pytest.mark.filterwarnings("ignore::isegoria.errors.ReadingWarning")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("missing", ["lowest", "drop", "abstain", 3])
def test_wide_frames_take_the_options_of_files(library, missing, tmp_path):
    path = tmp_path / "wide.csv"
    pd.DataFrame(WIDE).to_csv(path, index=False)
    options = {"scale": (1, 5), "missing": missing, "ignore": "note"}
    found = iso.Instance.from_frame(LIBRARIES[library](WIDE), **options)
    expected = iso.read(path, **options)
    assert found.means.tolist() == expected.means.tolist()
    assert (list(found.agents), list(found.arms)) == (list(expected.agents), list(expected.arms))
    assert found.abstentions == expected.abstentions


@pytest.mark.filterwarnings("ignore::isegoria.errors.ReadingWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_long_frames_and_parquet_read_as_long_csv(library, tmp_path):
    frame = pd.DataFrame(LONG)
    frame.to_csv(tmp_path / "long.csv", index=False)
    frame.to_parquet(tmp_path / "long.parquet")
    frame.set_index(pd.Index([3, 1, 4, 9, 5])).to_parquet(tmp_path / "indexed.parquet")
    options = {"scale": (1, 5), "missing": "lowest", "columns": ROLES}
    expected = iso.read(tmp_path / "long.csv", **options)
    found = iso.Instance.from_long(LIBRARIES[library](LONG), **options)
    parquet, indexed = (iso.read(tmp_path / f"{name}.parquet", **options) for name in ("long", "indexed"))
    for instance in (found, parquet, indexed):
        assert instance == expected


def test_words_count_by_answers():
    frame = pd.DataFrame({"who": ["Ann", "Ben"], "tea": ["Yes", "No"], "mate": ["No", "Maybe"]})
    found = iso.Instance.from_frame(frame, answers={"yes": 1, "no": 0, "maybe": 0.5})
    assert found.means.tolist() == [[1, 0], [0, 0.5]]
    assert list(found.agents) == ["Ann", "Ben"]
    with pytest.raises(InputError, match=r"row 2, column 'mate' .* is 'Maybe'"):
        iso.Instance.from_frame(frame, answers={"yes": 1, "no": 0})


def test_an_index_of_labels_names_the_agents(tmp_path):
    frame = pd.DataFrame({"tea": [1.0, 0.0], "mate": [0.0, 1.0]}, index=[17, 4])
    frame.to_parquet(tmp_path / "wide.parquet")
    assert list(iso.read(tmp_path / "wide.parquet").agents) == ["17", "4"]
    assert list(iso.Instance.from_frame(frame).arms) == ["tea", "mate"]


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: iso.Instance.from_long(pd.DataFrame(LONG)), "no column is the agent"),
        (lambda: iso.Instance.from_long(pd.DataFrame(LONG), scale=(1, 5), columns=ROLES), "no line for agent 'Ann'"),
        (lambda: iso.Instance.from_frame(pd.DataFrame(WIDE), scale=(1, 5), ignore="note"), "column 'mate' .* is empty"),
        (lambda: iso.Instance.from_frame(pd.DataFrame(WIDE), ignore="nota"), "no column 'nota'"),
        (
            lambda: iso.Instance.from_long(
                pd.DataFrame({"agent": ["a", "a"], "arm": ["x", "x"], "value": [1.0, 0.0]}), missing="lowest"
            ),
            "2 lines for agent 'a'",
        ),
    ],
)
def test_wrong_frames_are_refused_with_advice(call, advice):
    with pytest.raises(InputError, match=advice):
        call()


def test_a_large_sparse_table_never_becomes_dense():
    agents, arms, count = 60_000, 200, 120_000
    rng = np.random.default_rng(1)
    cells = rng.choice(agents * arms, count, replace=False)
    frame = pd.DataFrame({"agent": cells // arms, "arm": cells % arms, "value": rng.integers(1, 6, count)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        tracemalloc.start()
        found = iso.Instance.from_long(frame, scale=(1, 5), missing="lowest")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        unknown = iso.Instance.from_long(frame, scale=(1, 5), missing="unknown")
    assert found.is_sparse
    assert peak < agents * arms * 8 / 2  # a dense table alone would be 96 MB
    stated = np.zeros((len(found.agents), len(found.arms)))
    names = {name: place for place, name in enumerate(found.agents)}, {n: k for k, n in enumerate(found.arms)}
    stated[[names[0][str(a)] for a in frame["agent"]], [names[1][str(a)] for a in frame["arm"]]] = (
        frame["value"] - 1
    ) / 4
    assert np.array_equal(found.means.toarray(), stated)
    assert unknown.stated.stated.nnz == count


@pytest.mark.parametrize("index", [["u", "v"], [70, 90]])
def test_a_named_index_of_pandas_names_the_agents(index, tmp_path):
    frame = pd.DataFrame({"tea": [5, 1], "mate": [1, 5]}, index=pd.Index(index, name="customer"))
    frame.to_parquet(tmp_path / "t.parquet")
    found = iso.read(tmp_path / "t.parquet", scale=(1, 5))
    assert (found.agents, found.arms) == (tuple(map(str, index)), ("tea", "mate"))
    assert iso.scan(tmp_path / "t.parquet", scale=(1, 5)).arms == ("tea", "mate")


def test_long_files_in_several_parts_keep_their_names(tmp_path):
    frame = pd.DataFrame({"agent": list("abcab"), "arm": list("xxyyy"), "value": [1.0, None, 0, 1, 0]})
    frame.to_parquet(tmp_path / "t.parquet", index=False, row_group_size=2)
    with pytest.warns(ReadingWarning):
        found = iso.read(tmp_path / "t.parquet", missing="lowest", columns={"agent": "agent"} | {"value": "value"})
    assert found.arms == ("x", "y")

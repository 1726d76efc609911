"""Data frames of any library say the same thing."""

import numpy as np
import pytest

import isegoria as iso

pytestmark = pytest.mark.peers
pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))

FRAME = pd.DataFrame({"agent": ["Ana", "Bo", "Cy"], "tea": [1, 0.5, 0], "milk": [0, 1, 1]})
EXPECTED = iso.Instance([[1, 0], [0.5, 1], [0, 1]], agents=["Ana", "Bo", "Cy"], arms=["tea", "milk"])


class StreamOnly:
    """A frame that offers nothing but Arrow's stream."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self.frame.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas": FRAME,
    "pandas, indexed": FRAME.set_index("agent"),
    "pandas, nullable": FRAME.convert_dtypes(),
    "pandas, objects": FRAME.astype(object),
    "pandas, categories": FRAME.astype({"agent": "category"}),
    "polars": pl.from_pandas(FRAME),
    "arrow": pa.Table.from_pandas(FRAME, preserve_index=False),
    "arrow batch": pa.RecordBatch.from_pandas(FRAME, preserve_index=False),
    "stream": StreamOnly(pa.Table.from_pandas(FRAME, preserve_index=False)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_of_any_kind_is_read(kind):
    assert iso.Instance(FRAMES[kind]) == EXPECTED


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_column_named_weight_is_the_weight(kind):
    frame = FRAME.assign(weight=[1, 2, 3.0])
    frame = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[kind]
    instance = iso.Instance(frame)
    assert instance.weights.tolist() == [1, 2, 3]
    assert list(instance.arms) == ["tea", "milk"]
    with pytest.raises(iso.InputError, match="drop one"):
        iso.Instance(frame, weights=[1, 1, 1])


def test_the_column_of_names_may_stand_anywhere():
    assert iso.Instance(FRAME[["tea", "agent", "milk"]]) == EXPECTED
    assert iso.Instance(FRAME[["tea", "milk", "agent"]]) == EXPECTED


def test_names_come_from_a_column_then_from_labels_then_from_counting():
    plain = FRAME[["tea", "milk"]]
    assert list(iso.Instance(plain).agents) == ["Agent 1", "Agent 2", "Agent 3"]
    assert list(iso.Instance(plain.iloc[[2, 0]]).agents) == ["2", "0"]
    assert list(iso.Instance(plain.set_axis([7, 8, 9])).agents) == ["7", "8", "9"]
    assert list(iso.Instance(FRAME.assign(agent=[11, 12, 13])).agents) == ["11", "12", "13"]
    assert list(iso.Instance(FRAME, agents=["x", "y", "z"]).agents) == ["x", "y", "z"]
    assert list(iso.Instance(FRAME, arms=["a", "b"]).arms) == ["a", "b"]


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (FRAME.assign(milk=[0, "lots", 1]), r"means\[1, 1\] \(agent 'Bo', arm 'milk'\) is 'lots'"),
        (FRAME.assign(milk=[0, None, 1]), r"means\[1, 1\] \(agent 'Bo', arm 'milk'\) is nan"),
        (FRAME.assign(milk=[0, 3, 1]), r"means\[1, 1\] \(agent 'Bo', arm 'milk'\) is 3.0"),
        (FRAME.assign(agent=["Ana", "Bo", "Ana"]), r"agents\[2\] is 'Ana'"),
        (FRAME.set_axis(["agent", "tea", "tea"], axis=1), "both named 'tea'"),
        (FRAME[["agent"]], "at least one of each"),
        (FRAME.iloc[:0], "at least one of each"),
        (pd.DataFrame({"agent": ["Ana"], "arm": ["tea"], "value": [1]}), "Instance.from_long"),
        (FRAME["tea"], "one dimension"),
        (FRAME.assign(Weight=1), "column 'Weight' looks like the reserved 'weight'"),
        (FRAME.assign(weights=1), "column 'weights' looks like"),
        (FRAME[["tea", "agent"]].set_axis(["tea", " Agent"], axis=1), "column ' Agent' looks like"),
        (pl.from_pandas(FRAME).lazy(), "Collect it"),
        (pl.DataFrame({"tea": [1, None]}), r"means\[1, 0\].*is nan"),
        (FRAME.assign(milk=pd.array([0, None, 1], dtype="Int64")), r"means\[1, 1\].*is nan"),
    ],
)
def test_bad_frames(frame, says):
    with pytest.raises(iso.InputError, match=says):
        iso.Instance(frame)


def test_the_frame_is_not_kept():
    frame = FRAME.copy()
    instance = iso.Instance(frame)
    frame["tea"] = 0.0
    assert instance == EXPECTED
    assert not np.shares_memory(instance.means, frame[["tea", "milk"]].to_numpy())

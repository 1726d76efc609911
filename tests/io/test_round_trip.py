"""What is written reads back equal, in every format that can be written; and the doors of reading and writing."""

import io
import os
import stat
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import isegoria as iso
from isegoria.io import FORMATS, read, write
from isegoria.io.readers.csv import CSV_FORMAT
from isegoria.io.storage import atomic_write

WRITABLE = [row.id for row in FORMATS.values() if row.written]
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).map(str.strip).filter(bool)


@st.composite
def instances(draw):
    """Instances with hostile names, weights and every kind of double in [0, 1]."""
    agents, arms = (draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)) for _ in range(2))
    means = [[draw(st.floats(0, 1)) for _ in arms] for _ in agents]
    weights = [draw(st.integers(1, 2**50)) for _ in agents]
    return iso.Instance(
        means, agents=agents, arms=arms, weights=weights, tie_tolerance=draw(st.sampled_from([1e-12, 0.1]))
    )


def assert_equal(one, two):
    assert (one.agents, one.arms) == (two.agents, two.arms)
    assert np.array_equal(one.weights, two.weights)
    assert one.means.tobytes() == two.means.tobytes()


@pytest.mark.filterwarnings("ignore::isegoria.errors.NearTieWarning")
@pytest.mark.parametrize("format", WRITABLE)
@settings(max_examples=60, deadline=None)
@given(instance=instances())
def test_what_is_written_reads_back_equal(tmp_path_factory, format, instance):
    try:
        path = write(instance, tmp_path_factory.mktemp("io") / f"instance.{format}")
    except iso.FileError as error:  # columns have no place for an arm that is named like one of theirs
        assume(format not in ("parquet", "arrow") or "would be taken for a heading" not in str(error))
        raise
    back = read(path)
    assert_equal(instance, back)
    assert format in ("csv", "tsv") or back.tie_tolerance == instance.tie_tolerance


@pytest.mark.parametrize(
    "arms",
    [("arm", "value"), ("Values", "arm"), ("weight", "tea"), ("tea", "Weights"), ("agent", "tea"), ("a\nb", 'a "x"')],
)
@pytest.mark.parametrize("weights", [None, [1, 3]])
def test_arms_named_like_headings_survive(tmp_path, arms, weights):
    instance = iso.Instance([[0.1, 0.7], [1 / 3, 0]], arms=arms, weights=weights)
    assert_equal(instance, read(write(instance, tmp_path / "a.csv")))


def test_names_that_a_format_would_change_are_refused(tmp_path):
    for name in (" tea", "tea ", "a\rb"):
        with pytest.raises(iso.FileError, match="write JSON"):
            CSV_FORMAT.write(iso.Instance([[0.5]], arms=[name]))
    with pytest.raises(iso.FileError, match="NUL"):
        write(iso.Instance([[0.5]], arms=["a\0"]), tmp_path / "a.npz")


@pytest.mark.parametrize("arm", ["agent", "weight", "WEIGHT", "Weights"])
def test_columns_named_like_headings_are_refused(tmp_path, arm):
    with pytest.raises(iso.FileError, match="would be taken for a heading; rename it, or write JSON"):
        write(iso.Instance([[0.5]], arms=[arm]), tmp_path / "a.parquet")


def test_rankings_are_not_written(tmp_path):
    with pytest.raises(iso.FileError, match="csv, tsv, parquet, arrow, json, npz"):
        write(iso.Instance([[1, 0]]), tmp_path / "a.soc")


def test_a_dash_is_csv_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"agent,tea\nAnn,0.5\n")))
    assert read("-").agents == ("Ann",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ratings.xls", "save it as .xlsx, .ods or CSV"),
        ("ratings.xlsx", "is empty; expected a spreadsheet"),
        ("ratings.text", "--input-format"),
        ("ratings", "no suffix"),
        ("rating.csv", "did you mean '.*ratings.csv'"),
        ("ratings.cvs", "there is no file .* did you mean '.*ratings.csv'"),
        ("nowhere/at/all.csv", "cannot be read either"),
        ("folder.csv", "is a folder"),
    ],
)
def test_a_path_that_cannot_be_read_says_what_to_do(tmp_path, name, said):
    (tmp_path / "ratings.csv").write_text("agent,tea\nAnn,1\n")
    (tmp_path / "folder.csv").mkdir()
    for there in ("ratings.xls", "ratings.xlsx", "ratings.text", "ratings"):
        (tmp_path / there).touch()
    with pytest.raises(iso.FileError, match=said):
        read(tmp_path / name)


def test_permissions_are_said(tmp_path, monkeypatch):
    path = write(iso.Instance([[1]]), tmp_path / "secret.csv")

    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)  # a mode would not stop root
    with pytest.raises(iso.FileError, match=r"cannot read .*secret.csv: permission denied"):
        read(path)
    monkeypatch.setattr(os, "replace", forbidden)
    with pytest.raises(iso.FileError, match=r"cannot write .*new.csv: permission denied"):
        write(iso.Instance([[1]]), tmp_path / "new.csv")


def test_options_that_a_format_cannot_use_are_refused(tmp_path):
    path = write(iso.Instance([[1, 0]]), tmp_path / "a.csv")
    for options in (
        {"rewards": [1, 0]},
        {"unranked": "last"},
        {"unranked": "maybe"},
        {"scale": (5, 1)},
        {"format": "cvs"},
    ):
        with pytest.raises(iso.InputError):
            read(path, **options)


@pytest.mark.parametrize("scale", [(0, float("inf")), (float("nan"), 5), (-1e308, 1e308)])
def test_a_scale_has_finite_ends(tmp_path, scale):
    (tmp_path / "a.csv").write_text("agent,tea\nAnn,5\n")
    with pytest.raises(iso.InputError, match="both ends must be finite"):
        read(tmp_path / "a.csv", scale=scale)


def test_a_scale_moves_ratings_to_the_unit_interval(tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text("agent,tea,coffee\nAnn,5,1\nBob,2,4\n")
    with pytest.raises(iso.FileError, match=r"line 2, column 'tea' \(agent 'Ann'\) is 5; .* --scale 1,5"):
        read(path)
    assert read(path, scale=(1, 5)).means.tolist() == [[1, 0], [0.25, 0.75]]
    path = tmp_path / "stars.json"
    path.write_text('{"means": [[5, 1]]}')
    assert read(path, scale=(1, 5)).means.tolist() == [[1, 0]]


def test_a_tie_tolerance_can_be_given(tmp_path):
    path = write(iso.Instance([[1, 0.9]], tie_tolerance=0.2), tmp_path / "a.json")
    assert read(path).favourites.tolist() == [[True, True]]
    assert read(path, tie_tolerance=0.01).favourites.tolist() == [[True, False]]


class TestAtomic:
    def test_what_was_there_stays_when_writing_fails(self, tmp_path, monkeypatch):
        path = atomic_write.write_text(tmp_path / "a.txt", "old")

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(iso.FileError, match="no space left"):
            atomic_write.write_text(path, "new")
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["a.txt"]

    def test_links_are_followed_and_modes_are_ordinary(self, tmp_path):
        target = atomic_write.write_text(tmp_path / "a.txt", "old")
        link = tmp_path / "link.txt"
        link.symlink_to(target)
        atomic_write.write_text(link, "new")
        assert link.is_symlink()
        assert target.read_text() == "new"
        umask = os.umask(0)
        os.umask(umask)
        assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
    def test_a_device_is_written_to_and_not_replaced(self):
        with pytest.raises(iso.FileError, match="no space left"):
            atomic_write.write_text("/dev/full", "x")
        assert not os.path.isfile("/dev/full")

"""JSON and NPZ: what is damaged, mistyped or dangerous is refused with the file's name."""

import io

import numpy as np
import pytest

import isegoria as iso
from isegoria.io import read, write


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("{", "line 1, column 2: not JSON"),
        ('{"means": [[1, 0]\n "arms": []}', "line 2, column 2: not JSON"),
        ('{"means": [[1, NaN]]}', "NaN is no rating"),
        ('{"means": [[1, 2]]}', "2"),
        ('{"means": [[1, 0], [1]]}', "instance.json"),
        ('{"means": [["a", "b"]]}', "instance.json"),
        ('{"means": null}', "instance.json"),
        ('{"means": []}', "instance.json"),
        ('{"mean": [[1, 0]]}', 'has no "means"'),
        ('{"means": [[1, 0]], "wieghts": [1]}', "did you mean 'weights'"),
        ('{"means": [[1, 0]], "weights": [0.5]}', "weight"),
        ('{"means": [[1, 0]], "weights": ["two"]}', "weight"),
        ('{"means": [[1, 0]], "arms": ["tea", "tea"]}', "tea"),
        ('{"means": [[1, 0]], "arms": ["tea"]}', "arm"),
        ('{"means": [[1, 0]], "tie_tolerance": "big"}', "tie_tolerance"),
        ("3", 'has no "means"'),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ('{"means": [[1, 0]], "means": [[0, 1]]}', 'the key "means" is there twice; keep one'),
        (f'{{"means": [[1, {"9" * 5001}]]}}', "has thousands of digits; means are numbers from 0 to 1"),
    ],
)
def test_a_slip_in_json(tmp_path, text, said):
    path = tmp_path / "instance.json"
    path.write_text(text)
    with pytest.raises(iso.FileError, match=said) as caught:
        read(path)
    assert "instance.json" in str(caught.value)


def test_a_bare_list_of_rows_is_the_means(tmp_path):
    path = tmp_path / "instance.json"
    path.write_text("[[1, 0], [0, 1]]")
    assert read(path).means.tolist() == [[1, 0], [0, 1]]


def saved(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.eye(2))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not an NPZ archive"),
        (b"agent,tea\nAnn,1\n", "not an NPZ archive; .* if it is text, name its format with --input-format"),
        (npy(), "not an NPZ archive"),
        (saved(means=np.eye(2))[:200], "not a whole NPZ"),
        (saved(means=np.array([[1, None]], dtype=object)), "without Python objects"),
        (saved(mean=np.eye(2)), "did you mean 'means'"),
        (saved(arms=np.array(["a"])), "no array 'means'"),
        (saved(means=np.array([["a"]])), "instance.npz"),
        (saved(means=np.array([[np.nan]])), "instance.npz"),
        (saved(means=np.eye(2), tie_tolerance=np.eye(2)), "tie_tolerance"),
        (saved(means=np.zeros(3)), "instance.npz"),
    ],
)
def test_a_slip_in_npz(tmp_path, data, said):
    path = tmp_path / "instance.npz"
    path.write_bytes(data)
    with pytest.raises(iso.FileError, match=said) as caught:
        read(path)
    assert "instance.npz" in str(caught.value)
    assert "pickle" not in str(caught.value)


def test_every_damaged_byte_is_refused_or_harmless(tmp_path):
    path = write(iso.Instance([[1, 0.25], [0.5, 1]]), tmp_path / "instance.npz")
    data = path.read_bytes()
    for cut in range(0, len(data), 37):
        path.write_bytes(data[:cut])
        with pytest.raises(iso.FileError):
            read(path)

"""Tables at an address: pyarrow's own S3 client against a small store, and file:// addresses."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.out_of_core.executors import close_after, make_executor
from object_store import object_store

pytestmark = pytest.mark.peers
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

KEY = "someone:secret@"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A bucket with a table in two Parquet files and one Arrow file, and something else beside them."""
    folder = tmp_path_factory.mktemp("store")
    votes = folder / "bucket" / "votes"
    votes.mkdir(parents=True)
    means = np.random.default_rng(42).random((900, 3))
    for number, rows in enumerate(np.split(means, 3)):
        table = pa.table({name: rows[:, k] for k, name in enumerate("abc")})
        if number < 2:
            pq.write_table(table, votes / f"{number}.parquet", row_group_size=100)
        else:
            with pa.ipc.new_file(votes / "2.arrow", table.schema) as out:
                out.write_table(table)
    (votes / "readme.txt").write_text("three parts")
    (folder / "bucket" / "empty").mkdir()
    (folder / "bucket" / "empty" / "readme.txt").write_text("nothing")
    return folder


@pytest.fixture(scope="module")
def store(folder):
    with object_store(folder) as found:
        yield found


def policies(table) -> list[bytes]:
    return [iso.solve(table, objective).policy.tobytes() for objective in ("procedural", "nash", "egalitarian")]


@pytest.fixture(scope="module")
def expected(folder):
    return policies(iso.scan(folder / "bucket" / "votes"))


def test_a_folder_of_a_store_is_the_same_table(store, expected):
    options, asked = store
    assert policies(iso.scan(f"s3://{KEY}bucket/votes?{options}")) == expected
    assert any(one.startswith("bytes=") for one in asked)  # parts of files, as they are needed


def test_one_object_and_a_list_of_them(store, folder):
    options, _ = store
    names = ["0.parquet", "2.arrow"]
    there = iso.scan([f"s3://{KEY}bucket/votes/{name}?{options}" for name in names])
    assert policies(there) == policies(iso.scan([folder / "bucket" / "votes" / name for name in names]))


def test_workers_find_the_parts_by_their_addresses(store, expected):
    options, _ = store
    with close_after(make_executor(2)) as executor:
        assert policies(iso.scan(f"s3://{KEY}bucket/votes?{options}", executor=executor)) == expected


def test_an_address_of_this_machine(folder, expected):
    assert policies(iso.scan((folder / "bucket" / "votes").as_uri())) == expected


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("bucket/nothing", "there is nothing at s3://bucket/nothing; check the spelling, and that you may read it."),
        ("bucket/empty", "s3://bucket/empty has no .parquet or .arrow files"),
        ("bucket/votes/readme.txt", "s3://bucket/votes/readme.txt cannot be read as a table"),
    ],
)
def test_a_wrong_address_is_one_sentence_without_the_key(store, where, sentence):
    with pytest.raises(iso.FileError) as caught:
        iso.scan(f"s3://{KEY}{where}?{store[0]}")
    assert sentence in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)

"""The tables of strangers at /sheet: read in a cage, four formats, and on a closed server only with the start link."""

import io

import pytest
from api_clients import make_client

from isegoria.service.actions.administration import create_start_link

openpyxl = pytest.importorskip("openpyxl")

FAR = {"name": "two.xlsx"}


def sheet(client, data, headers=None, **query):
    return client.post(
        "/sheet", params=query, content=data, headers={"origin": str(client.base_url), **(headers or {})}
    )


def test_people_and_options_come_from_a_table(quick):
    found = sheet(quick, b"agent,tea,mate\nAnn,1,0\nBen,0,1\n", name="lunch.csv", scale="0,1").json()
    assert (found["members"], found["arms"]) == (["Ann", "Ben"], ["tea", "mate"])


def test_a_small_file_that_asks_for_gigabytes_gets_one_sentence(quick):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["CV200000"] = "agent", 1
    stream = io.BytesIO()
    book.save(stream)
    answer = sheet(quick, stream.getvalue(), **FAR)
    assert answer.status_code == 200
    assert "at most" in answer.json()["error"]


def test_odd_names_and_other_formats_are_refused_in_words(quick):
    for name in ("a.\0csv", "a." + "😀" * 60, "table.npz", "table.parquet", "x"):
        answer = sheet(quick, b"PK\3\4 no table", name=name)
        assert answer.status_code == 200, name
        assert answer.json()["error"].endswith("."), name


def test_a_closed_server_reads_nothing_without_its_start_link(store):
    with make_client(store, closed=True) as client:
        table = b"agent,tea,mate\nAnn,1,0\n"
        assert sheet(client, table, name="a.csv").status_code == 401
        starter = create_start_link(client.app.state.service.store)
        good = {"authorization": f"Bearer {starter}"}
        assert sheet(client, table, good, name="a.csv").json()["members"] == ["Ann"]

"""Every result as plain data, as rows and as a frame."""

import json

import pytest

import isegoria as iso

GROUP = iso.Instance([[1, 0], [1, 0], [0.2, 1]], agents=["Ann", "Ben", "Cy"], arms=["tea", "mate"])
POLICY = [1.0, 0.0]
RESULTS = {
    "solution": lambda: iso.solve(GROUP),
    "sampled solution": lambda: iso.solve(GROUP, "random-priority", samples=10),
    "scores": lambda: iso.score(GROUP, POLICY),
    "comparison": lambda: iso.compare(GROUP),
    "frontier": lambda: iso.frontier(GROUP),
    "audit": lambda: iso.audit(GROUP, POLICY),
    "core verdict": lambda: iso.core(GROUP, POLICY),
    "honesty": lambda: iso.honesty(GROUP, "egalitarian"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_result_is_valid_json_and_a_frame(name):
    result = RESULTS[name]()
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))
    rows = result.to_rows()
    json.dumps(rows, allow_nan=False)
    columns = result.to_frame(dict)
    assert list(columns) == list(rows[0])
    assert {len(values) for values in columns.values()} == {len(rows)}


def test_core_rows_name_blocking_members():
    assert iso.core(GROUP, POLICY).to_rows() == [{"agent": "Cy", "gain": pytest.approx(1 / 3)}]
    assert iso.core(GROUP, iso.solve(GROUP).policy).to_rows() == []

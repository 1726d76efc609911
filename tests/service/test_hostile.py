"""A short visit of the hostile tenant; the long one is `hostile.py`, in `make stress`."""

import hostile


def test_a_hostile_tenant_harms_nobody(tmp_path):
    told = hostile.trial(f"sqlite:///{tmp_path / 'a.db'}", seconds=6, seconds_a_day=3)
    assert told["faults"] == []
    assert told["draws"] >= 1
    assert told["goodbye"] <= hostile.GOODBYE
    assert told["megabytes"] <= hostile.MEGABYTES
    assert told["log"] <= hostile.LOG


def test_malformed_requests_are_refused(tmp_path):
    told = hostile.many_malformed(f"sqlite:///{tmp_path / 'a.db'}", 300)
    assert told["faults"] == []
    assert sum(told["statuses"].values()) > 200

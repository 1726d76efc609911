"""A short visit of the hostile tenant; the long one is `tenant.py`, in `make stress`."""

import tenant


def test_a_hostile_tenant_harms_nobody(tmp_path):
    told = tenant.trial(f"sqlite:///{tmp_path / 'a.db'}", seconds=6, seconds_a_day=3)
    assert told["faults"] == []
    assert told["draws"] >= 1
    assert told["goodbye"] <= tenant.GOODBYE
    assert told["megabytes"] <= tenant.MEGABYTES
    assert told["log"] <= tenant.LOG


def test_malformed_requests_are_refused(tmp_path):
    told = tenant.many_malformed(f"sqlite:///{tmp_path / 'a.db'}", 300)
    assert told["faults"] == []
    assert sum(told["statuses"].values()) > 200

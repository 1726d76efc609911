"""A short visit of the hostile tenant; the long one is `python tests/service/tenant`, in `make stress`."""

from tenant import trial


def test_a_hostile_tenant_harms_nobody(tmp_path):
    told = trial.trial(f"sqlite:///{tmp_path / 'a.db'}", seconds=6, seconds_a_day=3)
    assert told["faults"] == []
    assert told["draws"] >= 1
    assert told["goodbye"] <= trial.GOODBYE
    assert told["megabytes"] <= trial.MEGABYTES
    assert told["log"] <= trial.LOG


def test_malformed_requests_are_refused(tmp_path):
    told = trial.many_malformed(f"sqlite:///{tmp_path / 'a.db'}", 300)
    assert told["faults"] == []
    assert sum(told["statuses"].values()) > 200

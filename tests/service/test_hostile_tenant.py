"""A short visit of the hostile tenant; the long one is `python tests/service/hostile_tenant`, in `make stress`."""

from hostile_tenant import trial


def test_a_hostile_tenant_harms_nobody(tmp_path):
    told = trial.run_trial(f"sqlite:///{tmp_path / 'a.db'}", seconds=6, seconds_a_day=3)
    assert told["faults"] == []
    assert told["draws"] >= 1
    assert told["goodbye"] <= trial.MAX_SHUTDOWN_SECONDS
    assert told["megabytes"] <= trial.MEGABYTES
    assert told["log"] <= trial.MAX_LOG_BYTES


def test_malformed_requests_are_refused(tmp_path):
    told = trial.run_malformed_trial(f"sqlite:///{tmp_path / 'a.db'}", 300)
    assert told["faults"] == []
    assert sum(told["statuses"].values()) > 200

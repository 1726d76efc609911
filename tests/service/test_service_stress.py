"""A sample of the hardships that `make stress` puts the service through; the promises are the same."""

import pytest
from postgres_server import PostgresServer
from service_stress import (
    fill_disk,
    kill_app_repeatedly,
    kill_postgres_repeatedly,
    open_many_streams,
    rate_with_many_members,
    run_four_schedulers,
    run_two_servers,
)


@pytest.mark.parametrize("learner", [None, "guided"])
def test_kills_of_the_app_lose_nothing_and_decide_nothing_twice(address, learner):
    told = kill_app_repeatedly(address, 4, learner)
    assert told["rounds"] >= 1


def test_two_servers_on_one_file_lose_nothing_and_decide_nothing_twice(tmp_path):
    told = run_two_servers(f"sqlite:///{tmp_path / 'a.db'}", 6)
    assert told["rounds"] >= 6
    assert told["ratings"] >= 6


def test_kills_of_the_postmaster_lose_nothing(postgres):
    server = PostgresServer(own=True) if postgres.given else postgres
    try:
        assert kill_postgres_repeatedly(server, 2)["ratings"] >= 1
    finally:
        if server is not postgres:
            server.stop()


def test_four_processes_keep_time_and_draw_each_round_once(postgres):
    address = postgres.database()
    told = run_four_schedulers(address, 8)
    assert told["draws"] >= 8
    postgres.drop(address)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_crowd_that_sends_everything_twice_is_stored_once(kind, tmp_path, request):
    address = f"sqlite:///{tmp_path / 'a.db'}" if kind == "sqlite" else request.getfixturevalue("postgres").database()
    told = rate_with_many_members(address, members=60, options=5)
    assert told["stored"] == 300
    assert told["statuses"] == {200: 900}


def test_event_streams_stay_open_and_are_all_told(tmp_path):
    assert open_many_streams(f"sqlite:///{tmp_path / 'a.db'}", 60)["told"] == 60


def test_a_full_disk_loses_nothing_and_is_said(tmp_path):
    told = fill_disk(f"sqlite:///{tmp_path / 'a.db'}")
    assert told["refused"] >= 1
    assert told["after"] == 200

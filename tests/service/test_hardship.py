"""A sample of the hardships that `make stress` puts the service through; the promises are the same."""

import pytest
from hardship import four_keepers, kills_of_the_app, kills_of_the_postmaster
from postgres_server import PostgresServer


@pytest.mark.parametrize("learner", [None, "procedural"])
def test_kills_of_the_app_lose_nothing_and_decide_nothing_twice(address, learner):
    told = kills_of_the_app(address, 4, learner)
    assert told["rounds"] >= 1


def test_kills_of_the_postmaster_lose_nothing(postgres):
    server = PostgresServer(own=True) if postgres.given else postgres
    try:
        assert kills_of_the_postmaster(server, 2)["ratings"] >= 1
    finally:
        if server is not postgres:
            server.stop()


def test_four_processes_keep_time_and_draw_each_round_once(postgres):
    address = postgres.database()
    told = four_keepers(address, 8)
    assert told["draws"] >= 7
    postgres.drop(address)

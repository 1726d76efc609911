"""A hostile tenant: every attack that is known, at once and without pause, beside a group that goes on as if alone.

`python tests/service/hostile_tenant` (`make stress`) runs it on SQLite and on PostgreSQL; a short one is in the tests.
What must hold: the neighbour's draws come in time, no answer is a 5xx, the server's memory and its log stay small, and
SIGTERM ends it in five seconds. The service's days are a minute long here, for the neighbour's sake.
"""

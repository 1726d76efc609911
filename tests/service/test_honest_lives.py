"""A sample of the honest lives; `make stress` runs them for an hour."""

from honest_lives import describe, run_lives

SECONDS = 15  # of this process alone


def test_honest_lives_meet_no_false_word():
    tally = run_lives(SECONDS, 1, (30, 60), 6)
    print(describe(tally))
    assert tally["receipts"] > 10
    assert tally["faults"] > 3

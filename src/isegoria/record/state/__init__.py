"""The state of a group after each event: reducers, rounds and snapshots."""

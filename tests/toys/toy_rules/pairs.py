"""A file format: lines of `agent: arm`, each agent's one favourite."""

SUMMARY = "one line `agent: arm` for each agent"


def read(stream, where, **options):
    """The keywords of an `Instance`: 1 for the arm that an agent named, 0 for the others."""
    votes = [[part.strip() for part in line.split(":")] for line in stream.read().decode().splitlines()]
    arms = sorted({arm for _, arm in votes})
    return {
        "means": [[float(arm == vote) for arm in arms] for _, vote in votes],
        "agents": [agent for agent, _ in votes],
        "arms": arms,
    }

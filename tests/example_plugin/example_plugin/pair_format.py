"""A file format: lines of `agent: arm`, each agent's one favourite."""

from isegoria import FileError

EXAMPLE = b"Ann: tea\nBen: milk\n"
SUMMARY = "one line `agent: arm` for each agent"


def read(stream, where, **options):
    """The keywords of an `Instance`: 1 for the arm that an agent named, 0 for the others."""
    try:
        votes = [[part.strip() for part in line.split(":")] for line in stream.read().decode().splitlines()]
    except UnicodeDecodeError as error:
        raise FileError(f"{where} is no UTF-8 text; save it as UTF-8.") from error
    for number, vote in enumerate(votes, start=1):
        if len(vote) != 2:
            raise FileError(f"{where}, line {number} is no `agent: arm`; write one such line for each agent.")
    arms = sorted({arm for _, arm in votes})
    return {
        "means": [[float(arm == vote) for arm in arms] for _, vote in votes],
        "agents": [agent for agent, _ in votes],
        "arms": arms,
    }

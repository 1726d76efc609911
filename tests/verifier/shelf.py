"""The records that the tests share: one for each source and both kinds of privacy, with everything that may happen."""

from functools import cache

from maker import League, Maker, canonical, sha

from isegoria.verifier.isegoria_verify import verify

SOURCES = ("rehearsal", "dice", "group", "beacon")


@cache
def league() -> League:
    return League()


def eventful(seed: int, source: str, privacy: str = "ballots", ending: str = "close") -> Maker:
    """A learner's record with trials, exploration, joins, leaves, masks, overrides, voids and amendments."""
    made = Maker(seed, source=league() if source == "beacon" else source, learner="guided", privacy=privacy)
    made.trial()
    made.witness(made.present[:1], signed=False)
    made.draw()
    made.rate()
    made.whole_round(explore=True, skip=1)
    made.rate()
    made.override(slot=0, arm=1, by=2)
    made.roster(left=[1])
    made.join()
    made.amend("arms", [*made.charter["arms"], "a new one"])
    made.whole_round(available=[0, 2, 3])
    if source == "group":
        made.commit()
    made.freeze()
    made.void()
    made.amend("block", 1)
    made.whole_round(explore=True)
    if ending == "close":
        made.close()
    return made


def calm(seed: int, source: str, members=5, arms=3, rounds=2, **options) -> Maker:
    """A record of known ratings: so many whole rounds."""
    made = Maker(seed, members=members, arms=arms, source=league() if source == "beacon" else source, **options)
    for _ in range(rounds):
        made.whole_round()
    return made


def judged(data: bytes, **options) -> dict:
    return verify(data, beacon_key=league().key, **options)


def head(line: dict) -> str:
    return sha(canonical(line)).hex()

"""The records that the tests share: one for each source, calm or eventful, and wild ones with random questions.

- `make_plain_record(seed, source)`: so many whole rounds of known ratings, everyone signing.
- `make_eventful_record(seed, source, learner)`: everything that may happen: joins, departures, keys, links, marks,
  masks,
  overrides, a round never drawn, amendments, trials.
- `make_random_record(seed)`: a record of random events; `make_random_request(made, seed)`: random arguments of
  `verify` for it.
- `verify_bytes(data, **options)`: the Python verifier's answer, with the tests' beacon known and a late clock.
"""

import random
from functools import cache

from record_maker import LocalBeacon, RecordMaker, canonical, sha, words

from isegoria.verifier.isegoria_verify import verify

SOURCES = ("rehearsal", "dice", "commit_reveal", "beacon")
FAST = {"error": "0.5", "resolution": "0.1", "explore": "0.25"}
LATER = 2_000_000_000


@cache
def league() -> LocalBeacon:
    return LocalBeacon()


def source_of(name: str):
    return league() if name == "beacon" else name


def make_plain_record(seed: int, source: str, members=5, arms=3, rounds=2, **options) -> RecordMaker:
    """A record of known ratings: so many whole rounds."""
    made = RecordMaker(seed, members=members, arms=arms, source=source_of(source), **options)
    for _ in range(rounds):
        made.whole_round()
    return made


def make_eventful_record(seed: int, source: str, learner=None, privacy="ballots", end=True, **options) -> RecordMaker:
    """A record in which everything happens once."""
    made = RecordMaker(
        seed, source=source_of(source), learner=learner, privacy=privacy, settings=FAST, members=5, **options
    )
    if learner:
        made.trial(skip=1)
        made.rate()
    made.whole_round()
    made.rate()
    made.override(slot=0, arm=1, by=2)
    made.leave(1)
    made.join()
    made.rekey(2)
    made.amend("arms", [*made.charter["arms"], "a new one"])
    made.whole_round(available=[0, 2, 3], skip=2)
    made.override(slot=1, arm=0)
    made.rate()
    if source == "commit_reveal":
        made.commit(2)
    made.freeze(title="Lunch 1")  # never drawn
    made.says([2])
    made.override(slot=0, arm=2)
    made.compare(2, 4)
    made.reissue(3)
    made.mark(4)
    made.hand(3)
    made.away = {0}
    made.amend("block", 1)
    made.whole_round()
    made.rate()
    made.amend("resting", 1)
    made.away = set()
    made.says([2])
    if end:
        made.end()
    return made


def make_random_record(seed: int, rounds: int = 4) -> RecordMaker:
    """A record of random events, true to the rules."""
    rng = random.Random(f"wild {seed}")
    source = rng.choice(SOURCES)
    turns = _turns(seed)
    made = RecordMaker(
        seed,
        members=rng.randint(2, 6),
        arms=rng.randint(2, 4),
        source=source_of(source),
        learner=None if turns else rng.choice([None, None, "guided"]),
        privacy=rng.choice(["open", "ballots"]),
        block=None if turns else rng.choice([None, None, 1, 2]),
        turns=turns,
        marked=rng.choice([(0,), (), (0, 1)]),
        settings=dict(FAST),
        scale=rng.choice([("0", "1"), ("1", "5"), ("-2.5", "2.5")]),
        resting=rng.choice([0, 0, 0, 1, 2]),
    )
    for person in made.people:
        person.weight = rng.choice([1, 1, 1, 2, 3])
    made.lines, made.version = made.lines[:1], 0
    made.roster()
    for _ in range(rng.randint(1, rounds)):
        for _ in range(rng.randint(0, 2)):
            _anything(made, rng)
        _some_round(made, rng)
    if rng.random() < 0.2:
        made.end()
    return made


def _turns(seed: int) -> dict | None:
    """Every sixth record has turns, in each mode."""
    modes = [("lottery", 1), ("lottery", 3), ("lottery", 8), ("deterministic", 1)]
    if seed % 6 != 5:
        return None
    mode, worlds = modes[seed // 6 % 4]
    return {"mode": mode, "worlds": worlds, "single_use": seed // 24 % 2}


def _anything(made: RecordMaker, rng: random.Random) -> None:
    here = [person.number for person in made.present]
    keyed = [person.number for person in made.present if person.signer]
    usual = ["join", "leave", "rekey", "reissue", "mark", "arms", "title", "statement", "override", "rate", "source"]
    what = rng.choice([*usual, "compare", "hand", "away", "resting"])
    if what == "join":
        made.join(keyed=rng.random() < 0.8, weight=rng.choice([1, 2]))
    elif what == "leave" and len(here) > 2:
        made.leave(rng.choice(here))
    elif what in ("rekey", "reissue", "mark"):
        getattr(made, what)(rng.choice(here))
    elif what == "arms" and made.arms < 6:
        made.amend("arms", [*made.charter["arms"], f"arm {made.arms} «»\n"])
    elif what == "title":
        made.amend("title", "Another", reason="why\u202e not")
    elif what == "source" and made.source["kind"] in ("dice", "commit_reveal"):
        made.amend("source", {"kind": rng.choice(["dice", "commit_reveal", "rehearsal"])})
    elif what == "hand":
        made.hand(rng.choice(here))
    elif what == "away":
        made.away = set(rng.sample(here, rng.randint(0, len(here) - 1)))
    elif what == "resting":
        made.amend("resting", rng.randint(0, 2))
    elif what == "compare" and len(keyed) > 1:
        made.compare(*rng.sample(keyed, 2))
    elif what == "statement" and keyed:
        by = rng.choice(keyed)
        if (by, len(made.lines)) not in {
            (line["member"], line["size"]) for line in made.lines if line["line"] == "statement"
        }:
            made.say(by)
    elif what == "override" and made.round:
        number = rng.randint(1, made.round)
        block = made.page(number).get("block", 1) if made.charter["turns"] is None else 1
        slot = rng.randrange(block)
        if (number, slot) not in {(line["round"], line["slot"]) for line in made.lines if line["line"] == "override"}:
            made.override(slot, rng.randrange(made.arms), rng.choice([None, *keyed]), number)
    elif what == "rate" and made.round and made.charter["turns"] is None:
        drawn = [line["round"] for line in made.lines if line["line"] in ("draw", "trial")]
        if drawn:
            made.rate(rng.choice(drawn), chance=0.5)


def _some_round(made: RecordMaker, rng: random.Random) -> None:
    keyed = [person.number for person in made.present if person.signer]
    who = [number for number in keyed if rng.random() < 0.7] or keyed[:1]
    after = [number for number in keyed if rng.random() < 0.6]
    if len(made.used) == made.arms:
        made.amend("arms", [*made.charter["arms"], f"arm {made.arms}"])
    if not made.here:
        made.away = set()
    there = [arm for arm in range(made.arms) if arm not in made.used]
    there = [arm for arm in there if arm not in made.resting()] or there
    some = rng.random() < 0.3
    available = sorted(rng.sample(there, rng.randint(1, len(there)))) if some else there
    fresh = [arm for arm in available if arm not in made.played]
    if made.charter["learner"] and fresh and rng.random() < 0.7:
        made.trial(available, skip=rng.choice([0, 0, 1]))
        made.rate(chance=0.8)
        return
    if made.source["kind"] == "commit_reveal" and not who:
        made.rekey(made.present[0].number)
        who = [made.present[0].number]
    block = made.charter["block"] or min(len(made.here), 20)
    units = 3_724_680_960 * (1 if made.charter["turns"] else rng.choice([1, 1, 5]) * block)
    form = rng.choice([None, {"count": 6, "low": 1, "high": 49, "order": "sorted"}])
    if rng.random() < 0.8:
        made.whole_round(who=who, after=after, available=available, skip=rng.choice([0, 0, 2]), units=units, form=form)
        if rng.random() < 0.8 and made.charter["turns"] is None:
            made.rate(chance=0.8)
        return
    for number in who if made.source["kind"] == "commit_reveal" else []:
        made.commit(number)
    made.freeze(available=available, units=units, form=form, title=rng.choice([None, "the same « » again"]))
    made.says(after)
    made.numbers = {}


def make_random_request(made: RecordMaker, seed: int) -> dict:
    """Random arguments of `verify` that suit a record: trust of all sorts, heads, quorum, another copy, files."""
    rng = random.Random(f"questions {seed}")
    asked: dict = {"now": rng.choice([made.clock, made.clock + 5000, LATER])}
    if made.league and rng.random() < 0.9:
        asked["beacon"] = made.league.chain_info()
    heads = [made.head(rng.randint(2, len(made.lines))) for _ in range(rng.randint(1, 3))]
    asked["head"] = [rng.choice([one, words(one)]) for one in heads] if rng.random() < 0.8 else []
    keys = [person.key for person in made.people if person.key]
    choices = [
        ["members"],
        [str(rng.randrange(len(made.people)))],
        [made.people[0].name],
        rng.sample(keys, min(2, len(keys))),
    ]
    asked["trust"] = rng.choice([[], *choices, choices[0] + choices[3], choices[1] + choices[2]])
    if rng.random() < 0.3:
        asked["quorum"] = rng.randint(1, 4)
    if rng.random() < 0.4:
        asked["names"] = made.file(made.names())
    if rng.random() < 0.4:
        asked["receipt"] = made.file(made.receipt(rng.randrange(len(made.people))))
    if rng.random() < 0.4:
        asked["against"] = [("other.record", _other(made, rng))]
    return asked


def _other(made: RecordMaker, rng: random.Random) -> bytes:
    """A beginning of the record, or one that parts from it."""
    fork = made.fork()
    fork.lines = fork.lines[: rng.randint(2, len(fork.lines))]
    keyed = [person.number for person in fork.present if person.signer]
    if rng.random() < 0.6:
        fork.amend("title", "elsewhere")
        for number in rng.sample(keyed, min(2, len(keyed))):
            fork.say(number)
    return fork.bytes()


def verify_bytes(data: bytes, **options) -> dict:
    return verify(data, **{"beacon": league().chain_info(), "now": LATER, **options})


def head(line: dict) -> str:
    return sha(canonical(line)).hex()

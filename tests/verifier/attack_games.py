"""Attacks played many times with real records: how often a page is shown that is *proved and won*, beside theory.

She wants arm 0, whose share is p = 0.4 in every page. A game gives the records that she would show, in her order; she
has won if one of them is proved for a reader who trusts `members` at the head of line 2, and has arm 0. Members'
devices are honest but for `false` keys, which sign whatever she likes, everywhere at once. Both verifiers judge all.

Each row of `GAMES`: the play, and its probability by theory: p where the rules hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from attack_rows import asked
from engines import verify_with_node
from record_maker import RecordMaker, canonical
from sample_records import LATER, league, source_of, verify_bytes

from isegoria.record.format.canonical_json import parse_canonical
from isegoria.record.signing.device import Device, sign_record
from isegoria.record.state.group import Group

P = 0.4
TRIES = 8
TWICE = 1 - (1 - P) ** 2


class AttackRecord(RecordMaker):
    """A group in which two of five like arm 0 alone, and the others arm 1: its share is 0.4."""

    def __init__(self, seed: int, source: str, keys: int = 5):
        members = {5: 5, 3: 5, 9: 10}[keys]
        super().__init__(seed, members=members, arms=2, source=source_of(source), block=1, marked=range(members - keys))
        self.trusted = list(range(members - keys, members))

    def _rated(self, person, available):
        return ((0,) if person.number < 0.4 * len(self.people) else (1,), None), None

    def won(self) -> bool:
        """Whether the last draw gave arm 0."""
        return next(one for one in reversed(self.lines) if one["line"] == "draw")["arms"] == [0]

    def page(self, who=None, after=None, **options) -> RecordMaker:
        """A whole round that these sign in time, and those past the draw."""
        self.whole_round(who=who, after=who if after is None else after, **options)
        return self


Shown = Iterator[tuple[RecordMaker, dict]]
Play = Callable[[int], Shown]


class Game(NamedTuple):
    """A game, its probability by theory, and how often she gets her arm at all, proved or not."""

    play: Play
    theory: float
    at_all: float | None = None


# -- no false key ------------------------------------------------------------------------------------------------------


def honest_play(source: str, keys: int = 5) -> Play:
    def play(seed: int) -> Shown:
        yield AttackRecord(seed, source, keys).page(), {}

    return play


def split_view_attack(sizes: tuple[int, int], quorum: int | None) -> Play:
    """One page for some members, another for the rest; she shows the one that won."""

    def play(seed: int) -> Shown:
        one = AttackRecord(seed, "beacon")
        other = one.fork()
        cut = sizes[0]
        for made, who, title in ((one, one.trusted[:cut], "one"), (other, one.trusted[cut : sum(sizes)], "other")):
            yield made.page(who, title=title), {"quorum": quorum}

    return play


def committees(keys: int, size: int) -> Play:
    """Under the group: a committee adds its numbers; if that wins, all look in; else another committee, elsewhere."""

    def play(seed: int) -> Shown:
        start = AttackRecord(seed, "commit_reveal", keys)
        bound: list[int] = []
        for first in range(0, keys - size + 1, size):
            made, who = start.fork(), start.trusted[first : first + size]
            made.rng.seed(f"{seed} {first}")  # each device has its own number
            free = [number for number in start.trusted if number not in bound and number not in who]
            made.page(who, [*who, *free], title=f"committee {first}")
            bound += who
            yield made, {}

    return play


def abandon_until_lucky(source: str, tries: int = TRIES) -> Play:
    """A round that displeases is left undrawn, and another one frozen."""

    def play(seed: int) -> Shown:
        made = AttackRecord(seed, source)
        for number in range(tries):
            fork = made.fork()
            fork.rng.seed(f"{seed} {number}")
            yield fork.page(), {}
            if fork.won():
                return
            if source == "commit_reveal":
                for one in made.trusted:
                    made.commit(one)
            made.freeze()
            made.numbers = {}

    return play


def rewritten(seed: int) -> Shown:
    """The beacon has spoken: pages are made until one wins, and her own key says that it had it before."""
    start = AttackRecord(seed, "beacon")
    for number in range(TRIES):
        made = start.fork()
        made.freeze(title=f"page {number}")
        made.say(0, at=made.speaks() - 600)
        made.draw()
        made.says([0])
        yield made, {}
        if made.won():
            return


def throws(choose: Callable[[bytes, int], bytes]) -> Play:
    """Dice: devices confirm what they are first asked; she draws from that throw, or from another that she prefers."""

    def play(seed: int) -> Shown:
        made = AttackRecord(seed, "dice")
        made.freeze()
        made.says()
        first = made.thrown()
        devices = {number: _device(made, number) for number in made.trusted}
        for number in range(TRIES):
            fork = made.fork()
            fork.throw = choose(first, number)
            slips = []
            for by in fork.trusted:  # all are asked over the same page: none has signed what another said in a branch
                devices[by], slip = _confirmed(devices[by], fork, by)
                slips.append(slip)
            for slip in filter(None, slips):
                fork.add("statement", **slip)
            fork.draw()
            fork.says()
            yield fork, {}
            if fork.won():
                return

    return play


def _device(made: RecordMaker, number: int) -> Device:
    """The product's own device of a member, which has signed the page."""
    said = next(one for one in reversed(made.lines) if one["line"] == "statement" and one["member"] == number)
    kept = {key: one for key, one in said.items() if key not in ("prev",)}
    freeze = Group.from_bytes(made.bytes()).open.freeze_hash.hex()
    return Device(made.people[number].signer.hex(), made.record.hex(), [{**kept, "freeze": freeze}])


def _confirmed(device: Device, made: RecordMaker, by: int) -> tuple[Device, dict | None]:
    """Ask a device to confirm the throw of this branch: it gives its say, or refuses."""
    group, receipt = Group.from_bytes(made.bytes()), parse_canonical(canonical(made.receipt(by)))
    try:
        kept, slip = sign_record(device, group, receipt, made.clock, "dice", _typed(made.throw), lambda question: True)
    except Exception as refusal:
        if "only the first one counts" not in str(refusal) and "another history" not in str(refusal):
            raise
        return device, None
    return kept, {key: one for key, one in slip.items() if key != "line"}


def _typed(thrown: bytes) -> str:
    return ",".join(thrown.decode().split(".")[:-1])


def again(first: bytes, number: int) -> bytes:
    """The dice are thrown again."""
    faces = [int(one) for one in first.split(b".")[:-1]]
    return b"".join(
        b"%d." % ((face + number * (place + 1)) % 6 + 1 if number else face) for place, face in enumerate(faces)
    )


def reordered(first: bytes, number: int) -> bytes:
    """The same dice, typed in another order."""
    faces = first.split(b".")[:-1]
    return b"".join(face + b"." for face in [*faces[number:], *faces[:number]])


def two_sources(seed: int) -> Shown:
    """The round under a beacon in one branch, under dice in another: n = 3, k₀ = 1."""
    start = AttackRecord(seed, "beacon", 3)
    a, b, c = start.trusted
    one = start.fork()
    yield one.page([a], [a, b, c] if _wins(one, [a]) else [a]), {}
    other = start.fork()
    other.amend("source", {"kind": "dice"})
    yield other.page([b, c], [b, c]), {}


def _wins(made: RecordMaker, who: list[int]) -> bool:
    tried = made.fork()
    tried.whole_round(who=who, after=[])
    return tried.won()


def other_people(drops: bool) -> Play:
    """A branch whose roster has other honest people, or drops those who saw the first page."""

    def play(seed: int) -> Shown:
        start = AttackRecord(seed, "beacon")
        saw = start.trusted[:3]
        yield start.fork().page(saw, title="one"), {"quorum": 3}
        other = start.fork()
        for number in saw:
            other.gone.add(number)
        if drops:
            other.roster()
        else:
            for _ in saw:
                other.join()
        yield other.page(title="other"), {"quorum": 3}

    return play


# -- false keys --------------------------------------------------------------------------------------------------------


def false_keys(keys: int, quorum: int, false: int) -> Play:
    """c false keys sign both pages; the others are parted between them as evenly as she can."""

    def play(seed: int) -> Shown:
        start = AttackRecord(seed, "beacon", keys)
        liars, honest = start.trusted[:false], start.trusted[false:]
        half = -(-len(honest) // 2)
        for title, part in (("one", honest[:half]), ("other", honest[half:])):
            yield start.fork().page([*liars, *part], title=title), {"quorum": quorum}

    return play


GAMES = {
    "nothing, beacon": Game(honest_play("beacon"), P),
    "nothing, nine keys": Game(honest_play("beacon", 9), P),
    "two pages to two honest parts, k = 3 of 5": Game(split_view_attack((3, 2), 3), P),
    "two pages to two honest parts, k = 2 of 5": Game(split_view_attack((3, 2), None), 0.0),
    "two committees, then the silent majority": Game(committees(5, 2), P),
    "three committees of nine, then the silent ones": Game(committees(9, 3), P),
    "abandon and freeze again, beacon": Game(abandon_until_lucky("beacon"), P, 1 - (1 - P) ** TRIES),
    "abandon and freeze again, group (reveals left out)": Game(
        abandon_until_lucky("commit_reveal"), P, 1 - (1 - P) ** TRIES
    ),
    "abandon and freeze again, dice": Game(abandon_until_lucky("dice"), P, 1 - (1 - P) ** TRIES),
    "page rewritten after the beacon": Game(rewritten, 0.0, 1 - (1 - P) ** TRIES),
    "dice thrown again": Game(throws(again), P),
    "typist picks the order of dice": Game(throws(reordered), P),
    "a beacon in one branch, dice in another": Game(two_sources, P),
    "a fork with other honest people": Game(other_people(False), P),
    "a fork that drops those who saw": Game(other_people(True), P),
    "1 false key of 5, k = 3": Game(false_keys(5, 3, 1), TWICE),
    "3 false keys of 5, k = 4": Game(false_keys(5, 4, 3), TWICE),
    "1 false key of 9, k = 5": Game(false_keys(9, 5, 1), TWICE),
    "5 false keys of 9, k = 7": Game(false_keys(9, 7, 5), TWICE),
    "2 false keys of 5, k = 4": Game(false_keys(5, 4, 2), P),
    "4 false keys of 9, k = 7": Game(false_keys(9, 7, 4), P),
}


class AttackOutcome(NamedTuple):
    """What came of a game: shares of its tries, and whether they are within three standard deviations of theory."""

    rate: float
    theory: float
    spread: float
    at_all: float
    held: bool


def play_attacks(names: list[str], tries: int) -> dict[str, AttackOutcome]:
    """Play games so often; both verifiers must say the same of everything that is shown."""
    shown = {name: [_cases(GAMES[name], 1000 + seed) for seed in range(tries)] for name in names}
    cases = [case for games in shown.values() for one in games for case in one]
    answers = [
        verify_bytes(**{"data" if key == "record" else key: value for key, value in case.items()}) for case in cases
    ]
    assert verify_with_node([case | {"beacon": league().chain_info(), "now": LATER} for case in cases]) == answers
    proved = iter(answer["rounds"][-1]["status"] == "proved" for answer in answers)
    wins = {name: [any([next(proved) for _ in one]) for one in games] for name, games in shown.items()}
    return {name: _beside(GAMES[name], wins[name], [bool(one) for one in shown[name]]) for name in names}


def _cases(game: Game, seed: int) -> list[dict]:
    """What she could show at the end of one try: the records that gave her arm, each with its reader's question."""
    return [asked(made, **question) for made, question in game.play(seed) if made.won()]


def _beside(game: Game, wins: list[bool], at_all: list[bool]) -> AttackOutcome:
    tries = len(wins)
    rate, got = sum(wins) / tries, sum(at_all) / tries
    fits = abs(rate - game.theory) <= 3 * _spread(game.theory, tries)
    if game.at_all is not None:
        fits = fits and abs(got - game.at_all) <= 3 * _spread(game.at_all, tries)
    return AttackOutcome(rate, game.theory, _spread(game.theory, tries), got, fits)


def _spread(p: float, tries: int) -> float:
    return math.sqrt(p * (1 - p) / tries)

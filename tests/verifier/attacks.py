"""An organiser who tries to win: real records, judged by both verifiers, beside theory.

    python tests/verifier/attacks.py [TRIES]       make attacks runs it

She keeps the file and holds the marked key 0; members 1 to 4 have keys of their own and honest devices. Readers trust
`members` and kept the head of line 2. She wants arm 0. `NAMED` are single records with the exit code and the words that
they must get; `GAMES` are played many times: how often a record is shown that is *proved and won*, beside the share p
that arm 0 has in the pages.
"""

import math
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from beacons import REAL
from engines import by_node
from maker import QUICKNET, Maker, joined, rechained
from shelf import LATER, judged, source_of

MEMBERS = 5


def group(seed: int, source: str) -> Maker:
    return Maker(seed, members=MEMBERS, arms=3, source=source_of(source), block=1)


def asked(made: Maker, data: bytes | None = None) -> dict:
    """The question of a reader who trusts members and kept the head of line 2."""
    data = made.bytes() if data is None else data
    return {"record": data, "trust": ["members"], "head": [made.head(2)]}


# -- named rows --------------------------------------------------------------------------------------------------------


def reveals_left_out():
    """A number that displeases is not written down, and the round is drawn without it."""
    made = group(1, "group")
    for number in (1, 2, 3):
        made.commit(number)
    made.freeze()
    made.reveal(1)
    made.reveal(2)
    made.draw(b"".join(by.to_bytes(4, "big") + made.numbers[by] for by in (1, 2)))
    return asked(made)


def left_undrawn():
    made = group(2, "group")
    for number in (1, 2, 3):
        made.commit(number)
    made.freeze()
    made.reveal(1)
    made.whole_round()
    return asked(made)


def commit_for_an_absentee():
    """She commits in the name of one who was not there, with her own key."""
    made = group(3, "group")
    made.say(4, "commit", "ab" * 32, signer=made.people[0].signer)
    return asked(made)


def rewritten_page():
    """After the beacon has spoken the page is made anew, and her own say is backdated."""
    made = group(4, "beacon")
    made.freeze(event="another page")
    made.say(0, at=made.speaks() - 600)
    made.draw()
    made.says([0])
    return asked(made)


def a_line_of_kind_void():
    made = group(5, "beacon")
    made.freeze()
    lines = [
        *made.lines,
        {"line": "void", "round": 1, "at": 1, "reason": "rain", "signatures": [], "prev": made.head()},
    ]
    return asked(made, joined(lines))


def abandoned(source: str):
    def make():
        made = group(6, source)
        for number in (1, 2, 3, 4) if source == "group" else ():
            made.commit(number)
        made.freeze()
        made.says([1, 2, 3, 4])
        made.whole_round()
        return asked(made)

    return make


def signatures_of_reveals_dropped():
    made = group(7, "group")
    made.whole_round()
    lines = [dict(one, signature=None) if one.get("what") == "reveal" else one for one in made.lines]
    return asked(made, joined(rechained(lines, 2)))


def honest_signatures_left_out():
    made = group(8, "beacon")
    made.whole_round(who=[1], after=[])
    return asked(made)


def order_of_dice():
    """The typist picks the order of the dice; nobody confirms it."""
    made = group(9, "dice")
    made.freeze()
    made.says([1, 2, 3, 4])
    made.throw = b"".join(sorted(made.thrown().split(b".")[:-1], reverse=True)).replace(b"", b".")[1:]
    made.draw()
    made.says()
    return asked(made)


def empty_record():
    return asked(group(10, "beacon"))


def real_beacon() -> Maker:
    """A record of one round on what quicknet really said in 2023, made today."""
    first = {"first": QUICKNET["genesis"] + 999 * 3, "every": 86_400}
    made = Maker(11, members=MEMBERS, arms=3, source={"kind": "beacon", **QUICKNET, **first}, block=1)
    made.clock = first["first"] - 7200  # whoever has all the keys says any time
    made.freeze()
    made.says()
    made.draw(bytes.fromhex(REAL[1000]))
    made.says()
    return made


def of_2023(**question):
    return lambda: {"record": real_beacon().bytes(), **question}


NAMED = {
    "reveals left out": (reveals_left_out, 1, "the number of member 3 is missing."),
    "reveals left out, left undrawn": (left_undrawn, 3, "Never drawn: rounds 1."),
    "commits for absentees": (commit_for_an_absentee, 1, "member 4 did not sign this with a key of the roster."),
    "rewritten page": (rewritten_page, 3, "Proved: none; not proved: rounds 1."),
    "a line of kind void": (a_line_of_kind_void, 2, "line 4 is not canonical JSON with the keys"),
    "a beacon round abandoned": (abandoned("beacon"), 3, "Never drawn: rounds 1."),
    "a group round abandoned": (abandoned("group"), 3, "Never drawn: rounds 1."),
    "a dice round abandoned": (abandoned("dice"), 3, "Never drawn: rounds 1."),
    "signatures of reveals dropped": (signatures_of_reveals_dropped, 2, "is not canonical JSON with the keys"),
    "honest signatures left out": (honest_signatures_left_out, 3, "Proved: none; not proved: rounds 1."),
    "order of dice": (order_of_dice, 3, "Proved: none; not proved: rounds 1."),
    "empty record": (empty_record, 3, "nothing was drawn."),
    "2023, no trust": (of_2023(), 3, "Say whom you trust (--trust)."),
    "2023, members without a head": (of_2023(trust=["members"]), 2, "members need a head that you kept before"),
}


def seen_by(case: dict) -> dict:
    """What the Python verifier says."""
    return judged(case["record"], **{key: value for key, value in case.items() if key != "record"})


def named(row: str) -> tuple[int, str]:
    """(exit code, sentence) of a named row; both verifiers must say the same."""
    case = NAMED[row][0]()
    answer = seen_by(case)
    assert by_node([{**case, "beacon_key": source_of("beacon").key, "now": LATER}])[0] == answer, row
    return answer["exit_code"], answer["sentence"]


# -- games -------------------------------------------------------------------------------------------------------------


def won(made: Maker) -> bool:
    """Whether the last round is proved for the reader, and has arm 0."""
    last = seen_by(asked(made))["rounds"][-1]
    return last["status"] == "proved" and last["arms"] == [0]


def share(made: Maker) -> float:
    freeze = next(line for line in reversed(made.lines) if line["line"] == "freeze")
    return freeze["voices"][0] / sum(freeze["voices"])


def honest(seed: int) -> tuple[bool, float]:
    """She does nothing: proved and won as often as p says, so that the games can be won at all."""
    made = group(seed, "beacon")
    made.whole_round()
    return won(made), share(made)


def two_pages(seed: int) -> tuple[bool, float]:
    """One page for members 1 and 2, another for 3 and 4; she shows the one that won."""
    one = group(seed, "beacon")
    other = one.fork()
    for made, event, who in ((one, "one", [1, 2]), (other, "other", [3, 4])):
        made.freeze(event=event)
        made.says(who)
        made.draw()
        made.says(who)
    return won(one) or won(other), share(one)


def abandon(source: str):
    """A round that displeases is left undrawn, and another one frozen, up to four times."""

    def play(seed: int) -> tuple[bool, float]:
        made = group(seed, source)
        for _ in range(4):
            fork = made.fork()
            fork.whole_round()
            if next(one for one in reversed(fork.lines) if one["line"] == "draw")["arms"] == [0]:
                return won(fork), share(fork)
            if source == "group":
                for number in (1, 2, 3, 4):
                    made.commit(number)
            made.freeze()
        return False, share(made)

    return play


GAMES = {
    "nothing": (honest, True),
    "two pages to two honest parts": (two_pages, False),
    "abandon and freeze again, beacon": (abandon("beacon"), False),
    "abandon and freeze again, group": (abandon("group"), False),
    "abandon and freeze again, dice": (abandon("dice"), False),
}
"""Each game, and whether it reaches p; none may exceed it by three standard deviations."""


def played(game: str, tries: int) -> tuple[float, float, float, bool]:
    """(proved and won, p, one standard deviation, whether that is as theory says) over so many tries."""
    play, reaches = GAMES[game]
    found = [play(1000 + seed) for seed in range(tries)]
    rate, p = sum(win for win, _ in found) / tries, sum(share for _, share in found) / tries
    spread = math.sqrt(sum(share * (1 - share) for _, share in found)) / tries
    return rate, p, spread, rate <= p + 3 * spread and (not reaches or rate >= p - 3 * spread)


def main(tries: int = 400) -> int:
    held = True
    for row, (_, code, words) in NAMED.items():
        found, sentence = named(row)
        good = found == code and words in sentence
        held = held and good
        print(f"{'yes' if good else 'NO ':3}  {row}: exit {found}. {sentence}", flush=True)
    for game in GAMES:
        rate, p, spread, good = played(game, tries)
        held = held and good
        print(f"{'yes' if good else 'NO ':3}  {game}: proved and won {rate:.3f}, p {p:.3f} ± {spread:.3f}", flush=True)
    return int(not held)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

"""An organiser who tries to win: how often she gets the arm she wants under each source, beside theory.

    python tests/verifier/attacks.py [TRIES]       make attacks runs it

She holds the file, may rewrite it as often as she likes, and wants arm 0, whose fair share p is 2/5. What she cannot do
is sign for others, or change what a beacon will say. A rewrite that contradicts a witness's signature is put to the
verifier, to see that it is refused.
"""

import hashlib
import math
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from forgeries import followed
from maker import Maker, arm_of, balls, joined
from shelf import judged, league

SHARE = 2 / 5
HEADS = ("source", "what she does", "wins", "theory", "accepted by the verifier")


def group(seed, source) -> Maker:
    """Five members with one favourite each, two of them arm 0; nothing drawn yet."""
    made = Maker(seed, members=5, arms=3, source=source, block=1)
    favourites = [0, 0, 1, 1, 2]
    for person in made.people:
        person.weight = 1
    made.lines, made.version = made.lines[:1], 0
    made.roster()
    made._sets = lambda available: (dict(enumerate((arm,) for arm in favourites)), [])
    made.policy = [0.4, 0.4, 0.2]
    return made


def frozen(seed, source) -> Maker:
    made = group(seed, source)
    if made.source["kind"] == "group":
        made.commit()
    made.freeze()
    return made


def drawn_arm(freeze: dict, said: bytes) -> int:
    return arm_of(freeze, balls(freeze, said)[0])


def rehearsal(tries: int):
    """She tries secrets until the ball is hers, and then publishes."""
    wins = 0
    for seed in range(tries):
        made = frozen(seed, "rehearsal")
        made.witness()
        while drawn_arm(made.frozen(), made._source_bytes(made.frozen(), None)) != 0:
            made.organiser = hashlib.sha256(made.organiser).digest()
        wins += made.draw()["arms"] == [0]
    code = judged(made.bytes())["exit_code"]
    return "rehearsal", "tries secrets", wins / tries, 1.0, f"exit {code}: proves nothing", wins == tries and code == 3


def beacon_unseen(tries: int):
    """She knows what the beacon said, and grinds the page until the ball is hers; nobody saw the page before."""
    wins = 0
    for seed in range(tries):
        made = frozen(seed, league())
        said = league().speak(made.frozen()["source_round"])
        while drawn_arm(made.frozen(), said) != 0:
            made.frozen()["tally_root"] = hashlib.sha256(made.frozen()["tally_root"].encode()).hexdigest()
        wins += made.draw(said.hex())["arms"] == [0]
    answer = judged(made.bytes())
    told = answer["rounds"][0]["reasons"] == ["not proven that this page existed before the draw"]
    said = f"exit {answer['exit_code']}: nobody saw the page"
    return (
        "beacon, unseen",
        "grinds the page",
        wins / tries,
        1.0,
        said,
        wins == tries and answer["exit_code"] == 3 and told,
    )


def beacon_seen(tries: int):
    """The page was signed before: she may grind it again, but then the signature is wrong or missing."""
    wins = rewrites = accepted = 0
    for seed in range(tries):
        made = frozen(seed, league())
        made.witness(made.present[2:3])
        said = league().speak(made.frozen()["source_round"])
        won = made.draw(said.hex())["arms"] == [0]
        wins += won
        if not won and rewrites < 40:
            rewrites += 1
            accepted += _rewritten(made, said)
    held = abs(wins / tries - SHARE) <= 3 * math.sqrt(SHARE * (1 - SHARE) / tries)
    told = f"{accepted} of {rewrites} rewrites"
    return "beacon, seen", "may only wait", wins / tries, SHARE, told, held and not accepted and rewrites > 0


def _rewritten(made: Maker, said: bytes) -> int:
    """She grinds until arm 0 and keeps the witness's signature: whether the verifier takes it for proved."""
    lines = [dict(line) for line in made.lines]
    freeze = next(i for i, line in enumerate(lines) if line["line"] == "freeze")
    witness = next(i for i, line in enumerate(lines) if line["line"] == "witness")
    while drawn_arm(lines[freeze], said) != 0:
        lines[freeze]["tally_root"] = hashlib.sha256(lines[freeze]["tally_root"].encode()).hexdigest()
    signature = lines[witness]["signature"]
    lines = followed(lines, freeze)
    lines[witness]["signature"] = signature
    lines = followed(lines, witness + 1)
    return judged(joined(lines))["exit_code"] == 0


def dice_seen(tries: int):
    """Two honest people saw the page, and then the dice: nothing is hers to choose."""
    wins = 0
    for seed in range(tries):
        made = frozen(seed, "dice")
        made.witness(made.present[2:4])
        wins += made.draw()["arms"] == [0]
    code = judged(made.bytes())["exit_code"]
    held = abs(wins / tries - SHARE) <= 3 * math.sqrt(SHARE * (1 - SHARE) / tries)
    return "dice, seen", "may only wait", wins / tries, SHARE, f"exit {code}", held and code == 0


def colluders(count: int):
    """So many members, she among them, see all honest reveals first and then choose who stays silent."""

    def attack(tries: int):
        wins = 0
        for seed in range(tries):
            made = frozen(seed, "group")
            honest, own = made.present[count:], made.present[:count]
            made.witness(honest)
            for mask in range(2**count):
                shown = [person for i, person in enumerate(own) if mask >> i & 1] + honest
                said = b"".join(p.number.to_bytes(4, "big") + made.commits[p.number] for p in shown)
                if drawn_arm(made.frozen(), said) == 0:
                    wins += 1
                    break
            made.reveal(honest)
            made.reveal([person for person in shown if person not in honest])
            made.draw()
        answer = judged(made.bytes())
        theory = 1 - (1 - SHARE) ** (2**count)
        held = abs(wins / tries - theory) <= 3 * math.sqrt(theory * (1 - theory) / tries) and answer["exit_code"] == 0
        silent = sum("did not reveal" in note for note in answer["notes"])
        told = f"exit {answer['exit_code']}; {silent} silent named in the last"
        return f"group, {count} collude", "may stay silent", wins / tries, theory, told, held

    return attack


def table(tries: int) -> tuple[str, bool]:
    attacks = [rehearsal, beacon_unseen, beacon_seen, dice_seen, colluders(1), colluders(2), colluders(3)]
    rows, good = [], True
    for attack in attacks:
        few = attack in (beacon_unseen,)
        source, does, wins, theory, told, held = attack(max(tries // 10, 10) if few else tries)
        rows.append((source, does, f"{wins:.3f}", f"{theory:.3f}", told + ("" if held else "  UNEXPECTED")))
        good = good and held
    widths = [max(len(row[i]) for row in [HEADS, *rows]) for i in range(len(HEADS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [HEADS, *rows]]
    return "\n".join(line.rstrip() for line in lines), good


def main() -> int:
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    text, good = table(tries)
    print(f"An organiser who wants arm 0, whose share is {SHARE}; {tries} tries each\n{text}")
    print("Each as theory has it, within 3 σ." if good else "Not as theory has it: see UNEXPECTED.")
    return not good


if __name__ == "__main__":
    sys.exit(main())

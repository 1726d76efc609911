"""An organiser who tries to win: real records judged by both verifiers, and requests to a real service, beside theory.

    python tests/verifier/run_attacks.py [TRIES]       make attacks runs it

`attack_rows.py` has single records with the exit and the words that each must get, `attack_games.py` attacks that are
played many times, `attack_http.py` what is tried over HTTP.
"""

import sys
import time
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import attack_http
from attack_games import GAMES, play_attacks
from attack_rows import NAMED
from engines import verify_with_node
from sample_records import LATER, league, verify_bytes


def join_sentences(answer: dict) -> str:
    """All sentences of an answer."""
    rounds = [one["sentence"] for one in answer["rounds"]]
    return "\n".join([answer["sentence"], *rounds, *answer["proved"], *answer["unproved"], *answer["notes"]])


@cache
def run_named_attacks() -> dict[str, tuple[int, str, bool]]:
    """By row: exit code, sentences, and whether the two verifiers say the same."""
    cases = [make() for make, _, _ in NAMED.values()]
    ours = [verify_bytes(**{"data" if key == "record" else key: one for key, one in case.items()}) for case in cases]
    theirs = verify_with_node([case | {"beacon": league().chain_info(), "now": LATER} for case in cases])
    pairs = zip(ours, theirs, strict=True)
    return {
        row: (one["exit_code"], join_sentences(one), one == other)
        for row, (one, other) in zip(NAMED, pairs, strict=True)
    }


def holds(row: str) -> bool:
    """Whether a row has its exit and its words, by both verifiers."""
    found, words, same = run_named_attacks()[row]
    return same and found == NAMED[row][1] and NAMED[row][2] in words


def main(tries: int = 400) -> int:
    start, held = time.monotonic(), True
    for row, (_, _, words) in NAMED.items():
        held = held and holds(row)
        print(f"{'yes' if holds(row) else 'NO ':3}  {row}: exit {run_named_attacks()[row][0]}. {words}", flush=True)
    for row, (status, body) in attack_http.answers().items():
        good = status == attack_http.HTTP[row][0] and attack_http.HTTP[row][1] in body
        held = held and good
        print(f"{'yes' if good else 'NO ':3}  over HTTP, {row}: {status}. {body}", flush=True)
    print(f"\nproved and won in {tries} tries, beside theory, which three standard deviations must reach:", flush=True)
    for game in GAMES:
        found = play_attacks([game], tries)[game]
        held = held and found.held
        rate = f"{found.rate:.3f}, theory {found.theory:.3f} ± {found.spread:.3f}"
        print(f"{'yes' if found.held else 'NO ':3}  {game}: {rate}; won at all {found.at_all:.3f}", flush=True)
    print(f"{time.monotonic() - start:.0f} s.")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

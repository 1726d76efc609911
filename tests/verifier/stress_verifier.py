"""The whole hostile suite of the verifiers: every bit, every line, every forgery, three engines, the beacon.

python tests/verifier/stress_verifier.py [flips] [lines] [forged] [beacons] [parity]      make stress runs all
python tests/verifier/stress_verifier.py flips=2/4                                        the second of four parts
"""

import sys
import time
from itertools import islice
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import beacon_signatures
import forgeries
import mutations
import parity
from sample_records import make_eventful_record, make_plain_record, verify_bytes


def accepted(data: bytes, **options) -> bool:
    """Whether a record is taken for good; a refusal must be one sentence."""
    answer = verify_bytes(data, **options)
    assert "\n" not in answer["sentence"], answer["sentence"]
    assert answer["sentence"].endswith("."), answer["sentence"]
    return answer["exit_code"] in (0, 3)


def flips(part: int, parts: int) -> tuple[str, bool]:
    """All eight flips of every byte of four records, both privacies, one of them ended and its head kept."""
    records = [
        make_plain_record(1, "dice", members=3, arms=2, rounds=1),
        make_plain_record(2, "commit_reveal", members=2, arms=2, rounds=1, privacy="open"),
        make_plain_record(3, "rehearsal", members=3, arms=2, rounds=1),
        make_plain_record(4, "dice", members=2, arms=3, rounds=1, privacy="open"),
    ]
    records[-1].end()
    tried = missed = 0
    for made in records:
        kept = [made.head()] if made is records[-1] else []  # nobody signed its last line: only a kept head binds it
        for data in islice(mutations.all_flips(made.bytes()), part - 1, None, parts):
            tried += 1
            missed += accepted(data, head=kept)
    return f"{tried:,} single-bit flips: {missed} accepted", not missed and tried >= 100_000 // parts


def lines(part: int, parts: int) -> tuple[str, bool]:
    """Every line dropped, doubled and swapped with every other, and the file cut at every byte."""
    tried = missed = cut = wrong = 0
    for source in ("rehearsal", "dice", "commit_reveal")[part - 1 :: parts]:
        for made in (make_eventful_record(5, source), make_plain_record(6, source)):
            for data in mutations.rearrange_lines(made.bytes()):
                tried += 1
                missed += accepted(data)
        for data in mutations.truncate_inside(make_plain_record(7, source).bytes(), step=3):
            cut += 1
            wrong += verify_bytes(data)["exit_code"] != 2
    return (
        f"{tried:,} records with lines moved: {missed} accepted; {cut:,} cut inside a line: {wrong} not unreadable",
        not (missed or wrong),
    )


def forged(part: int, parts: int) -> tuple[str, bool]:
    """Every key of every kind of line changed and chained again, and every say: with a kept head, and without one."""
    tried = missed = kept = 0
    for victim, kind, _, change, _, _ in forgeries.CHANGES[part - 1 :: parts]:
        data, number = forgeries.changed(victim, kind, change)
        tried, missed = tried + 1, missed + accepted(data)
        kept += accepted(data, head=[forgeries.victims()[victim].head(number)])
    for victim, what in [("dice", "seen"), ("dice", "dice"), ("commit_reveal", "commit"), ("commit_reveal", "reveal")][
        part - 1 :: parts
    ]:
        for _, data, _ in forgeries.say_forgeries(victim, what):
            tried, missed = tried + 1, missed + accepted(data)
    return f"{tried:,} forgeries: {missed} accepted, {kept} with a kept head", not (missed or kept)


SUITES = {
    "flips": flips,
    "lines": lines,
    "forged": forged,
    "beacons": lambda part, parts: ("the beacon", not beacon_signatures.main(1000 // parts, seed=part)),
    "parity": lambda part, parts: ("three engines and a third reader", not parity.main(range(10)[part - 1 :: parts])),
}


def main() -> int:
    good = True
    for name in sys.argv[1:] or SUITES:
        started = time.perf_counter()
        name, _, share = name.partition("=")
        part, parts = map(int, share.split("/")) if share else (1, 1)
        text, held = SUITES[name](part, parts)
        print(f"{text} ({time.perf_counter() - started:.0f} s)", flush=True)
        good = good and held
    print("Everything held." if good else "Something did not hold: see above.")
    return not good


if __name__ == "__main__":
    sys.exit(main())

"""A group that has decided thousands of times: what its pages and receipts cost, and what it takes in memory.

`python tests/service/long_group_benchmark.py --rounds 3000` prints times and sizes; `--members 1000 --options 200` of a
large group.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))
from api_clients import SampleGroup, make_client

from isegoria.service.store import open_store


def get_resident_megabytes() -> float:
    """Megabytes of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def decide_rounds(lunch: SampleGroup, rounds: int, report: int) -> None:
    """Let a group decide so often."""
    began = time.perf_counter()
    for number in range(rounds):
        lunch.members["M0"].rate({lunch.arms[number % len(lunch.arms)]: 5})
        lunch.decide()
        if (number + 1) % report == 0:
            print(
                f"{number + 1} rounds: {time.perf_counter() - began:.0f} s, {get_resident_megabytes():.0f} MB",
                flush=True,
            )


def measure_response(ask) -> tuple[float, float, int]:
    """(first, median of ten more) in milliseconds, and the bytes of an answer."""
    times = []
    for _ in range(11):
        began = time.perf_counter()
        answer = ask()
        times.append(1000 * (time.perf_counter() - began))
        assert answer.status_code == 200, answer.text
    return times[0], median(times[1:]), len(answer.content)


def main() -> None:
    """Make the group, and ask."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=3000)
    asked.add_argument("--members", type=int, default=10)
    asked.add_argument("--options", type=int, default=6)
    given = asked.parse_args()
    members, options, block = given.members, given.options, 5 if given.members < 100 else 1
    with (
        tempfile.TemporaryDirectory() as folder,
        make_client(open_store(f"sqlite:///{folder}/a.db"), ratings=(1e9, 1.0), deeds=(1e9, 1.0)) as client,
    ):
        arms = [f"option {number}" for number in range(options)]
        lunch = SampleGroup(client, arms=arms, members=[f"M{number}" for number in range(members)], block=block)
        lunch.arms = arms
        for number in range(1, min(300, members)):
            lunch.members[f"M{number}"].rate({arms[(number * 7 + k) % options]: 5 for k in range(3)})
        decide_rounds(lunch, given.rounds, max(1, given.rounds // 10))
        for path in ("", "voice", "receipt?last=50", "receipt"):
            first, usual, size = measure_response(lambda path=path: lunch.members["M0"].get(path))
            print(
                f"{path or 'state':16} first {first:7.1f} ms, then {usual:7.1f} ms, {size / 1000:8.1f} kB", flush=True
            )


if __name__ == "__main__":
    main()

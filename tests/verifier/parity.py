"""Good and mutated records on which Python, Node, Chromium and the third reader must say the same, word for word.

python tests/verifier/parity.py             300 good records and 3,000 mutated ones; make stress runs it
python tests/verifier/parity.py 2000 10000  so many, without Chromium; make mutants runs it
"""

import json
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import forgeries
import mutations
from engines import verify_with_chromium, verify_with_node, verify_with_python, verify_with_reference
from sample_records import LATER, league, make_random_record, make_random_request


def make_good_cases(count: int, start: int = 0) -> list[dict]:
    """Records of random events with random questions: whom is trusted, heads, quorum, another copy, files, a time."""
    cases = []
    for n in range(start, start + count):
        made = make_random_record(n)
        cases.append({"record": made.bytes(), **make_random_request(made, n)})
    return cases


def make_mutated_cases(count: int, seed: int = 0) -> list[dict]:
    """Cases with one mutation of the bytes, one forgery chained again, or a file beside that was tampered with."""
    rng = random.Random(f"parity {seed}")
    made, cases = [make_random_record(9000 + 20 * seed + n) for n in range(12)], []
    while len(cases) < count:
        one = rng.choice(made)
        case = {"record": one.bytes(), **make_random_request(one, rng.randrange(10**6))}
        turn = len(cases) % 6
        if turn == 0:
            victim, kind, _, change, _, _ = rng.choice(forgeries.CHANGES)
            case = {"record": forgeries.changed(victim, kind, change)[0], "beacon": league().chain_info(), "now": LATER}
        elif turn == 1:
            case["receipt"] = mutations.mutate_randomly(one.file(one.receipt(rng.randrange(len(one.people)))), rng)
        else:
            case["record"] = mutations.mutate_randomly(case["record"], rng)
        cases.append(case)
    return cases


def find_differences(cases: list[dict], page=None) -> list[str]:
    """Where two verifiers do not say the same; the case is shown so far that it can be found again."""
    answers = [verify_with_python(cases), verify_with_node(cases), verify_with_reference(cases)] + (
        [verify_with_chromium(page, cases)] if page else []
    )
    found = []
    for i, said in enumerate(zip(*answers, strict=True)):
        if any(one != said[0] for one in said[1:]):
            found.append(f"case {i}: " + " | ".join(one.get("sentence") or json.dumps(one)[:300] for one in said))
    return found


def main(steps: range = range(10)) -> int:
    from playwright.sync_api import sync_playwright

    from browser.fixtures import CHROMIUM_ARGUMENTS, fetch

    program, surroundings = fetch.chromium()
    wrong, counted = [], {"good": 0, "mutated": 0, "accepted": 0}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGUMENTS, env=surroundings or None)
        page = browser.new_page()
        for step in steps:
            cases = make_good_cases(30, start=30 * step) + make_mutated_cases(300, seed=step)
            counted["good"] += 30
            counted["mutated"] += 300
            wrong += find_differences(cases, page)
            print(
                f"{counted['good']} good and {counted['mutated']} mutated records: {len(wrong)} differences", flush=True
            )
        browser.close()
    print("\n".join(wrong[:20]))
    return bool(wrong)


def without_a_browser(records: int, mutants: int, steps: int = 40) -> int:
    """As many records and mutants, in steps, without Chromium."""
    wrong = []
    for step in range(steps):
        wrong += find_differences(
            make_good_cases(records // steps, start=records // steps * step)
            + make_mutated_cases(mutants // steps, seed=step)
        )
        print(
            f"{records * (step + 1) // steps:,} good and {mutants * (step + 1) // steps:,} mutated records: "
            f"{len(wrong)} differences",
            flush=True,
        )
    print("\n".join(wrong[:20]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(without_a_browser(*map(int, sys.argv[1:])) if sys.argv[1:] else main())

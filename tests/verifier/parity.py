"""Good and mutated records on which Python, Node and Chromium must say the same, word for word.

python tests/verifier/parity.py         300 good records and 3,000 mutated ones; make stress runs it
"""

import json
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import forgeries
import mutations
from engines import by_chromium, by_node, by_python
from maker import canonical, joined
from shelf import SOURCES, calm, eventful, head, league

from isegoria.verifier.isegoria_verify import words


def good(count: int, start: int = 0, sources=SOURCES) -> list[dict]:
    """Cases that are accepted: some with a receipt, the names, a kept head."""
    cases = []
    for n in range(start, start + count):
        source = sources[n % len(sources)]
        if n % 3:
            made = calm(n, source, members=1 + n % 7, arms=1 + n % 4, rounds=n % 3, block=[None, 1, 4][n % 3])
        else:
            made = eventful(n, source, privacy="open" if n % 2 else "ballots", ending="close" if n % 5 else "draw")
        case = {"record": made.bytes(), "beacon_key": league().key}
        if n % 2:
            case["receipt"] = canonical(made.receipt(n % len(made.people))) + b"\n"
        if n % 4 == 1:
            case["names"] = canonical(made.names()) + b"\n"
        if n % 5 == 1:
            case["head"] = head(made.lines[n % len(made.lines)])
        if n % 10 == 6:
            case["head"] = words(case["head"])
        cases.append(case)
    return cases


def mutated(count: int, seed: int = 0, sources=SOURCES) -> list[dict]:
    """Cases with one mutation of the bytes, one forgery, or a receipt that was tampered with."""
    rng = random.Random(f"parity {seed}")
    makers = [eventful(900 + seed + n, source) for n, source in enumerate(sources)]
    makers += [calm(950 + seed + n, source, members=3) for n, source in enumerate(sources)]
    weights = [1 if made.league else 9 for made in makers]  # checking a beacon takes long
    kinds = [*forgeries.FOUND, *forgeries.PASSING]
    cases = []
    while len(cases) < count:
        (made,) = rng.choices(makers, weights)
        case = {"record": made.bytes(), "beacon_key": league().key}
        turn = len(cases) % 6
        if turn == 0:
            forged = rng.choice(kinds)(made, rng) if made.charter["learner"] else None
            if forged is None:
                continue
            case["record"] = joined(forged[0])
        elif turn == 1:
            receipt = canonical(made.receipt(rng.randrange(len(made.people)))) + b"\n"
            case["receipt"] = mutations.any_mutation(receipt, rng)
        else:
            case["record"] = mutations.any_mutation(case["record"], rng)
        cases.append(case)
    return cases


def differences(cases: list[dict], page=None) -> list[str]:
    """Where two verifiers do not say the same; the case is shown so far that it can be found again."""
    python, node = by_python(cases), by_node(cases)
    answers = [python, node] + ([by_chromium(page, cases)] if page else [])
    found = []
    for i, said in enumerate(zip(*answers, strict=True)):
        if any(one != said[0] for one in said[1:]):
            found.append(f"case {i}: " + " | ".join(one.get("sentence") or json.dumps(one)[:300] for one in said))
    return found


def main(steps: range = range(10)) -> int:
    from playwright.sync_api import sync_playwright

    from browser.fixtures import ARGUMENTS, fetch

    program, surroundings = fetch.chromium()
    wrong, counted = [], {"good": 0, "mutated": 0, "accepted": 0}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS, env=surroundings or None)
        page = browser.new_page()
        for step in steps:
            cases = good(30, start=30 * step) + mutated(300, seed=step)
            counted["good"] += 30
            counted["mutated"] += 300
            wrong += differences(cases, page)
            print(
                f"{counted['good']} good and {counted['mutated']} mutated records: {len(wrong)} differences", flush=True
            )
        browser.close()
    print("\n".join(wrong[:20]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""Write `docs/reference/turns-vectors.json`: 100 rounds on record, and what every pseudonym is owed after each.

python tests/turns/turns_vectors.py

The entries come from the plain reading below, which shares no code with the package's ledger or with a verifier.
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from in_memory_group import make_random_history

FILE = Path(__file__).parents[2] / "docs" / "reference" / "turns-vectors.json"
ABOUT = "Records with turns, line by line, and after each round the entries (owed in every world, waited) by pseudonym."
SEEDS = range(10)
UNIT = 3_724_680_960


def entries_after(lines: list[dict]) -> list[dict[str, list]]:
    """{pseudonym: [owed, waited]} after each round, as the page on the record says it."""
    pages = [(place, line) for place, line in enumerate(lines) if line["line"] == "freeze"]
    owed: dict[str, list] = {}
    found = []
    for (place, page), (end, _) in zip(pages, [*pages[1:], (len(lines), None)], strict=True):
        played = None
        for line in lines[place:end]:
            if line["line"] == "draw":
                played = played or line["arms"]
            if line["line"] == "override" and line["round"] == page["round"]:
                played = [line["arm"]] * page["block"]
        weight = sum(kind["weight"] * len(kind["pseudonyms"]) for kind in page["types"])
        for kind in page["types"]:
            for who in kind["pseudonyms"] if played and kind["candidates"] != page["available"] else ():
                before, waited = owed.get(who, [[0] * page["block"], 0])
                due = sum(page["arm_units"][arm] for arm in kind["candidates"]) // weight
                after = [
                    was + due - (UNIT if arm in kind["candidates"] else 0)
                    for was, arm in zip(before, played, strict=True)
                ]
                owed[who] = [after, 0 if played[0] in kind["candidates"] else waited + 1]
        found.append({who: owed[who] for who in sorted(owed)})
    return found


def vectors() -> dict:
    """All of them."""
    records = []
    for seed in SEEDS:
        kept = make_random_history(seed, 10, most=4)
        records.append(
            {"lines": [line.decode() for line in kept.group.lines], "owed": entries_after(kept.group.parsed)}
        )
    return {"about": ABOUT, "records": records}


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")

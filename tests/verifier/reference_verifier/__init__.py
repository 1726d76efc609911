"""A third reader of records, written from the page on the record alone, for tests: it shares no code with the otown.

It keeps no state: whatever a check needs of earlier lines is looked up in them again, line by line, which is slow and
plain. Ed25519 is that of `cryptography` with the page's strictness put before it (its equation is without the
cofactor), the beacon's that of py_ecc, the learner's that of the tests' own maker of records.

    read(record, trust=…, head=…, …) == verify(record, trust=…, head=…, …)        the whole answer, key by key
"""

import re

from .companion_files import another, compared, receipt_sentences, rows_of
from .line_index import LineIndex
from .lines import NAMES, RECEIPT, digits, lines_of, parse_line
from .notes import notes_of
from .primitives import VerificationError, require, ten_words
from .sentences import (
    appended,
    first_line,
    largest_gamma,
    last_signed,
    proved_list,
    rounded_up,
    unproved_list,
    weakest,
)
from .trust import QUORUM, Trust, chain_of, judged
from .turns import Ledger


def answer(data, trust, head, quorum, against, receipt, names, beacon, now) -> dict:
    raws = lines_of(data, "the record")
    for version in (1, 2) if b'"line":"charter"' in raws[0] else ():
        reads = f"this is a record of version {version}, before the first release; this verifier reads version 3."
        require(not raws[0].endswith(b'"version":%d}' % version), reads, 2)
    book = LineIndex(raws, [parse_line(raw, f"line {n}") for n, raw in enumerate(raws, 1)])
    for one in head:
        good = digits(64)(one) or re.fullmatch("[a-z]{5}(-[a-z]{5}){9}", one)
        require(good, "a head is 64 hexadecimal digits in lower case, or ten words joined by hyphens.", 2)
    chain = None if beacon is None else chain_of(beacon)
    require(quorum is None or (trust and quorum >= 1), QUORUM, 2)
    group, record = book.lines[0].get("group"), book.name.get(2)
    own, people = None, None
    if receipt is not None:
        own = parse_line(b"\n".join(lines_of(receipt, "the receipt")), "the receipt", RECEIPT)
        require((own["group"], own["record"]) == (group, record), "the receipt belongs to another record.", 2)
    if names is not None:
        people = parse_line(b"\n".join(lines_of(names, "the names file")), "the names file", NAMES)
        require(people["group"] == group, "the names file belongs to another record.", 2)
    otown = [another(one, record) for one in against]
    heads = []
    for one in head:
        lines = [n for n in book.name if one in (book.name[n], ten_words(book.name[n]))]
        require(lines, "the kept head is not on this chain.")
        heads.append(lines[0])
    heads = sorted({*heads})
    require(own is None or own["head"] in book.name.values(), "the receipt's head is not on this chain.")
    persons = people["members"] if people else []
    known = Trust(book, trust, heads, persons, quorum)
    book.walk()
    for member, person in enumerate(persons):
        if person:
            rows_of(book, "the names file", member, person)
    mine = receipt_sentences(book, own) if own else []
    notes = [compared(book, name, other, known) for name, other in otown]
    rounds = judged(book, known, chain, now)
    good = [one for one in rounds if one["status"] == "proved"]
    bad = any(one["set"] and one["status"] in ("consistent", "undrawn") for one in rounds)
    early = any(one["status"] == "ripening" and one["round"] < good[-1]["round"] for one in rounds) if good else True
    code = 3 if bad or early else 0
    gamma, last = largest_gamma(book), last_signed(book, known)
    ledger = Ledger(book.lines) if book.turns else None
    return {
        "verdict": "proved" if code == 0 else "consistent",
        "exit_code": code,
        "sentence": first_line(book, rounds, known, persons, code, chain, now) + appended(book, rounds),
        "head": book.name[book.size],
        "words": ten_words(book.name[book.size]),
        "trust": [{"line": one["line"], "keys": sorted(one["keys"]), "members": one["members"]} for one in known.sets],
        "beta": weakest(good)["beta"] if good else None,
        "gamma": None if gamma is None else rounded_up(gamma),
        "last_signed": last,
        "rounds": [{key: one[key] for key in one if key not in ("page", "set")} for one in rounds],
        "proved": proved_list(book, rounds, heads, people is not None, mine),
        "unproved": unproved_list(book, heads, known, last),
        "notes": notes_of(book, rounds, own, notes),
        "debts": [
            {"pseudonym": who, "debt": ledger.owed[who][0], "waiting_rounds": ledger.waited[who]}
            for who in sorted(ledger.owed)
        ]
        if ledger
        else None,
    }


def read(data, trust=(), head=(), quorum=None, against=(), receipt=None, names=None, beacon=None, now=None) -> dict:
    """The answer as plain data, as section 13 has it; files are bytes, `against` pairs of a name and bytes."""
    who, kept = ([one] if isinstance(one, str) else list(one) for one in (trust, head))
    try:
        return answer(data, who, kept, quorum, against, receipt, names, beacon, now)
    except VerificationError as stop:
        code, sentence = stop.args
        verdict = {1: "false", 2: "unreadable"}[code]
        lists = {key: [] for key in ("trust", "rounds", "proved", "unproved", "notes")}
        nothing = dict.fromkeys(("head", "words", "beta", "gamma", "last_signed", "debts"))
        return (
            {"verdict": verdict, "sentence": f"{verdict.capitalize()}: {sentence}", "exit_code": code} | lists | nothing
        )

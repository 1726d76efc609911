"""Section 11: the files beside a record: names, a receipt, another copy."""

from __future__ import annotations

import math
from fractions import Fraction

from .drawing import merkle_root, signed
from .line_index import LineIndex, say_message
from .lines import dump_canonical, lines_of, parse_line
from .primitives import b4, b8, digest, hmac_sha256, join_items, quote, require, sanitise
from .trust import Trust, is_key
from .turns import Ledger


def pseudonym(book: LineIndex, secret: str, member: int, number: int) -> str:
    group = bytes.fromhex(book.lines[0]["group"])
    return hmac_sha256(secret, group, b8(0 if book.turns else number), b4(member)).hex()[:48]


def rows_of(book: LineIndex, called: str, member: int, person: dict) -> dict[int, dict]:
    """Their type on each page that they must be on, by the line of the page; without units where they are absent."""
    opened = digest(
        b"isegoria member 3\0",
        bytes.fromhex(person["salt"]),
        b4(member),
        bytes.fromhex(person["secret"]),
        person["name"].encode(),
    ).hex()
    state, told = person.get("state"), [book.roster(n + 1).get(member) for n in book.of("roster")]
    told = [entry["commitment"] for entry in told if entry]
    fits = {*told} <= {opened} and (told or state in ("pending", "left", "removed"))
    require(fits, f"{called}: entry {member} of the roster does not open to this name.")
    found = {}
    for page in book.of("freeze", "trial"):
        line, entry = book[page], book.roster(page).get(member)
        if state == "pending" and person["round"] == line["round"] and not entry:
            reason = f"was promised a part from round {line['round']}, and is not on its roster."
            require(False, f"{called}: member {member} {reason}")
        if entry and line["line"] == "freeze":
            name = pseudonym(book, person["secret"], member, line["round"])
            own = [one for one in [*line["types"], *line["absent"]] if name in one["pseudonyms"]]
            fits = own and own[0]["weight"] == entry["weight"]
            require(fits, f"{called}: member {member} has no row in round {line['round']}.")
            found[page] = own[0]
    return found


def rated_arm(book: LineIndex, number: int, leaf: dict) -> int | None:
    """With a learner: the arm that a leaf must rate, if it rates it alone and on the scale."""
    page = book.page(leaf["round"])
    drawn = book.drawn_arms(page)
    if leaf["slot"] is None or leaf["slot"] >= len(drawn):
        return None
    arm = book.put(page, number).get(leaf["slot"], drawn[leaf["slot"]])
    rated = [place for place, value in enumerate(leaf["values"]) if value is not None]
    low, high = map(Fraction, book.lines[0]["scale"])
    return arm if rated == [arm] and low <= Fraction(leaf["values"][arm]) <= high else None


def leaf_of(book: LineIndex, receipt: dict, item: dict) -> int | None:
    n, leaf, member = item["line"], item["leaf"], receipt["member"]
    line = book[n] if n <= book.size else {"line": ""}
    known = line["line"] == "freeze" and not book.learns
    require(known or line["line"] == "ratings", f"the receipt: line {n} has no such root.")
    group = bytes.fromhex(book.lines[0]["group"])
    fits = leaf["nonce"] == hmac_sha256(receipt["secret"], b"leaf\0", group, b8(line["round"]), b"ratings").hex()
    fits = fits and leaf["round"] == line["round"] and not (known and leaf["slot"] is not None)
    root = merkle_root(dump_canonical(leaf).encode(), item["index"], line["leaf_count"], item["path"])
    fits = fits and root is not None and root.hex() == line["root"]
    arm = rated_arm(book, n, leaf) if fits and book.learns else None
    fits = fits and not (book.learns and arm is None)
    require(fits, f"the receipt: a leaf for line {n} is not theirs, or not under its root.")
    if leaf["signature"] is not None:
        slot = 0xFFFFFFFF if leaf["slot"] is None else leaf["slot"]
        parts = [group, b4(member), b8(0 if known else leaf["round"]), b4(slot), b8(leaf["at"])]
        message = b"".join([b"isegoria rating 3\0", *parts, digest(dump_canonical(leaf["values"]).encode())])
        key = book.roster(n).get(member, {}).get("key")
        require(
            signed(key, leaf["signature"], message), f"the receipt: a leaf for line {n} is not signed by their key."
        )
    return arm


def favourite_arms(book: LineIndex, page: int, leaves: list) -> list[int]:
    values = next((leaf["values"] for n, leaf, _ in leaves if n == page), [])
    rated = {
        arm: Fraction(values[arm]) for arm in book[page]["available"] if arm < len(values) and values[arm] is not None
    }
    if not rated:
        return book[page]["available"]
    low, high = map(Fraction, book.lines[0]["scale"])
    return [arm for arm in rated if rated[arm] >= max(rated.values()) - (high - low) / 10**12]


def learned_sets(book: LineIndex, member: int, leaves: list) -> dict[int, tuple]:
    """Their set and leader on every page, by the learner of the tests' maker (guided.py)."""
    from member_learner import MemberLearner

    pages = book.of("freeze", "trial")
    given = max(len(book[n]["members"]) for n in book.of("roster", before=pages[0]))
    j = member - given + 1
    mind = MemberLearner(2 * len(book.roster(pages[0])) if j <= 0 else 2 * j * (j + 1), book.lines[0]["settings"])
    low, high = map(float, book.lines[0]["scale"])
    grown, arms_, rest, found = 0, None, list(leaves), {}
    for page in pages:
        for n, leaf, arm in [one for one in rest if one[0] < page]:
            rest.remove((n, leaf, arm))
            of = book[book.page(leaf["round"])]
            mind.told(arm, (float(leaf["values"][arm]) - low) / (high - low), of.get("arm_units"))
        count = len(book.charter(page)["arms"])
        grown += arms_ is not None and count > arms_
        arms_ = count
        mind.arms_are(count, (grown + 1) * (grown + 2))
        own, leader = mind.page(book[page]["available"])
        found[page] = [*own], leader
    return found


def receipt_sentences(book: LineIndex, receipt: dict) -> list[str]:
    member, state = receipt["member"], receipt["state"]
    rows, leaves = rows_of(book, "the receipt", member, receipt), []
    away = [page for page in rows if "units" not in rows[page]]
    for item in receipt["ratings"]:
        n, leaf, arm = item["line"], item["leaf"], leaf_of(book, receipt, item)
        twice = any((one["round"], one["slot"]) == (leaf["round"], leaf["slot"]) for _, one, _ in leaves)
        require(not twice, f"the receipt: a leaf for line {n} stands in it twice.")
        leaves.append((n, leaf, arm))
    leaves.sort(key=lambda one: (one[0], -1 if one[1]["slot"] is None else one[1]["slot"]))
    here = {page: own for page, own in rows.items() if page not in away}
    learned = learned_sets(book, member, leaves) if book.learns and here else {}
    made = next(n for n in book.name if book.name[n] == receipt["head"])
    for page, own in [one for one in here.items() if one[0] <= made]:
        set_, leader = learned[page] if book.learns else (favourite_arms(book, page, leaves), None)
        tail = f"in round {book[page]['round']} does not follow from the ratings."
        require(own["candidates"] == set_, f"the receipt: the set {tail}")
        require(own["leader"] == leader, f"the receipt: the leader {tail}")
    if state == "pending" and not rows:
        part = f"nothing of theirs is in a round yet; they take part from round {receipt['round']}."
        return [f"Member {member} is {quote(receipt['name'])}: {part}"]
    what = "set and leader follow" if book.learns else "set follows"
    unsigned = sum(leaf["signature"] is None for _, leaf, _ in leaves)
    told = [f"Member {member} is {quote(receipt['name'])}, with one row in each of their rounds: {len(here)}."]
    if away:
        told.append(f"Their share rested in rounds {join_items(book[page]['round'] for page in away)}.")
    told += [
        f"Their ratings are under the roots ({len(leaves)}), and their {what} from them in every round up to line "
        f"{made}, where the receipt ends.",
        f"{unsigned} of their {len(leaves)} ratings are not signed.",
    ]
    if book.turns:
        ledger, name = Ledger(book.lines), pseudonym(book, receipt["secret"], member, 0)
        owed = Fraction(ledger.owed_to(name, 0), 3724680960)
        tenths = math.floor(abs(owed) * 10 + Fraction(1, 2))
        sign = "-" if owed < 0 and tenths else ""
        told.append(
            f"They are owed {sign}{tenths // 10}.{tenths % 10} of a decision and have waited "
            f"{ledger.waited.get(name, 0)} rounds."
        )
    return told


def another(given: tuple[str, bytes], record: str | None) -> tuple[str, LineIndex]:
    name = sanitise(given[0])
    raws = lines_of(given[1], name)
    other = LineIndex(raws, [parse_line(raw, f"line {n} of {name}") for n, raw in enumerate(raws, 1)])
    for n in range(1, other.size + 1):
        good = other[n]["prev"] == (other.name[n - 1] if n > 1 else "0" * 64)
        require(good, f'line {n} of {name}: "prev" is not the hash of the line before.', 2)
    require(other.size > 1 and other.name[2] == record, f"{name} is another record.", 2)
    return name, other


def compared(book: LineIndex, name: str, other: LineIndex, trust: Trust) -> str:
    shared = min(book.size, other.size)
    part = next((n for n in range(1, shared + 1) if book.name[n] != other.name[n]), None)
    if part is None:
        if other.size <= book.size:
            return f"{name} is a beginning of this record: {other.size} of {book.size} lines."
        return f"This record is a beginning of {name}: {book.size} of {other.size} lines."
    mine = {one for one in trust.who if is_key(one)}
    mine |= {key for one in trust.sets if one["line"] is not None and one["line"] < part for key in one["keys"]}
    signers = set()
    for n in other.of("statement"):
        line, entry = other[n], other.roster(n).get(other[n]["member"])
        past = part <= line["size"] < n and line["head"] == other.name[line["size"]]
        if (
            past
            and entry
            and entry["key"] in mine
            and signed(entry["key"], line["signature"], say_message(book.hash[2], line))
        ):
            signers.add(line["member"])
    require(
        not signers,
        f"there are two histories of this record: they part at line {part}, and members "
        f"{join_items(sorted(signers))} signed the other.",
    )
    return f"{name} parts from this record at line {part}; no key you trust signed it past there."

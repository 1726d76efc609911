"""Section 13, "To know": what happened, by lines."""

from __future__ import annotations

from .line_index import LineIndex
from .primitives import join_items, quote
from .sentences import moment, origin


def notes_of(book: LineIndex, rounds: list[dict], receipt: dict | None, compared: list[str]) -> list[str]:
    notes = []
    final = book.charter(book.size + 1)["arms"]
    for n in range(1, book.size + 1):
        line, page = book[n], book.open(n)
        ends = line["line"] in ("freeze", "trial") or (line["line"] == "amend" and line["field"] == "end")
        if ends and page and book.source(page)["kind"] == "beacon":
            notes.append(never(book, page))
        if line["line"] == "amend":
            notes.append(f"Line {n} amends {line['field']}: {quote(line['reason'])}")
        if line["line"] == "roster" and n > 2:
            notes += roster_notes(book, n)
        if line["line"] in ("freeze", "trial"):
            here = book.charter(n)
            if here["source"]["kind"] == "beacon" and book.skipped(n):
                notes.append(f"Round {line['round']}: occurrences skipped before it: {book.skipped(n)}.")
            out = [quote(arm) for k, arm in enumerate(here["arms"]) if k not in line["available"]]
            if out:
                notes.append(f"Round {line['round']}: not available: {', '.join(out)}.")
            if {*line["available"]} & book.resting(n):
                notes.append(f"Round {line['round']}: only arms that rest were on offer.")
            same = [k for k in book.of("freeze", before=n) if book[k]["title"] == line.get("title")]
            if same:
                notes.append(f"Round {line['round']}: the title of round {book[same[-1]]['round']} again.")
            away = sum(len(one["pseudonyms"]) for one in line.get("absent", []))
            if away:
                notes.append(f"Round {line['round']}: members away: {away}.")
        if line["line"] == "override":
            drawn = book.drawn_arms(book.page(line["round"]))
            how = f"put in place of {quote(final[drawn[line['slot']]])}" if drawn else "put in, with nothing drawn"
            by = "the keeper" if line["member"] is None else f"member {line['member']}"
            notes.append(
                f"Round {line['round']}, slot {line['slot']}: {quote(final[line['arm']])} was {how}: "
                f"{quote(line['reason'])} By {by}."
            )
    ended = any(book[n]["field"] == "end" for n in book.of("amend"))
    if (
        rounds
        and rounds[-1]["status"] == "undrawn"
        and not ended
        and book.source(rounds[-1]["page"])["kind"] == "beacon"
    ):
        notes.append(never(book, rounds[-1]["page"]))
    last = book.roster(book.size + 1)
    marked = [n for n in last if last[n]["organiser"]]
    if marked:
        notes.append(f"Members whose keys never count: {join_items(marked)}.")
    hand = [n for n in last if last[n]["by_hand"]]
    if hand:
        notes.append(f"Members by hand, whose answers the organiser enters: {join_items(hand)}.")
    keys = [f"{n}{origin(book, n, last[n])}" for n in last if last[n]["key"]]
    if keys:
        notes.append(f"Keys on the latest roster: {', '.join(keys)}.")
    heavy = [one["weight"] for one in last.values()]
    if len({*heavy}) > 1:
        notes.append(f"Weights are not equal: the largest is {max(heavy)} of {sum(heavy)} in all.")
    if receipt and receipt["state"] not in ("active", "pending"):
        state = receipt["state"].replace("_", " ")
        if receipt["until"] is not None:
            state = f"away until {moment(receipt['until'], '%Y-%m-%dT%H:%M:%SZ')}"
        notes.append(f"The receipt says of member {receipt['member']}: {state}.")
    return notes + compared


def never(book: LineIndex, page: int) -> str:
    round_, said = book[page]["round"], book[page]["source_round"]
    return f"Round {round_} was never drawn: anyone can look up round {said} and compute what it gave."


def roster_notes(book: LineIndex, n: int) -> list[str]:
    old, new = book.roster(n), book.roster(n + 1)
    both = sorted(old.keys() & new.keys())
    told = [
        ("members who joined", sorted(new.keys() - old.keys())),
        ("members who left", sorted(old.keys() - new.keys())),
        ("keys replaced", [m for m in both if old[m]["key"] is not None and old[m]["key"] != new[m]["key"]]),
        ("organiser marks changed", [m for m in both if old[m]["organiser"] != new[m]["organiser"]]),
        ("marks of members by hand changed", [m for m in both if old[m]["by_hand"] != new[m]["by_hand"]]),
    ]
    return [f"Line {n}: {what}: {join_items(who)}." for what, who in told if who]

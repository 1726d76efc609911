"""What members tell: known ratings, or how a round was; and the trees under whose roots it lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from isegoria.errors import InputError
from isegoria.lottery import freezing, steps
from isegoria.lottery.desk.book import Book
from isegoria.lottery.desk.learning import Answer, next_freeze
from isegoria.lottery.desk.opening import row_of
from isegoria.lottery.leaves import in_order, known_leaves, ratings_leaf, tally_leaves
from isegoria.lottery.people import Person
from isegoria.lottery.receipts import Tree, receipt
from isegoria.lottery.record import Record, Round


def rate(book: Book, name: str, ratings: Mapping[str, str], round_: int | None = None, slot: int | None = None) -> None:
    """A member's ratings: of all options (known ratings), or of what was played in a slot of a round (a learner).

    They are kept in the secrets; the next freeze puts them under its root, or on a ratings line before it.
    """
    number = book.number(name)
    if book.record.charter["learner"] is None:
        if round_ is not None or slot is not None:
            raise InputError("this record has no learner: ratings are of the options themselves; leave out the round.")
        since = book.record.next_round
        before = book.secrets.rated(number, since) or []
        book.secrets.set_ratings(number, since, row_of(book, ratings, before))
    else:
        _tell(book, number, ratings, round_, slot)
    book.save()


def _tell(book: Book, number: int, ratings: Mapping[str, str], round_: int | None, slot: int | None) -> None:
    there = _drawn_round(book.record, round_)
    slot = 0 if slot is None and len(there.draw["arms"]) == 1 else slot
    if slot is None or slot >= len(there.draw["arms"]):
        raise InputError(f"round {there.number} has slots 0 to {len(there.draw['arms']) - 1}; say which with --slot.")
    if number >= len(there.roster["members"]) or there.roster["members"][number] is None:
        raise InputError(f"{book.secrets.members[number]['name']} was not on the roster of round {there.number}.")
    row = row_of(book, ratings)
    arm = there.played[slot]
    if [k for k, value in enumerate(row) if value is not None] != [arm]:
        name = book.record.terms["arms"][arm]
        raise InputError(f"slot {slot} of round {there.number} was {name}; rate that, and nothing else.")
    same = [
        told
        for told in book.secrets.told
        if (told["member"], told["round"], told["slot"]) == (number, there.number, slot)
    ]
    if same and written(book.record, same[0]):
        raise InputError(f"this was rated before, and stands under line {same[0]['line']} of the record.")
    book.secrets.told = [told for told in book.secrets.told if told not in same]
    book.secrets.told.append({"member": number, "round": there.number, "slot": slot, "values": row, "line": None})


def _drawn_round(record: Record, round_: int | None):
    drawn = [one for one in record.rounds if one.state == "drawn"]
    if round_ is None and drawn:
        return drawn[-1]
    found = [one for one in drawn if one.number == round_]
    if not found:
        raise InputError(f"round {round_} has not been drawn." if round_ else "no round has been drawn yet.")
    return found[0]


def written(record: Record, told: dict) -> bool:
    """Whether what was told stands under a line: one that an interruption prevented does not count."""
    line = told["line"]
    if line is None or line > len(record.parsed):
        return False
    said = record.parsed[line - 1]
    return said["line"] == "ratings" and said["round"] == told["round"]


def write_ratings(book: Book) -> None:
    """Put all that was told and is not yet on record under ratings lines, one for each round."""
    fresh = [told for told in book.secrets.told if not written(book.record, told)]
    for round_ in sorted({told["round"] for told in fresh}):
        here = [told for told in fresh if told["round"] == round_]
        for told in here:
            told["line"] = len(book.record.lines) + 1
        line = steps.ratings(book.record, round_, [leaf for _, leaf in _leaves(book, round_, here)])
        book.save()
        book.append(line)


def answers(book: Book) -> list[Answer]:
    """All that stands on record of what members told."""
    return [
        Answer(**{**told, "values": tuple(told["values"])}) for told in book.secrets.told if written(book.record, told)
    ]


def _leaves(book: Book, round_: int, told: list[dict]) -> list[tuple[int, bytes]]:
    """(member, leaf) in the order of the tree: by pseudonym in that round, then slot."""
    rows: dict[int, list[dict]] = {}
    for one in told:
        rows.setdefault(one["member"], []).append(one)
    people = [book.secrets.person(number, 1) for number in rows]
    return [
        (person.number, ratings_leaf(book.record.group, person, round_, one["slot"], one["values"]))
        for _, person in in_order(book.record.group, round_, people)
        for one in sorted(rows[person.number], key=lambda one: one["slot"])
    ]


def receipt_for(book: Book, name: str) -> bytes:
    """The receipt of a member, with all her leaves; it holds her secret."""
    number = book.number(name)
    person = book.secrets.person(number, book.record.members[number]["weight"])
    learns = book.record.charter["learner"] is not None
    ratings = list(_ratings_trees(book)) if learns else list(_freeze_trees(book))
    tallies = list(_freeze_trees(book)) if learns else []
    return receipt(book.record, person, ratings, tallies)


def _ratings_trees(book: Book) -> Iterator[Tree]:
    for number, said in enumerate(book.record.parsed, start=1):
        if said["line"] == "ratings":
            here = [told for told in book.secrets.told if told["line"] == number and written(book.record, told)]
            found = _leaves(book, said["round"], here)
            yield Tree(number, [owner for owner, _ in found], [leaf for _, leaf in found])


def _freeze_trees(book: Book) -> Iterator[Tree]:
    """The leaves under the root of every fair freeze, from what was told before it."""
    told: dict[int, list[tuple]] = {}
    under = {}
    for answer in answers(book):
        under.setdefault(answer.line, []).append(answer)
    for number, said in enumerate(book.record.parsed, start=1):
        for answer in under.get(number, []):
            told.setdefault(answer.member, []).append(answer.values)
        if said["line"] == "freeze" and said["kind"] == "fair":
            found = _leaves_of(book, book.record.rounds[said["round"] - 1], told)
            yield Tree(number, [owner for owner, _ in found], [leaf for _, leaf in found])


def _leaves_of(book: Book, now: Round, told: Mapping[int, list[tuple]]) -> list[tuple[int, bytes]]:
    group, arms = book.record.group, len(now.arms)
    people = [book.secrets.person(n, entry["weight"]) for n, entry in enumerate(now.roster["members"]) if entry]
    ordered = in_order(group, now.number, people)
    if book.record.charter["learner"] is not None:
        return tally_leaves(group, now.number, ordered, told, arms)
    rows = [book.secrets.rated(person.number, now.number) for _, person in ordered]
    return known_leaves(group, now.number, ordered, rows, arms)


def frozen_now(book: Book, available: list[int]) -> freezing.Frozen | None:
    """What the next freeze shows; None where a learner must first try an arm."""
    return _frozen(book, book.record, book.people(), answers(book), available)


def frozen_before(book: Book, number: int) -> freezing.Frozen | None:
    """What the freeze on line `number` showed, made again from the lines before it and the secrets."""
    before = Record.from_lines(book.record.lines[: number - 1])
    people = [book.secrets.person(n, entry["weight"]) for n, entry in before.members.items()]
    told = [answer for answer in answers(book) if answer.line < number]
    return _frozen(book, before, people, told, book.record.parsed[number - 1]["available"])


def _frozen(
    book: Book, record: Record, people: list[Person], told: list[Answer], available: list[int]
) -> freezing.Frozen | None:
    if record.charter["learner"] is not None:
        return next_freeze(record, people, told, available)
    rows = {person.number: book.secrets.rated(person.number, record.next_round) for person in people}
    return freezing.known(record, people, {n: row for n, row in rows.items() if row is not None}, available)

"""What somebody does who holds the file: she changes a line and makes every later `prev` right again.

`CHANGES` has for each key of each kind of line what she writes there and the sentence that finds it, on the records of
`victims()`; `say_forgeries` does the same for a member's say: changed, moved, doubled, signed by another, of another
record. Where the changed line itself is within the rules, the next say finds it: its member signed another history.
"""

import copy
from collections.abc import Callable, Iterator
from functools import cache

from record_maker import RecordMaker, dump_lines, rechain_lines, sha
from sample_records import FAST, league

FORM = "is not canonical JSON with the keys and values of its kind."
HISTORY = "signed another history of this record."
ROSTER = "it does not follow from the roster before."
PLACE = "it does not name the latest roster, or an available arm does not exist."
SOURCE = "occasion, event, form or source round do not fit the source."
TIMETABLE = "the occasion is not after the last one, or the source round is not the timetable's."
ANSWERS = "its answers do not fit the roster or the learner."
ENTRY = "a row does not have one entry for each arm."
ORDER = "the types are not in order."
MASK = "a set holds an arm that is not available."
ROW = "a row is not its weight times the units, all inside its set."
DOUBT = "the row of a member in doubt is not the one of their leader."
WHO = "the pseudonyms are not one for each member of the roster."
SUMS = "the voices are not the sums of the rows."
BLOCK = "the block is not the charter's, or the drum is too large for it, or not divided by it."
PRODUCT = "the policy is not one of largest product."
BALLS = "balls and arms do not follow from the freeze and the source."
BYTES = "the source bytes are not what the source can say."
SLOT = "there is no such slot or arm."
SIGNED = "did not sign this with a key of the roster."
CHARTER = "the charter does not allow this; arms may only be added, behind those there are."
TRIAL = "it is not a trial of the lowest available arm never played."


def to_come(state: str) -> str:
    return f"it must be for a round that is {state}."


@cache
def victims() -> dict[str, RecordMaker]:
    """A record of each sort, ending with a say that binds all lines before it."""
    return {"group": _known("group"), "dice": _known("dice"), "beacon": _known(league()), "guided": _learned()}


def _known(source) -> RecordMaker:
    made = RecordMaker(7, members=4, source=source, privacy="open", block=2, units=7_449_361_920)
    made.whole_round()
    made.rate()
    made.override(slot=0, arm=1, by=2)
    made.override(slot=1, arm=2)
    made.join()
    made.amend("arms", [*made.charter["arms"], "one more"])
    made.whole_round(available=[0, 1, 2])
    made.amend("title", "Dinner")
    made.say(1)
    return made


def _learned() -> RecordMaker:
    made = RecordMaker(8, members=4, source="dice", learner="guided", settings=dict(FAST), block=1)
    for _ in range(3):
        made.trial()
        made.rate()
    made.whole_round()
    made.rate()
    made.say(1)
    return made


def _set(key: str, value) -> Callable[[dict], None]:
    return lambda line: line.update({key: value})


def _more(key: str, by: int = 1) -> Callable[[dict], None]:
    return lambda line: line.update({key: line[key] + by})


def _flip(key: str, place: int = 0) -> Callable[[dict], None]:
    """Another hexadecimal digit."""

    def change(line):
        digits = list(line[key])
        digits[place] = "1" if digits[place] == "0" else "0"
        line[key] = "".join(digits)

    return change


def _entry(key: str, value, number: int = 1) -> Callable[[dict], None]:
    return lambda line: line["members"][number].update({key: value})


def _type(change: Callable[[dict, dict], None], wanted: Callable[[dict], bool] = bool) -> Callable[[dict], None]:
    return lambda line: change(next(one for one in line["types"] if wanted(one)), line)


def _move_a_unit(one: dict, line: dict) -> None:
    """One unit from one of her arms to another, sums made right."""
    a, b = one["set"][:2]
    one["units"][a], one["units"][b] = one["units"][a] - 1, one["units"][b] + 1
    line["voices"][a] -= len(one["who"])
    line["voices"][b] += len(one["who"])


def _tilt(one: dict, line: dict) -> None:
    """All of a wide row on its first arm, sums made right."""
    first = one["set"][0]
    for arm in one["set"][1:]:
        moved, one["units"][arm] = one["units"][arm], 0
        one["units"][first] += moved
        line["voices"][first] += moved * len(one["who"])
        line["voices"][arm] -= moved * len(one["who"])


def _scaled(line: dict) -> None:
    line["units"] *= 310_000
    line["voices"] = [voice * 310_000 for voice in line["voices"]]
    for one in line["types"]:
        one["units"] = [unit * 310_000 for unit in one["units"]]


def _wide(one: dict) -> bool:
    return sum(map(bool, one["units"])) > 1


def _other_leader(one: dict, line: dict) -> None:
    one["leader"] = next(arm for arm in one["set"] if arm != one["leader"])


def _swap_types(line: dict) -> None:
    line["types"][0], line["types"][1] = line["types"][1], line["types"][0]


OTHER_SOURCE = {"kind": "rehearsal"}
CHANGES: list[tuple[str, str, str, Callable[[dict], None], int, str]] = [
    # (victim, kind, key, change, exit, sentence); the first line of the kind is changed
    ("group", "charter", "format", _set("format", "isegoria draws"), 2, FORM),
    ("group", "charter", "version", _set("version", 1), 2, "version 1; this verifier reads version 2."),
    ("group", "charter", "version", _set("version", 3), 2, FORM),
    ("group", "charter", "group", _flip("group"), 1, HISTORY),
    ("group", "charter", "title", _set("title", "Other"), 1, HISTORY),
    ("group", "charter", "arms", _set("arms", ["a", "b"]), 1, HISTORY),
    ("dice", "charter", "arms", _set("arms", ["a", "b"]), 1, PLACE),
    ("group", "charter", "arms", _set("arms", ["a", "a"]), 2, FORM),
    ("group", "charter", "scale", _set("scale", ["0", "2"]), 1, HISTORY),
    ("group", "charter", "scale", _set("scale", ["2", "0"]), 2, FORM),
    ("group", "charter", "privacy", _set("privacy", "ballots"), 1, HISTORY),
    ("dice", "charter", "block", _set("block", 1), 1, BLOCK),
    ("group", "charter", "block", _set("block", 21), 2, FORM),
    ("group", "charter", "learner", _set("learner", "guided"), 2, FORM),
    ("guided", "charter", "learner", _set("learner", "procedural"), 2, FORM),
    ("guided", "charter", "learner", _set("learner", None), 2, FORM),
    ("guided", "charter", "settings", _set("settings", {**FAST, "explore": "0.5"}), 1, DOUBT),
    ("guided", "charter", "settings", _set("settings", {**FAST, "error": "1"}), 2, FORM),
    ("guided", "charter", "settings", _set("settings", {**FAST, "watch": "1"}), 2, FORM),
    ("group", "charter", "settings", _set("settings", dict(FAST)), 2, FORM),
    ("group", "charter", "tie", _set("tie", "vertex"), 1, HISTORY),
    ("group", "charter", "turns", _set("turns", {"mode": "drawn"}), 2, FORM),
    ("group", "charter", "source", _set("source", OTHER_SOURCE), 1, HISTORY),
    ("dice", "charter", "source", _set("source", OTHER_SOURCE), 1, SOURCE),
    ("group", "charter", "source", _set("source", {"kind": "group", "fallback": []}), 2, FORM),
    ("group", "charter", "software", _set("software", "x"), 1, HISTORY),
    ("group", "roster", "version", _more("version"), 1, ROSTER),
    ("group", "roster", "members", _entry("commitment", "0" * 64), 1, HISTORY),
    ("dice", "roster", "members", _entry("weight", 2), 1, WHO),
    ("group", "roster", "members", _entry("key", None), 1, HISTORY),
    ("group", "roster", "members", _entry("organiser", 1), 1, HISTORY),
    ("group", "roster", "members", _entry("organiser", 2), 2, FORM),
    ("group", "roster", "members", lambda line: line["members"].append(None), 1, HISTORY),
    ("group", "roster", "members", _set("members", [None]), 1, "nobody is on it, or two members have one key."),
    (
        "group",
        "roster",
        "members",
        lambda line: line["members"][1].update(key=line["members"][2]["key"]),
        1,
        "nobody is on it, or two members have one key.",
    ),
    ("dice", "freeze", "round", _more("round"), 1, to_come("to come")),
    ("dice", "freeze", "at", _more("at"), 1, HISTORY),
    ("dice", "freeze", "roster", _more("roster"), 1, PLACE),
    ("dice", "freeze", "available", _set("available", [0, 1]), 1, MASK),
    ("dice", "freeze", "available", _set("available", [0, 1, 2, 3]), 1, PLACE),
    ("dice", "freeze", "block", _set("block", 1), 1, BLOCK),
    ("dice", "freeze", "event", _set("event", "Tea"), 1, HISTORY),
    ("dice", "freeze", "event", _set("event", ""), 2, FORM),
    ("dice", "freeze", "event", _set("event", "x" * 81), 2, FORM),
    ("dice", "freeze", "form", _set("form", None), 1, SOURCE),
    (
        "dice",
        "freeze",
        "form",
        _set("form", {"count": 8, "low": 1, "high": 6, "order": "throw"}),
        1,
        "the form has fewer than ten million outcomes.",
    ),
    (
        "dice",
        "freeze",
        "form",
        _set("form", {"count": 9, "low": 1, "high": 6, "order": "sorted"}),
        1,
        "the form has fewer than ten million outcomes.",
    ),
    ("dice", "freeze", "form", _set("form", {"count": 9, "low": 7, "high": 6, "order": "throw"}), 2, FORM),
    ("group", "freeze", "form", _set("form", {"count": 9, "low": 1, "high": 6, "order": "throw"}), 1, SOURCE),
    ("group", "freeze", "occasion", _set("occasion", 0), 1, SOURCE),
    ("group", "freeze", "source_round", _set("source_round", 5), 1, SOURCE),
    ("beacon", "freeze", "occasion", _set("occasion", None), 1, SOURCE),
    ("beacon", "freeze", "occasion", _more("occasion"), 1, TIMETABLE),
    ("beacon", "freeze", "source_round", _more("source_round"), 1, TIMETABLE),
    ("dice", "freeze", "root", _flip("root"), 1, HISTORY),
    ("guided", "freeze", "root", _flip("root"), 1, ANSWERS),
    ("dice", "freeze", "count", _set("count", 5), 1, ANSWERS),
    ("guided", "freeze", "count", _set("count", 1), 1, ANSWERS),
    ("dice", "freeze", "units", _more("units"), 1, ROW),
    ("dice", "freeze", "units", _scaled, 1, BLOCK),
    ("dice", "freeze", "voices", lambda line: line["voices"].append(0), 1, ENTRY),
    ("dice", "freeze", "voices", lambda line: line["voices"].reverse(), 1, SUMS),
    ("dice", "freeze", "types", _swap_types, 1, ORDER),
    ("dice", "freeze", "types", _type(lambda one, line: one.update(leader=one["set"][0])), 1, ORDER),
    ("guided", "freeze", "types", _type(lambda one, line: one.update(leader=9)), 1, ORDER),
    ("dice", "freeze", "types", _type(lambda one, line: one["units"].append(0)), 1, ENTRY),
    ("dice", "freeze", "types", _type(lambda one, line: one.update(weight=2)), 1, ROW),
    ("dice", "freeze", "types", _type(lambda one, line: one["who"].append("f" * 48)), 1, WHO),
    ("dice", "freeze", "types", _type(lambda one, line: one["who"].append("0" * 48)), 2, FORM),
    ("dice", "freeze", "types", _type(_tilt, _wide), 1, PRODUCT),
    ("guided", "freeze", "types", _type(_move_a_unit, _wide), 1, DOUBT),
    ("guided", "freeze", "types", _type(_other_leader, _wide), 1, (DOUBT, ORDER)),
    ("guided", "trial", "round", _more("round"), 1, to_come("to come")),
    ("guided", "trial", "occasion", _set("occasion", 0), 1, SOURCE),
    ("guided", "trial", "roster", _more("roster"), 1, PLACE),
    ("guided", "trial", "available", _set("available", [1, 2]), 1, TRIAL),
    ("guided", "trial", "available", _set("available", [0, 5]), 1, PLACE),
    ("guided", "trial", "arm", _set("arm", 1), 1, TRIAL),
    ("dice", "draw", "round", _more("round"), 1, to_come("open")),
    ("dice", "draw", "source_bytes", _flip("source_bytes", 1), 1, (BYTES, BALLS)),
    ("dice", "draw", "source_bytes", _set("source_bytes", "00"), 1, BYTES),
    ("group", "draw", "source_bytes", _flip("source_bytes", -1), 1, BYTES),
    ("beacon", "draw", "source_bytes", _set("source_bytes", "00"), 1, BYTES),
    ("beacon", "draw", "source_bytes", _flip("source_bytes", -1), 1, BALLS),
    ("group", "draw", "source_bytes", _set("source_bytes", None), 2, FORM),
    ("group", "draw", "balls", lambda line: line["balls"].reverse(), 1, BALLS),
    ("group", "draw", "arms", lambda line: line.update(arms=[(arm + 1) % 3 for arm in line["arms"]]), 1, BALLS),
    ("group", "ratings", "round", _more("round"), 1, to_come("drawn")),
    ("group", "ratings", "root", _flip("root"), 1, HISTORY),
    ("group", "ratings", "count", _more("count"), 1, HISTORY),
    ("group", "ratings", "count", _set("count", 0), 2, FORM),
    ("group", "override", "round", _more("round"), 1, SLOT),
    ("group", "override", "slot", _set("slot", 2), 1, SLOT),
    ("group", "override", "slot", _set("slot", 1), 1, SIGNED),
    ("group", "override", "arm", _set("arm", 0), 1, SIGNED),
    ("group", "override", "arm", _set("arm", 9), 1, SLOT),
    ("group", "override", "reason", _set("reason", "whim"), 1, SIGNED),
    ("group", "override", "by", _set("by", 1), 1, SIGNED),
    ("group", "override", "by", _set("by", 99), 1, "member 99 is not on the roster."),
    ("group", "override", "by", _set("by", None), 2, FORM),
    ("group", "override", "signature", _set("signature", None), 2, FORM),
    ("group", "override", "signature", _flip("signature"), 1, SIGNED),
    ("group", "amend", "field", _set("field", "title"), 1, CHARTER),
    ("group", "amend", "field", _set("field", "end"), 1, CHARTER),
    ("group", "amend", "value", _set("value", ["another", "list"]), 1, CHARTER),
    ("group", "amend", "value", _set("value", {"kind": "void"}), 2, FORM),
    ("group", "amend", "reason", _set("reason", "?"), 1, HISTORY),
]


def changed(victim: str, kind: str, change: Callable[[dict], None]) -> tuple[bytes, int]:
    """The forged record, and the number (from 1) of the line that was changed."""
    lines = copy.deepcopy(victims()[victim].lines)
    place = next(i for i, line in enumerate(lines) if line["line"] == kind)
    change(lines[place])
    return dump_lines(rechain_lines(lines, place + 1)), place + 1


OUT = "signatures are out of order."


def say_forgeries(victim: str, what: str) -> Iterator[tuple[str, bytes, str]]:
    """One member's say of a kind, in every way: (name, forged record, sentence)."""
    made = victims()[victim]
    place = next(
        i for i, line in enumerate(made.lines) if line["line"] == "say" and line["what"] == what and line["size"] > 2
    )
    line = made.lines[place]
    other = next(person for person in made.people if person.number != line["by"])
    for name, fields, sentence in [
        ("by", {"by": other.number}, SIGNED),
        ("nobody", {"by": 77}, SIGNED),
        ("size", {"size": line["size"] - 1}, HISTORY),
        ("size ahead", {"size": place + 1}, HISTORY),
        ("size far ahead", {"size": 10**6}, HISTORY),
        ("head", {"head": "00" * 32}, HISTORY),
        ("at", {"at": line["at"] + 1}, SIGNED),
        ("signature", {"signature": "00" * 64}, SIGNED),
        ("what", {"what": "seen", "value": None} if line["value"] else {"what": "commit", "value": "ab" * 32}, SIGNED),
        ("value", {"value": "cd" * 32 if line["value"] else None, "at": 0}, SIGNED),
    ]:
        yield name, _with(made, place, {**line, **fields}), sentence
    message = {"size": line["size"], "at": line["at"]}
    theirs = made.slip(line["by"], what, line["value"], signer=other.signer, **message)
    yield "signed by another", _with(made, place, theirs), SIGNED
    foreign = made.slip(line["by"], what, line["value"], record=sha(b"another record"), **message)
    yield "of another record", _with(made, place, foreign), SIGNED
    doubled = [*made.lines[: place + 1], line, *made.lines[place + 1 :]]
    yield "doubled", dump_lines(rechain_lines(doubled, place + 1)), OUT
    rest = [one for i, one in enumerate(made.lines) if i != place]
    yield "moved to the front", dump_lines(rechain_lines([*rest[:2], line, *rest[2:]], 2)), HISTORY
    yield "moved to the end", dump_lines(rechain_lines([*rest, line], place)), (HISTORY, "is missing.", OUT)


def _with(made: RecordMaker, place: int, line: dict) -> bytes:
    return dump_lines(rechain_lines([*made.lines[:place], line, *made.lines[place + 1 :]], place))

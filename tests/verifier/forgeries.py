"""What somebody does who holds the file: they change a line and makes every later `prev` right again.

`CHANGES` has for each key of each kind of line what they write there and the sentence that finds it, on the records of
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
SOURCE = "occurrence, dice form or source round do not fit the source."
TIMETABLE = "the occurrence is not after the last one, or the source round is not the timetable's."
ANSWERS = "its answers do not fit the roster or the learner."
ENTRY = "a row does not have one entry for each arm."
ORDER = "the types are not in order."
MASK = "a set holds an arm that is not available."
ROW = "a row is not its weight times the units, all inside its set."
DOUBT = "the row of a member in doubt is not the one of their leader."
WHO = "the pseudonyms are not one for each member of the roster."
SUMS = "the units of the arms are not the sums of the rows."
BLOCK = "the block is not the charter's, or the drum is too large for it, or not divided by it."
PRODUCT = "the policy is not one of largest product."
BALLS = "balls and arms do not follow from the freeze and the source."
BYTES = "the source bytes are not what the source can say."
SLOT = "there is no such slot or arm."
SIGNED = "did not sign this with a key of the roster."
CHARTER = "the charter does not allow this; arms may only be added, behind those there are."
RESTS = "an arm that rests is on offer beside others."
PROOF = "has not proved to hold the key that stands there."
TRIAL = "it is not a trial of the lowest available arm never played."


def to_come(state: str) -> str:
    return f"it must be for a round that is {state}."


@cache
def victims() -> dict[str, RecordMaker]:
    """A record of each sort, ending with a say that binds all lines before it."""
    return {
        "commit_reveal": _known("commit_reveal"),
        "dice": _known("dice"),
        "beacon": _known(league()),
        "guided": _learned(),
    }


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
    """One unit from one of their arms to another, sums made right."""
    a, b = one["candidates"][:2]
    one["units"][a], one["units"][b] = one["units"][a] - 1, one["units"][b] + 1
    line["arm_units"][a] -= len(one["pseudonyms"])
    line["arm_units"][b] += len(one["pseudonyms"])


def _tilt(one: dict, line: dict) -> None:
    """All of a wide row on its first arm, sums made right."""
    first = one["candidates"][0]
    for arm in one["candidates"][1:]:
        moved, one["units"][arm] = one["units"][arm], 0
        one["units"][first] += moved
        line["arm_units"][first] += moved * len(one["pseudonyms"])
        line["arm_units"][arm] -= moved * len(one["pseudonyms"])


def _scaled(line: dict) -> None:
    line["units"] *= 310_000
    line["arm_units"] = [voice * 310_000 for voice in line["arm_units"]]
    for one in line["types"]:
        one["units"] = [unit * 310_000 for unit in one["units"]]


def _wide(one: dict) -> bool:
    return sum(map(bool, one["units"])) > 1


def _other_leader(one: dict, line: dict) -> None:
    one["leader"] = next(arm for arm in one["candidates"] if arm != one["leader"])


def _swap_types(line: dict) -> None:
    line["types"][0], line["types"][1] = line["types"][1], line["types"][0]


def _keyless(line: dict) -> None:
    line["members"][1].update(key=None, provenance=None, proof=None)


def _exchange_keys(line: dict) -> None:
    """Two members' keys with their proofs, each in the other's entry: a proof names its member's number."""
    first, second = line["members"][1:3]
    for key in ("key", "proof"):
        first[key], second[key] = second[key], first[key]


OTHER_SOURCE = {"kind": "rehearsal"}
CHANGES: list[tuple[str, str, str, Callable[[dict], None], int, str]] = [
    # (victim, kind, key, change, exit, sentence); the first line of the kind is changed
    ("commit_reveal", "charter", "format", _set("format", "isegoria draws"), 2, FORM),
    (
        "commit_reveal",
        "charter",
        "version",
        _set("version", 2),
        2,
        "version 2, before the first release; this verifier reads version 3.",
    ),
    ("commit_reveal", "charter", "version", _set("version", 4), 2, FORM),
    ("commit_reveal", "charter", "group", _flip("group"), 1, PROOF),
    ("commit_reveal", "charter", "title", _set("title", "Other"), 1, HISTORY),
    ("commit_reveal", "charter", "arms", _set("arms", ["a", "b"]), 1, HISTORY),
    ("dice", "charter", "arms", _set("arms", ["a", "b"]), 1, PLACE),
    ("commit_reveal", "charter", "arms", _set("arms", ["a", "a"]), 2, FORM),
    ("commit_reveal", "charter", "scale", _set("scale", ["0", "2"]), 1, HISTORY),
    ("commit_reveal", "charter", "scale", _set("scale", ["2", "0"]), 2, FORM),
    ("commit_reveal", "charter", "privacy", _set("privacy", "ballots"), 1, HISTORY),
    ("dice", "charter", "block", _set("block", 1), 1, BLOCK),
    ("commit_reveal", "charter", "block", _set("block", 21), 2, FORM),
    ("commit_reveal", "charter", "learner", _set("learner", "guided"), 2, FORM),
    ("guided", "charter", "learner", _set("learner", "procedural"), 2, FORM),
    ("guided", "charter", "learner", _set("learner", None), 2, FORM),
    ("guided", "charter", "settings", _set("settings", {**FAST, "explore": "0.5"}), 1, DOUBT),
    ("guided", "charter", "settings", _set("settings", {**FAST, "error": "1"}), 2, FORM),
    ("guided", "charter", "settings", _set("settings", {**FAST, "watch": "1"}), 2, FORM),
    ("commit_reveal", "charter", "settings", _set("settings", dict(FAST)), 2, FORM),
    ("commit_reveal", "charter", "tie_break", _set("tie_break", "vertex"), 1, HISTORY),
    ("commit_reveal", "charter", "resting", _set("resting", 21), 2, FORM),
    ("guided", "charter", "resting", _set("resting", 20), 1, RESTS),
    ("commit_reveal", "charter", "resting", _set("resting", 20), 1, (HISTORY, RESTS)),
    ("commit_reveal", "charter", "turns", _set("turns", {"mode": "lottery"}), 2, FORM),
    ("commit_reveal", "charter", "source", _set("source", OTHER_SOURCE), 1, HISTORY),
    ("dice", "charter", "source", _set("source", OTHER_SOURCE), 1, SOURCE),
    ("commit_reveal", "charter", "source", _set("source", {"kind": "commit_reveal", "fallback": []}), 2, FORM),
    ("commit_reveal", "charter", "software", _set("software", "x"), 1, HISTORY),
    ("commit_reveal", "roster", "version", _more("version"), 1, ROSTER),
    ("commit_reveal", "roster", "members", _entry("commitment", "0" * 64), 1, HISTORY),
    ("dice", "roster", "members", _entry("weight", 2), 1, WHO),
    ("commit_reveal", "roster", "members", _entry("key", None), 2, FORM),
    ("commit_reveal", "roster", "members", _entry("organiser", 1), 1, HISTORY),
    ("commit_reveal", "roster", "members", _keyless, 1, HISTORY),
    ("commit_reveal", "roster", "members", _entry("proof", "0" * 128), 1, PROOF),
    ("commit_reveal", "roster", "members", _entry("proof", None), 2, FORM),
    ("commit_reveal", "roster", "members", _entry("provenance", {"how": "join_link", "at": 1}), 1, HISTORY),
    ("commit_reveal", "roster", "members", _entry("provenance", {"how": "hearsay", "at": 1}), 2, FORM),
    ("commit_reveal", "roster", "members", _entry("by_hand", 1), 2, FORM),
    ("commit_reveal", "roster", "members", _exchange_keys, 1, PROOF),
    ("commit_reveal", "roster", "members", _entry("organiser", 2), 2, FORM),
    ("commit_reveal", "roster", "members", lambda line: line["members"].append(None), 1, HISTORY),
    ("commit_reveal", "roster", "members", _set("members", [None]), 1, "nobody is on it, or two members have one key."),
    (
        "commit_reveal",
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
    ("dice", "freeze", "title", _set("title", "Tea"), 1, HISTORY),
    ("dice", "freeze", "title", _set("title", ""), 2, FORM),
    ("dice", "freeze", "title", _set("title", "x" * 81), 2, FORM),
    ("dice", "freeze", "dice_form", _set("dice_form", None), 1, SOURCE),
    (
        "dice",
        "freeze",
        "dice_form",
        _set("dice_form", {"count": 8, "low": 1, "high": 6, "order": "throw"}),
        1,
        "the dice form has fewer than ten million outcomes.",
    ),
    (
        "dice",
        "freeze",
        "dice_form",
        _set("dice_form", {"count": 9, "low": 1, "high": 6, "order": "sorted"}),
        1,
        "the dice form has fewer than ten million outcomes.",
    ),
    ("dice", "freeze", "dice_form", _set("dice_form", {"count": 9, "low": 7, "high": 6, "order": "throw"}), 2, FORM),
    (
        "commit_reveal",
        "freeze",
        "dice_form",
        _set("dice_form", {"count": 9, "low": 1, "high": 6, "order": "throw"}),
        1,
        SOURCE,
    ),
    ("commit_reveal", "freeze", "occurrence", _set("occurrence", 0), 1, SOURCE),
    ("commit_reveal", "freeze", "source_round", _set("source_round", 5), 1, SOURCE),
    ("beacon", "freeze", "occurrence", _set("occurrence", None), 1, SOURCE),
    ("beacon", "freeze", "occurrence", _more("occurrence"), 1, TIMETABLE),
    ("beacon", "freeze", "source_round", _more("source_round"), 1, TIMETABLE),
    ("dice", "freeze", "root", _flip("root"), 1, HISTORY),
    ("guided", "freeze", "root", _flip("root"), 1, ANSWERS),
    ("dice", "freeze", "leaf_count", _set("leaf_count", 5), 1, ANSWERS),
    ("guided", "freeze", "leaf_count", _set("leaf_count", 1), 1, ANSWERS),
    ("dice", "freeze", "units", _more("units"), 1, ROW),
    ("dice", "freeze", "units", _scaled, 1, BLOCK),
    ("dice", "freeze", "arm_units", lambda line: line["arm_units"].append(0), 1, ENTRY),
    ("dice", "freeze", "arm_units", lambda line: line["arm_units"].reverse(), 1, SUMS),
    ("dice", "freeze", "absent", _set("absent", [{"weight": 1, "pseudonyms": ["a" * 48]}]), 1, WHO),
    ("dice", "freeze", "absent", _set("absent", [{"weight": 1, "pseudonyms": []}]), 2, FORM),
    ("dice", "freeze", "types", _swap_types, 1, ORDER),
    ("dice", "freeze", "types", _type(lambda one, line: one.update(leader=one["candidates"][0])), 1, ORDER),
    ("guided", "freeze", "types", _type(lambda one, line: one.update(leader=9)), 1, ORDER),
    ("dice", "freeze", "types", _type(lambda one, line: one["units"].append(0)), 1, ENTRY),
    ("dice", "freeze", "types", _type(lambda one, line: one.update(weight=2)), 1, ROW),
    ("dice", "freeze", "types", _type(lambda one, line: one["pseudonyms"].append("f" * 48)), 1, WHO),
    ("dice", "freeze", "types", _type(lambda one, line: one["pseudonyms"].append("0" * 48)), 2, FORM),
    ("dice", "freeze", "types", _type(_tilt, _wide), 1, PRODUCT),
    ("guided", "freeze", "types", _type(_move_a_unit, _wide), 1, DOUBT),
    ("guided", "freeze", "types", _type(_other_leader, _wide), 1, (DOUBT, ORDER)),
    ("guided", "trial", "round", _more("round"), 1, to_come("to come")),
    ("guided", "trial", "occurrence", _set("occurrence", 0), 1, SOURCE),
    ("guided", "trial", "roster", _more("roster"), 1, PLACE),
    ("guided", "trial", "available", _set("available", [1, 2]), 1, TRIAL),
    ("guided", "trial", "available", _set("available", [0, 5]), 1, PLACE),
    ("guided", "trial", "arm", _set("arm", 1), 1, TRIAL),
    ("dice", "draw", "round", _more("round"), 1, to_come("open")),
    ("dice", "draw", "source_bytes", _flip("source_bytes", 1), 1, (BYTES, BALLS)),
    ("dice", "draw", "source_bytes", _set("source_bytes", "00"), 1, BYTES),
    ("commit_reveal", "draw", "source_bytes", _flip("source_bytes", -1), 1, BYTES),
    ("beacon", "draw", "source_bytes", _set("source_bytes", "00"), 1, BYTES),
    ("beacon", "draw", "source_bytes", _flip("source_bytes", -1), 1, BALLS),
    ("commit_reveal", "draw", "source_bytes", _set("source_bytes", None), 2, FORM),
    ("commit_reveal", "draw", "balls", lambda line: line["balls"].reverse(), 1, BALLS),
    ("commit_reveal", "draw", "arms", lambda line: line.update(arms=[(arm + 1) % 3 for arm in line["arms"]]), 1, BALLS),
    ("commit_reveal", "ratings", "round", _more("round"), 1, to_come("drawn")),
    ("commit_reveal", "ratings", "root", _flip("root"), 1, HISTORY),
    ("commit_reveal", "ratings", "leaf_count", _more("leaf_count"), 1, HISTORY),
    ("commit_reveal", "ratings", "leaf_count", _set("leaf_count", 0), 2, FORM),
    ("commit_reveal", "override", "round", _more("round"), 1, SLOT),
    ("commit_reveal", "override", "slot", _set("slot", 2), 1, SLOT),
    ("commit_reveal", "override", "slot", _set("slot", 1), 1, SIGNED),
    ("commit_reveal", "override", "arm", _set("arm", 0), 1, SIGNED),
    ("commit_reveal", "override", "arm", _set("arm", 9), 1, SLOT),
    ("commit_reveal", "override", "reason", _set("reason", "whim"), 1, SIGNED),
    ("commit_reveal", "override", "member", _set("member", 1), 1, SIGNED),
    ("commit_reveal", "override", "member", _set("member", 99), 1, "member 99 is not on the roster."),
    ("commit_reveal", "override", "member", _set("member", None), 2, FORM),
    ("commit_reveal", "override", "signature", _set("signature", None), 2, FORM),
    ("commit_reveal", "override", "signature", _flip("signature"), 1, SIGNED),
    ("commit_reveal", "amend", "field", _set("field", "title"), 1, CHARTER),
    ("commit_reveal", "amend", "field", _set("field", "end"), 1, CHARTER),
    ("commit_reveal", "amend", "value", _set("value", ["another", "list"]), 1, CHARTER),
    ("commit_reveal", "amend", "value", _set("value", {"kind": "void"}), 2, FORM),
    ("commit_reveal", "amend", "reason", _set("reason", "?"), 1, HISTORY),
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
        i
        for i, line in enumerate(made.lines)
        if line["line"] == "statement" and line["kind"] == what and line["size"] > 2
    )
    line = made.lines[place]
    other = next(person for person in made.people if person.number != line["member"])
    for name, fields, sentence in [
        ("by", {"member": other.number}, SIGNED),
        ("nobody", {"member": 77}, SIGNED),
        ("size", {"size": line["size"] - 1}, HISTORY),
        ("size ahead", {"size": place + 1}, HISTORY),
        ("size far ahead", {"size": 10**6}, HISTORY),
        ("head", {"head": "00" * 32}, HISTORY),
        ("at", {"at": line["at"] + 1}, SIGNED),
        ("signature", {"signature": "00" * 64}, SIGNED),
        ("kind", {"kind": "seen", "value": None} if line["value"] else {"kind": "commit", "value": "ab" * 32}, SIGNED),
        ("value", {"value": "cd" * 32 if line["value"] else None, "at": 0}, SIGNED),
    ]:
        yield name, _with(made, place, {**line, **fields}), sentence
    message = {"size": line["size"], "at": line["at"]}
    theirs = made.slip(line["member"], what, line["value"], signer=other.signer, **message)
    yield "signed by another", _with(made, place, theirs), SIGNED
    foreign = made.slip(line["member"], what, line["value"], record=sha(b"another record"), **message)
    yield "of another record", _with(made, place, foreign), SIGNED
    doubled = [*made.lines[: place + 1], line, *made.lines[place + 1 :]]
    yield "doubled", dump_lines(rechain_lines(doubled, place + 1)), OUT
    rest = [one for i, one in enumerate(made.lines) if i != place]
    yield "moved to the front", dump_lines(rechain_lines([*rest[:2], line, *rest[2:]], 2)), HISTORY
    yield "moved to the end", dump_lines(rechain_lines([*rest, line], place)), (HISTORY, "is missing.", OUT)


def _with(made: RecordMaker, place: int, line: dict) -> bytes:
    return dump_lines(rechain_lines([*made.lines[:place], line, *made.lines[place + 1 :]], place))

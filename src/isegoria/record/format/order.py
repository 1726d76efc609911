"""What may stand where: a line that comes out of turn is refused with a sentence that says what must come first."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.format.people import commit_hash
from isegoria.record.format.shapes import TERMS

if TYPE_CHECKING:
    from isegoria.record.group import Group
    from isegoria.record.round import Round

FEWEST_OUTCOMES = 10**7


def check_place(group: Group, kind: str) -> None:
    """Refuse what cannot be the next line of a record, whatever it says."""
    if (kind == "charter") != (not group.lines):
        raise InputError("a record begins with its charter, and has one.")
    if len(group.lines) == 1 and kind != "roster":
        raise InputError("the second line of a record is its roster.")
    if group.ended:
        raise InputError("the record has ended; nothing follows.")


def charter(group: Group, line: dict[str, Any]) -> None:
    """Settings belong to a learner."""
    if (line["settings"] == {}) != (line["learner"] is None):
        raise InputError("settings belong to a learner: error, resolution and explore; without one they are empty.")
    low, high = map(float, line["scale"])
    if line["learner"] is not None and not 0 < high - low < float("inf"):
        raise InputError(f"the scale {low} to {high} is too fine or too wide for a learner.")
    turns = line["turns"]
    if turns is not None and (line["learner"] is not None or line["block"] is not None):
        raise InputError("turns go without a learner and without a block; leave both out.")
    if turns is not None and turns["mode"] == "settled" and turns["worlds"] != 1:
        raise InputError("settled turns have one world; leave worlds out.")


def roster(group: Group, line: dict[str, Any]) -> None:
    """Numbers and weights are for ever; commitments, keys and marks may change."""
    before = group.seats
    now = line["members"]
    if line["version"] != len(group.rosters) + 1:
        raise InputError(f"the next roster has version {len(group.rosters) + 1}.")
    if not all(map(_stays, before, now)):
        raise InputError("members keep number and weight; those who left stay away, new ones come last.")
    if not any(now):
        raise InputError("nobody would be on the roster; end the record instead.")
    keys = [entry["key"] for entry in now if entry and entry["key"]]
    if len(set(keys)) < len(keys):
        raise InputError("two members have one key; each makes her own.")


def _stays(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    return new is None or (old is not None and bool(old["weight"] == new["weight"]))


def freeze(group: Group, line: dict[str, Any]) -> None:
    """The next round, by the latest roster, with what its source needs."""
    page(group, line)
    kind, form = group.terms["source"]["kind"], line["form"]
    if (form is None) != (kind != "dice"):
        raise InputError("a freeze has a form exactly when the source is dice.")
    if form is not None and outcomes(form) < FEWEST_OUTCOMES:
        raise InputError(
            f"{told_form(form)} have only {outcomes(form):,} outcomes, and a draw needs ten million; take more, such "
            "as nine dice (9,1,6,throw) or seven digits (7,0,9,throw)."
        )
    if again := group.used & set(line["available"]):
        raise InputError(f"{group.arms[min(again)]!r} was used up; it cannot be on offer again.")
    if kind == "group" and not group.commits:
        raise InputError("nobody has committed for this freeze; with the source group, members commit before it.")


def page(group: Group, line: dict[str, Any]) -> None:
    """What a freeze and a trial have in common: the next number, the latest roster, an occasion of the timetable."""
    if line["round"] != group.next_round:
        raise InputError(f"the round that comes next is {group.next_round}.")
    if line["roster"] != group.roster["version"]:
        raise InputError(f"a page names the latest roster, version {group.roster['version']}.")
    if line["available"][-1] >= len(group.terms["arms"]):
        raise InputError(f"arm {line['available'][-1]} does not exist.")
    if (line["occasion"] is None) != (group.terms["source"]["kind"] != "beacon"):
        raise InputError("a page has an occasion exactly when the source is a beacon.")
    if line["occasion"] is not None and group.last_occasion is not None and line["occasion"] <= group.last_occasion:
        raise InputError(f"occasion {line['occasion']} is not after the last one, {group.last_occasion}.")


def trial(group: Group, line: dict[str, Any]) -> None:
    """With a learner, of the lowest available arm never played."""
    page(group, line)
    if group.charter["learner"] is None or line["arm"] != untried(group, line["available"]):
        raise InputError("a trial is of the lowest available arm never played, and only with a learner.")


def untried(group: Group, available: list[int]) -> int | None:
    """The lowest available arm that was never played, if there is one."""
    played = group.played_so_far
    return next((arm for arm in available if arm not in played), None)


def say(group: Group, line: dict[str, Any]) -> None:
    """Of this history, in the order of its member's own sizes, each once; then by what it says."""
    by, size = line["by"], line["size"]
    if size > len(group.lines) or group.hashes[size - 1].hex() != line["head"]:
        raise InputError(f"member {by} signed another history of this record; compare her copy with this one.")
    on_roster(group, by)
    said = group.says.get(by, [])
    if (said and size < said[-1][0]) or (size, line["what"]) in said:
        raise InputError(f"member {by} has said this before, or something of a later line; nothing was added.")
    if line["what"] != "seen":
        {"commit": commit, "reveal": reveal, "dice": dice}[line["what"]](group, line)


def commit(group: Group, line: dict[str, Any]) -> None:
    """Under the source group, once by each member for the next freeze."""
    if group.terms["source"]["kind"] != "group":
        raise InputError("the source of this record is not the group; nobody commits.")
    if line["by"] in group.commits:
        raise InputError(f"member {line['by']} has committed for the next freeze before.")
    if line["value"] in group.committed:
        raise InputError("this commitment was used before; make a fresh number.")


def reveal(group: Group, line: dict[str, Any]) -> None:
    """What opens a commitment for the open round, once."""
    now, by = _open_under(group, "group", line), line["by"]
    if by in now.reveals:
        raise InputError(f"member {by} has revealed in round {now.number} before.")
    if now.commits.get(by) != commit_hash(group.record, by, bytes.fromhex(line["value"])).hex():
        raise InputError(f"this does not open the commitment of member {by} for round {now.number}.")


def dice(group: Group, line: dict[str, Any]) -> None:
    """A throw that fits the form of the open round, once by each member."""
    now, by = _open_under(group, "dice", line), line["by"]
    if by in now.throws:
        raise InputError(
            f"member {by} has confirmed a throw of round {now.number} before; it was the first that counts."
        )
    check_throw(bytes.fromhex(line["value"]), now.freeze["form"])


def _open_under(group: Group, kind: str, line: dict[str, Any]) -> Round:
    now = group.open
    if now is None or now.source["kind"] != kind or line["size"] < now.line:
        raise InputError(f"no round under {kind} is open whose page this was signed over.")
    return now


def outcomes(form: dict[str, Any]) -> int:
    """How many values a form can have: sequences, or if sorted multisets.

    >>> outcomes({"count": 6, "low": 1, "high": 49, "order": "sorted"})
    25827165
    """
    count, sides = form["count"], form["high"] - form["low"] + 1
    return int(comb(sides + count - 1, count) if form["order"] == "sorted" else sides**count)


def told_form(form: dict[str, Any]) -> str:
    """A form in words."""
    how = {"throw": "one after another", "colour": "in the order of their colours", "published": "as published"}
    return f"{form['count']} numbers from {form['low']} to {form['high']}, {how.get(form['order'], 'sorted')}"


def check_throw(source: bytes, form: dict[str, Any]) -> None:
    """Refuse source bytes that dice of this form cannot show."""
    texts = source.decode("ascii", "replace").split(".")
    numbers = [int(text) for text in texts[:-1] if text.isascii() and text.isdigit() and len(text) <= 10]
    if [*map(str, numbers), ""] != texts or len(numbers) != form["count"]:
        raise InputError(f"the value is not what the freeze asks for: {told_form(form)}.")
    if not all(form["low"] <= number <= form["high"] for number in numbers):
        raise InputError(f"the value has the numbers {', '.join(map(str, numbers[:8]))}; expected {told_form(form)}.")
    if form["order"] == "sorted" and numbers != sorted(numbers):
        raise InputError("the numbers are not in ascending order, as the freeze asks.")


def draw(group: Group, line: dict[str, Any]) -> None:
    """Of the open round; under the group with every number that was committed."""
    if group.open is None:
        raise InputError("no round is open, so there is nothing to draw; freeze one first.")
    if line["round"] != group.open.number:
        raise InputError(f"the open round is {group.open.number}.")
    missing = sorted(set(group.open.commits) - set(group.open.reveals))
    if group.open.source["kind"] == "group" and missing:
        raise InputError(f"the number of member {missing[0]} is missing; a round is drawn with all of them, or never.")


def ratings(group: Group, line: dict[str, Any]) -> None:
    """Of a round that was drawn, or of a trial."""
    there = group.round(line["round"])
    if there is None or not there.happened:
        raise InputError(f"round {line['round']} has not been drawn.")


def override(group: Group, line: dict[str, Any]) -> None:
    """Once for each slot of a round, drawn or not."""
    there = group.round(line["round"])
    if there is None or line["slot"] >= there.block or line["arm"] >= len(group.terms["arms"]):
        raise InputError(f"round {line['round']} has no slot {line['slot']}, or there is no arm {line['arm']}.")
    if line["slot"] in there.overrides:
        raise InputError(f"slot {line['slot']} of round {there.number} was overridden before.")
    if line["by"] is not None:
        on_roster(group, line["by"])


def amend(group: Group, line: dict[str, Any]) -> None:
    """Arms are only added."""
    before = group.terms["arms"]
    if line["field"] == "block" and group.turns is not None and line["value"] is not None:
        raise InputError("a record with turns decides one thing a round; it has no block to amend.")
    if line["field"] == "arms" and line["value"][: len(before)] != before:
        raise InputError("arms may only be added, behind those there are; to rest an arm, mask it.")
    assert line["field"] == "end" or line["field"] in TERMS


def on_roster(group: Group, number: int) -> str:
    """The key that a member of the latest roster has there; one who is not on it, or has none, is refused."""
    members = group.roster["members"]
    entry = members[number] if number < len(members) else None
    if entry is None:
        raise InputError(f"member {number} is not on the roster, version {group.roster['version']}.")
    if entry["key"] is None:
        raise InputError(f"member {number} has no key on the roster yet; keys go on it before the next freeze.")
    return str(entry["key"])

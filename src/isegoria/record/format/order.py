"""What may stand where: a line that comes out of turn is refused with a sentence that says what must come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.format.messages import commit_hash

if TYPE_CHECKING:
    from isegoria.record.group import Group, Round


def check_place(group: Group, kind: str) -> None:
    """Refuse what cannot be the next line of a record, whatever it says."""
    if (kind == "charter") != (not group.lines):
        raise InputError("a record begins with its charter, and has one.")
    if len(group.lines) == 1 and kind != "roster":
        raise InputError("the second line of a record is its roster.")
    if group.ended:
        raise InputError("the record is closed; nothing follows.")


def charter(group: Group, line: dict[str, Any]) -> None:
    """Settings belong to a learner."""
    learns = line["learner"] is not None
    if line["rules"]["trial"] != ("lowest" if learns else "none") or (line["settings"] and not learns):
        raise InputError(
            "trials and settings belong to a learner; without one the rule is none and settings are empty."
        )


def roster(group: Group, line: dict[str, Any]) -> None:
    """Numbers are for ever; the rest follows from the roster before."""
    before = group.roster["members"] if group.rosters else []
    now = line["members"]
    if line["version"] != len(group.rosters) + 1:
        raise InputError(f"the next roster has version {len(group.rosters) + 1}.")
    left = [n for n, entry in enumerate(before) if entry and (n >= len(now) or now[n] is None)]
    kept = all(_stays(old, new) for old, new in zip(before, now, strict=False))
    new = list(range(len(before), len(now)))
    if (
        len(now) < len(before)
        or not kept
        or None in now[len(before) :]
        or [line["joined"], line["left"]] != [new, left]
    ):
        raise InputError("members keep number, commitment and weight; those who left stay away, new ones come last.")
    if not any(now):
        raise InputError("nobody would be on the roster; close the record instead.")
    keys = [entry["key"] for entry in now if entry and entry["key"]]
    if len(set(keys)) < len(keys):
        raise InputError("two members have one key; each makes her own.")


def _stays(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    return new is None or (old is not None and all(old[key] == new[key] for key in ("commitment", "weight")))


def commit(group: Group, line: dict[str, Any]) -> None:
    """Under the source group, once by each member, before the freeze."""
    if group.terms["source"]["kind"] != "group":
        raise InputError("the source of this record is not the group; nobody commits.")
    refuse_while_open(group, "commitments come before the freeze")
    if line["round"] != group.next_round:
        raise InputError(f"the round that comes next is {group.next_round}.")
    _on_roster(group.roster, line["by"])
    if line["by"] in group.commits:
        raise InputError(f"member {line['by']} has committed to round {line['round']} before.")


def freeze(group: Group, line: dict[str, Any]) -> None:
    """The next round, when no other is open."""
    refuse_while_open(group, "the next freeze comes after")
    if line["round"] != group.next_round:
        raise InputError(f"the round that comes next is {group.next_round}.")
    if line["roster"] != group.roster["version"]:
        raise InputError(f"a freeze names the latest roster, version {group.roster['version']}.")
    if line["available"][-1] >= len(group.terms["arms"]):
        raise InputError(f"arm {line['available'][-1]} does not exist.")
    kind = group.terms["source"]["kind"]
    if (line["occasion"] is None) != (kind != "beacon"):
        raise InputError("a freeze has an occasion exactly when the source is a beacon.")
    if line["occasion"] is not None and group.last_occasion is not None and line["occasion"] <= group.last_occasion:
        raise InputError(f"occasion {line['occasion']} is not after the last one, {group.last_occasion}.")
    if kind == "group" and line["kind"] == "fair" and not group.commits:
        raise InputError("nobody has committed to this round yet; with source group, members commit before the freeze.")
    if line["kind"] == "trial" and line["arm"] != untried(group, line["available"]):
        raise InputError("a trial is of the lowest available arm never played.")


def untried(group: Group, available: list[int]) -> int | None:
    """The lowest available arm that was never played, if there is one."""
    return next((arm for arm in available if arm not in group.played_so_far), None)


def witness(group: Group, line: dict[str, Any]) -> None:
    """Once by each member of the open round."""
    now = _open_round(group, "there is nothing to witness")
    if line["freeze"] != now.freeze_hash.hex():
        raise InputError(f"this is not the freeze of round {now.number}.")
    _on_roster(now.roster, line["by"])
    if line["by"] in now.witnesses:
        raise InputError(f"member {line['by']} has witnessed round {now.number} before.")


def reveal(group: Group, line: dict[str, Any]) -> None:
    """What opens a commitment to the open round, once."""
    now = _open_round(group, "there is nothing to reveal")
    if now.source["kind"] != "group" or line["round"] != now.number or line["freeze"] != now.freeze_hash.hex():
        raise InputError(f"this is not for the freeze of round {now.number}, or its source is not the group.")
    by = line["by"]
    if by in now.reveals:
        raise InputError(f"member {by} has revealed in round {now.number} before.")
    opened = commit_hash(group.id, now.number, by, bytes.fromhex(line["value"])).hex()
    if now.commits.get(by) != opened:
        raise InputError(f"this does not open the commitment of member {by} to round {now.number}.")


def ends(group: Group, line: dict[str, Any]) -> None:
    """A draw or a void: of the open round."""
    now = _open_round(group, f"there is nothing to {line['line']}")
    if line["round"] != now.number:
        raise InputError(f"the open round is {now.number}.")
    if line["line"] == "void" and now.commits and set(now.commits) == set(now.reveals):
        raise InputError(f"everyone has revealed in round {now.number}: it must be drawn, and can then be overridden.")


def of_drawn_round(group: Group, line: dict[str, Any]) -> None:
    """Of a round that was drawn."""
    if line["round"] >= group.next_round or group.rounds[line["round"] - 1].state != "drawn":
        raise InputError(f"round {line['round']} has not been drawn.")


def override(group: Group, line: dict[str, Any]) -> None:
    """Once for each slot of a drawn round."""
    of_drawn_round(group, line)
    there = group.rounds[line["round"] - 1]
    if line["slot"] >= len(there.draw["arms"]) or line["arm"] >= len(group.terms["arms"]):
        raise InputError(
            f"round {there.number} has slots 0 to {len(there.draw['arms']) - 1}; arms go by their numbers."
        )
    if line["slot"] in there.overrides:
        raise InputError(f"slot {line['slot']} of round {there.number} was overridden before.")
    if line["by"] is not None and line["by"] >= len(group.roster["members"]):
        raise InputError(f"member {line['by']} is not on the roster.")


def amend(group: Group, line: dict[str, Any]) -> None:
    """Between rounds; arms are only added."""
    refuse_while_open(group, "amendments wait for its draw")
    before = group.terms["arms"]
    if line["field"] == "arms" and line["value"][: len(before)] != before:
        raise InputError("arms may only be added, behind those there are; to rest an arm, mask it.")


def close(group: Group, line: dict[str, Any]) -> None:
    """Between rounds."""
    refuse_while_open(group, "close the record after")


def refuse_while_open(group: Group, why: str) -> None:
    """Refuse whatever has to wait until the open round has ended."""
    if group.open:
        raise InputError(f"round {group.open.number} is still open: draw it, or void it; {why}.")


def _open_round(group: Group, why: str) -> Round:
    if not group.open:
        raise InputError(f"no round is open, so {why}; freeze one first.")
    return group.open


def _on_roster(roster: dict[str, Any], number: int) -> None:
    if number >= len(roster["members"]) or roster["members"][number] is None:
        raise InputError(f"member {number} is not on the roster, version {roster['version']}.")

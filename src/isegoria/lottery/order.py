"""What may stand where: a line that comes out of turn is refused with a sentence that says what must come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isegoria.errors import InputError
from isegoria.lottery.messages import commit_hash

if TYPE_CHECKING:
    from isegoria.lottery.record import Record


def check_order(record: Record, line: dict) -> None:
    """Refuse a line whose place is not here."""
    kind = line["line"]
    if (kind == "charter") != (not record.lines):
        raise InputError("a record begins with its charter, and has one.")
    if len(record.lines) == 1 and kind != "roster":
        raise InputError("the second line of a record is its roster.")
    if record.closed:
        raise InputError("the record is closed; nothing follows.")
    _CHECKS[kind](record, line)


def _charter(record: Record, line: dict) -> None:
    learns = line["learner"] is not None
    if line["rules"]["trial"] != ("lowest" if learns else "none") or (line["settings"] and not learns):
        raise InputError(
            "trials and settings belong to a learner; without one the rule is none and settings are empty."
        )


def _roster(record: Record, line: dict) -> None:
    before = record.roster["members"] if record.rosters else []
    now = line["members"]
    if line["version"] != len(record.rosters) + 1:
        raise InputError(f"the next roster has version {len(record.rosters) + 1}.")
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


def _stays(old: dict | None, new: dict | None) -> bool:
    return new is None or (old is not None and all(old[key] == new[key] for key in ("commitment", "weight")))


def _commit(record: Record, line: dict) -> None:
    if record.terms["source"]["kind"] != "group":
        raise InputError("the source of this record is not the group; nobody commits.")
    refuse_while_open(record, "commitments come before the freeze")
    if line["round"] != record.next_round:
        raise InputError(f"the round that comes next is {record.next_round}.")
    _on_roster(record.roster, line["by"])
    if line["by"] in record.commits:
        raise InputError(f"member {line['by']} has committed to round {line['round']} before.")


def _freeze(record: Record, line: dict) -> None:
    refuse_while_open(record, "the next freeze comes after")
    if line["round"] != record.next_round:
        raise InputError(f"the round that comes next is {record.next_round}.")
    if line["roster"] != record.roster["version"]:
        raise InputError(f"a freeze names the latest roster, version {record.roster['version']}.")
    if line["available"][-1] >= len(record.terms["arms"]):
        raise InputError(f"arm {line['available'][-1]} does not exist.")
    kind = record.terms["source"]["kind"]
    if (line["occasion"] is None) != (kind != "beacon"):
        raise InputError("a freeze has an occasion exactly when the source is a beacon.")
    if line["occasion"] is not None and record.last_occasion is not None and line["occasion"] <= record.last_occasion:
        raise InputError(f"occasion {line['occasion']} is not after the last one, {record.last_occasion}.")
    if kind == "group" and line["kind"] == "fair" and not record.commits:
        raise InputError("nobody has committed to this round yet; with source group, members commit before the freeze.")
    if line["kind"] == "trial" and line["arm"] != untried(record, line["available"]):
        raise InputError("a trial is of the lowest available arm never played.")


def untried(record: Record, available: list[int]) -> int | None:
    """The lowest available arm that was never played, if there is one."""
    return next((arm for arm in available if arm not in record.played_so_far), None)


def _witness(record: Record, line: dict) -> None:
    now = _open_round(record, "there is nothing to witness")
    if line["freeze"] != now.freeze_hash.hex():
        raise InputError(f"this is not the freeze of round {now.number}.")
    _on_roster(now.roster, line["by"])
    if line["by"] in now.witnesses:
        raise InputError(f"member {line['by']} has witnessed round {now.number} before.")


def _reveal(record: Record, line: dict) -> None:
    now = _open_round(record, "there is nothing to reveal")
    if now.source["kind"] != "group" or line["round"] != now.number or line["freeze"] != now.freeze_hash.hex():
        raise InputError(f"this is not for the freeze of round {now.number}, or its source is not the group.")
    by = line["by"]
    if by in now.reveals:
        raise InputError(f"member {by} has revealed in round {now.number} before.")
    opened = commit_hash(record.group, now.number, by, bytes.fromhex(line["value"])).hex()
    if now.commits.get(by) != opened:
        raise InputError(f"this does not open the commitment of member {by} to round {now.number}.")


def _ends(record: Record, line: dict) -> None:
    now = _open_round(record, f"there is nothing to {line['line']}")
    if line["round"] != now.number:
        raise InputError(f"the open round is {now.number}.")
    if line["line"] == "void" and now.commits and set(now.commits) == set(now.reveals):
        raise InputError(f"everyone has revealed in round {now.number}: it must be drawn, and can then be overridden.")


def _of_drawn_round(record: Record, line: dict) -> None:
    if line["round"] >= record.next_round or record.rounds[line["round"] - 1].state != "drawn":
        raise InputError(f"round {line['round']} has not been drawn.")


def _override(record: Record, line: dict) -> None:
    _of_drawn_round(record, line)
    there = record.rounds[line["round"] - 1]
    if line["slot"] >= len(there.draw["arms"]) or line["arm"] >= len(record.terms["arms"]):
        raise InputError(
            f"round {there.number} has slots 0 to {len(there.draw['arms']) - 1}; arms go by their numbers."
        )
    if line["slot"] in there.overrides:
        raise InputError(f"slot {line['slot']} of round {there.number} was overridden before.")
    if line["by"] is not None and line["by"] >= len(record.roster["members"]):
        raise InputError(f"member {line['by']} is not on the roster.")


def _amend(record: Record, line: dict) -> None:
    refuse_while_open(record, "amendments wait for its draw")
    before = record.terms["arms"]
    if line["field"] == "arms" and line["value"][: len(before)] != before:
        raise InputError("arms may only be added, behind those there are; to rest an arm, mask it.")


def _close(record: Record, line: dict) -> None:
    refuse_while_open(record, "close the record after")


def refuse_while_open(record: Record, why: str) -> None:
    """Refuse whatever has to wait until the open round has ended."""
    if record.open:
        raise InputError(f"round {record.open.number} is still open: draw it, or void it; {why}.")


def _open_round(record: Record, why: str):
    if not record.open:
        raise InputError(f"no round is open, so {why}; freeze one first.")
    return record.open


def _on_roster(roster: dict, number: int) -> None:
    if number >= len(roster["members"]) or roster["members"][number] is None:
        raise InputError(f"member {number} is not on the roster, version {roster['version']}.")


_CHECKS = {
    "charter": _charter,
    "roster": _roster,
    "commit": _commit,
    "freeze": _freeze,
    "witness": _witness,
    "reveal": _reveal,
    "draw": _ends,
    "void": _ends,
    "ratings": _of_drawn_round,
    "override": _override,
    "amend": _amend,
    "close": _close,
}

"""Validators of the order of lines: each raises `InputError` with what must come first."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.identities import hash_committed_number
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.record.format.schema import TERM_SCHEMAS
from isegoria.utils.messages import Message

MIN_DICE_OUTCOMES = 10**7


def validate_position(group: RecordView, kind: str) -> None:
    """Raise `InputError` if a line of this kind cannot come next, regardless of its content."""
    if (kind == "charter") != (not group.lines):
        raise InputError(Message("record_begins_charter"))
    if len(group.lines) == 1 and kind != "roster":
        raise InputError(Message("second_line_record_roster"))
    if group.ended:
        raise InputError(Message("record_ended"))


def validate_charter_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a charter: settings require a learner, and turns exclude a learner and a block."""
    if (line["settings"] == {}) != (line["learner"] is None):
        raise InputError(Message("settings_belong_learner"))
    low, high = map(float, line["scale"])
    if line["learner"] is not None and not 0 < high - low < float("inf"):
        raise InputError(Message("scale_too_fine_too_wide_learner", low=low, high=high))
    turns = line["turns"]
    if turns is not None and (line["learner"] is not None or line["block"] is not None):
        raise InputError(Message("turns_go_without_learner_without_block"))
    if turns is not None and turns["mode"] == "deterministic" and turns["worlds"] != 1:
        raise InputError(Message("deterministic_turns_world"))


def validate_roster_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a roster: numbers, weights and commitments never change, while keys and marks may."""
    before = group.seats
    now = line["members"]
    if line["version"] != len(group.rosters) + 1:
        raise InputError(Message("next_roster_version", version=len(group.rosters) + 1))
    if not all(map(_is_unchanged_entry, before, now)):
        raise InputError(Message("members_keep_number_weight"))
    if not any(now):
        raise InputError(Message("nobody_would_roster"))
    keys = [entry["key"] for entry in now if entry and entry["key"]]
    if len(set(keys)) < len(keys):
        raise InputError(Message("two_members_key"))


def _is_unchanged_entry(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    """Return whether a member has left, or has kept what never changes: a key that stays keeps its proof and origin."""
    if new is None or old is None:
        return new is None
    kept = ["weight", "commitment"] + (["proof", "provenance"] if old["key"] == new["key"] else [])
    return all(old[name] == new[name] for name in kept)


def list_new_keys(group: RecordView, members: Sequence[dict[str, Any] | None]) -> list[int]:
    """Return the members whose keys are new in their entries, and whose proofs are therefore verified."""
    before = [*group.seats, *[None] * len(members)]
    return [
        n
        for n, entry in enumerate(members)
        if entry and entry["key"] and entry["key"] != (before[n] or {"key": None})["key"]
    ]


def validate_freeze_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a freeze: the next round, the latest roster, and what its source of randomness needs."""
    validate_page(group, line)
    kind, form = group.terms["source"]["kind"], line["dice_form"]
    if (form is None) != (kind != "dice"):
        raise InputError(Message("freeze_form_exactly_when_source_dice"))
    if form is not None and count_outcomes(form) < MIN_DICE_OUTCOMES:
        raise InputError(
            Message(
                "only_outcomes_draw_needs_ten_million", dice=describe_dice_form(form), outcomes=count_outcomes(form)
            )
        )
    if again := group.used & set(line["available"]):
        raise InputError(Message("option_used_up", arms=group.arms[min(again)]))
    if kind == "commit_reveal" and not group.commits:
        raise InputError(Message("nobody_committed_freeze"))


def validate_page(group: RecordView, line: dict[str, Any]) -> None:
    """Validate what a freeze and a trial share: the next round number, the latest roster, and a later occurrence."""
    if line["round"] != group.next_round:
        raise InputError(Message("round_comes_next", next_round=group.next_round))
    if line["roster"] != group.roster["version"]:
        raise InputError(Message("page_names_latest_roster_version", version=group.roster["version"]))
    if line["available"][-1] >= len(group.terms["arms"]):
        raise InputError(Message("arm_not_exist", available=line["available"][-1]))
    if group.resting & set(line["available"]) and not group.resting >= set(line["available"]):
        raise InputError(Message("arm_rests", arms=group.arms[min(group.resting & set(line["available"]))]))
    if (line["occurrence"] is None) != (group.terms["source"]["kind"] != "beacon"):
        raise InputError(Message("page_occurrence_exactly_when_source_beacon"))
    if (
        line["occurrence"] is not None
        and group.last_occurrence is not None
        and line["occurrence"] <= group.last_occurrence
    ):
        raise InputError(
            Message("occurrence_not_after_last", occurrence=line["occurrence"], last_occurrence=group.last_occurrence)
        )


def validate_trial_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a trial: the group has a learner, and the arm is the lowest available one never played."""
    validate_page(group, line)
    if group.charter["learner"] is None or line["arm"] != find_untried_arm(group, line["available"]):
        raise InputError(Message("trial_lowest_available_arm_never_played"))


def find_untried_arm(group: RecordView, available: list[int]) -> int | None:
    """Return the lowest available arm that was never played, or None."""
    played = group.played_so_far
    return next((arm for arm in available if arm not in played), None)


def validate_statement_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a signed statement.

    It must be about this history. Each member's statements come in the order of their sizes, none twice. Then the rule
    of what it says applies.
    """
    by, size, kind = line["member"], line["size"], line["kind"]
    if size > len(group.lines) or group.hashes[size - 1].hex() != line["head"]:
        raise InputError(Message("member_signed_another_history_record", by=by))
    require_roster_key(group, by)
    said = group.says.get(by, [])
    if (said and size < said[-1][0]) or (size, name_statement(line)) in said:
        raise InputError(Message("member_said_before_something_later_line", by=by))
    if kind != "seen":
        {
            "commit": validate_commitment,
            "reveal": validate_reveal,
            "dice": validate_dice_statement,
            "compare": validate_comparison,
        }[kind](group, line)


def name_statement(line: dict[str, Any]) -> str:
    """Return what a member says only once about a line: a kind, or one comparison.

    >>> name_statement({"kind": "seen", "value": None})
    'seen'
    """
    return str(line["value"] if line["kind"] == "compare" else line["kind"])


def validate_comparison(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a comparison of keys: the key is that of another member of the latest roster."""
    other, key = int(line["value"][:8], 16), line["value"][8:]
    entry = group.seats[other] if other < len(group.seats) and other != line["member"] else None
    if entry is None or entry["key"] != key:
        raise InputError(Message("compared_key_not_roster", member=line["member"]))


def validate_commitment(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a commitment: under `commit_reveal`, once per member for the next freeze, and never used before."""
    if group.terms["source"]["kind"] != "commit_reveal":
        raise InputError(Message("source_record_not_group"))
    if line["member"] in group.commits:
        raise InputError(Message("member_committed_next_freeze_before", by=line["member"]))
    if line["value"] in group.committed:
        raise InputError(Message("commitment_used_before"))


def validate_reveal(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a reveal: it opens the member's commitment for the open round, once."""
    now, by = _require_open_round(group, "commit_reveal", line), line["member"]
    if by in now.reveals:
        raise InputError(Message("member_revealed_round_before", by=by, number=now.number))
    if now.commits.get(by) != hash_committed_number(group.record, by, bytes.fromhex(line["value"])).hex():
        raise InputError(Message("not_open_commitment_member_round", by=by, number=now.number))


def validate_dice_statement(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a confirmed throw: it fits the form of the open round, and the member has confirmed none before."""
    now, by = _require_open_round(group, "dice", line), line["member"]
    if by in now.throws:
        raise InputError(Message("member_confirmed_throw_round_before", by=by, number=now.number))
    validate_throw(bytes.fromhex(line["value"]), now.freeze["dice_form"])


def _require_open_round(group: RecordView, kind: str, line: dict[str, Any]) -> RoundView:
    now = group.open
    if now is None or now.source["kind"] != kind or line["size"] < now.line:
        raise InputError(Message("no_round_under_open_whose_page", kind=kind))
    return now


def count_outcomes(form: dict[str, Any]) -> int:
    """Return how many values a form can have: sequences, or multisets if sorted.

    >>> count_outcomes({"count": 6, "low": 1, "high": 49, "order": "sorted"})
    25827165
    """
    count, sides = form["count"], form["high"] - form["low"] + 1
    return int(comb(sides + count - 1, count) if form["order"] == "sorted" else sides**count)


def describe_dice_form(form: dict[str, Any]) -> str:
    """Describe a form in words."""
    how = {"throw": "one after another", "colour": "in the order of their colours", "published": "as published"}
    return f"{form['count']} numbers from {form['low']} to {form['high']}, {how.get(form['order'], 'sorted')}"


def validate_throw(source: bytes, form: dict[str, Any]) -> None:
    """Raise `InputError` if dice of this form cannot show these source bytes."""
    texts = source.decode("ascii", "replace").split(".")
    numbers = [int(text) for text in texts[:-1] if text.isascii() and text.isdigit() and len(text) <= 10]
    if [*map(str, numbers), ""] != texts or len(numbers) != form["count"]:
        raise InputError(Message("value_not_freeze_asks", dice=describe_dice_form(form)))
    if not all(form["low"] <= number <= form["high"] for number in numbers):
        raise InputError(
            Message("value_numbers", names=", ".join(map(str, numbers[:8])), dice=describe_dice_form(form))
        )
    if form["order"] == "sorted" and numbers != sorted(numbers):
        raise InputError(Message("numbers_not_ascending_order_freeze_asks"))


def validate_draw_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a draw: it is of the open round and, under `commit_reveal`, every committed number was revealed."""
    if group.open is None:
        raise InputError(Message("no_round_open_nothing_draw"))
    if line["round"] != group.open.number:
        raise InputError(Message("open_round", number=group.open.number))
    missing = sorted(set(group.open.commits) - set(group.open.reveals))
    if group.open.source["kind"] == "commit_reveal" and missing:
        raise InputError(Message("number_member_missing", missing=missing[0]))


def validate_ratings_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate a ratings line: its round was drawn, or is a trial."""
    there = group.round(line["round"])
    if there is None or not there.happened:
        raise InputError(Message("round_not_drawn", round=line["round"]))


def validate_override_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate an override: at most one per slot of a round, drawn or not."""
    there = group.round(line["round"])
    if there is None or line["slot"] >= there.block or line["arm"] >= len(group.terms["arms"]):
        raise InputError(Message("round_no_slot_no_arm", round=line["round"], slot=line["slot"], arm=line["arm"]))
    if line["slot"] in there.overrides:
        raise InputError(Message("slot_round_overridden_before", slot=line["slot"], number=there.number))
    if line["member"] is not None:
        require_roster_key(group, line["member"])


def validate_amendment_line(group: RecordView, line: dict[str, Any]) -> None:
    """Validate an amendment: arms are only added, and a record with turns has no block."""
    before = group.terms["arms"]
    if line["field"] == "block" and group.turns is not None and line["value"] is not None:
        raise InputError(Message("record_turns_decides_thing_round"))
    if line["field"] == "arms" and line["value"][: len(before)] != before:
        raise InputError(Message("arms_may_only_added_behind_those"))
    assert line["field"] == "end" or line["field"] in TERM_SCHEMAS


def require_roster_key(group: RecordView, number: int) -> str:
    """Return a member's key on the latest roster. Raise `InputError` if they are not on it or have no key."""
    members = group.roster["members"]
    entry = members[number] if number < len(members) else None
    if entry is None:
        raise InputError(Message("member_not_roster_version", number=number, version=group.roster["version"]))
    if entry["key"] is None:
        raise InputError(Message("member_no_key_roster_yet", number=number))
    return str(entry["key"])

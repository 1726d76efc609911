"""Confirmations: what a page asks before a step that cannot be undone or that leaves somebody out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.record.state.group import Group
from isegoria.service.api.routing import Question
from isegoria.service.groups.group_views import (
    compute_signature_progress,
    list_missing_confirmations,
    list_missing_names,
)

MAX_NAMES_LISTED = 8


def confirm_leave(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a member leaves."""
    if group.changes_from > group.next_round:
        return "ask_leave_waits", {"round": group.changes_from}
    return "ask_leave_turns" if group.turns else "ask_leave", {}


def confirm_publish(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a member agrees to publish the record; taking it back needs none."""
    return ("ask_publish", {}) if body["consent"] else None


def confirm_remove(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a member is removed."""
    name = group.name(body["member"])
    if group.changes_from > group.next_round:
        return "ask_remove_waits", {"name": name, "round": group.changes_from}
    return "ask_remove", {"name": name}


def confirm_erase(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a member's identity is erased."""
    return "ask_erase", {"name": group.name(body["member"])}


def confirm_reissue(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a link is reissued: the member's devices are signed out, and everyone sees it."""
    return "ask_reissue", {"name": group.name(body["number"])}


def confirm_forget_device(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a device is signed out."""
    return "ask_forget", {}


def confirm_end(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a group ends."""
    return "ask_end", {}


def confirm_freeze(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a freeze while answers are missing or an open round is left undrawn, or None."""
    if body.get("undrawn"):
        return "ask_undrawn", {}
    missing = [] if group.learns or group.asked_until else list_missing_names(group)
    if not missing:
        return None
    return "ask_freeze", {"missing": len(missing), "members": len(group.members), "names": _join_some_names(missing)}


def _join_some_names(names: list[str]) -> str:
    return ", ".join(names[:MAX_NAMES_LISTED]) + (" …" if len(names) > MAX_NAMES_LISTED else "")


def confirm_draw(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Return the question before a draw that too few devices have confirmed to prove it to others, or None."""
    seen = compute_signature_progress(group)
    if group.open is None or group.source == "rehearsal" or seen is None:
        return None
    missing = [group.name(number) for number in list_missing_confirmations(group.open)]
    if missing and seen["of"] - len(missing) < seen["wanted"]:
        return "ask_draw_dice", {"names": _join_some_names(missing)}
    if seen["early"] >= max(1, seen["wanted"]):
        return None
    return "ask_draw", {"early": seen["early"], "wanted": max(1, seen["wanted"])}

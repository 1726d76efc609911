"""What is asked once before it is done: steps that cannot be taken back, or that leave somebody out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from isegoria.record.group import Group
from isegoria.service.views import seen_view, unconfirmed, waiting_for

Question = tuple[str, dict[str, Any]]
"""The name of a message, and its values."""
NAMES_SHOWN = 8


def leaving(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before somebody leaves by her own hand."""
    if group.changes_from > group.next_round:
        return "ask_leave_waits", {"round": group.changes_from}
    return "ask_leave_turns" if group.turns else "ask_leave", {}


def removing(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before somebody is taken out."""
    name = group.name(body["member"])
    if group.changes_from > group.next_round:
        return "ask_remove_waits", {"name": name, "round": group.changes_from}
    return "ask_remove", {"name": name}


def erasing(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before it is forgotten who somebody is."""
    return "ask_erase", {"name": group.name(body["member"])}


def freeing(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before a link is issued again: her devices are signed out, and everyone will see it."""
    return "ask_reissue", {"name": group.name(body["number"])}


def forgetting(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before a device forgets whose it is."""
    return "ask_forget", {}


def ending(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before a group decides nothing any more."""
    return "ask_end", {}


def freezing(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before answers close while some are missing, or an open round is left."""
    if body.get("undrawn"):
        return "ask_undrawn", {}
    missing = [] if group.learns or group.asked_until else waiting_for(group)
    if not missing:
        return None
    return "ask_freeze", {"missing": len(missing), "members": len(group.members), "names": _some(missing)}


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMES_SHOWN]) + (" …" if len(names) > NAMES_SHOWN else "")


def drawing(group: Group, body: Mapping[str, Any]) -> Question | None:
    """Before a draw that too few phones have seen coming to prove it to anybody."""
    seen = seen_view(group)
    if group.open is None or group.source == "rehearsal" or seen is None:
        return None
    missing = [group.name(number) for number in unconfirmed(group.open)]
    if missing and seen["of"] - len(missing) < seen["wanted"]:
        return "ask_draw_dice", {"names": _some(missing)}
    if seen["early"] >= max(1, seen["wanted"]):
        return None
    return "ask_draw", {"early": seen["early"], "wanted": max(1, seen["wanted"])}


QUESTIONS: dict[str, Callable[[Group, Mapping[str, Any]], Question | None]] = {
    "leave": leaving,
    "remove": removing,
    "erase": erasing,
    "reissue": freeing,
    "forget": forgetting,
    "end": ending,
    "freeze": freezing,
    "draw": drawing,
}

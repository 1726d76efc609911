"""Proposals of new options in a group with turns: they go on record at the freeze, all in one line.

Every proposal gets its number at once, so that it can be rated and the rating signed. A proposal withdrawn before the
freeze keeps its number, under a name that says only that it was withdrawn.
"""

from __future__ import annotations

import unicodedata

from isegoria.errors import InputError
from isegoria.record.actions.action import ActionContext, ActionResult, InvalidActionError, NewEvent
from isegoria.record.state.group import PHASE_CLOSED, Group
from isegoria.utils.messages import Message

MAX_AVAILABLE_OPTIONS = 40
MAX_PROPOSALS_PER_ROUND = 5
"""Maximum number of proposals of one member for one round; withdrawn ones count, since they keep their numbers."""


def normalise_name(name: str) -> str:
    """Normalise a name as the record writes it: Unicode form NFC, without surrounding space."""
    return unicodedata.normalize("NFC", name).strip()


def fold_name(name: str) -> str:
    """Return a key that is equal for names that people would take for the same: case-folded, with single spaces.

    >>> fold_name(" Alien ") == fold_name("alien"), fold_name("Alien 3") == fold_name("Alien")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def propose_option(context: ActionContext) -> ActionResult:
    """Propose an option for the next round. Anyone with a link of the group may. The body has `name`."""
    group, name = context.group, normalise_name(context.body["name"])
    _require_open_for_proposals(group)
    if context.member >= 0 and context.member not in group.members:
        raise InputError(Message("you_left_group"))
    if not name:
        raise InvalidActionError(Message("option_needs_name"))
    for number, known in enumerate(group.options):
        if fold_name(known) == fold_name(name):
            _reject_duplicate(group, number)
    if len(group.available) >= MAX_AVAILABLE_OPTIONS:
        raise InputError(Message("options_offer_already", max_available_options=MAX_AVAILABLE_OPTIONS))
    mine = sum(one.by == context.member for one in group.proposals.values())
    if context.member >= 0 and mine >= MAX_PROPOSALS_PER_ROUND:
        raise InputError(Message("too_many_proposals", count=MAX_PROPOSALS_PER_ROUND))
    number = len(group.options)
    body = {"name": name, "by": context.member}
    return ActionResult({"arm": name, "number": number}, [NewEvent(f"propose:{number}", "propose", body)])


def _reject_duplicate(group: Group, number: int) -> None:
    """Raise an error that says why an existing option cannot be proposed again."""
    name = group.options[number]
    if number in group.used:
        raise InputError(Message("played_already_played_used_up", name=name))
    if number in group.masked:
        raise InputError(Message("option_rests_now", name=name))
    raise InputError(Message("option_on_offer_already", name=name))


def withdraw_option(context: ActionContext) -> ActionResult:
    """Withdraw a proposal before the freeze; its author or an organiser may. The body has `name`."""
    group, name = context.group, normalise_name(context.body["name"])
    _require_open_for_proposals(group)
    number = next((n for n, one in enumerate(group.options) if one == name), None)
    if number is None:
        raise InvalidActionError(Message("no_option_group", name=name))
    proposal = group.proposals.get(number)
    if proposal is None:
        raise InputError(Message("record_not_withdrawn_any", name=name))
    if context.member >= 0 and proposal.by != context.member:
        raise InputError(Message("proposed_somebody_else", name=name))
    return ActionResult(
        {"arm": name, "withdrawn": True}, [NewEvent(f"withdraw:{number}", "withdraw", {"number": number})]
    )


def _require_open_for_proposals(group: Group) -> None:
    if group.turns is None:
        raise InputError(Message("options_proposed_anew_only_group_turns"))
    if group.ended:
        raise InputError(Message("group_ended"))
    if group.phase == PHASE_CLOSED:
        raise InputError(Message("round_being_decided", next_round=group.next_round))

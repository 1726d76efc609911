"""Actions on members: found a group, join, leave, register a key, mark an organiser, reissue a link, erase.

These changes are collected: the roster line that states them is written before the next freeze.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from isegoria.errors import InputError
from isegoria.record.actions.action import ActionContext, ActionResult, InvalidActionError, NewEvent
from isegoria.record.actions.proposals import normalise_name
from isegoria.record.actions.ratings import build_rating_event, parse_ratings
from isegoria.record.actions.rounds import reopen_ratings, require_active_group
from isegoria.record.format.canonical_json import format_decimal
from isegoria.record.format.identities import MemberIdentity, compute_commitment
from isegoria.record.format.lines import is_proved_key
from isegoria.record.format.record_view import LinePayload
from isegoria.record.group_learner import validate_learner_settings
from isegoria.record.signing.ed25519 import is_signing_key
from isegoria.record.state.group import Group
from isegoria.utils.messages import FieldPath, Message

DEFAULT_TERMS = {
    "privacy": "ballots",
    "block": None,
    "learner": None,
    "scale": (0, 1),
    "tie_break": "centre",
    "turns": None,
    "resting": 0,
}
"""Terms of a charter that apply where none are given."""


NO_KEY: LinePayload = {"key": None, "provenance": None, "proof": None}


def found_group(context: ActionContext) -> ActionResult:
    """Create a group: the terms of its charter, its members, and the ratings known so far.

    The body has `title`, `arms`, `source` and `members` (names). It may have `privacy`, `block`, `scale`, `learner`
    with its `settings`, `tie_break`, `turns` and `resting`; by member `weights`, `organisers` (names) and `ratings` (a
    decimal for each option); and `changes`, the number of rounds between the rosters that joins, departures and keys
    wait for. No line
    is written: charter and roster come just before the first freeze, with all keys registered by then.
    """
    body, learner = context.body, context.body.get("learner")
    names: list[str] = [normalise_name(name) for name in body["members"]]
    weights: list[int] = body.get("weights") or [1] * len(names)
    arms = [normalise_name(arm) for arm in body["arms"]]
    _require_unique_names(arms, "options")
    _require_unique_names(names, "members")
    terms = (
        DEFAULT_TERMS
        | {name: body[name] for name in (*DEFAULT_TERMS, "title", "source") if name in body}
        | {"arms": arms}
    )
    settings = {} if learner is None else validate_learner_settings(learner, body.get("settings") or {})
    if terms["turns"] is not None and (learner is not None or terms["block"] is not None):
        raise InvalidActionError(Message("turns_go_without_learner_without_block"))
    marked = {normalise_name(name) for name in body.get("organisers") or ()}
    if unknown := sorted(marked - set(names)):
        raise InvalidActionError(Message("no_member_cannot_marked_organiser", unknown=unknown[0]))
    id = context.chance(16).hex()
    charter = {**terms, "group": id, "settings": settings, "scale": [format_decimal(end) for end in terms["scale"]]}
    people = [
        _create_member(context.chance, number, *one) for number, one in enumerate(zip(names, weights, strict=True))
    ]
    entries = [build_roster_entry(person, organiser=int(person.name in marked)) for person in people]
    told = [
        build_rating_event(f"rate:0:{number}:1", number, dict(enumerate(row)), at=context.now)
        for number, row in enumerate(body.get("ratings", ()))
    ]
    every = body.get("changes")
    waits = [] if every is None else [NewEvent("setting:changes", "setting", {"changes": every})]
    events = [NewEvent("found", "found", {"charter": charter, "entries": entries}), *told, *waits]
    return ActionResult({"group": id}, events, people)


def _require_unique_names(names: Sequence[str], what: str) -> None:
    """Raise `InvalidActionError` if two names are equal as the record writes them: a name must identify one member or
    option."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InvalidActionError(Message("two_have_one_name", what=what, twice=twice))


def _create_member(chance: Callable[[int], bytes], number: int, name: str, weight: int) -> MemberIdentity:
    """Create a member with a fresh salt and secret."""
    salt, secret = chance(32), chance(32)
    return MemberIdentity(number, weight, secret, salt, name)


def build_roster_entry(person: MemberIdentity, organiser: int = 0) -> LinePayload:
    """Return a member's roster entry: a commitment that names nobody, and no key until they register one."""
    sealed = compute_commitment(person.salt, person.number, person.secret, person.name)
    return {"commitment": sealed.hex(), "weight": person.weight, **NO_KEY, "organiser": organiser, "by_hand": 0}


def join(context: ActionContext) -> ActionResult:
    """Let a new member join; they count from the next freeze.

    The body has `name`, and may have `weight` and `ratings` by option.
    """
    group, name, weight = context.group, normalise_name(context.body["name"]), context.body.get("weight", 1)
    require_active_group(group)
    if name in {group.names.get(number) for number in group.members}:
        raise InputError(Message("member_already", name=name))
    values = parse_ratings(group, context.body.get("ratings") or {})
    number = len(group.entries)
    person = _create_member(context.chance, number, name, weight)
    events = [_build_seat_event(group, number, build_roster_entry(person))]
    if values:
        events.append(build_rating_event(f"rate:0:{number}:1", number, values, at=context.now))
    return ActionResult({"member": number, "name": name}, events, [person])


def remove_member(context: ActionContext) -> ActionResult:
    """Let a member leave from the next freeze on; their number is never assigned again."""
    return _build_departure(context.group, context.body["member"], "removed")


def leave_group(context: ActionContext) -> ActionResult:
    """Leave the group. The member's link still opens the public page and can no longer rate."""
    return _build_departure(context.group, context.member, "left")


def _build_departure(group: Group, number: int, reason: str) -> ActionResult:
    require_active_member(group, number)
    if len(group.members) == 1:
        raise InputError(Message("last_member", name=group.name(number)))
    return ActionResult({"member": number, "left": True}, [_build_seat_event(group, number, None, reason)])


def erase_member(context: ActionContext) -> ActionResult:
    """Erase a member's identity (name, secrets and links), in any phase.

    They leave first if they are still a member. Their number, key and signed statements stay.
    """
    group, number = context.group, context.body["member"]
    _require_known_member(group, number)
    if number in group.erased:
        raise InputError(Message("member_erased_before", number=number))
    if number in group.members and len(group.members) == 1 and not group.ended:
        raise InputError(Message("last_member", name=group.name(number)))
    gone = [_build_seat_event(group, number, None, "removed")] if number in group.members and not group.ended else []
    events = [*reopen_ratings(group), *gone, NewEvent(f"erase:{number}", "erase", {"member": number})]
    return ActionResult({"member": number, "erased": True}, events, forgotten=[number])


def register_key(context: ActionContext) -> ActionResult:
    """Put the key of a member's device on the next roster, with its origin, `context.how`.

    The body has `key` and `proof`, by which the device shows that it holds the key. It may have `replace` (whether it
    may replace another key) and `organiser` (a new mark).
    """
    group, number, key = context.group, context.member, context.body["key"]
    require_active_member(group, number)
    answer, now = {"member": number, "key": key}, group.members[number]
    mark = context.body.get("organiser", now["organiser"])
    if (now["key"], now["organiser"]) == (key, mark):
        return ActionResult(answer)
    if now["key"] is not None and not context.body.get("replace", True):
        raise InputError(Message("another_device_signs"))
    if not is_signing_key(bytes.fromhex(key)):
        raise InvalidActionError(Message("key_cannot_sign"))
    if not is_proved_key(group.charter["group"], number, key, context.body["proof"]):
        raise InvalidActionError(Message("key_not_proved", member=number))
    if any(other["key"] == key for n, other in group.members.items() if n != number):
        raise InputError(Message("key_of_another_member"))
    entry = now | {"organiser": mark, "by_hand": 0}
    if now["key"] != key:
        entry |= {"key": key, "proof": context.body["proof"], "provenance": {"how": context.how, "at": context.now}}
    return ActionResult(answer, [_build_seat_event(group, number, entry)])


def set_by_hand(context: ActionContext) -> ActionResult:
    """Mark a member as one without a device, whose answers the organiser enters, or unmark them.

    The body has `member` and `by_hand`. A member by hand has no key, so nothing is signed for them.
    """
    group, number, by_hand = context.group, context.body["member"], context.body["by_hand"]
    require_active_member(group, number)
    now, answer = group.members[number], {"member": number, "by_hand": by_hand}
    if now["by_hand"] == by_hand:
        return ActionResult(answer)
    entry = now | {"by_hand": by_hand} | (NO_KEY if by_hand else {})
    return ActionResult(answer, [_build_seat_event(group, number, entry)])


def set_away(context: ActionContext) -> ActionResult:
    """Let a member's share rest from the next freeze on: neither their ratings nor their credit count.

    The body has `until`: Unix seconds, null until they are back, or 0 if they are back. Organisers name the `member`.
    """
    number, until = _choose_member(context), context.body["until"]
    require_active_member(context.group, number)
    if until and until <= context.now:
        raise InvalidActionError(Message("away_until_passed", field=FieldPath("until")))
    answer = {"member": number, "until": until}
    if context.group.away.get(number, 0) == until:
        return ActionResult(answer)
    event = NewEvent(f"away:{context.group.seq + 1}", "away", {"member": number, "until": until})
    return ActionResult(answer, [event])


def set_presence(context: ActionContext) -> ActionResult:
    """Note whether a member is in for the next round. The body has `present`, and for organisers `member`."""
    group, number = context.group, _choose_member(context)
    require_active_member(group, number)
    body = {"member": number, "round": group.next_round, "present": int(context.body["present"])}
    if group.presence.get(number) == (body["round"], body["present"]):
        return ActionResult(body)
    return ActionResult(body, [NewEvent(f"presence:{group.seq + 1}", "presence", body)])


def _choose_member(context: ActionContext) -> int:
    """Return the member whom an action concerns: the one who asks, or the one whom an organiser names."""
    return context.member if context.member >= 0 else int(context.body["member"])


def hand_over(context: ActionContext) -> ActionResult:
    """Make a member the organiser: marked from the next roster on, while the former organisers' marks stay.

    The body has `member`. Who held the organiser's secret still knows it, so their keys keep not counting.
    """
    group, number = context.group, context.body["member"]
    require_active_member(group, number)
    event = NewEvent(f"hand_over:{group.seq + 1}", "hand_over", {"member": number})
    marked = mark_organiser(replace(context, body={"member": number, "organiser": 1})).events
    return ActionResult({"member": number, "organiser": 1}, [event, *marked])


def mark_organiser(context: ActionContext) -> ActionResult:
    """Mark a member as organiser, or unmark them. The body has `member` and `organiser`.

    The key of a marked member is not among those that a verifier trusts as `members`.
    """
    group, number = context.group, context.body["member"]
    require_active_member(group, number)
    now = group.members[number]
    answer = {"member": number, "organiser": context.body["organiser"]}
    if now["organiser"] == context.body["organiser"]:
        return ActionResult(answer)
    return ActionResult(answer, [_build_seat_event(group, number, now | {"organiser": context.body["organiser"]})])


def reissue_link(context: ActionContext) -> ActionResult:
    """Issue a member's link again: their key goes, and their ballot secret and pseudonyms stay.

    The body has `member`.
    """
    group, number = context.group, context.body["member"]
    require_active_member(group, number)
    now = group.members[number]
    seats = [] if now["key"] is None else [_build_seat_event(group, number, now | NO_KEY)]
    return ActionResult({"member": number, "reissued": True}, [*reopen_ratings(group), *seats])


def _build_seat_event(group: Group, number: int, entry: LinePayload | None, reason: str | None = None) -> NewEvent:
    key = f"seat:{group.seq + 1}:{number}"
    return NewEvent(key, "seat", {"member": number, "entry": entry, "reason": reason})


def require_active_member(group: Group, number: int) -> None:
    """Raise an error if the group has ended or `number` is not, or no longer, a member."""
    require_active_group(group)
    _require_known_member(group, number)
    if number not in group.members:
        raise InputError(Message("member_left_group", number=number))


def _require_known_member(group: Group, number: int) -> None:
    if number >= len(group.entries):
        raise InvalidActionError(Message("no_member_of_number", number=number))

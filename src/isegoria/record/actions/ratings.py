"""Actions of rating: a member rates the options, or what happened; their device may sign it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.actions.action import ActionContext, ActionResult, InvalidActionError, NewEvent, shorten_list
from isegoria.record.format.canonical_json import format_decimal, parse_decimal
from isegoria.record.format.identities import encode_rating
from isegoria.record.signing.ed25519 import verify
from isegoria.record.state.group import MAX_RATING_DELAY_ROUNDS, Group
from isegoria.utils.messages import FieldPath, Message


def rate(context: ActionContext) -> ActionResult:
    """Store a member's ratings; a later one replaces an earlier one until that was counted.

    The body has `values` by the name of an option (None removes one), and `round` and `slot`: both None to rate the
    options, both numbers to rate what happened. If the member's device signed it, it has `at` and `signature`, over the
    whole row that these values make.
    """
    group, body, member = context.group, context.body, context.member
    number, slot = body["round"], body["slot"]
    values = parse_ratings(group, body["values"])
    if (number is None) != (slot is None):
        raise InvalidActionError(Message("round_slot_go_together"))
    if member not in group.members:
        raise InputError(Message("you_left_group"))
    if group.ended:
        raise InputError(Message("group_ended_nothing_rated"))
    if number is None:
        if group.learns:
            raise InputError(Message("group_learns_happened"))
    else:
        _require_ratable_slot(group, member, number, slot, values)
    edit = group.edits.get((number or 0, member), 0) + 1
    key = _verify_signer(group, member, body, build_rating_row(group, member, number, values))
    at = body.get("at") if key else None
    answer = {
        "round": number,
        "slot": slot,
        "values": body["values"],
        "edit": edit,
        "signed": key is not None,
        "counts_from": group.next_round + (group.closing is not None),
    }
    event = build_rating_event(
        f"rate:{number or 0}:{member}:{edit}",
        member,
        values,
        number,
        slot,
        at=context.now if at is None else at,
        signature=body.get("signature"),
        signer=key,
    )
    return ActionResult(answer, [event])


def build_rating_row(
    group: Group, member: int, number: int | None, values: Mapping[int, str | None]
) -> list[str | None]:
    """Return the whole row that a rating makes, as its leaf will hold it."""
    if number is None:
        kept: dict[int, str | None] = {**group.ratings.get(member, {}), **values}
        return [None if arm in group.withdrawn else kept.get(arm) for arm in range(len(group.options))]
    if len(values) != 1:
        raise InvalidActionError(Message("happened_slot_option"))
    ((arm, value),) = values.items()
    return group.rounds[number - 1].row(arm, value)


def _verify_signer(group: Group, member: int, body: Mapping[str, Any], row: list[str | None]) -> str | None:
    """Return the key that signed a rating, or None if it is unsigned. Raise an error if the signature is wrong."""
    signature = body.get("signature")
    if signature is None:
        return None
    key = group.members[member]["key"]
    if key is None:
        raise InputError(Message("your_device_no_key_here_yet"))
    if body.get("at") is None:
        raise InvalidActionError(Message("missing_signature_says_when_made", field=FieldPath("at")))
    message = encode_rating(group.id, member, body["round"], body["slot"], body["at"], row)
    if not verify(bytes.fromhex(key), message, bytes.fromhex(signature)):
        raise InvalidActionError(Message("signature_not_your_key_over_these", field=FieldPath("signature")))
    return str(key)


def build_rating_event(
    key: str,
    member: int,
    values: Mapping[int, str | None],
    number: int | None = None,
    slot: int | None = None,
    at: int = 0,
    signature: str | None = None,
    signer: str | None = None,
) -> NewEvent:
    """Build the event that stores ratings, given by the numbers of their options."""
    kept = {str(arm): value for arm, value in values.items()}
    signed = {"at": at, "signature": signature, "key": signer}
    return NewEvent(key, "rate", {"member": member, "round": number, "slot": slot, "values": kept, **signed})


def parse_ratings(group: Group, values: Mapping[str, Any]) -> dict[int, str | None]:
    """Return ratings by the number of their option, as the record writes them; None removes one."""
    place = {name: number for number, name in enumerate(group.options) if number not in group.withdrawn}
    low, high = group.charter["scale"]
    least, most = parse_decimal(low), parse_decimal(high)
    numbered: dict[int, str | None] = {}
    for name, value in values.items():
        if name not in place:
            raise InvalidActionError(
                Message(
                    "values_no_option_group",
                    field=FieldPath("values"),
                    name=name[:60],
                    options=shorten_list(list(place)),
                )
            )
        text = None if value is None else format_decimal(value)
        if text is not None and not least <= parse_decimal(text) <= most:
            raise InvalidActionError(Message("rating_expected_null", name=name, text=text, low=low, high=high))
        numbered[place[name]] = text
    return numbered


def _require_ratable_slot(group: Group, member: int, number: int, slot: int, values: Mapping[int, str | None]) -> None:
    if not group.learns:
        raise InputError(Message("group_decides_ratings_options"))
    round_ = group.round(number)
    if round_ is None or not round_.happened:
        raise InputError(Message("round_not_drawn_yet", number=number))
    if slot not in round_.slots:
        raise InvalidActionError(
            Message(
                "slot_round_slots", field=FieldPath("slot"), slot=slot, number=number, last_slot=len(round_.slots) - 1
            )
        )
    happened = round_.played[slot]
    if set(values) != {happened}:
        raise InvalidActionError(Message("round_rate_no_other", number=number, arms=group.arms[happened]))
    if not group.open_for_ratings(round_):
        raise InputError(
            Message("round_rounds_ago_no_longer_rated", number=number, max_rating_delay_rounds=MAX_RATING_DELAY_ROUNDS)
        )
    if (slot, member) in round_.rooted:
        raise InputError(Message("your_rating_round_counted_already_cannot", number=number))
    if not round_.has(member):
        raise InputError(Message("you_joined_after_round", number=number))

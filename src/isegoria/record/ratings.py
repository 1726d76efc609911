"""A member rates: the options themselves, or what happened; her device may sign it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent, some
from isegoria.record.ed25519 import verify
from isegoria.record.format.canonical import decimal, exact
from isegoria.record.format.people import rating_message
from isegoria.record.group import LATE_ROUNDS, Group


def rate(context: Context) -> Change:
    """Keep a member's ratings; a later one replaces an earlier one until it was counted.

    Of the body: `values` by the name of an option (None takes one back); `round` and `slot` both None for the options
    themselves, or both numbers for what happened; if her device signed it, `at` and `signature`, over the whole row
    that these values make.
    """
    group, body, member = context.group, context.body, context.member
    number, slot = body["round"], body["slot"]
    values = by_number(group, body["values"])
    if (number is None) != (slot is None):
        raise Invalid("round and slot go together: both null for all options at once, or both numbers.")
    if member not in group.members:
        raise InputError("you have left this group; ask the organiser to let you in again.")
    if group.ended:
        raise InputError("this group has ended; nothing more is rated.")
    if number is None:
        if group.learns:
            raise InputError("this group learns from what happened; name the round and the slot that you rate.")
    else:
        _check_happened(group, member, number, slot, values)
    edit = group.edits.get((number or 0, member), 0) + 1
    key = _signer(group, member, body, row_of(group, member, number, values))
    at = body.get("at") if key else None
    answer = {
        "round": number, "slot": slot, "values": body["values"], "edit": edit, "signed": key is not None,
        "counts_from": group.next_round + (group.closing is not None),
    }  # fmt: skip
    event = rating(
        f"rate:{number or 0}:{member}:{edit}", member, values, number, slot,
        at=context.now if at is None else at, signature=body.get("signature"), signer=key,
    )  # fmt: skip
    return Change(answer, [event])


def row_of(group: Group, member: int, number: int | None, values: Mapping[int, str | None]) -> list[str | None]:
    """The whole row that a rating makes, as it will stand in a leaf."""
    if number is None:
        kept: dict[int, str | None] = {**group.ratings.get(member, {}), **values}
        return [None if arm in group.withdrawn else kept.get(arm) for arm in range(len(group.options))]
    if len(values) != 1:
        raise Invalid("what happened in a slot is one option; rate that one and no other.")
    ((arm, value),) = values.items()
    return group.rounds[number - 1].row(arm, value)


def _signer(group: Group, member: int, body: Mapping[str, Any], row: list[str | None]) -> str | None:
    """The key that signed a rating; None where nobody did. A wrong signature is refused."""
    signature = body.get("signature")
    if signature is None:
        return None
    key = group.members[member]["key"]
    if key is None:
        raise InputError("your device has no key here yet; register it first.")
    if body.get("at") is None:
        raise Invalid("at is missing: a signature says when it was made.")
    message = rating_message(group.id, member, body["round"], body["slot"], body["at"], row)
    if not verify(bytes.fromhex(key), message, bytes.fromhex(signature)):
        raise Invalid("signature is not that of your key over these ratings.")
    return str(key)


def rating(
    key: str, member: int, values: Mapping[int, str | None], number: int | None = None, slot: int | None = None,
    at: int = 0, signature: str | None = None, signer: str | None = None,
) -> NewEvent:  # fmt: skip
    """The event that keeps ratings, given by the numbers of their options."""
    kept = {str(arm): value for arm, value in values.items()}
    signed = {"at": at, "signature": signature, "key": signer}
    return NewEvent(key, "rate", {"member": member, "round": number, "slot": slot, "values": kept, **signed})


def by_number(group: Group, values: Mapping[str, Any]) -> dict[int, str | None]:
    """Ratings by the number of their option, as the record writes them; None takes one back."""
    place = {name: number for number, name in enumerate(group.options) if number not in group.withdrawn}
    low, high = group.charter["scale"]
    least, most = exact(low), exact(high)
    numbered: dict[int, str | None] = {}
    for name, value in values.items():
        if name not in place:
            raise Invalid(f"values has {name[:60]!r}, which is no option of this group; expected {some(list(place))}.")
        text = None if value is None else decimal(value)
        if text is not None and not least <= exact(text) <= most:
            raise Invalid(f"the rating of {name!r} is {text}; expected {low} to {high}, or null.")
        numbered[place[name]] = text
    return numbered


def _check_happened(group: Group, member: int, number: int, slot: int, values: Mapping[int, str | None]) -> None:
    if not group.learns:
        raise InputError("this group decides by ratings of all options; send them with round and slot null.")
    round_ = group.round(number)
    if round_ is None or not round_.happened:
        raise InputError(f"round {number} has not been drawn yet; rate it when it has happened.")
    if slot not in round_.slots:
        raise Invalid(f"slot is {slot}; round {number} has slots 0 to {len(round_.slots) - 1}.")
    happened = round_.played[slot]
    if set(values) != {happened}:
        raise Invalid(f"in round {number} there was {group.arms[happened]!r}; rate that one and no other.")
    if not group.open_for_ratings(round_):
        raise InputError(f"round {number} is more than {LATE_ROUNDS} rounds ago, and is no longer rated.")
    if (slot, member) in round_.rooted:
        raise InputError(f"your rating of round {number} was counted already, and cannot be changed.")
    if not round_.has(member):
        raise InputError(f"you joined after round {number}; rate what comes next.")

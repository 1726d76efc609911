"""A member rates: all options at once, or what happened."""

from __future__ import annotations

from decimal import Decimal

from isegoria.service.groups.deeds import Call, Deed, Step
from isegoria.service.groups.state import ENDED, LATE_ROUNDS, State
from isegoria.service.http.refusals import BadRequest, Conflict


def rate(call: Call) -> Deed:
    """Keep a member's ratings; a later one replaces an earlier one until it was counted."""
    state, body, member = call.state, call.body, call.actor.number
    values = _by_number(state, body["values"])
    if (body["round"] is None) != (body["slot"] is None):
        raise BadRequest("round and slot go together: both null for all options at once, or both numbers.")
    if member not in state.members:
        raise Conflict("you have left this group; ask the organiser to let you in again.")
    if state.phase == ENDED:
        raise Conflict("this group has ended; nothing more is rated.")
    if body["round"] is None:
        _check_known(state)
    else:
        _check_happened(state, member, body["round"], body["slot"], values)
    number = body["round"]
    edit = state.edits.get((number or 0, member), 0) + 1
    kept = {
        "member": member,
        "round": number,
        "slot": body["slot"],
        "values": {str(arm): v for arm, v in values.items()},
    }
    counts_from = state.next_round + (state.closing is not None)
    answer = {"round": number, "slot": body["slot"], "values": body["values"], "edit": edit, "counts_from": counts_from}
    return Deed(answer, steps=[Step(f"rate:{number or 0}:{member}:{edit}", "rate", kept)])


def _by_number(state: State, values: dict) -> dict[int, str | None]:
    """Ratings by the number of their option, as the record writes them; null takes one back."""
    place = {name: number for number, name in enumerate(state.arms)}
    low, high = state.scale
    numbered = {}
    for name, value in values.items():
        if name not in place:
            raise BadRequest(
                f"values has {name[:60]!r}, which is no option of this group; expected {_some(state.arms)}."
            )
        if value is not None and not low <= value <= high:
            raise BadRequest(f"the rating of {name!r} is {value}; expected {_plain(low)} to {_plain(high)}, or null.")
        numbered[place[name]] = None if value is None else decimal(value)
    return numbered


def _check_known(state: State) -> None:
    if state.learns:
        raise Conflict("this group learns from what happened; name the round and the slot that you rate.")


def _check_happened(state: State, member: int, number: int, slot: int, values: dict) -> None:
    if not state.learns:
        raise Conflict("this group decides by ratings of all options; send them with round and slot null.")
    round_ = state.round(number)
    if round_ is None or round_.draw is None:
        raise Conflict(f"round {number} has not been drawn yet; rate it when it has happened.")
    if slot not in round_.slots:
        raise BadRequest(f"slot is {slot}; round {number} has slots 0 to {len(round_.slots) - 1}.")
    happened = round_.arm(slot)
    if set(values) != {happened}:
        raise BadRequest(f"in round {number} there was {state.arms[happened]!r}; rate that one and no other.")
    if not state.open_for_ratings(round_):
        raise Conflict(f"round {number} is more than {LATE_ROUNDS} rounds ago, and is no longer rated.")
    if (slot, member) in round_.rooted:
        raise Conflict(f"your rating of round {number} was counted already, and cannot be changed.")
    entry = round_.freeze["roster"]
    if member >= len(state.rosters[entry - 1]["members"]) or state.rosters[entry - 1]["members"][member] is None:
        raise Conflict(f"you joined after round {number}; rate what comes next.")


def decimal(value: float) -> str:
    """The shortest decimal of a number, without exponent, as the record writes it.

    >>> decimal(4), decimal(0.1), decimal(2.50), decimal(1e-7), decimal(-0.0)
    ('4', '0.1', '2.5', '0.0000001', '0')
    """
    text = format(Decimal(repr(value)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _plain(value: float) -> str:
    return decimal(value)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")

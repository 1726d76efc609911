"""What an organiser changes between rounds: options, masks, overrides, settings, and the end of the group."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.lottery import steps
from isegoria.service.groups.deeds import Call, Deed, Step
from isegoria.service.groups.people import in_order
from isegoria.service.groups.state import CLOSED, ENDED, FROZEN, State
from isegoria.service.http.refusals import BadRequest, Conflict
from isegoria.service.timetable import Timetable, today


def add_option(call: Call) -> Deed:
    """Add an option, behind those there are; it counts from the next freeze."""
    state, name = call.state, call.body["name"]
    if name in state.arms:
        raise Conflict(f"{name!r} is an option already.")
    reason = call.body["reason"] or "a new option"
    return _amended(state, "arms", [*state.arms, name], reason, {"arm": name, "number": len(state.arms)})


def amend(call: Call) -> Deed:
    """Change the title, the block or the greatest rate of exploring; it counts from the next freeze."""
    body = call.body
    return _amended(
        call.state, body["field"], body["value"], body["reason"], {"field": body["field"], "value": body["value"]}
    )


def _amended(state: State, field: str, value, reason: str, answer: dict) -> Deed:
    _settled(state)
    line = in_order(steps.amend, state.record, field, value, reason)
    return Deed(answer, status=201, steps=[Step(f"amend:{state.seq + 1}", "amend", {}, line)])


def mask(call: Call) -> Deed:
    """Say which options are not possible for now; the next freeze leaves them out."""
    state = call.state
    place = {name: number for number, name in enumerate(state.arms)}
    for name in call.body["unavailable"]:
        if name not in place:
            raise BadRequest(f"unavailable has {name!r}, which is no option of this group.")
    masked = sorted(place[name] for name in call.body["unavailable"])
    if len(masked) == len(state.arms):
        raise BadRequest("unavailable names every option; leave at least one.")
    return Deed(
        {"unavailable": [state.arms[arm] for arm in masked]},
        steps=[Step(f"mask:{state.seq + 1}", "mask", {"masked": masked})],
    )


def override(call: Call) -> Deed:
    """Put another option in a drawn slot, with a reason; the drawn one stays on record."""
    state, body = call.state, call.body
    round_ = state.round(body["round"])
    if round_ is None or round_.draw is None:
        raise Conflict(f"round {body['round']} has not been drawn.")
    if round_ is not state.last or state.phase == CLOSED:
        raise Conflict(f"round {body['round']} was counted already; only the last round can be overridden.")
    if body["arm"] not in state.arms:
        raise BadRequest(f"arm is {body['arm']!r}, which is no option of this group.")
    if body["slot"] not in round_.slots:
        raise BadRequest(f"slot is {body['slot']}; round {round_.number} has slots 0 to {len(round_.slots) - 1}.")
    arm = state.arms.index(body["arm"])
    line = in_order(steps.override, state.record, round_.number, body["slot"], arm, body["reason"])
    key = f"override:{round_.number}:{body['slot']}"
    answer = {"round": round_.number, "slot": body["slot"], "arm": body["arm"], "reason": body["reason"]}
    return Deed(answer, status=201, steps=[Step(key, "override", {}, line)])


def set_timetable(call: Call) -> Deed:
    """Let the group decide by itself: daily, on weekdays or weekly. Null stops it."""
    state, asked = call.state, call.body["timetable"]
    _settled(state, ended_only=True)
    if asked is None:
        kept = None
    elif state.source == "beacon":
        kept = {"lead": asked["lead"]}
    else:
        last = max((round_.occasion or 0 for round_ in [*state.rounds, state.closing] if round_), default=0)
        kept = asked | {"start": asked["start"] or today(_zone(asked["zone"]), call.now), "base": last + 1}
        try:
            Timetable(**kept)
        except InputError as error:
            raise BadRequest(str(error)) from error
    return Deed(
        {"timetable": kept}, steps=[Step(f"setting:{state.seq + 1}", "setting", {"timetable": kept})], due=call.now
    )


def _zone(name: str) -> str:
    try:
        today(name, 0)
    except InputError as error:
        raise BadRequest(str(error)) from error
    return name


def set_settings(call: Call) -> Deed:
    """Change the webhook, the retention or the note; what is left out stays."""
    return Deed(call.body, steps=[Step(f"setting:{call.state.seq + 1}", "setting", call.body)], due=call.now)


def end(call: Call) -> Deed:
    """Close the record for good; everything can still be read and checked."""
    _settled(call.state)
    line = in_order(steps.close, call.state.record)
    return Deed({"ended": True}, status=201, steps=[Step("end", "end", {}, line)])


def delete(call: Call) -> Deed:
    """Erase the group with everything in it; the body must repeat its title."""
    if call.body["title"] != call.state.charter["title"]:
        raise BadRequest(f"title does not match; repeat {call.state.charter['title']!r} to delete the group for good.")
    return Deed({"deleted": call.state.group}, removes=True)


def _settled(state: State, ended_only: bool = False) -> None:
    if state.phase == ENDED:
        raise Conflict("this group has ended; its record is closed.")
    if not ended_only and state.phase in (CLOSED, FROZEN):
        raise Conflict(f"round {len(state.rounds) + (state.phase == CLOSED)} is being decided; wait for its draw.")


class _Unchanged:
    def __repr__(self) -> str:
        return "unchanged"


UNCHANGED = _Unchanged()

"""Who takes part: joins, leaves, links issued again, keys, co-organisers, and people who are erased."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.lottery import steps
from isegoria.service.groups.creating import entry_of, new_person
from isegoria.service.groups.deeds import Call, Deed, Step
from isegoria.service.groups.state import ENDED, State
from isegoria.service.http.refusals import BadRequest, Conflict, Forbidden
from isegoria.service.http.tokens import COORGANISER, MEMBER, ORGANISER, new_token, token_row
from isegoria.service.store import PersonRow


def join(call: Call) -> Deed:
    """Let somebody join: she counts from the next freeze."""
    state, name = call.state, call.body["name"]
    _not_ended(state)
    if name in {state.names.get(number) for number in state.members}:
        raise Conflict(f"{name!r} is a member already; give the new one another name.")
    number = len(state.roster["members"])
    person, token = new_person(number, name), new_token()
    line = in_order(steps.roster, state.record, [*state.roster["members"], entry_of(person)])
    return Deed(
        {"member": number, "name": name, "token": token},
        status=201,
        steps=[_roster_step(state, line)],
        people=[person],
        tokens=[token_row(token, state.group, MEMBER, number, call.now)],
        secret=True,
    )


def leave(call: Call) -> Deed:
    """Let a member leave, from the next freeze on; her number is never given again."""
    number = call.body["member"]
    return _left(call, number, [(MEMBER, number)])


def leave_myself(call: Call) -> Deed:
    """Leave the group; the link still opens the public page, but rates no more."""
    return _left(call, call.actor.number, [(MEMBER, call.actor.number)])


def _left(call: Call, number: int, revoked: list) -> Deed:
    state = call.state
    _here(state, number)
    if len(state.members) == 1:
        raise Conflict(f"{state.name(number)} is the last member; end or delete the group instead.")
    entries = [None if place == number else entry for place, entry in enumerate(state.roster["members"])]
    line = in_order(steps.roster, state.record, entries)
    return Deed({"member": number, "left": True}, steps=[_roster_step(state, line)], revoked=revoked)


def erase(call: Call) -> Deed:
    """Erase who a member is: name, secrets and links. She leaves first; her ratings stay under a bare number."""
    state, number = call.state, call.body["member"]
    _known(state, number)
    if number in state.erased:
        raise Conflict(f"member {number} was erased before.")
    gone = Deed({}) if number not in state.members else _left(call, number, [])
    return Deed(
        {"member": number, "erased": True},
        steps=[*gone.steps, Step(f"erase:{number}", "erase", {"member": number})],
        people=[PersonRow(number, None, None)],
        revoked=[(MEMBER, number)],
    )


def reissue(call: Call) -> Deed:
    """Issue a link again: the old one is void, the member keeps her secret. Only the owner re-issues her own."""
    state, role, number = call.state, call.body["role"], call.body["number"]
    if role == MEMBER:
        _here(state, number)
    elif role == ORGANISER:
        number = 0
        if call.actor.role != ORGANISER:
            raise Forbidden("the organiser's own link is issued again by the organiser only.")
    elif number not in state.coorganisers:
        raise BadRequest(f"there is no co-organiser {number}.")
    elif call.actor.role != ORGANISER:
        raise Forbidden("a co-organiser's link is issued again by the organiser only.")
    token = new_token()
    count = f"link:{role}:{number}:{state.seq + 1}"
    return Deed(
        {"role": role, "number": number, "token": token},
        status=201,
        steps=[Step(count, "link", {"role": role, "number": number})],
        tokens=[token_row(token, state.group, role, number, call.now)],
        revoked=[(role, number)],
        secret=True,
    )


def invite(call: Call) -> Deed:
    """Let somebody help: a co-organiser runs rounds and people, but does not delete, erase or invite."""
    state, name = call.state, call.body["name"]
    _not_ended(state)
    number, token = state.invited + 1, new_token()
    return Deed(
        {"number": number, "name": name, "token": token},
        status=201,
        steps=[Step(f"invite:{number}", "invite", {"number": number, "name": name})],
        tokens=[token_row(token, state.group, COORGANISER, number, call.now)],
        secret=True,
    )


def dismiss(call: Call) -> Deed:
    """Take a co-organiser's link away."""
    number = call.body["number"]
    if number not in call.state.coorganisers:
        raise Conflict(f"there is no co-organiser {number}.")
    return Deed(
        {"number": number, "dismissed": True},
        steps=[Step(f"dismiss:{number}", "dismiss", {"number": number})],
        revoked=[(COORGANISER, number)],
    )


def register_key(call: Call) -> Deed:
    """Put the key of a member's device on the roster: what it signs from the next freeze on can be checked."""
    state, number, key = call.state, call.actor.number, call.body["key"]
    _here(state, number)
    if state.roster["members"][number]["key"] == key:
        return Deed({"member": number, "key": key})
    entries = [
        entry | {"key": key} if place == number else entry for place, entry in enumerate(state.roster["members"])
    ]
    line = in_order(steps.roster, state.record, entries)
    return Deed({"member": number, "key": key}, steps=[_roster_step(state, line)])


def _roster_step(state: State, line: bytes) -> Step:
    return Step(f"roster:{state.roster['version'] + 1}", "roster", {}, line)


def _here(state: State, number: int) -> None:
    _not_ended(state)
    _known(state, number)
    if number not in state.members:
        raise Conflict(f"member {number} has left the group.")


def _known(state: State, number: int) -> None:
    if number >= len(state.roster["members"]):
        raise BadRequest(f"there is no member {number}; members are numbered from 0.")


def _not_ended(state: State) -> None:
    if state.phase == ENDED:
        raise Conflict("this group has ended; its record is closed.")


def in_order(step, *arguments, **options) -> bytes:
    """A new line of the record; what the record's order does not allow now is a 409."""
    try:
        return step(*arguments, **options)
    except InputError as error:
        raise Conflict(str(error)) from error

"""The draw: the source speaks, and everybody can say what was drawn."""

from __future__ import annotations

import json
from hashlib import sha256

from isegoria.errors import InputError
from isegoria.lottery import messages, steps
from isegoria.lottery.ed25519 import verify
from isegoria.lottery.relay import fetch
from isegoria.lottery.sources import SOURCES
from isegoria.service.groups.deeds import Call, Deed, Step
from isegoria.service.groups.desk import Taken, encoded, repeated
from isegoria.service.groups.people import in_order
from isegoria.service.groups.state import FROZEN, Round, State
from isegoria.service.http.refusals import BadRequest, Conflict
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor


class Waiting(Conflict):
    """The source has not spoken yet."""


def draw(service, asked: Request, actor: Actor, body: dict, key: str, mark: str) -> Reply:
    """Draw the frozen round: 201; again: 200 with the same bytes."""
    with service.store.reading() as session:
        if kept := session.answer(actor.id, key):
            answer = repeated(kept, mark)
            return Reply(answer.body.encode(), answer.status)
    with service.desk.reading(actor.group) as (state, _):
        last = state.last
        if state.phase != FROZEN and last is not None and last.draw is not None and state.closing is None:
            _same_value(state, last, body["value"])
            return Reply(encoded(draw_answer(state.arms, last)).encode(), 200)
    fetched = heard_beacon(service, actor.group, body["value"])
    try:
        answer = service.desk.act(actor, drawn(body["value"], fetched, body["missing"] == "skip"), body, key, mark)
    except Taken:
        return draw(service, asked, actor, body, key, mark)
    return Reply(answer.body.encode(), answer.status)


def _same_value(state: State, last: Round, value) -> None:
    """A repeated draw of dice with other numbers is no repeat."""
    if value is None or last.draw["source_bytes"] is None or state.source != "dice":
        return
    said = in_order(SOURCES["dice"].spoken, state.record, state.record.rounds[last.number - 1], _text(value))
    if said.hex() != last.draw["source_bytes"]:
        raise Conflict(f"round {last.number} was drawn already, with other numbers.")


def draw_by_itself(service, actor: Actor) -> None:
    """Draw by the timetable; somebody else may have been first, and a source may be late."""
    fetched = heard_beacon(service, actor.group, None)
    try:
        service.desk.tell(actor, drawn(None, fetched, True))
    except Taken:
        return


def heard_beacon(service, group: str, value) -> bytes | None:
    """The beacon's word for the frozen round, as given or fetched, and checked as far as can be; None without one.

    It is asked for and checked outside every transaction, since both take their time.
    """
    with service.desk.reading(group) as (state, _):
        now = state.record.open
        if now is None or now.speaks_at is None:
            return None
        record, wait = state.record, now.speaks_at - service.desk.clock()
    if wait > 0:
        raise Waiting(f"the beacon speaks in {int(wait) + 1} s; the draw waits for it.")
    if value is None:
        value = _fetched(service.settings.relay, now.source["chain"], now.freeze["source_round"])
    return in_order(SOURCES["beacon"].spoken, record, now, _text(value))


def _fetched(relay: str | None, chain: str, number: int) -> str:
    if relay is None:
        raise Waiting("no relay is set (--relay ADDRESS); send the beacon's signature as value.")
    try:
        return fetch(chain, number, relay)
    except InputError as error:
        raise Waiting(str(error)) from error


def drawn(value, fetched: bytes | None, skip_missing: bool):
    """The action that draws the frozen round from its source."""

    def act(call: Call) -> Deed:
        state = call.state
        if state.phase != FROZEN:
            raise Conflict("no round is frozen; freeze one first.")
        last = state.last
        if last.freeze["kind"] == "trial":
            line = in_order(steps.draw, state.record, None)
        else:
            said = fetched if fetched is not None else source_bytes(call, value, skip_missing)
            line = in_order(steps.draw, state.record, said, signatures(last, said))
        answer = draw_answer(state.arms, Round(last.number, draw=json.loads(line), freeze=last.freeze))
        return Deed(answer, 201, steps=[Step(f"draw:{last.number}", "draw", {}, line)], due=call.now)

    return act


def source_bytes(call: Call, value, skip_missing: bool) -> bytes:
    """What the source of the frozen round says."""
    record, now = call.state.record, call.state.record.open
    missing = sorted(set(now.commits) - set(now.reveals))
    if now.source["kind"] == "group" and missing and now.reveals and not skip_missing:
        names = ", ".join(call.state.name(number) for number in missing[:5])
        raise Waiting(f"{names} committed and did not reveal yet; wait, or draw with missing: skip.")
    if value is None and now.source["kind"] == "dice":
        raise Waiting("this group throws dice; send what was thrown as value.")
    source = SOURCES[now.source["kind"]]
    return in_order(source.spoken, record, now, _text(value), bytes.fromhex(call.vault["secret"]))


def _text(value) -> str | None:
    return ",".join(map(str, value)) if isinstance(value, list) else value


def signatures(last: Round, said: bytes) -> dict[int, bytes]:
    """The members' signatures of this value, for dice."""
    return {
        number: bytes.fromhex(seen["signature"]) for number, seen in last.seen.items() if seen["value"] == said.hex()
    }


def draw_answer(arms: list[str], round_: Round) -> dict:
    """What a draw is answered with; it follows from the lines alone, so that every repeat has the same bytes."""
    line = round_.draw
    return {
        "round": line["round"],
        "kind": round_.freeze["kind"],
        "arms": [arms[arm] for arm in line["arms"]],
        "balls": line["balls"],
        "source": line["source_bytes"],
    }


# -- what members do before and after a freeze -------------------------------------------------------------------------


def witness(call: Call) -> Deed:
    """A member's device has seen the frozen page, and signs that."""
    state, body = call.state, call.body
    _frozen_now(state)
    if body["freeze"] != state.last.freeze_hash:
        raise Conflict("this is not the page that is frozen now; look at it again.")
    signature = None if body["signature"] is None else bytes.fromhex(body["signature"])
    line = in_order(steps.witness, state.record, call.actor.number, body["at"], signature)
    key = f"witness:{state.last.number}:{call.actor.number}"
    return Deed({"round": state.last.number, "witness": call.actor.number}, 201, steps=[Step(key, "witness", {}, line)])


def commit(call: Call) -> Deed:
    """A member commits to a number for the next round, by its hash."""
    state = call.state
    line = in_order(steps.commit, state.record, call.actor.number, call.body["hash"])
    key = f"commit:{state.next_round}:{call.actor.number}"
    return Deed({"round": state.next_round, "committed": True}, 201, steps=[Step(key, "commit", {}, line)])


def reveal(call: Call) -> Deed:
    """A member opens her commitment to the frozen round."""
    state, body = call.state, call.body
    _frozen_now(state)
    signature = None if body["signature"] is None else bytes.fromhex(body["signature"])
    line = in_order(steps.reveal, state.record, call.actor.number, bytes.fromhex(body["value"]), signature)
    key = f"reveal:{state.last.number}:{call.actor.number}"
    return Deed({"round": state.last.number, "revealed": True}, 201, steps=[Step(key, "reveal", {}, line)])


def seen(call: Call) -> Deed:
    """A member has seen the dice, and signs their value; the draw carries the signatures of the value drawn."""
    state, number = call.state, call.actor.number
    _frozen_now(state)
    if state.source != "dice":
        raise Conflict("only the value of dice is signed.")
    value = in_order(SOURCES["dice"].spoken, state.record, state.record.open, _text(call.body["value"]))
    key = (state.record.open.roster["members"][number] or {}).get("key")
    if key is None:
        raise Conflict("your device had no key when this round was frozen; it can sign from the next round on.")
    message = messages.value_message(state.record.charter_hash, bytes.fromhex(state.last.freeze_hash), value)
    if not verify(bytes.fromhex(key), message, bytes.fromhex(call.body["signature"])):
        raise BadRequest("signature is not that of your key over this value.")
    step = Step(
        f"seen:{state.last.number}:{number}", "seen",
        {"by": number, "value": value.hex(), "signature": call.body["signature"]},
    )  # fmt: skip
    return Deed({"round": state.last.number, "seen": True}, 201, steps=[step])


def void(call: Call) -> Deed:
    """Give up a frozen round, with a reason; a source that has spoken cannot be undone."""
    state, body = call.state, call.body
    _frozen_now(state)
    signed = {entry["by"]: bytes.fromhex(entry["signature"]) for entry in body["signatures"]}
    line = in_order(
        steps.void, state.record, body["at"] if body["at"] is not None else call.now, body["reason"], signed
    )
    return Deed(
        {"round": state.last.number, "void": True}, 201, steps=[Step(f"void:{state.last.number}", "void", {}, line)]
    )


def _frozen_now(state: State) -> None:
    if state.phase != FROZEN:
        raise Conflict("no round is frozen now.")


def check(call: Call) -> Deed:
    """A member's device has checked the record up to a head, and signs that; how many have is shown to all."""
    state, number = call.state, call.actor.number
    lines = [sha256(line).hexdigest() for line in state.record.lines]
    if call.body["head"] not in lines:
        raise Conflict("this head is not on the record; fetch it again, and compare it with others.")
    entry = state.roster["members"][number]
    if entry is None or entry["key"] is None:
        raise Conflict("this device has no key on the roster yet; register one first.")
    message = check_message(bytes.fromhex(lines[0]), bytes.fromhex(call.body["head"]))
    if not verify(bytes.fromhex(entry["key"]), message, bytes.fromhex(call.body["signature"])):
        raise Conflict("the signature is not by the key of this member on the roster.")
    count = lines.index(call.body["head"]) + 1
    step = Step(f"check:{state.seq + 1}", "check", {"by": number, "lines": count})
    return Deed({"checked": count}, 201, steps=[step])


def check_message(charter: bytes, head: bytes) -> bytes:
    """What a device signs when it has checked a record up to a head."""
    return b"isegoria checked 1\0" + charter + head

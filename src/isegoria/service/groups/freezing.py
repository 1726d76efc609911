"""Freezing a round, in two steps: later ratings are late, and then the policy is found at leisure and written down.

The solver works outside every transaction. What it found is written only if the record still ends where it began.
"""

from __future__ import annotations

import json

from isegoria.service.groups.apprentice import EVERY, Apprentice
from isegoria.service.groups.deeds import Call, Deed, Step, line_hash
from isegoria.service.groups.desk import Taken, encoded, repeated
from isegoria.service.groups.findings import Moved, Work, take_work, worked_out
from isegoria.service.groups.state import CLOSED, COLLECTING, ENDED, FROZEN, Round, State
from isegoria.service.groups.views import exploring
from isegoria.service.groups.voices import policy
from isegoria.service.http.refusals import Conflict
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor

TRIES = 50  # a freeze that others keep overtaking gives up after so many; each is overtaken by a line, not a rating


def freeze(service, asked: Request, actor: Actor, body: dict, key: str, mark: str) -> Reply:
    """Freeze the next round: 201; again, while it waits for its draw: 200 with the same bytes."""
    with service.store.reading() as session:
        if kept := session.answer(actor.id, key):
            return _reply(repeated(kept, mark))
    for _ in range(TRIES):
        with service.desk.reading(actor.group) as (state, _):
            if state.phase == FROZEN:
                return Reply(encoded(freeze_answer(state.arms, state.last)).encode(), 200)
        try:
            closed(service.desk, actor, None)
            steps_ = worked_out(take_work(service.desk, actor.group), body.get("event"), body.get("form"))
            return _reply(service.desk.act(actor, written(steps_), body, key, mark))
        except (Moved, Taken):
            continue
    raise Conflict("others keep changing this group; freeze it again in a moment.")


def freeze_by_itself(service, actor: Actor, occasion: int) -> None:
    """Freeze for an occasion of the timetable; somebody else may have been first."""
    try:
        closed(service.desk, actor, occasion)
        service.desk.tell(actor, written(worked_out(take_work(service.desk, actor.group), None, None)))
    except (Moved, Taken):
        return


def closed(desk, actor: Actor, occasion: int | None) -> None:
    """Make later ratings late, unless that was done before."""

    def close(call: Call) -> Deed:
        state = call.state
        if state.phase == ENDED:
            raise Conflict("this group has ended; nothing more is drawn.")
        if state.phase == FROZEN:
            raise Conflict(f"round {len(state.rounds)} is frozen; draw it before the next one.")
        if state.phase == CLOSED:
            return Deed({})
        if state.source == "group" and not state.commits:
            raise Conflict("nobody has committed to a number yet; the source of this group is its members.")
        last = max((round_.occasion or 0 for round_ in state.rounds), default=0 if state.source != "beacon" else -1)
        timetable = state.timetable
        number = occasion
        if number is None and state.source == "beacon":
            number = max(_clockwork(state).upcoming(call.now), last + 1)
        elif number is None and timetable is not None:
            number = max(timetable.upcoming(call.now), last + 1)
        elif number is not None and number <= last:
            raise Conflict(f"occasion {number} was decided before.")
        return Deed({}, steps=[Step(f"close:{state.next_round}", "close", {"occasion": number})])

    desk.tell(actor, close)


def _clockwork(state: State):
    from isegoria.service.timetable import Clockwork

    return Clockwork(state.charter["source"]["first"], state.charter["source"]["every"])


def written(found: tuple[Work, list[Step], Apprentice | None]):
    """The action that writes what was worked out, if the record still ends where it began."""
    work, made, apprentice = found

    def write(call: Call) -> Deed:
        state = call.state
        if state.phase == COLLECTING or state.head != work.head or state.phase == FROZEN:
            raise Moved
        freeze_line = made[-1].line
        shown = Round(work.round.number, freeze=json.loads(freeze_line), freeze_hash=line_hash(freeze_line))
        kept = None
        if apprentice is not None and work.round.number % EVERY == 0:
            kept = apprentice.snapshot(work.round.close_seq, shown.freeze_hash)
        return Deed(freeze_answer(state.arms, shown), 201, steps=made, snapshot=kept)

    return write


def freeze_answer(arms: list[str], round_: Round) -> dict:
    """What a freeze is answered with; it follows from the line alone, so that every repeat has the same bytes."""
    line = round_.freeze
    chances = policy(line)
    return {
        "round": line["round"],
        "kind": line["kind"],
        "freeze": round_.freeze_hash,
        "block": line["block"],
        "policy": None if chances is None else dict(zip(arms, chances, strict=False)),
        "arm": None if line["arm"] is None else arms[line["arm"]],
        "exploring": exploring(line),
        "answered": line["answered"],
    }


def _reply(answer) -> Reply:
    return Reply(answer.body.encode(), answer.status)

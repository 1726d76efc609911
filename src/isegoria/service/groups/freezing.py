"""Freezing a round, in two steps: later ratings are late, and then the policy is found at leisure and written down.

The solver works outside every transaction. What it found is written only if the record still ends where it began.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from isegoria.errors import CertificationError, InputError
from isegoria.lottery import freezing as lottery
from isegoria.lottery import steps
from isegoria.lottery.leaves import ratings_leaf
from isegoria.lottery.merkle import leaf_hash
from isegoria.lottery.people import Person as Known
from isegoria.lottery.people import pseudonym
from isegoria.lottery.record import Record
from isegoria.lottery.units import LONGEST_BLOCK
from isegoria.service.asking import Asked, Reply
from isegoria.service.groups.apprentice import EVERY, Apprentice
from isegoria.service.groups.deeds import Call, Deed, Step, line_hash
from isegoria.service.groups.desk import Taken, encoded, repeated
from isegoria.service.groups.state import CLOSED, COLLECTING, ENDED, FROZEN, Round, State
from isegoria.service.groups.views import exploring
from isegoria.service.groups.voices import policy
from isegoria.service.http.refusals import NotNow
from isegoria.service.http.tokens import Actor
from isegoria.service.store import Person, Snapshot

TRIES = 50  # a freeze that others keep overtaking gives up after so many; each is overtaken by a line, not a rating


class Moved(NotNow):
    """The record grew while the solver worked; the freeze is worked out again."""

    def __init__(self) -> None:
        super().__init__("the record has grown meanwhile; try again.")


@dataclass(frozen=True)
class Work:
    """Everything the solver needs, taken at one moment."""

    head: str
    record: Record
    state: State
    round: Round
    everyone: dict[int, Known]
    available: list[int]
    snapshot: Snapshot | None
    roster: int

    @property
    def people(self) -> list[Known]:
        """The members of the roster."""
        return [self.everyone[number] for number in self.record.members]


def freeze(service, asked: Asked, actor: Actor, body: dict, key: str, mark: str) -> Reply:
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
    raise NotNow("others keep changing this group; freeze it again in a moment.")


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
            raise NotNow("this group has ended; nothing more is drawn.")
        if state.phase == FROZEN:
            raise NotNow(f"round {len(state.rounds)} is frozen; draw it before the next one.")
        if state.phase == CLOSED:
            return Deed({})
        if state.source == "group" and not state.commits:
            raise NotNow("nobody has committed to a number yet; the source of this group is its members.")
        last = max((round_.occasion or 0 for round_ in state.rounds), default=0 if state.source != "beacon" else -1)
        timetable = state.timetable
        number = occasion
        if number is None and state.source == "beacon":
            number = max(_clockwork(state).upcoming(call.now), last + 1)
        elif number is None and timetable is not None:
            number = max(timetable.upcoming(call.now), last + 1)
        elif number is not None and number <= last:
            raise NotNow(f"occasion {number} was decided before.")
        return Deed({}, steps=[Step(f"close:{state.next_round}", "close", {"occasion": number})])

    desk.tell(actor, close)


def _clockwork(state: State):
    from isegoria.service.timetable import Clockwork

    return Clockwork(state.charter["source"]["first"], state.charter["source"]["every"])


def take_work(desk, group: str) -> Work:
    """What there is to work out, at this moment."""
    with desk.reading(group) as (state, session):
        if state.phase != CLOSED:
            raise Moved
        everyone = {person.number: person_of(person) for person in session.people(group) if person.secrets}
        return Work(
            state.head, state.record.copy(), state, state.closing, everyone, state.available,
            session.snapshot(group) if state.learns else None, state.roster["version"],
        )  # fmt: skip


def person_of(person: Person) -> Known:
    """A member as the lottery knows her."""
    kept = json.loads(person.secrets)
    return Known(person.number, 1, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), person.name)


def worked_out(work: Work, event: str | None, form: list[int] | None) -> tuple[Work, list[Step], Apprentice | None]:
    """The lines of the freeze: ratings that became final, and the page itself."""
    try:
        if work.state.learns:
            return _learned(work, event, form)
        return work, [_known(work, event, form)], None
    except (InputError, CertificationError) as error:
        raise NotNow(str(error)) from error


def _known(work: Work, event: str | None, form: list[int] | None) -> Step:
    arms = range(len(work.state.arms))
    ratings = {
        person.number: [work.round.counted[person.number].get(arm) for arm in arms]
        for person in work.people
        if person.number in work.round.counted
    }
    frozen = lottery.known(work.record, work.people, ratings, work.available)
    line = steps.freeze(work.record, frozen, **_terms(work, event, form))
    return Step(f"freeze:{work.round.number}", "freeze", tree(frozen.leaves), line)


def tree(leaves: Sequence[tuple[int, bytes]]) -> dict:
    """What is kept of the leaves under a root: whose each is, and its hash, which tells nothing once she is erased."""
    return {"tree": [[number, leaf_hash(leaf).hex()] for number, leaf in leaves]}


def _learned(work: Work, event, form) -> tuple[Work, list[Step], Apprentice]:
    state, record = work.state, work.record
    found = []
    for number, leaves in rating_leaves(work).items():
        line = steps.ratings(record, number, [leaf for _, leaf in leaves])
        found.append(Step(f"ratings:{number}:{work.round.number}", "ratings", tree(leaves), line))
        record.append(line)
    apprentice = Apprentice.at(state, work.round, work.snapshot)
    proposal = apprentice.propose(work.available)
    leaves: list[tuple[int, bytes]] = []
    if proposal.forced:
        line = steps.trial(record, available=work.available, occasion=_occasion(work))
    else:
        frozen = lottery.learned(
            record, work.people, told=told(state, work.round), **terms_of(apprentice, proposal, work)
        )
        line, leaves = steps.freeze(record, frozen, **_terms(work, event, form)), frozen.leaves
    found.append(Step(f"freeze:{work.round.number}", "freeze", tree(leaves), line))
    return work, found, apprentice


def _terms(work: Work, event: str | None, form: list[int] | None) -> dict:
    if work.state.source == "dice":
        return {"occasion": None, "event": event or "", "form": form}
    return {"occasion": _occasion(work), "event": None, "form": None}


def _occasion(work: Work) -> int | None:
    return work.round.occasion if work.state.source == "beacon" else None


def rating_leaves(work: Work) -> dict[int, list[tuple[int, bytes]]]:
    """The leaves of what this closing made final, by round, each with its owner, in the order of their tree."""
    group = work.record.group
    ordered: dict[int, list[tuple]] = {}
    for number, slot, member, arm, value in work.round.told:
        person = work.everyone[member]
        values = [value if place == arm else None for place in range(work.state.round(number).arms)]
        leaf = ratings_leaf(group, person, number, slot, values)
        ordered.setdefault(number, []).append((pseudonym(person.secret, group, number, member), slot, member, leaf))
    return {
        number: [(member, leaf) for _, _, member, leaf in sorted(leaves)] for number, leaves in sorted(ordered.items())
    }


def told(state: State, upto: Round) -> dict[int, list[list[str | None]]]:
    """Everything that each member has told by this closing, one row for each rating."""
    rows: dict[int, list[list[str | None]]] = {}
    for round_ in [*state.rounds[: upto.number - 1], upto]:
        for _, _, member, arm, value in round_.told:
            rows.setdefault(member, []).append([None] * arm + [value])
    return rows


def terms_of(apprentice: Apprentice, proposal, work: Work) -> dict:
    """What the lottery asks of a learner: everyone's set, and how much is explored among which arms.

    A record explores arms in doubt only: those in some set of two or more.
    """
    sets = proposal.sets
    open_arms = sets[sets.sum(axis=1) > 1].any(axis=0) if len(sets) else []
    doubtful = [arm for arm in proposal.doubtful if open_arms[arm]] if proposal.rate > 0 else []
    return {
        "sets": {int(name): row for name, row in zip(apprentice.learner.agents, sets.tolist(), strict=True)},
        "rate": proposal.rate if doubtful else 0,
        "doubtful": doubtful,
        "block": 1 if doubtful else min(len(work.people), LONGEST_BLOCK),
        "available": work.available,
    }


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

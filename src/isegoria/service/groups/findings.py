"""What a freeze finds: the policy of everyone's ratings, or of what a learner holds possible, as lines to be written.

Everything it needs is taken at one moment (`Work`), so that it can be worked out while others go on.
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
from isegoria.service.groups.apprentice import Apprentice
from isegoria.service.groups.deeds import Step
from isegoria.service.groups.state import CLOSED, Round, State
from isegoria.service.http.refusals import Conflict
from isegoria.service.store import PersonRow, Snapshot


class Moved(Conflict):
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

    @property
    def people(self) -> list[Known]:
        """The members of the roster."""
        return [self.everyone[number] for number in self.record.members]


def take_work(desk, group: str) -> Work:
    """What there is to work out, at this moment."""
    with desk.reading(group) as (state, session):
        if state.phase != CLOSED:
            raise Moved
        everyone = {person.number: person_of(person) for person in session.people(group) if person.secrets}
        return Work(
            state.head, state.record.copy(), state, state.closing, everyone, state.available,
            session.snapshot(group) if state.learns else None,
        )  # fmt: skip


def person_of(person: PersonRow) -> Known:
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
        raise Conflict(str(error)) from error


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

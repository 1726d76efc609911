"""Who takes part: a group begins, people join and leave, register keys, and are erased."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.record.format import lines
from isegoria.record.format.lines import NewLine, Said
from isegoria.record.format.people import Person, commitment
from isegoria.record.group import Group
from isegoria.record.ratings import by_number, rating
from isegoria.record.replay import check_learner, settings_of
from isegoria.record.rounds import check_not_ended

TERMS = ("title", "arms", "source", "privacy", "block", "scale", "learner", "explore_max", "units", "tie")
"""What a charter is asked for; what is left out is as usual."""


def found(context: Context) -> Change:
    """Begin a group: its charter, its first roster, and everyone's ratings as far as they are known.

    Of the body: the `TERMS` of the charter, `settings` of a learner, `members` by name, and if need be their `weights`
    and `ratings` (by member, a decimal for each option).
    """
    body, learner = context.body, context.body.get("learner")
    names: list[str] = [normal(name) for name in body["members"]]
    weights: list[int] = body.get("weights") or [1] * len(names)
    arms = [normal(arm) for arm in body["arms"]]
    _check_names(arms, "options")
    _check_names(names, "members")
    terms = {name: body[name] for name in TERMS if name in body} | {"arms": arms}
    if learner is not None:
        _check_weights(True, weights)
        check_learner(learner, body.get("settings") or {})
        terms["settings"] = settings_of(learner, body.get("settings") or {})
    group = Group()
    charter = lines.charter(group, id=context.chance(16), **terms)
    group.append(charter)
    people = [_new_person(context.chance, number, *one) for number, one in enumerate(zip(names, weights, strict=True))]
    roster = lines.roster(group, [entry(person) for person in people])
    told = [
        rating(f"rate:0:{number}:1", number, dict(enumerate(row))) for number, row in enumerate(body.get("ratings", ()))
    ]
    events = [NewEvent("charter", "charter", {}, charter), NewEvent("roster:1", "roster", {}, roster), *told]
    return Change({"group": charter.said["group"]}, events, people)


def _check_names(names: Sequence[str], what: str) -> None:
    """Refuse two of one name, as the record writes names: a name must find whom it means."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise Invalid(f"two {what} are called {twice!r}; give each a name of its own.")


def _check_weights(learns: bool, weights: Sequence[int]) -> None:
    if learns and any(weight != 1 for weight in weights):
        raise Invalid("a learner knows members of weight 1 only; let each of them take part by herself.")


def _new_person(chance: Callable[[int], bytes], number: int, name: str, weight: int) -> Person:
    """A member with a salt and a secret of her own."""
    salt, secret = chance(32), chance(32)
    return Person(number, weight, secret, salt, name)


def entry(person: Person, key: str | None = None) -> Said:
    """A member's entry in the roster: a commitment that names nobody."""
    sealed = commitment(person.salt, person.number, person.secret, person.name)
    return {"commitment": sealed.hex(), "weight": person.weight, "key": key}


def join(context: Context) -> Change:
    """Let somebody join: she counts from the next freeze. Of the body: `name`, `weight`, `ratings` by option."""
    group, name, weight = context.group, normal(context.body["name"]), context.body.get("weight", 1)
    check_not_ended(group)
    if name in {group.names.get(number) for number in group.members}:
        raise InputError(f"{name!r} is a member already; give the new one another name.")
    _check_weights(group.learns, [weight])
    values = by_number(group, context.body.get("ratings") or {})
    number = len(group.roster["members"])
    person = _new_person(context.chance, number, name, weight)
    events = [_roster(group, [*group.roster["members"], entry(person)])]
    if values:
        events.append(rating(f"rate:0:{number}:1", number, values))
    return Change({"member": number, "name": name}, events, [person])


def leave(context: Context) -> Change:
    """Let a member leave, from the next freeze on; her number is never given again."""
    return _left(context.group, context.body["member"])


def leave_myself(context: Context) -> Change:
    """Leave the group; the link still opens the public page, but rates no more."""
    return _left(context.group, context.member)


def _left(group: Group, number: int) -> Change:
    check_here(group, number)
    if len(group.members) == 1:
        raise InputError(f"{group.name(number)} is the last member; end or delete the group instead.")
    entries = [None if place == number else one for place, one in enumerate(group.roster["members"])]
    return Change({"member": number, "left": True}, [_roster(group, entries)])


def erase(context: Context) -> Change:
    """Erase who a member is: name, secrets and links. She leaves first; her ratings stay under a bare number."""
    group, number = context.group, context.body["member"]
    _check_known(group, number)
    if number in group.erased:
        raise InputError(f"member {number} was erased before.")
    gone = _left(group, number).events if number in group.members else ()
    events = [*gone, NewEvent(f"erase:{number}", "erase", {"member": number})]
    return Change({"member": number, "erased": True}, events, forgotten=[number])


def register_key(context: Context) -> Change:
    """Put the key of a member's device on the roster: what it signs from the next freeze on can be checked."""
    group, number, key = context.group, context.member, context.body["key"]
    check_here(group, number)
    answer = {"member": number, "key": key}
    if group.members[number]["key"] == key:
        return Change(answer)
    entries = [one | {"key": key} if place == number else one for place, one in enumerate(group.roster["members"])]
    return Change(answer, [_roster(group, entries)])


def _roster(group: Group, entries: Sequence[Said | None]) -> NewEvent:
    line: NewLine = lines.roster(group, entries)
    return NewEvent(f"roster:{line.said['version']}", "roster", {}, line)


def check_here(group: Group, number: int) -> None:
    """Refuse one who is not, or no longer, a member."""
    check_not_ended(group)
    _check_known(group, number)
    if number not in group.members:
        raise InputError(f"member {number} has left the group.")


def _check_known(group: Group, number: int) -> None:
    if number >= len(group.roster["members"]):
        raise Invalid(f"there is no member {number}; members are numbered from 0.")


def normal(name: str) -> str:
    """A name as the record writes it: Unicode form NFC, without space around it."""
    return unicodedata.normalize("NFC", name).strip()

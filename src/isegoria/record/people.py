"""Who takes part: a group begins, people join and leave, register keys, are marked, get links again, and are erased.

What changes here is gathered: the roster line that says it is written before the next freeze.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.record.format.canonical import decimal
from isegoria.record.format.lines import Said
from isegoria.record.format.people import Person, commitment
from isegoria.record.group import Group
from isegoria.record.minds import check_learner
from isegoria.record.proposals import normal
from isegoria.record.ratings import by_number, rating
from isegoria.record.rounds import check_not_ended, reopen

USUAL = {"privacy": "ballots", "block": None, "learner": None, "scale": (0, 1), "tie": "centre", "turns": None}
"""What a charter says where nothing is asked for."""


def found(context: Context) -> Change:
    """Begin a group: what its charter will say, who takes part, and everyone's ratings as far as they are known.

    Of the body: `title`, `arms`, `source`, `members` by name; if need be `privacy`, `block`, `scale`, `learner` with
    its `settings`, `tie`, `turns`, and by member `weights`, `organisers` (names) and `ratings` (a decimal for each
    option); `changes`: before every how many rounds joins, departures and keys go on record. No line is written:
    charter and roster come just before the first freeze, with every key there is by then.
    """
    body, learner = context.body, context.body.get("learner")
    names: list[str] = [normal(name) for name in body["members"]]
    weights: list[int] = body.get("weights") or [1] * len(names)
    arms = [normal(arm) for arm in body["arms"]]
    _check_names(arms, "options")
    _check_names(names, "members")
    terms = USUAL | {name: body[name] for name in (*USUAL, "title", "source") if name in body} | {"arms": arms}
    settings = {} if learner is None else check_learner(learner, body.get("settings") or {})
    if terms["turns"] is not None and (learner is not None or terms["block"] is not None):
        raise Invalid("turns go without a learner and without a block; leave both out.")
    marked = {normal(name) for name in body.get("organisers") or ()}
    if unknown := sorted(marked - set(names)):
        raise Invalid(f"{unknown[0]!r} is no member, so she cannot be marked as organiser.")
    id = context.chance(16).hex()
    charter = {**terms, "group": id, "settings": settings, "scale": [decimal(end) for end in terms["scale"]]}
    people = [_new_person(context.chance, number, *one) for number, one in enumerate(zip(names, weights, strict=True))]
    entries = [entry(person, organiser=int(person.name in marked)) for person in people]
    told = [
        rating(f"rate:0:{number}:1", number, dict(enumerate(row)), at=context.now)
        for number, row in enumerate(body.get("ratings", ()))
    ]
    every = body.get("changes")
    waits = [] if every is None else [NewEvent("setting:changes", "setting", {"changes": every})]
    events = [NewEvent("found", "found", {"charter": charter, "entries": entries}), *told, *waits]
    return Change({"group": id}, events, people)


def _check_names(names: Sequence[str], what: str) -> None:
    """Refuse two of one name, as the record writes names: a name must find whom it means."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise Invalid(f"two {what} are called {twice!r}; give each a name of its own.")


def _new_person(chance: Callable[[int], bytes], number: int, name: str, weight: int) -> Person:
    """A member with a salt and a secret of her own."""
    salt, secret = chance(32), chance(32)
    return Person(number, weight, secret, salt, name)


def entry(person: Person, organiser: int = 0) -> Said:
    """A member's entry in the roster: a commitment that names nobody; her key comes when she registers one."""
    sealed = commitment(person.salt, person.number, person.secret, person.name)
    return {"commitment": sealed.hex(), "weight": person.weight, "key": None, "organiser": organiser}


def join(context: Context) -> Change:
    """Let somebody join: she counts from the next freeze. Of the body: `name`, `weight`, `ratings` by option."""
    group, name, weight = context.group, normal(context.body["name"]), context.body.get("weight", 1)
    check_not_ended(group)
    if name in {group.names.get(number) for number in group.members}:
        raise InputError(f"{name!r} is a member already; give the new one another name.")
    values = by_number(group, context.body.get("ratings") or {})
    number = len(group.entries)
    person = _new_person(context.chance, number, name, weight)
    events = [_seat(group, number, entry(person))]
    if values:
        events.append(rating(f"rate:0:{number}:1", number, values, at=context.now))
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
    return Change({"member": number, "left": True}, [_seat(group, number, None)])


def erase(context: Context) -> Change:
    """Erase who a member is: name, secrets and links, in every phase. She leaves first; number, key and says stay."""
    group, number = context.group, context.body["member"]
    _check_known(group, number)
    if number in group.erased:
        raise InputError(f"member {number} was erased before.")
    if number in group.members and len(group.members) == 1 and not group.ended:
        raise InputError(f"{group.name(number)} is the last member; end or delete the group instead.")
    gone = [_seat(group, number, None)] if number in group.members and not group.ended else []
    events = [*reopen(group), *gone, NewEvent(f"erase:{number}", "erase", {"member": number})]
    return Change({"member": number, "erased": True}, events, forgotten=[number])


def register_key(context: Context) -> Change:
    """Put the key of a member's device on the next roster.

    Of the body: `key`; `replace`, whether it may take the place of another one; and if it changes, `organiser`.
    """
    group, number, key = context.group, context.member, context.body["key"]
    check_here(group, number)
    answer, now = {"member": number, "key": key}, group.members[number]
    mark = context.body.get("organiser", now["organiser"])
    if (now["key"], now["organiser"]) == (key, mark):
        return Change(answer)
    if now["key"] is not None and not context.body.get("replace", True):
        raise InputError("another of your devices signs; replace its key only if it is lost.")
    if any(other["key"] == key for n, other in group.members.items() if n != number):
        raise InputError("another member has this key; each makes her own.")
    return Change(answer, [_seat(group, number, now | {"key": key, "organiser": mark})])


def mark(context: Context) -> Change:
    """Mark a member as organiser, or not: her key is then in nobody's `members`. Of the body: `member`, `organiser`."""
    group, number = context.group, context.body["member"]
    check_here(group, number)
    now = group.members[number]
    answer = {"member": number, "organiser": context.body["organiser"]}
    if now["organiser"] == context.body["organiser"]:
        return Change(answer)
    return Change(answer, [_seat(group, number, now | {"organiser": context.body["organiser"]})])


def reissue(context: Context) -> Change:
    """A member's link is issued again: a new secret, hence a new commitment, and no key until she registers one.

    It stands on the roster for ever; whoever has the new link gets no receipt of earlier rounds. Of the body: `member`.
    """
    group, number = context.group, context.body["member"]
    check_here(group, number)
    now = group.members[number]
    person = _new_person(context.chance, number, group.name(number), now["weight"])
    renewed = entry(person, organiser=now["organiser"])
    return Change({"member": number, "reissued": True}, [*reopen(group), _seat(group, number, renewed)], [person])


def _seat(group: Group, number: int, entry: Said | None) -> NewEvent:
    return NewEvent(f"seat:{group.seq + 1}", "seat", {"member": number, "entry": entry})


def check_here(group: Group, number: int) -> None:
    """Refuse one who is not, or no longer, a member."""
    check_not_ended(group)
    _check_known(group, number)
    if number not in group.members:
        raise InputError(f"member {number} has left the group.")


def _check_known(group: Group, number: int) -> None:
    if number >= len(group.entries):
        raise Invalid(f"there is no member {number}; members are numbered from 0.")

"""Options that are proposed anew, in a group with turns: they go on record at the freeze, all in one line.

Every proposal has its number at once, so that it can be rated and the rating signed. One that is withdrawn before the
freeze keeps its place under a name that says only that.
"""

from __future__ import annotations

import unicodedata

from isegoria.errors import InputError
from isegoria.record.changes import Change, Context, Invalid, NewEvent
from isegoria.record.group import CLOSED, Group

MOST_ON_OFFER = 40


def normal(name: str) -> str:
    """A name as the record writes it: Unicode form NFC, without space around it."""
    return unicodedata.normalize("NFC", name).strip()


def alike(name: str) -> str:
    """What two names have in common that people would take for one: letters without case, single spaces.

    >>> alike(" Alien ") == alike("alien"), alike("Alien 3") == alike("Alien")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def propose(context: Context) -> Change:
    """Propose an option for the next round; whoever has a link of the group may. Of the body: `name`."""
    group, name = context.group, normal(context.body["name"])
    _check(group)
    if context.member >= 0 and context.member not in group.members:
        raise InputError("you have left this group; ask the organiser to let you in again.")
    if not name:
        raise Invalid("an option needs a name.")
    for number, known in enumerate(group.options):
        if alike(known) == alike(name):
            _refuse(group, number)
    if len(group.available) >= MOST_ON_OFFER:
        raise InputError(f"{MOST_ON_OFFER} options are on offer already; withdraw one first.")
    number = len(group.options)
    body = {"name": name, "by": context.member}
    return Change({"arm": name, "number": number}, [NewEvent(f"propose:{number}", "propose", body)])


def _refuse(group: Group, number: int) -> None:
    """Say why an option that there is cannot be proposed again."""
    name = group.options[number]
    if number in group.used:
        raise InputError(f"{name!r} was played already, and what was played is used up.")
    if number in group.masked:
        raise InputError(f"{name!r} is an option that rests for now; the organiser can bring it back.")
    raise InputError(f"{name!r} is on offer already.")


def withdraw(context: Context) -> Change:
    """Take a proposal back before the freeze: whoever made it, or an organiser. Of the body: `name`."""
    group, name = context.group, normal(context.body["name"])
    _check(group)
    number = next((n for n, one in enumerate(group.options) if one == name), None)
    if number is None:
        raise Invalid(f"{name!r} is no option of this group.")
    proposal = group.proposals.get(number)
    if proposal is None:
        raise InputError(f"{name!r} is on record, and is not withdrawn any more; an organiser can let it rest.")
    if context.member >= 0 and proposal.by != context.member:
        raise InputError(f"{name!r} was proposed by somebody else; whoever did, or an organiser, can withdraw it.")
    return Change({"arm": name, "withdrawn": True}, [NewEvent(f"withdraw:{number}", "withdraw", {"number": number})])


def _check(group: Group) -> None:
    if group.turns is None:
        raise InputError("options are proposed anew only in a group with turns; ask the organiser to add it.")
    if group.ended:
        raise InputError("this group has ended; nothing more is drawn.")
    if group.phase == CLOSED:
        raise InputError(f"round {group.next_round} is being decided; wait for its freeze.")

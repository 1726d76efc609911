"""What is told outside in plain words: a decision, the chances, or that answers are wanted; no name and no secret.

A letter to a member is one such sentence; only an invitation holds a secret, her own link.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from isegoria.record.group import FROZEN, Group
from isegoria.record.rounds import CLOCKS
from isegoria.service.occasions import DatedTurn, coming, date_of, plan, zone_of
from isegoria.service.store import Contact
from isegoria.service.views import seen_view
from isegoria.service.web.words import day_text, moment_text, speaker

Say = Callable[..., str]
DAYS_TOLD = 7


def sentence(group: Group, now: int, say: Say) -> str:
    """What there is to know of a group at a moment."""
    if group.phase == FROZEN:
        return chances(group, now, say)
    decided = [turn for turn in plan(group, now) if turn.date is None or turn.date >= date_of(group, now)]
    return decision(group, decided, now, say) if decided else wanted(group, now, say)


def decision(group: Group, turns: list[DatedTurn], now: int, say: Say) -> str:
    """What was decided for the next day, and for some days after it."""
    first, *others = turns
    lead = say("told_decided", title=group.terms["title"], day=_day(group, first, now, say), arm=first.arm)
    if first.reason is not None:
        lead += " " + say("instead_of", drawn=first.drawn, reason=first.reason) + "."
    later = [say("told_day", day=_day(group, turn, now, say), arm=turn.arm) for turn in others[: DAYS_TOLD - 1]]
    return f"{lead} {say('told_then', days=', '.join(later))}" if later else lead


def _day(group: Group, turn: DatedTurn, now: int, say: Say) -> str:
    if turn.date is None:
        return say("told_turn", turn=turn.turn)
    day = day_text(say, date.fromisoformat(turn.date))
    return say("told_today", date=day) if turn.date == date_of(group, now) else day


def chances(group: Group, now: int, say: Say) -> str:
    """The chances of a page that is fixed, the largest first, and when it is decided."""
    last = group.rounds[-1]
    policy = sorted(enumerate(last.policy or []), key=lambda one: -one[1])
    told = ", ".join(f"{group.arms[arm]} {100 * chance:.0f} %" for arm, chance in policy if chance >= 0.005)
    found = coming(group, now)
    at = last.speaks_at if last.speaks_at is not None else found.draw if found and found.move == "draw" else None
    when = "" if at is None else " " + say("timetable_draw", draw=moment_text(say, at, zone_of(group)))
    lead = say("told_chances", title=group.terms["title"], chances=told) if told else f"{group.terms['title']}."
    return lead + when + reminder(group, say)


def reminder(group: Group, say: Say) -> str:
    """How many phones have the page that is fixed, and how many are wanted by when; nothing where it proves nothing."""
    seen, last = seen_view(group), group.rounds[-1]
    if seen is None or not seen["of"] or last.source["kind"] == "rehearsal":
        return ""
    if last.speaks_at is None:
        return " " + say("seen_by", **seen)
    by = datetime.fromtimestamp(last.speaks_at - CLOCKS, zone_of(group))
    return " " + say("told_seen", **seen, by=f"{by:%H:%M}")


def wanted(group: Group, now: int, say: Say) -> str:
    """That answers are wanted, and until when."""
    found = coming(group, now)
    if found is None or found.freeze is None:
        return say("told_wanted", title=group.terms["title"])
    until = moment_text(say, found.freeze, zone_of(group))
    return say("told_wanted_until", title=group.terms["title"], until=until)


def letter_text(
    group: Group, key: str, contact: Contact, site: str, now: int, link: str | None
) -> tuple[str, str, str]:
    """(subject, text, address that ends this mail) of a letter. Only an invitation holds a secret, and only hers.

    `link` is the secret of her private link while nobody has opened it.
    """
    say, title = speaker(contact.language), group.terms["title"]
    page, stop = f"{site}/g/{group.address}", f"{site}/stop/{contact.stop}"
    kind = key.partition(":")[0]
    if kind == "invite":
        subject = say("mail_invite_subject", title=title)
        told = say("mail_invite", name=group.name(contact.number), title=title)
        lines = [told, f"{page}#k={link}" if link else page, say("mail_invite_private") if link else ""]
    elif kind == "ask":
        subject, lines = say("calendar_asks", title=title), [wanted(group, now, say), page]
    else:
        told = sentence(group, now, say)
        subject, lines = say("mail_result_subject", title=title), [told, page]
    return subject, "\n\n".join([*filter(None, lines), "-- \n" + say("mail_stop", stop=stop)]) + "\n", stop

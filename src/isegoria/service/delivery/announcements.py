"""Status sentences for the outside: a decision, the chances, or that answers are wanted; without names or secrets.

A mail to a member contains one such sentence. Only an invitation contains a secret, the member's own link.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from isegoria.record.actions.rounds import MAX_CLOCK_SKEW_SECONDS
from isegoria.record.state.group import PHASE_FROZEN, Group
from isegoria.service.groups.group_views import compute_signature_progress
from isegoria.service.groups.occurrences import (
    DatedTurn,
    find_next_decision,
    format_local_date,
    get_time_zone,
    list_planned_turns,
)
from isegoria.service.store import ContactRow
from isegoria.service.web.translations import format_day, format_time, make_translator

Translate = Callable[..., str]
MAX_DAYS_LISTED = 7
FIRST_LETTER = "confirm"
"""The kind of the only letter that an address gets before its owner has confirmed it."""


def describe_status(group: Group, now: int, say: Translate) -> str:
    """Return the status sentence of a group at a given time."""
    if group.phase == PHASE_FROZEN:
        return describe_chances(group, now, say)
    decided = [
        turn
        for turn in list_planned_turns(group, now)
        if turn.date is None or turn.date >= format_local_date(group, now)
    ]
    return describe_decision(group, decided, now, say) if decided else describe_open_ratings(group, now, say)


def describe_decision(group: Group, turns: list[DatedTurn], now: int, say: Translate) -> str:
    """Return the sentence on what was decided for the next day and some days after it."""
    first, *others = turns
    lead = say("told_decided", title=group.terms["title"], day=_describe_day(group, first, now, say), arm=first.arm)
    if first.reason is not None:
        lead += " " + say("instead_of", drawn=first.drawn, reason=first.reason) + "."
    later = [
        say("told_day", day=_describe_day(group, turn, now, say), arm=turn.arm)
        for turn in others[: MAX_DAYS_LISTED - 1]
    ]
    return f"{lead} {say('told_then', days=', '.join(later))}" if later else lead


def _describe_day(group: Group, turn: DatedTurn, now: int, say: Translate) -> str:
    if turn.date is None:
        return say("told_turn", turn=turn.turn)
    day = format_day(say, date.fromisoformat(turn.date))
    return say("told_today", date=day) if turn.date == format_local_date(group, now) else day


def describe_chances(group: Group, now: int, say: Translate) -> str:
    """Return the sentence on the chances of the frozen round, largest first, and when it is drawn."""
    last = group.rounds[-1]
    policy = sorted(enumerate(last.policy or []), key=lambda one: -one[1])
    told = ", ".join(f"{group.arms[arm]} {100 * chance:.0f} %" for arm, chance in policy if chance >= 0.005)
    found = find_next_decision(group, now)
    at = last.speaks_at if last.speaks_at is not None else found.draw if found and found.move == "draw" else None
    when = "" if at is None else " " + say("timetable_draw", draw=format_time(say, at, get_time_zone(group)))
    lead = say("told_chances", title=group.terms["title"], chances=told) if told else f"{group.terms['title']}."
    return lead + when + describe_signatures(group, say)


def describe_signatures(group: Group, say: Translate) -> str:
    """Return the sentence on how many devices have seen the freeze page and how many are wanted.

    Return "" if there is no fair page, no device has a key, or the draw is a rehearsal.
    """
    seen, last = compute_signature_progress(group), group.rounds[-1]
    if seen is None or not seen["of"] or last.source["kind"] == "rehearsal":
        return ""
    if last.speaks_at is None:
        return " " + say("seen_by", **seen)
    by = datetime.fromtimestamp(last.speaks_at - MAX_CLOCK_SKEW_SECONDS, get_time_zone(group))
    return " " + say("told_seen", **seen, by=f"{by:%H:%M}")


def describe_open_ratings(group: Group, now: int, say: Translate) -> str:
    """Return the sentence that answers are wanted, and until when."""
    found = find_next_decision(group, now)
    if found is None or found.freeze is None:
        return say("told_wanted", title=group.terms["title"])
    until = format_time(say, found.freeze, get_time_zone(group))
    return say("told_wanted_until", title=group.terms["title"], until=until)


def build_mail_text(
    group: Group, key: str, contact: ContactRow, site: str, now: int, link: str | None
) -> tuple[str, str, str]:
    """Return (subject, text, unsubscribe address) of a mail; only an invitation contains a secret, the recipient's own.

    `link` is the secret of the recipient's private link, while nobody has opened it.
    """
    say, title = make_translator(contact.language), group.terms["title"]
    page, stop = f"{site}/g/{group.address}", f"{site}/stop/{contact.stop}"
    kind = key.partition(":")[0]
    if kind == FIRST_LETTER:  # the recipient has not asked for it, so it has no words of whoever entered the address
        confirm = say("mail_confirm", link=f"{site}/mail/{contact.stop}")
        subject, lines = say("mail_first_subject"), [say("mail_first", site=site), confirm]
    elif kind == "invite":
        subject = say("mail_invite_subject", title=title)
        told = say("mail_invite", name=group.name(contact.number), title=title)
        lines = [told, f"{page}#k={link}" if link else page, say("mail_invite_private") if link else ""]
    elif kind == "ask":
        subject, lines = say("calendar_asks", title=title), [describe_open_ratings(group, now, say), page]
    else:
        told = describe_status(group, now, say)
        subject, lines = say("mail_result_subject", title=title), [told, page]
    return subject, "\n\n".join([*filter(None, lines), "-- \n" + say("mail_stop", stop=stop)]) + "\n", stop

"""The HTML pages of the service, rendered on the server. Their forms run the same actions as the API."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from isegoria.record.format.head_words import encode_words
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.state.group import Group
from isegoria.service.actions.device_commitments import load_open_commitments
from isegoria.service.actions.device_sessions import load_devices
from isegoria.service.actions.join_link import find_taken_names, list_objections
from isegoria.service.actions.randomness_source import list_offered_sources
from isegoria.service.actions.record_publication import describe_publication
from isegoria.service.actions.security_log import load_security_events
from isegoria.service.api.routing import GROUP_ROLES, MEMBER_ROLES, ORGANISER_ROLES
from isegoria.service.delivery.announcements import Translate, describe_status
from isegoria.service.delivery.webhooks import derive_webhook_key
from isegoria.service.groups.group_views import build_round_view, build_view_for
from isegoria.service.groups.occurrences import find_counting_date
from isegoria.service.groups.repository import StoredPeople
from isegoria.service.groups.timetable import RECURRENCE_NAMES
from isegoria.service.groups.voice_history import describe_debt
from isegoria.service.http.authentication import ANY_ROLE
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import ROLE_MEMBER, Actor
from isegoria.service.pages import group_charts
from isegoria.service.pages.forms import FORMS_BY_NAME
from isegoria.service.pages.rendering import RejectedForm, make_hidden_fields, render_page
from isegoria.service.request_context import RequestContext
from isegoria.service.scheduling.retention import announce_expiry
from isegoria.service.web.translations import choose_language, format_day, make_translator

MAX_SCALE_STEPS = 11
MAX_ROUNDS_LISTED = 40
TURNS_PER_WEEK_VIEW = 5  # turns that are shown at once
MAX_PLANNED_ROUNDS = 4  # rounds whose turns may be in a plan


def render_today(context: RequestContext, failed: RejectedForm | None = None) -> Reply:
    """Render what was drawn, whose turn it was, and what there is to rate."""
    request = context.request
    actor = context.authenticator.authenticate(request, ANY_ROLE)
    roles = context.authenticator.find_roles(request)
    desk = context.authenticator.require_actor(request, ORGANISER_ROLES) if roles & ORGANISER_ROLES else None
    with context.groups.reading(request.group) as (state, session):
        view = build_view_for(state, actor, context.now)
        view["objections"] = list_objections(session, state) if actor is not None else []
        publication = describe_publication(session, state, actor.number) if actor is not None and state.turns else None
        own: dict[int, str] = {}
        address = None
        if actor is not None and actor.role == ROLE_MEMBER:
            own = find_recent_pseudonyms(state, StoredPeople(session, state)[actor.number])
            address = next((one.address for one in session.contacts(state.address) if one.number == actor.number), None)
        low, high = state.scale
        first = select_current_turn(view["plan"], view["date"])
        owner = find_turn_owner(state, StoredPeople(session, state), first) if actor is not None else None
        say = make_translator(choose_language(request.query, request.cookies, request.headers))
        shared = describe_status(state, context.now, say)
        ends = announce_expiry(state, context.settings.retention, context.now)
        counting = find_counting_date(state, context.now)
    if counting:
        counts_from = format_day(say, date.fromisoformat(counting))
    else:
        counts_from = say("next_decision") if view["phase"] == "frozen" else ""
    return render_page(
        request,
        "today.html",
        view=view,
        tab="today",
        publication=publication,
        roles=roles,
        desk_hidden=make_hidden_fields(desk) if desk else None,
        own=own,
        stars=list_scale_steps(low, high),
        shared=shared,
        address=address,
        mails=context.settings.smtp is not None,
        hidden=make_hidden_fields(actor),
        ends=ends,
        hero=first,
        turn_owner=owner,
        following=find_next_turn(view["plan"], first),
        tomorrow=get_next_day(view["date"]),
        week=select_visible_turns(view["plan"], first),
        yours=describe_own_turn(view, first, own, say),
        counts_from=counts_from,
        left=request.query.get("left"),
        done=request.query.get("said"),
        failed=failed,
    )


def select_current_turn(plan: list[dict[str, Any]], today: str) -> dict[str, Any] | None:
    """Return the turn shown first on the page.

    This is today's turn or the next one; if all are past, the last; if none has a date, the first of all.
    """
    dated = [turn for turn in plan if turn["date"]]
    ahead = [turn for turn in dated if turn["date"] >= today]
    return next(iter([*ahead[:1], *dated[-1:], *plan[:1]]), None)


def find_turn_owner(state: Group, people: Mapping[int, MemberIdentity], turn: dict[str, Any] | None) -> str | None:
    """Return whose turn an override changed, where members may see whose row is whose; else None."""
    if turn is None or turn["reason"] is None or state.charter["privacy"] != "open":
        return None
    voices = {state.alias(people[number], turn["round"]): state.name(number) for number in state.members}
    return voices.get(turn["voice"])


def select_visible_turns(plan: list[dict[str, Any]], turn: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the turns of a plan that are shown at once: from `turn` on, or the last ones if fewer follow."""
    start = plan.index(turn) if turn is not None else 0
    return plan[max(0, min(start, len(plan) - TURNS_PER_WEEK_VIEW)) :][:TURNS_PER_WEEK_VIEW]


def describe_own_turn(view: dict[str, Any], turn: dict[str, Any] | None, own: dict[int, str], say: Translate) -> str:
    """Return the sentence on when the member's own turn was or will be.

    Return "" if the member has none, or if it is the turn that is shown.
    """
    mine = [one for one in view["plan"] if one["voice"] is not None and one["voice"] == own.get(one["round"])]
    if turn is None or not mine or turn in mine:
        return ""
    place = view["plan"].index(turn)
    before = [one for one in mine if view["plan"].index(one) < place]
    nearest = before[-1] if before else mine[0]
    return say("yours_decided" if before else "yours_decides", day=_describe_day(nearest, view["date"], say))


def _describe_day(turn: dict[str, Any], today: str, say: Translate) -> str:
    if turn["date"] is None:
        return say("at_turn", turn=turn["turn"])
    away = (date.fromisoformat(turn["date"]) - date.fromisoformat(today)).days
    near = {-1: "yesterday", 1: "tomorrow_small"}.get(away)
    return say(near) if near else say("on_day", date=format_day(say, date.fromisoformat(turn["date"])))


def find_next_turn(plan: list[dict[str, Any]], turn: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the turn that follows another one in a plan, or None."""
    return plan[plan.index(turn) + 1] if turn is not None and turn is not plan[-1] else None


def get_next_day(day: str) -> str:
    """Return the day after a day, both as YYYY-MM-DD."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def render_voice(context: RequestContext) -> Reply:
    """Render what a member was promised and what happened, with a check on the member's own device."""
    request = context.request
    actor = context.authenticator.require_actor(request, MEMBER_ROLES)
    with context.groups.reading(request.group) as (state, _):
        view = build_view_for(state, actor, context.now)
    voice = context.voices.load(request.group, actor.number, context.now)
    return render_page(
        request,
        "voice.html",
        view=view,
        tab="voice",
        roles=context.authenticator.find_roles(request),
        voice=voice,
        hidden=make_hidden_fields(actor),
    )


def render_group(context: RequestContext) -> Reply:
    """Render the group page: policy, flow of voices, past draws, waiting times and the price of equal voice."""
    request = context.request
    actor = context.authenticator.authenticate(request, ANY_ROLE)
    with context.groups.reading(request.group) as (state, session):
        view = build_view_for(state, actor, context.now)
        fair = next((one for one in reversed(state.rounds) if one.fair), None)
        shown: dict[str, Any] = {
            "flow": group_charts.build_flow(state, fair),
            "spells": None if state.turns else group_charts.compute_dry_spells(fair),
            "owed": list_debts(state, StoredPeople(session, state)) if actor and can_see_debts(state, actor) else None,
            "history": [build_round_view(state, one) for one in reversed(state.rounds[-MAX_ROUNDS_LISTED:])],
        }
    return render_page(
        request,
        "group.html",
        view=view,
        tab="group",
        roles=context.authenticator.find_roles(request),
        wait=group_charts.DRY_SPELL_DRAWS,
        **shown,
    )


def can_see_debts(state: Group, actor: Actor) -> bool:
    """Return whether the actor sees everyone's credit: members only if the organiser has opened it."""
    return state.turns is not None and (actor.role != ROLE_MEMBER or bool(state.settings.get("owed")))


def list_debts(state: Group, people: Mapping[int, MemberIdentity]) -> list[dict[str, Any]]:
    """Return the credit of every present member, largest first."""
    found = [(state.name(number), describe_debt(state, people[number])) for number in state.members]
    return sorted(({"name": name, **one} for name, one in found if one), key=lambda one: (-one["tenths"], one["name"]))


def list_compared_keys(state: Group, own: int) -> list[dict[str, Any]]:
    """Return the other members' keys on the latest roster: in words, how they came, and how many compared them."""
    return [
        {"number": n, "name": state.name(n), "key": entry["key"], "words": encode_key_words(entry["key"])}
        | {**entry["provenance"], "compared": len(state.compared.get(f"{n:08x}{entry['key']}", ()))}
        for n, entry in enumerate(state.roster["members"])
        if entry is not None and entry["key"] is not None and n != own
    ]


def encode_key_words(key: str) -> str:
    """Return the ten words of a key, which two people compare on each other's devices."""
    return encode_words(sha256(bytes.fromhex(key)).digest())


def render_devices(context: RequestContext, failed: RejectedForm | None = None) -> Reply:
    """Render the devices that the actor uses, each with a button that ends its session."""
    request = context.request
    actor = context.authenticator.require_actor(request, GROUP_ROLES)
    with context.groups.reading(request.group) as (state, _):
        view = build_view_for(state, actor, context.now)
        others = list_compared_keys(state, actor.number) if actor.role == ROLE_MEMBER else []
    return render_page(
        request,
        "devices.html",
        others=others,
        words_of=encode_key_words,
        view=view,
        tab="devices",
        roles=context.authenticator.find_roles(request),
        hidden=make_hidden_fields(actor),
        devices=load_devices(context.store, actor),
        events=load_security_events(context, actor),
        done=request.query.get("said"),
        failed=failed,
    )


def find_recent_pseudonyms(state: Group, person: MemberIdentity) -> dict[int, str]:
    """Return a member's pseudonym in each of the last rounds, by round number."""
    return {round_.number: state.alias(person, round_.number) for round_ in state.rounds[-MAX_PLANNED_ROUNDS:]}


def render_organise(context: RequestContext, failed: RejectedForm | None = None) -> Reply:
    """Render everything an organiser can do: rows that open one at a time, the daily ones first."""
    request = context.request
    actor = context.authenticator.require_actor(request, ORGANISER_ROLES)
    with context.groups.reading(request.group) as (state, session):
        view = build_view_for(state, actor, context.now)
        held = find_taken_names(session, state.address)
        view["phones"] = [state.name(number) for number in load_open_commitments(session, state, context.now)]
        addresses = {one.number: one.address for one in session.contacts(request.group) if one.address}
        row = session.group(request.group)
    return render_page(
        request,
        "organise.html",
        view=view,
        tab="organise",
        roles=context.authenticator.find_roles(request),
        taken=held,
        mails=context.settings.smtp is not None,
        addresses=addresses,
        hook_key=derive_webhook_key(row) if row else None,
        hidden=make_hidden_fields(actor),
        recurrences=RECURRENCE_NAMES,
        done=request.query.get("said"),
        failed=failed,
        open_row=FORMS_BY_NAME[failed.step][0].row if failed else request.query.get("row", "round"),
        sources=list(dict.fromkeys([view["source"], *list_offered_sources(context.settings.relay)])),
    )


def list_scale_steps(low: float, high: float) -> list[float]:
    """Return the steps of a scale that a form shows: whole numbers if there are few, otherwise eleven steps."""
    if float(low).is_integer() and float(high).is_integer() and high - low < MAX_SCALE_STEPS:
        return [int(low) + step for step in range(int(high - low) + 1)]
    return [round(low + (high - low) * step / (MAX_SCALE_STEPS - 1), 6) for step in range(MAX_SCALE_STEPS)]

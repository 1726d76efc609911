"""Table of API endpoints. A new endpoint is one row here and one function in the module of its action."""

from __future__ import annotations

from isegoria import __version__
from isegoria.record.actions import members, proposals, rounds
from isegoria.record.actions.members import register_key
from isegoria.record.actions.ratings import rate
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.service.actions import administration, contacts, join_link
from isegoria.service.actions.device_commitments import load_open_commitments, post_statement
from isegoria.service.actions.device_sessions import close_session, end_device, list_devices, open_session
from isegoria.service.actions.draw_round import draw
from isegoria.service.actions.freeze_round import freeze
from isegoria.service.actions.group_creation import create_group
from isegoria.service.actions.randomness_source import set_source
from isegoria.service.actions.record_publication import describe_publication, set_consent
from isegoria.service.actions.security_log import list_security_events
from isegoria.service.api import confirmations, form_bodies
from isegoria.service.api.body_schemas import (
    AMENDMENT_SCHEMA,
    DICE_FORM_SCHEMA,
    DRAW_VALUE_FIELD,
    NAME_FIELD,
    NEW_GROUP_SCHEMA,
    RATING_SCHEMA,
    SETTINGS_SCHEMA,
    STATEMENT_SCHEMA,
    TIMETABLE_SCHEMA,
    make_body_schema,
)
from isegoria.service.api.downloads import (
    download_names,
    download_proof,
    download_receipt,
    download_record,
    export_ratings,
    get_calendar,
)
from isegoria.service.api.form_bodies import get_integer, get_text
from isegoria.service.api.routing import (
    GROUP_ROLES,
    MEMBER_ROLES,
    ORGANISER_ROLES,
    OWNER_ROLES,
    ActionEndpoint,
    Endpoint,
    Form,
    ReadEndpoint,
    build_openapi,
)
from isegoria.service.delivery.webhooks import validate_webhook
from isegoria.service.groups.group_views import build_view_for
from isegoria.service.http.authentication import ANY_ROLE
from isegoria.service.http.request import MAX_LARGE_BODY_BYTES, Reply, make_json_reply
from isegoria.service.http.tokens import ROLE_COORGANISER, ROLE_JOIN, ROLE_MEMBER, ROLE_ORGANISER
from isegoria.service.request_context import RequestContext
from isegoria.utils.fields import (
    BooleanField,
    ChoiceField,
    HexField,
    IntegerField,
    ListField,
    NullableField,
    TextField,
)

GROUP_PATH = "/api/groups/{group}"
CREATED_RESPONSES = {201: "Made.", 200: "It was made before: the same bytes again."}
CREATED_ONCE_RESPONSES = {201: "Made; its links are in this answer alone, and a repeat is answered with 409."}


def get_health(context: RequestContext) -> Reply:
    """Report whether the process and its store respond (as of the last second), and whether timetables are on time.

    The status is 503 if they are late.
    """
    kept = context.check_health()
    status = "ok" if kept["ok"] else "timetables are late"
    times = {name: kept[name] for name in ("came_round", "oldest_waits", "clock_jumped")}
    return make_json_reply({"status": status, "version": __version__, "timetables": times}, 200 if kept["ok"] else 503)


def get_openapi(context: RequestContext) -> Reply:
    """Return the OpenAPI document of this service."""
    return make_json_reply(build_openapi(API_ENDPOINTS, __version__))


def get_group_state(context: RequestContext) -> Reply:
    """Return the state of the group as the actor may see it."""
    request, actor, now = context.request, context.actor, context.now
    with context.groups.reading(request.group) as (group, session):
        view = build_view_for(group, actor, now)
        if actor is not None:
            view["objections"] = join_link.list_objections(session, group)
            number = actor.number if actor.role == ROLE_MEMBER else None
            view["publication"] = None if group.turns is None else describe_publication(session, group, number)
        if actor is not None and actor.role != ROLE_MEMBER:
            view["phones"] = [group.name(number) for number in load_open_commitments(session, group, now)]
        return make_json_reply(view)


def get_voice(context: RequestContext) -> Reply:
    """Return the voice tally of the member: what was promised and what was received."""
    request, actor = context.request, context.require_actor()
    return make_json_reply(context.voices.load(request.group, actor.number, context.now))


def list_links(context: RequestContext) -> Reply:
    """Return which links are valid, and when each was issued and last opened; never the links themselves."""
    request = context.request
    with context.groups.reading(request.group) as (group, session):
        rows = [
            {
                "role": row.role,
                "number": row.number,
                "issued": row.issued,
                "used": row.used,
                "name": group.name(row.number)
                if row.role == ROLE_MEMBER
                else group.coorganisers.get(row.number, row.role),
            }
            for row in session.tokens(request.group)
        ]
    return make_json_reply({"links": rows})


def update_settings(context: RequestContext) -> Reply:
    """Set the webhook, the retention, the note and the other settings; omitted fields do not change."""
    actor, body, key, body_digest = context.require_actor(), context.body, context.key, context.body_digest
    given = {name: value for name, value in body.items() if value is not administration.UNCHANGED_VALUE}
    validate_webhook(given.get("webhook"), context.settings.webhooks)
    answer = context.groups.act(actor, administration.apply_settings, given, key, body_digest)
    return Reply(answer.body.encode(), answer.status)


def delete_group(context: RequestContext) -> Reply:
    """Delete a group, also one from before the first release, whose record is not read any more."""
    actor, body = context.require_actor(), context.body
    if context.groups.delete_old(actor.group, body["title"]):
        return make_json_reply({"deleted": actor.group})
    answer = context.groups.act(actor, administration.delete_group, body, context.key, context.body_digest)
    return Reply(answer.body.encode(), answer.status)


API_ENDPOINTS: list[Endpoint] = [
    ReadEndpoint(
        "/healthz",
        ANY_ROLE,
        get_health,
        "Whether the service answers.",
    ),
    ReadEndpoint(
        "/openapi.json",
        ANY_ROLE,
        get_openapi,
        "This description of the service.",
    ),
    ActionEndpoint(
        "/api/groups",
        ANY_ROLE,
        "Make a group; needs the start link on a closed server.",
        handler=create_group,
        body=NEW_GROUP_SCHEMA,
        answers=CREATED_ONCE_RESPONSES,
        max_bytes=MAX_LARGE_BODY_BYTES,
    ),
    ReadEndpoint(
        GROUP_PATH,
        ANY_ROLE,
        get_group_state,
        "The state of a group, as you may see it.",
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/events",
        ANY_ROLE,
        get_group_state,
        "A stream that tells of every change.",
        media="text/event-stream",
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/record",
        ANY_ROLE,
        download_record,
        "The public record, JSON Lines.",
        media="application/jsonl",
        query={"after": "the hash of a line: what follows it", "lines": "how many; left out: all"},
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/calendar.ics",
        ANY_ROLE,
        get_calendar,
        "What was decided for each day, and the next decision, as a calendar feed.",
        media="text/calendar",
        query={"lang": "en or de"},
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/voice",
        MEMBER_ROLES,
        get_voice,
        "What you were promised, and what you received.",
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/receipt",
        MEMBER_ROLES,
        download_receipt,
        "What you need to check your own part of the record.",
        query={"last": "how many rounds; left out: all"},
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/proof",
        MEMBER_ROLES,
        download_proof,
        "The record and your receipt in one file, for the verifier that needs no network.",
        media="application/zip",
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/publish",
        MEMBER_ROLES,
        "Agree that strangers may read the record of a group with turns, or take that back; public once all agreed.",
        handler=set_consent,
        body=make_body_schema(consent=BooleanField()),
        forms=(Form("publish", form_bodies.build_consent, confirm=confirmations.confirm_publish),),
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/names",
        GROUP_ROLES,
        download_names,
        "The names file of an open group.",
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/export",
        ORGANISER_ROLES,
        export_ratings,
        "All that people said.",
        security_event="export",
        query={"format": "json or csv"},
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/security",
        GROUP_ROLES,
        list_security_events,
        "Security events: links used or issued again, keys, exports, organisers. You see those that concern you.",
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/links",
        ORGANISER_ROLES,
        list_links,
        "Which links are good, and when each was last opened.",
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/session",
        ANY_ROLE,
        "Change the secret of a link for a session of this device.",
        handler=open_session,
        body=make_body_schema(token=TextField(most=100)),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/session/end",
        ANY_ROLE,
        "End the session of this device.",
        handler=close_session,
        forms=(Form("forget", confirm=confirmations.confirm_forget_device, shows_done=False),),
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/devices",
        GROUP_ROLES,
        list_devices,
        "Your devices: since when, and when each was last used.",
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/devices/end",
        GROUP_ROLES,
        "End the session of one of your devices.",
        handler=end_device,
        body=make_body_schema(place=IntegerField(low=1)),
        forms=(Form("device", form_bodies.make_body_builder(place=get_integer), "/devices"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/join",
        ANY_ROLE,
        "The names behind a join link, and which are taken.",
        handler=join_link.list_join_names,
        body=make_body_schema(token=TextField(most=100)),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/join/take",
        ANY_ROLE,
        "Take a free name for this device.",
        handler=join_link.claim_name,
        body=make_body_schema(token=TextField(most=100), member=IntegerField(high=10**6)),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/join/object",
        ANY_ROLE,
        "Say that a taken name is yours and that it was not you who took it; the group sees it.",
        handler=join_link.object_to_name,
        body=make_body_schema(token=TextField(most=100), member=IntegerField(high=10**6)),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/join/close",
        ORGANISER_ROLES,
        "Make the join link void.",
        action=administration.close_join_link,
        forms=(Form("close-join", leads_to="/links"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/ratings",
        MEMBER_ROLES,
        "Rate all options at once, or what happened.",
        action=rate,
        body=RATING_SCHEMA,
        is_rating=True,
        forms=(Form("rate", form_bodies.build_rating),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/keys",
        MEMBER_ROLES,
        "Put your device's key on the next roster.",
        action=register_key,
        security_event="key registered",
        body=make_body_schema(
            key=HexField(digits=64),
            proof=HexField("The key's signature of the group, your number and itself.", digits=128),
            replace=BooleanField("Whether it may take the place of another device's.", default=False),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/say",
        MEMBER_ROLES,
        "Sign the record as you know it, and say something.",
        handler=post_statement,
        body=STATEMENT_SCHEMA,
        answers=CREATED_RESPONSES | {202: "A commitment, held until the freeze."},
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/leave",
        MEMBER_ROLES,
        "Leave the group.",
        action=administration.leave_group,
        forms=(Form("leave", leads_to="?left=1", confirm=confirmations.confirm_leave, shows_done=False),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/roster",
        ORGANISER_ROLES,
        "Write down who takes part; a freeze does so by itself.",
        action=rounds.write_roster,
        answers=CREATED_RESPONSES,
        forms=(Form("roster", leads_to="/organise", row="chance"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/freeze",
        ORGANISER_ROLES,
        "Freeze the next round.",
        handler=freeze,
        body=make_body_schema(
            event=NullableField("What is decided; under dice also what is thrown.", item=TextField(most=80)),
            form=NullableField("What is thrown (dice).", item=DICE_FORM_SCHEMA),
            undrawn=BooleanField("Leave the round that is open: it is never drawn.", default=False),
        ),
        answers=CREATED_RESPONSES
        | {202: "Under the group: open pages were asked for numbers; freeze again within 30 s."},
        forms=(Form("freeze", form_bodies.build_freeze, "/organise", "round", confirmations.confirm_freeze),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/draw",
        ORGANISER_ROLES,
        "Draw the frozen round.",
        handler=draw,
        body=make_body_schema(value=NullableField(item=DRAW_VALUE_FIELD)),
        answers=CREATED_RESPONSES,
        forms=(
            Form(
                "draw", form_bodies.make_body_builder(value=get_text), row="round", confirm=confirmations.confirm_draw
            ),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/override",
        ORGANISER_ROLES,
        "Put another option in a drawn slot.",
        action=rounds.override,
        body=make_body_schema(
            round=IntegerField(low=1), slot=IntegerField(high=19), arm=NAME_FIELD, reason=TextField(most=500)
        ),
        answers=CREATED_RESPONSES,
        forms=(Form("override", form_bodies.build_override, "/organise", "rare"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/options",
        ORGANISER_ROLES,
        "Add an option.",
        action=administration.add_option,
        body=make_body_schema(name=NAME_FIELD, reason=NullableField(item=TextField(most=500))),
        answers=CREATED_RESPONSES,
        forms=(Form("option", form_bodies.make_body_builder(name=get_text), "/organise", "options"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/propose",
        GROUP_ROLES,
        "Propose an option for the next round (turns).",
        action=administration.propose,
        body=make_body_schema(name=NAME_FIELD),
        answers=CREATED_RESPONSES,
        forms=(Form("propose", form_bodies.make_body_builder(name=get_text)),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/withdraw",
        GROUP_ROLES,
        "Take a proposal back before the freeze.",
        action=proposals.withdraw_option,
        body=make_body_schema(name=NAME_FIELD),
        forms=(Form("withdraw", form_bodies.make_body_builder(name=get_text)),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/mask",
        ORGANISER_ROLES,
        "Say which options are not possible for now.",
        action=rounds.mask_options,
        body=make_body_schema(unavailable=ListField(item=NAME_FIELD, most=1000, distinct=True)),
        forms=(Form("mask", form_bodies.build_mask, "/organise", "options"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/amend",
        ORGANISER_ROLES,
        "Change the title or the block.",
        action=rounds.amend,
        body=AMENDMENT_SCHEMA,
        answers=CREATED_RESPONSES,
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/source",
        ORGANISER_ROLES,
        "Take another source of randomness from the next round on; a beacon only where this server fetches it.",
        handler=set_source,
        body=make_body_schema(
            source=ChoiceField(known=tuple(RANDOMNESS_SOURCES)),
            first=NEW_GROUP_SCHEMA.fields["first"],
            every=NEW_GROUP_SCHEMA.fields["every"],
            reason=NullableField(item=TextField(most=500)),
        ),
        answers=CREATED_RESPONSES,
        forms=(Form("source", form_bodies.make_body_builder(source=get_text), "/organise", "chance"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/timetable",
        ORGANISER_ROLES,
        "Let the group decide by itself, or stop it.",
        action=administration.set_timetable,
        body=make_body_schema(timetable=NullableField(item=TIMETABLE_SCHEMA)),
        forms=(Form("timetable", form_bodies.build_timetable, "/organise", "time"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/people",
        ORGANISER_ROLES,
        "Let somebody join.",
        action=administration.add_member,
        body=make_body_schema(
            name=NAME_FIELD, weight=IntegerField("How many people they speak for.", low=1, high=10**6, default=1)
        ),
        answers=CREATED_ONCE_RESPONSES,
        forms=(
            Form("join", form_bodies.make_body_builder(name=get_text), "/links?joined=1", "people", shows_done=False),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/people/mark",
        OWNER_ROLES,
        "Mark a member as organiser, or not.",
        action=members.mark_organiser,
        body=make_body_schema(member=IntegerField(high=10**6), organiser=IntegerField(high=1)),
        forms=(
            Form(
                "mark", form_bodies.make_body_builder(member=get_integer, organiser=get_integer), "/organise", "chance"
            ),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/people/leave",
        ORGANISER_ROLES,
        "Let somebody leave.",
        action=administration.remove_member,
        body=make_body_schema(member=IntegerField(high=10**6)),
        forms=(
            Form(
                "remove",
                form_bodies.make_body_builder(member=get_integer),
                "/organise",
                "people",
                confirmations.confirm_remove,
            ),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/people/mail",
        ORGANISER_ROLES,
        "Keep a member's mail address, and invite them; null forgets it.",
        handler=contacts.set_mail_address,
        body=make_body_schema(member=IntegerField(high=10**6), address=NullableField(item=TextField(most=320))),
        forms=(Form("address", form_bodies.build_address, "/organise", "people"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/mail",
        MEMBER_ROLES,
        "Keep your own mail address; null forgets it.",
        handler=contacts.set_mail_address,
        body=make_body_schema(address=NullableField(item=TextField(most=320))),
        forms=(Form("my-address", form_bodies.build_own_address),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/remind",
        ORGANISER_ROLES,
        "Ask those who have not answered, by mail; while a page is fixed, phones, by the webhook.",
        handler=contacts.send_reminders,
        forms=(Form("remind", leads_to="/organise", row="people"),),
    ),
    ReadEndpoint(
        f"{GROUP_PATH}/webhook",
        OWNER_ROLES,
        contacts.get_webhook,
        "The webhook, and the key that signs what it gets.",
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/links",
        ORGANISER_ROLES,
        "Issue a link again; the old one is void.",
        action=administration.reissue_link,
        security_event="link issued again",
        body=make_body_schema(
            role=ChoiceField(known=(ROLE_MEMBER, ROLE_COORGANISER, ROLE_ORGANISER, ROLE_JOIN), default=ROLE_MEMBER),
            number=IntegerField(high=10**6, default=0),
        ),
        answers=CREATED_ONCE_RESPONSES,
        forms=(
            Form(
                "reissue",
                form_bodies.make_body_builder(number=get_integer),
                "/links",
                "people",
                confirmations.confirm_reissue,
            ),
            Form("join-link", form_bodies.build_join_link, "/links"),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/people/erase",
        OWNER_ROLES,
        "Erase who somebody is.",
        action=administration.erase_member,
        body=make_body_schema(member=IntegerField(high=10**6)),
        forms=(
            Form(
                "erase",
                form_bodies.make_body_builder(member=get_integer),
                "/organise",
                "people",
                confirmations.confirm_erase,
            ),
        ),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/coorganisers",
        OWNER_ROLES,
        "Let somebody help.",
        action=administration.invite_coorganiser,
        security_event="organiser added",
        body=make_body_schema(name=NAME_FIELD),
        answers=CREATED_ONCE_RESPONSES,
        forms=(Form("invite", form_bodies.make_body_builder(name=get_text), "/links", "rare"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/coorganisers/dismiss",
        OWNER_ROLES,
        "Take a co-organiser's link away.",
        action=administration.dismiss_coorganiser,
        security_event="organiser removed",
        body=make_body_schema(number=IntegerField(high=10**6)),
        forms=(Form("dismiss", form_bodies.make_body_builder(number=get_integer), "/organise", "rare"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/settings",
        OWNER_ROLES,
        "Set the webhook, the retention and the note.",
        handler=update_settings,
        body=SETTINGS_SCHEMA,
        forms=(Form("settings", form_bodies.build_settings, "/organise", "messages"),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/end",
        OWNER_ROLES,
        "Close the record for good.",
        action=rounds.end_record,
        answers=CREATED_RESPONSES,
        forms=(Form("end", leads_to="/organise", row="end", confirm=confirmations.confirm_end),),
    ),
    ActionEndpoint(
        f"{GROUP_PATH}/delete",
        OWNER_ROLES,
        "Erase the group with everything in it.",
        handler=delete_group,
        body=make_body_schema(title=TextField()),
        forms=(Form("delete", form_bodies.make_body_builder(title=get_text), None, "end"),),
    ),
]

"""Mail addresses of members: private, erasable and never in the record.

An organiser or the member enters one. The recipient can unsubscribe without a login.
"""

from __future__ import annotations

import hashlib

from isegoria.service.delivery.announcements import FIRST_LETTER
from isegoria.service.delivery.mail import validate_mail_address
from isegoria.service.delivery.outbox import CHANNEL_MAIL, CHANNEL_WEBHOOK
from isegoria.service.delivery.webhooks import derive_webhook_key, is_allowed_webhook
from isegoria.service.groups.group_views import has_answered
from isegoria.service.http.http_errors import BadRequest, Conflict, TooManyRequests, translate_record_errors
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Reply, make_json_reply
from isegoria.service.http.tokens import ROLE_MEMBER, generate_token
from isegoria.service.request_context import RequestContext
from isegoria.service.store import ContactRow, OutboxRow
from isegoria.service.web.translations import choose_language
from isegoria.utils.messages import Message

MANUAL_MAIL_LIMIT = (200, 200 / 86400)
"""Rate limit of manually sent mail per group: messages at once, and messages per second (200 a day)."""
MAX_FIRST_LETTERS_TO_ONE, MAX_FIRST_LETTERS_IN_ALL = 3, 2000
"""Maximum number of first letters in a day over all groups and processes: to one address, and in all."""
NETWORK_MAIL_LIMIT = (200, 200 / 86400)
"""Rate limit of first letters from one client network over all groups: messages at once, and per second."""


def set_mail_address(context: RequestContext) -> Reply:
    """Store a member's mail address and send its first letter; a null address deletes the stored one.

    The first letter asks whether more may come; without a yes none does. Raise `Conflict` if the owner of the address
    has asked for no mail, from this group or any other.
    """
    request, actor, body = context.request, context.require_actor(), context.body
    _require_mail(context)
    number = actor.number if actor.role == ROLE_MEMBER else body["member"]
    address = body["address"]
    with context.groups.reading(request.group) as (group, session):
        if number not in group.members:
            raise BadRequest(Message("no_member", number=number))
        known = session.contacts(request.group)
    before = next((one.refused for one in known if one.number == number), None)
    if address is None:
        with context.store.writing() as session:
            session.forget_contact(request.group, number)
            if before is not None:  # keep who has unsubscribed, without the address
                session.keep_contact(request.group, ContactRow(number, None, "en", generate_token(), before))
        return make_json_reply({"member": number, "address": None})
    with translate_record_errors():
        address = validate_mail_address(address)
    hashed = hash_address(address)
    with context.store.reading() as session:
        if session.refuses_mail(hashed) or any(hashed in (one.refused or "").split() for one in known):
            raise Conflict(Message("address_asked_for_no_mail"))
    if any(one.number == number and one.address == address for one in known):
        return make_json_reply({"member": number, "address": address})
    _count_mail(context, request.group)
    _count_first_letter(context, hashed)
    typed_by = "member" if actor.role == ROLE_MEMBER else "organiser"
    language = choose_language(request.query, request.cookies, request.headers)
    now = context.now
    with context.store.writing() as session:
        session.keep_contact(
            request.group, ContactRow(number, address, language, generate_token(), before, None, typed_by)
        )
        key = f"{FIRST_LETTER}:{hashed[:12]}:{number}"
        session.post(OutboxRow(request.group, key, CHANNEL_MAIL, number, now, now, 0))
    context.outbox.changed(request.group)
    return make_json_reply({"member": number, "address": address})


def send_reminders(context: RequestContext) -> Reply:
    """Remind members by mail who have an address and have not answered, once in each ten-minute window.

    While a round is frozen, send no mail, but tell the webhook again how many phones are needed.
    """
    request = context.request
    now = context.now
    with context.groups.reading(request.group) as (group, session):
        frozen, hook = group.open, is_allowed_webhook(group.settings["webhook"] or "", context.settings.webhooks)
        if frozen is None:
            _require_mail(context)
        elif not hook:
            raise Conflict(Message("group_no_webhook_remind_people"))
        contacts = [one for one in session.contacts(request.group) if one.address and one.confirmed is not None]
        those = [one for one in contacts if one.number in group.members]
        missing = [one.number for one in those if not has_answered(group, one.number)]
    sent = 0
    if frozen is not None:
        with context.store.writing() as session:
            missing, letter = (
                [],
                OutboxRow(request.group, f"remind:{frozen.number}:{now // 600}", CHANNEL_WEBHOOK, -1, now, now, 0),
            )
            sent += session.post(letter)
    for number in missing:
        _count_mail(context, request.group)
        with context.store.writing() as session:
            letter = OutboxRow(request.group, f"ask:hand:{now // 600}:{number}", CHANNEL_MAIL, number, now, now, 0)
            sent += session.post(letter)
    context.outbox.changed(request.group)
    return make_json_reply({"asked": sent})


def get_webhook(context: RequestContext) -> Reply:
    """Return the webhook of a group and the key that signs every delivery."""
    request = context.request
    with context.groups.reading(request.group) as (group, session):
        row = session.group(request.group)
        assert row is not None
        return make_json_reply({"webhook": group.settings["webhook"], "key": derive_webhook_key(row)})


def _require_mail(context: RequestContext) -> None:
    if context.settings.smtp is None:
        raise Conflict(Message("server_sends_no_mail"))


def _count_mail(context: RequestContext, group: str) -> None:
    if context.limits.manual_mail.take(group) > 0:
        raise TooManyRequests(Message("group_sent_enough_mail_today"), {"retry-after": "3600"})


def _count_first_letter(context: RequestContext, recipient: str) -> None:
    """Count a first letter against the limits over all groups; raise `TooManyRequests` above one of them."""
    now, limits = context.now, (MAX_FIRST_LETTERS_TO_ONE, MAX_FIRST_LETTERS_IN_ALL)
    wait = context.limits.first_mail.take(to_client_network(context.request.address))
    if wait <= 0:
        with context.store.writing() as session:
            if session.add_first_letter(recipient, now, *limits, since=now - 86400):
                return
    raise TooManyRequests(Message("too_many_invitations"), {"retry-after": str(int(wait) + 1 if wait > 0 else 86400)})


def hash_address(address: str) -> str:
    """Return the hash under which it is kept that nobody may mail to an address."""
    return hashlib.sha256(b"isegoria mail 1\0" + address.lower().encode()).hexdigest()

"""Mail addresses: private, erasable, never in the record; entered by an organiser or oneself, ended without a login."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from isegoria.service.groups import refusing
from isegoria.service.http.refusals import BadRequest, Conflict, NotFound, TooManyRequests
from isegoria.service.http.request import Reply, Request, json_reply
from isegoria.service.http.tokens import MEMBER, TOKEN, new_token
from isegoria.service.mail import checked_address
from isegoria.service.outbox import HOOK, MAIL
from isegoria.service.rendering import html
from isegoria.service.store import Contact, Letter
from isegoria.service.views import has_answered
from isegoria.service.web.words import language_of
from isegoria.service.webhooks import allowed, hook_key

if TYPE_CHECKING:
    from isegoria.service.app import Service
    from isegoria.service.http.tokens import Actor

MAILS = (200, 200 / 86400)
"""Letters that one group may have sent by hand: so many at once, and so many a day."""


def set_address(
    service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Keep a member's mail address, and invite her; null forgets it. A member sets her own, and is not invited."""
    _check_mail(service)
    number = actor.number if actor.role == MEMBER else body["member"]
    address = body["address"]
    with service.groups.reading(request.group) as (group, session):
        if number not in group.members:
            raise BadRequest(f"there is no member {number}.")
        known = session.contacts(request.group)
    before = next((one.refused for one in known if one.number == number), None)
    if address is None:
        with service.store.writing() as session:
            session.forget_contact(request.group, number)
            if before is not None:  # that somebody asked for no mail is not forgotten with the address
                session.keep_contact(request.group, Contact(number, None, "en", new_token(), before))
        return json_reply({"member": number, "address": None})
    with refusing():
        address = checked_address(address)
    if actor.role != MEMBER and any(_hash(address) in (one.refused or "").split() for one in known):
        raise Conflict("whoever has this address asked for no mail from this group.")
    _count(service, request.group)
    language = language_of(request.query, request.cookies, request.headers)
    now = int(service.groups.clock())
    with service.store.writing() as session:
        session.keep_contact(request.group, Contact(number, address, language, new_token(), before))
        if actor.role != MEMBER:
            session.post(Letter(request.group, f"invite:{_hash(address)[:12]}:{number}", MAIL, number, now, now, 0))
    service.outbox.changed(request.group)
    return json_reply({"member": number, "address": address})


def remind(service: Service, request: Request, actor: Actor, body: dict[str, Any], key: str, body_digest: str) -> Reply:
    """Ask those who have not answered, by mail: whoever has an address, once in ten minutes at most.

    While a page is fixed the webhook is told once more how many phones are wanted, and nobody gets a letter.
    """
    now = int(service.groups.clock())
    with service.groups.reading(request.group) as (group, session):
        frozen, hook = group.open, allowed(group.settings["webhook"] or "", service.settings.webhooks)
        if frozen is None:
            _check_mail(service)
        elif not hook:
            raise Conflict("this group has no webhook to remind people by; share the page from a phone.")
        those = [one for one in session.contacts(request.group) if one.address and one.number in group.members]
        missing = [one.number for one in those if not has_answered(group, one.number)]
    sent = 0
    if frozen is not None:
        with service.store.writing() as session:
            missing, letter = [], Letter(request.group, f"remind:{frozen.number}:{now // 600}", HOOK, -1, now, now, 0)
            sent += session.post(letter)
    for number in missing:
        _count(service, request.group)
        with service.store.writing() as session:
            letter = Letter(request.group, f"ask:hand:{now // 600}:{number}", MAIL, number, now, now, 0)
            sent += session.post(letter)
    service.outbox.changed(request.group)
    return json_reply({"asked": sent})


def webhook(service: Service, request: Request, actor: Actor) -> Reply:
    """The webhook of a group, and the key with which every delivery is signed."""
    with service.groups.reading(request.group) as (group, session):
        row = session.group(request.group)
        assert row is not None
        return json_reply({"webhook": group.settings["webhook"], "key": hook_key(row)})


def stop(service: Service, request: Request) -> Reply:
    """The page behind the link in every letter: a GET asks, a POST ends the mail. Nobody needs to log in."""
    token = request.parameters["token"]
    with service.store.reading() as session:
        found = session.contact_by_stop(token) if TOKEN.fullmatch(token) else None
    if found is None:
        service.wrong_guess(request)
        raise NotFound("there is no such link; the mail was ended before, or the address was changed.")
    group, contact = found
    done = contact.address is None
    if request.method == "POST" and contact.address is not None:
        with service.store.writing() as session:
            refused = " ".join(sorted({*(contact.refused or "").split(), _hash(contact.address)}))
            session.forget_contact(group, contact.number)
            session.keep_contact(group, contact._replace(address=None, refused=refused))
        done = True
    with service.groups.reading(group) as (state, _):
        title = state.terms["title"]
    return html(request, "stop.html", title=title, done=done, token=token)


def _check_mail(service: Service) -> None:
    if service.settings.smtp is None:
        raise Conflict("this server sends no mail; start it with --smtp ADDRESS.")


def _count(service: Service, group: str) -> None:
    if service.mails.take(group) > 0:
        raise TooManyRequests("this group has sent enough mail for today; wait a little.", {"retry-after": "3600"})


def _hash(address: str) -> str:
    return hashlib.sha256(b"isegoria mail 1\0" + address.lower().encode()).hexdigest()

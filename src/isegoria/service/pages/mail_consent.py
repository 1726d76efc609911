"""The pages by which the recipient of a mail asks for more, or unsubscribes."""

from __future__ import annotations

from isegoria.service.actions.contacts import hash_address
from isegoria.service.actions.join_link import find_taken_names
from isegoria.service.delivery.outbox import CHANNEL_MAIL
from isegoria.service.http.http_errors import NotFound
from isegoria.service.http.request import Reply
from isegoria.service.http.tokens import TOKEN_PATTERN
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext
from isegoria.service.store import ContactRow, OutboxRow
from isegoria.utils.messages import Message


def handle_mail_confirmation(context: RequestContext) -> Reply:
    """Return the page on which a recipient says that more mail may come. A GET asks, a POST confirms."""
    group, contact = _find_contact(context)
    if contact.address is None:
        raise NotFound(Message("no_such_link"))
    request, done = context.request, contact.confirmed is not None
    if request.method == "POST" and not done:
        with context.store.writing() as session:
            session.keep_contact(group, contact._replace(confirmed=context.now))
            if contact.number not in find_taken_names(session, group):
                key = f"invite:{hash_address(contact.address)[:12]}:{contact.number}"
                session.post(OutboxRow(group, key, CHANNEL_MAIL, contact.number, context.now, context.now, 0))
        context.outbox.changed(group)
        done = True
    with context.groups.reading(group) as (state, _):
        title = state.terms["title"]
    return render_page(request, "confirm_mail.html", title=title, done=done, token=contact.stop)


def _find_contact(context: RequestContext) -> tuple[str, ContactRow]:
    """Return the group and the contact of the token in a letter's link; raise `NotFound` if there is none."""
    token = context.request.parameters["token"]
    with context.store.reading() as session:
        found = session.contact_by_stop(token) if TOKEN_PATTERN.fullmatch(token) else None
    if found is None:
        context.authenticator.count_failed_token(context.request)
        raise NotFound(Message("no_such_link"))
    return found


def handle_unsubscribe(context: RequestContext) -> Reply:
    """Return the unsubscribe page that every message links to. A GET asks, a POST unsubscribes; no login is needed.

    It ends all mail of this server to the address: of this group, and of any that enters it later.
    """
    request, (group, contact) = context.request, _find_contact(context)
    done, token = contact.address is None, contact.stop
    if request.method == "POST" and contact.address is not None:
        with context.store.writing() as session:
            refused = " ".join(sorted({*(contact.refused or "").split(), hash_address(contact.address)}))
            session.refuse_mail(hash_address(contact.address), context.now)
            session.forget_contact(group, contact.number)
            session.keep_contact(group, contact._replace(address=None, refused=refused, confirmed=None))
        done = True
    with context.groups.reading(group) as (state, _):
        title = state.terms["title"]
    return render_page(request, "unsubscribe.html", title=title, done=done, token=token)

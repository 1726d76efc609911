"""Page of a group's links for its organisers: the join link, and private links until they are first opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from isegoria.record.state.group import Group
from isegoria.service.api.routing import ORGANISER_ROLES
from isegoria.service.groups.group_views import build_view_for
from isegoria.service.http.http_errors import BadRequest
from isegoria.service.http.network_addresses import is_loopback, parse_site_host
from isegoria.service.http.origin import validate_origin
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import ROLE_COORGANISER, ROLE_JOIN, ROLE_MEMBER, ROLE_ORGANISER
from isegoria.service.pages.rendering import RejectedForm, make_hidden_fields, render_page
from isegoria.service.request_context import RequestContext
from isegoria.service.store import TokenRow
from isegoria.utils.messages import Message

MAX_INLINE_QR_CODES = 24  # QR codes included in the page; the others are generated on request


def render_links(context: RequestContext, failed: RejectedForm | None = None) -> Reply:
    """Return the page with every link that can still be handed out, under a base URL that others can open, if any.

    The page changes nothing, so it can be opened any number of times. Private links that were opened are not shown.
    """
    request = context.request
    actor = context.authenticator.require_actor(request, ORGANISER_ROLES)
    site = choose_base_url(context)
    with context.groups.reading(request.group) as (state, session):
        view = build_view_for(state, actor, context.now)
        rows = [row for row in session.tokens(request.group) if row.secret is not None]
        joined = state.name(len(state.entries) - 1) if request.query.get("joined") else None
    page = f"{site}/g/{request.group}"
    join = next((f"{page}/join#k={row.secret}" for row in rows if row.role == ROLE_JOIN), None)
    own = [row for row in rows if actor.role == row.role and row.number == actor.number]
    shown = (ROLE_MEMBER, ROLE_COORGANISER) if actor.role == ROLE_ORGANISER else (ROLE_MEMBER,)
    named = [card for role in shown for card in _build_link_cards(state, rows, role, page)]
    return render_page(
        request,
        "links.html",
        view=view,
        tab="organise",
        roles=context.authenticator.find_roles(request),
        join=join,
        join_qr=Markup(make_qr_svg(join)) if join else None,
        own=f"{page}#k={own[0].secret}" if own else None,
        cards=named,
        joined=joined,
        large=request.query.get("show") == "join",
        codes=[Markup(make_qr_svg(card["address"])) for card in named[:MAX_INLINE_QR_CODES]],
        hidden=make_hidden_fields(actor),
        sites=_list_other_urls(context, site),
        site=site,
        failed=failed,
        **describe_link_url(site, request),
    )


def _build_link_cards(state: Group, rows: Sequence[TokenRow], role: str, page: str) -> list[dict[str, Any]]:
    """Return name, number and URL of each private link of a role that was not opened yet."""
    called = state.name if role == ROLE_MEMBER else lambda number: state.coorganisers.get(number, "")
    return [
        {"name": called(row.number), "number": row.number, "role": role, "address": f"{page}#k={row.secret}"}
        for row in rows
        if row.role == role and row.used is None
    ]


def choose_base_url(context: RequestContext) -> str:
    """Return the base URL of the links: that of `?site=` if it is one of this server's, otherwise the default."""
    request = context.request
    asked = request.query.get("site")
    return asked if asked in context.settings.addresses else context.base_url


def _list_other_urls(context: RequestContext, now: str) -> list[str]:
    """Return the other base URLs that can be chosen; empty if the base URL is configured."""
    return [] if context.settings.site else [one for one in context.settings.addresses if one != now]


def describe_link_url(site: str, request: Request) -> dict[str, Any]:
    """Return what a page of links shows about their base URL.

    `elsewhere` is the base URL of the links if it differs from that of this page and is not loopback. `only_here` says
    whether only this computer can open the links, and `here` is the base URL of this page.
    """
    alone = is_loopback(parse_site_host(site))
    return {"elsewhere": site if site != request.site and not alone else None, "only_here": alone, "here": request.site}


def make_qr_svg(address: str) -> str:
    """Return the QR code of a URL as inline SVG."""
    import segno

    return segno.make(address, error="m").svg_inline(scale=4, title="QR code of the link", omitsize=True)


def render_qr_code(context: RequestContext) -> Reply:
    """Return the QR code of the URL in the body, which must be one of this server; nothing is stored."""
    request = context.request
    validate_origin(request.headers, request.host, request.https, form=False)
    address = (request.raw or b"").decode("utf-8", "replace")
    known = {request.site, context.base_url, *context.settings.addresses}
    if not (address.startswith(tuple(f"{one}/" for one in known)) and len(address) <= 300 and address.isprintable()):
        raise BadRequest(Message("no_address_server"))
    return Reply(make_qr_svg(address).encode(), 200, "image/svg+xml")

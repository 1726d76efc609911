"""The links of a group, for its organisers: the join link for everybody, private ones until they are first opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from isegoria.record.group import Group
from isegoria.service.addresses import is_loopback, site_name
from isegoria.service.http.refusals import BadRequest
from isegoria.service.http.request import Reply, Request, check_origin
from isegoria.service.http.tokens import COORGANISER, JOIN, MEMBER, ORGANISER
from isegoria.service.rendering import Failed, hidden, html
from isegoria.service.routing import ORGANISERS
from isegoria.service.store import TokenRow
from isegoria.service.views import seen_by

if TYPE_CHECKING:
    from isegoria.service.app import Service

QR_CODES = 24  # codes that the page has from the start; the others are drawn when they are asked for


def links(service: Service, request: Request, failed: Failed | None = None) -> Reply:
    """Every link that can still be handed out, under an address that others can open if there is one.

    It changes nothing, so it may be opened again at any time; a link that was opened is not shown any more.
    """
    actor = service.insider(request, ORGANISERS)
    site = chosen(service, request)
    with service.groups.reading(request.group) as (state, session):
        view = seen_by(state, actor, int(service.groups.clock()))
        rows = [row for row in session.tokens(request.group) if row.secret is not None]
    page = f"{site}/g/{request.group}"
    join = next((f"{page}/join#k={row.secret}" for row in rows if row.role == JOIN), None)
    own = [row for row in rows if actor.role == row.role and row.number == actor.number]
    shown = (MEMBER, COORGANISER) if actor.role == ORGANISER else (MEMBER,)
    named = [card for role in shown for card in _cards(state, rows, role, page)]
    return html(
        request, "links.html", view=view, tab="organise", roles=service.roles(request), join=join,
        join_qr=Markup(qr(join)) if join else None,
        own=f"{page}#k={own[0].secret}" if own else None, cards=named, large=request.query.get("show") == "join",
        codes=[Markup(qr(card["address"])) for card in named[:QR_CODES]], hidden=hidden(actor),
        sites=_sites(service, request, site), site=site, failed=failed, **placed(site, request),
    )  # fmt: skip


def _cards(state: Group, rows: Sequence[TokenRow], role: str, page: str) -> list[dict[str, Any]]:
    """Name, number and address of the private links of a role that nobody has opened."""
    called = state.name if role == MEMBER else lambda number: state.coorganisers.get(number, "")
    return [
        {"name": called(row.number), "number": row.number, "role": role, "address": f"{page}#k={row.secret}"}
        for row in rows
        if row.role == role and row.used is None
    ]


def chosen(service: Service, request: Request) -> str:
    """The address that links lead to: the usual one, or another of this server's that was chosen on the page."""
    asked = request.query.get("site")
    return asked if asked in service.settings.addresses else service.site(request)


def _sites(service: Service, request: Request, now: str) -> list[str]:
    """The other addresses that may be chosen; none where the address is fixed."""
    return [] if service.settings.site else [one for one in service.settings.addresses if one != now]


def placed(site: str, request: Request) -> dict[str, Any]:
    """What a page of links says of their address: `elsewhere`, the one they lead to where this page is not; and
    whether only this computer can open them.
    """
    alone = is_loopback(site_name(site))
    return {"elsewhere": site if site != request.site and not alone else None, "only_here": alone, "here": request.site}


def qr(address: str) -> str:
    """A QR code as a picture that stands in the page."""
    import segno

    return segno.make(address, error="m").svg_inline(scale=4, title="QR code of the link", omitsize=True)


def qr_code(service: Service, request: Request) -> Reply:
    """The QR code of an address of this server, which is the body; nothing of it is kept."""
    check_origin(request.headers, request.host, request.https, form=False)
    address = (request.raw or b"").decode("utf-8", "replace")
    known = {request.site, service.site(request), *service.settings.addresses}
    if not (address.startswith(tuple(f"{one}/" for one in known)) and len(address) <= 300 and address.isprintable()):
        raise BadRequest("this is no address of this server.")
    return Reply(qr(address).encode(), 200, "image/svg+xml")

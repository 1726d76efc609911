"""Printable sheet for a notice board: the dated plan and a QR code to verify it. It has no name and no secret."""

from __future__ import annotations

from markupsafe import Markup

from isegoria.service.groups.group_views import build_public_view
from isegoria.service.http.authentication import ANY_ROLE
from isegoria.service.http.request import Reply, make_json_reply
from isegoria.service.pages.links import make_qr_svg
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext
from isegoria.service.web.translations import choose_language

PAPER_SIZES = ("a4", "letter")
MAX_BOARD_ROWS = 40  # turns that fit on one sheet of either paper size
FEW_BOARD_ROWS, SOME_BOARD_ROWS = 7, 16  # turns up to which the type is large, and of middle size
APP_ICONS = [
    {"src": f"/static/icons/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
    for size in (192, 512)
    for purpose in ("any", "maskable")
]


def render_board(context: RequestContext) -> Reply:
    """Return the decided turns as a printable page, in A4 unless `?paper=letter` is given."""
    request = context.request
    paper = request.query.get("paper")
    with context.groups.reading(request.group) as (state, _):
        view = build_public_view(state, context.now)
    ahead = [turn for turn in view["plan"] if turn["date"] is None or turn["date"] >= view["date"]]
    shown = (ahead or view["plan"])[:MAX_BOARD_ROWS]
    check = f"{context.base_url}/verify/?record=/api/groups/{request.group}/record"
    return render_page(
        request,
        "board.html",
        view=view | {"you": None},
        tab="board",
        roles=context.authenticator.find_roles(request),
        check=check,
        turns=shown,
        more=len(ahead or view["plan"]) - len(shown),
        size="few" if len(shown) <= FEW_BOARD_ROWS else "some" if len(shown) <= SOME_BOARD_ROWS else "many",
        qr=Markup(make_qr_svg(check)),
        paper=paper if paper in PAPER_SIZES else PAPER_SIZES[0],
        papers=PAPER_SIZES,
    )


def render_manifest(context: RequestContext) -> Reply:
    """Return the web app manifest with which a phone puts the group on its home screen."""
    request = context.request
    context.authenticator.authenticate(request, ANY_ROLE)
    with context.groups.reading(request.group) as (state, _):
        title = state.terms["title"]
    page = f"/g/{request.group}"
    told = {
        "name": title,
        "short_name": title[:12],
        "start_url": page,
        "id": page,
        "scope": "/",
        "display": "standalone",
        "lang": choose_language(request.query, request.cookies, request.headers),
        "icons": APP_ICONS,
        "background_color": "#ffffff",
        "theme_color": "#1F5FA8",
    }
    reply = make_json_reply(told)
    return Reply(reply.body, 200, "application/manifest+json")

"""The sheet for a notice board: the plan with its dates, and a code that leads to the check. No name and no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from isegoria.service.http.request import Reply, Request, json_reply
from isegoria.service.links import qr
from isegoria.service.rendering import html
from isegoria.service.routing import ANYONE
from isegoria.service.views import public
from isegoria.service.web.words import language_of

if TYPE_CHECKING:
    from isegoria.service.app import Service

PAPERS = ("a4", "letter")
ROWS = 14  # days that fit one sheet of either paper, with their reasons
ICONS = [
    {"src": f"/static/icons/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
    for size in (192, 512)
    for purpose in ("any", "maskable")
]


def board(service: Service, request: Request) -> Reply:
    """What was decided, on one sheet to be printed; A4, or letter where it is asked for."""
    paper = request.query.get("paper")
    with service.groups.reading(request.group) as (state, _):
        view = public(state, int(service.groups.clock()))
    ahead = [turn for turn in view["plan"] if turn["date"] is None or turn["date"] >= view["date"]]
    check = f"{service.site(request)}/verify/?record=/api/groups/{request.group}/record"
    return html(
        request, "board.html", view=view | {"you": None}, tab="board", roles=service.roles(request), check=check,
        turns=(ahead or view["plan"])[:ROWS], qr=Markup(qr(check)), paper=paper if paper in PAPERS else PAPERS[0],
        papers=PAPERS,
    )  # fmt: skip


def manifest(service: Service, request: Request) -> Reply:
    """What a phone needs to put the group on its home screen."""
    service.actor(request, ANYONE)
    with service.groups.reading(request.group) as (state, _):
        title = state.terms["title"]
    page = f"/g/{request.group}"
    told = {
        "name": title, "short_name": title[:12], "start_url": page, "id": page, "scope": "/", "display": "standalone",
        "lang": language_of(request.query, request.cookies, request.headers), "icons": ICONS,
        "background_color": "#ffffff", "theme_color": "#1F5FA8",
    }  # fmt: skip
    reply = json_reply(told)
    return Reply(reply.body, 200, "application/manifest+json")

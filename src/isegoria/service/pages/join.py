"""The page of a join link."""

from __future__ import annotations

from isegoria.service.http.request import Reply
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext

MAX_PLACEHOLDER_NAMES = 30  # placeholders shown while names load: more than fit on a screen


def render_join(context: RequestContext) -> Reply:
    """Return the page of the join link; its script then sends the token after the # to load the names."""
    request = context.request
    with context.groups.reading(request.group) as (group, _):
        title, places = group.terms["title"], min(len(group.members), MAX_PLACEHOLDER_NAMES)
        remembers = group.turns is not None
    return render_page(request, "join.html", title=title, group=request.group, places=places, remembers=remembers)

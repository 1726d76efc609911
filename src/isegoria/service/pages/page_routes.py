"""The table of pages: path, handler, and the page that shows an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isegoria.errors import IsegoriaError
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.pages.board import render_board, render_manifest
from isegoria.service.pages.example import render_example
from isegoria.service.pages.forms import FORMS_BY_NAME, parse_form, submit_form
from isegoria.service.pages.group_pages import render_devices, render_group, render_organise, render_today, render_voice
from isegoria.service.pages.home import render_home, submit_new_group
from isegoria.service.pages.join import render_join
from isegoria.service.pages.links import render_links, render_qr_code
from isegoria.service.pages.mail_consent import handle_mail_confirmation, handle_unsubscribe
from isegoria.service.pages.rendering import RejectedForm, render_page
from isegoria.service.pages.spreadsheet_import import import_spreadsheet
from isegoria.service.request_context import RequestContext, Resources
from isegoria.service.web import STATIC_FOLDER
from isegoria.service.web.translations import choose_language, load_verifier_messages, make_translator


@dataclass(frozen=True)
class PageRoute:
    """A page: its method, its path, its handler, and whether it is computed beside uploaded files."""

    method: str
    path: str
    handler: Callable[[RequestContext], Reply]
    is_slow: bool = False


def handle_page_request(resources: Resources, page: PageRoute, request: Request) -> Reply:
    """Return the page, or the page that shows why there is none."""
    context = resources.open_context(request)
    try:
        return page.handler(context)
    except IsegoriaError as error:
        return render_error(context, page, error)


def render_error(context: RequestContext, page: PageRoute, error: IsegoriaError) -> Reply:
    """Return the error page: the form's page with the message beside its field, or the message alone."""
    request = context.request
    status, headers = getattr(error, "status", 400), getattr(error, "headers", None)
    name = request.parameters.get("step", "") if page.handler is submit_form else ""
    form = FORMS_BY_NAME[name][0] if name in FORMS_BY_NAME else None
    if form is not None and form.page in PAGES_WITH_FORMS and status not in (401, 403, 404):
        try:
            return PAGES_WITH_FORMS[form.page](
                context, RejectedForm(form.name, error.message, parse_form(request), status)
            )
        except IsegoriaError as other:  # the actor's access may have changed meanwhile
            error, status = other, getattr(other, "status", 400)
    back = f"/g/{request.group}" if request.group and status != 404 else "/"
    return render_page(request, "message.html", status, headers, refused=error.message, back=back)


def render_missing_page(request: Request) -> Reply:
    """Return the page for an address that does not exist."""
    say = make_translator(choose_language(request.query, request.cookies, request.headers))
    return render_page(request, "message.html", 404, refused=say("no_such_page"), back="/")


def render_offline(context: RequestContext) -> Reply:
    """Return the page that a device keeps for the time when this server cannot be reached."""
    return render_page(context.request, "offline.html")


def get_offline_worker(context: RequestContext) -> Reply:
    """Return the worker that shows that page; its address is above all pages, so that it may stand for each."""
    return Reply((STATIC_FOLDER / "app" / "offline_worker.js").read_bytes(), media="text/javascript")


def get_verifier_messages(context: RequestContext) -> Reply:
    """Return the messages of the verifier's page in all languages except English."""
    return make_json_reply(load_verifier_messages())


PAGES_WITH_FORMS: dict[str, Callable[..., Reply]] = {
    "": render_today,
    "/organise": render_organise,
    "/devices": render_devices,
    "/links": render_links,
}
PAGE_ROUTES = [
    PageRoute("GET", "/", render_home),
    PageRoute("POST", "/new", submit_new_group),
    PageRoute("GET", "/example", render_example, is_slow=True),
    PageRoute("POST", "/sheet", import_spreadsheet, is_slow=True),
    PageRoute("POST", "/qr", render_qr_code, is_slow=True),
    PageRoute("GET", "/g/{group}", render_today),
    PageRoute("GET", "/g/{group}/voice", render_voice),
    PageRoute("GET", "/g/{group}/group", render_group),
    PageRoute("GET", "/g/{group}/organise", render_organise),
    PageRoute("GET", "/g/{group}/devices", render_devices),
    PageRoute("GET", "/g/{group}/links", render_links),
    PageRoute("GET", "/g/{group}/join", render_join),
    PageRoute("POST", "/g/{group}/do/{step}", submit_form),
    PageRoute("GET", "/g/{group}/board", render_board),
    PageRoute("GET", "/g/{group}/manifest.webmanifest", render_manifest),
    PageRoute("GET", "/offline", render_offline),
    PageRoute("GET", "/offline-worker.js", get_offline_worker),
    PageRoute("GET", "/verify/words.json", get_verifier_messages),
    PageRoute("GET", "/mail/{token}", handle_mail_confirmation),
    PageRoute("POST", "/mail/{token}", handle_mail_confirmation),
    PageRoute("GET", "/stop/{token}", handle_unsubscribe),
    PageRoute("POST", "/stop/{token}", handle_unsubscribe),
]

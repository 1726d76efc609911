"""A page from its template, in the language of whoever asks."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import date
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor, csrf_token
from isegoria.service.timetable import time_zone
from isegoria.service.web import TEMPLATES
from isegoria.service.web.words import COOKIE, LANGUAGES, day_text, language_of, moment_text, reworded, speaker

environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def html(
    request: Request, template: str, status: int = 200, headers: dict[str, Any] | None = None, **values: Any
) -> Reply:
    """A page made from a template, in the language of whoever asks."""
    language = language_of(request.query, request.cookies, request.headers)
    say = speaker(language)
    zone = time_zone((values.get("view") or {}).get("zone", "UTC"))
    shared: dict[str, Any] = {
        "said": None, "refused": None, "say": say, "language": language, "languages": LANGUAGES, "view": None,
        "path": request.path if request.method == "GET" else None, "tab": None, "roles": frozenset(), "title": None,
        "day": lambda text: day_text(say, date.fromisoformat(text)), "moment": lambda at: moment_text(say, at, zone),
    }  # fmt: skip
    if values.get("refused"):
        values["refused"] = reworded(values["refused"], language)
    text = environment.get_template(template).render(shared | values)
    headers = dict(headers or {})
    if request.query.get("lang") == language:
        headers.setdefault("set-cookie", f"{COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax")
    return Reply(text.encode(), status, "text/html", headers)


def hidden(actor: Actor | None) -> Callable[[], Markup]:
    """The hidden fields of a form: a key of its own, and the token that shows it to be ours."""

    def fields() -> Markup:
        csrf = csrf_token(actor.token) if actor else ""
        return Markup(
            f'<input type="hidden" name="key" value="{secrets.token_urlsafe(12)}">'
            f'<input type="hidden" name="csrf" value="{csrf}">'
        )

    return fields

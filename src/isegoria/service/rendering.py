"""A page from its template, in the language of whoever asks."""

from __future__ import annotations

import secrets

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from isegoria.service.asking import Asked, Reply
from isegoria.service.http.tokens import Actor, form_mark
from isegoria.service.timetable import utc_text
from isegoria.service.web import TEMPLATES
from isegoria.service.web.words import COOKIE, LANGUAGES, language_of, reworded, speaker

environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
environment.filters["moment"] = utc_text


def html(asked: Asked, template: str, status: int = 200, headers: dict | None = None, **values) -> Reply:
    """A page made from a template, in the language of whoever asks."""
    language = language_of(asked.query, asked.cookies, asked.headers)
    shared = {"said": None, "refused": None, "say": speaker(language), "language": language, "languages": LANGUAGES,
              "path": asked.path if asked.method == "GET" else None, "view": None, "tab": None}  # fmt: skip
    if values.get("refused"):
        values["refused"] = reworded(values["refused"], language)
    text = environment.get_template(template).render(shared | values)
    headers = dict(headers or {})
    if asked.query.get("lang") == language:
        headers.setdefault("set-cookie", f"{COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax")
    return Reply(text.encode(), status, "text/html", headers)


def hidden(actor: Actor | None):
    """The hidden fields of a form: a key of its own, and the mark that shows it to be ours."""

    def fields() -> Markup:
        mark = form_mark(actor.token) if actor else ""
        return Markup(
            f'<input type="hidden" name="key" value="{secrets.token_urlsafe(12)}">'
            f'<input type="hidden" name="mark" value="{mark}">'
        )

    return fields

"""Rendering of pages from templates, in the visitor's language."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from isegoria.service.groups.timetable import parse_time_zone
from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor, make_csrf_token
from isegoria.service.web import TEMPLATES_FOLDER
from isegoria.service.web.translations import (
    LANGUAGE_COOKIE,
    choose_language,
    format_day,
    format_short_day,
    format_short_time,
    format_time,
    list_languages,
    make_number_formatter,
    make_translator,
    translate_error_for_page,
)

template_environment = Environment(
    loader=FileSystemLoader(TEMPLATES_FOLDER),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def make_option_marks(arms: Sequence[str]) -> dict[str, str]:
    """Return a short, unique letter mark for each option, so that its colour is never the only sign.

    >>> make_option_marks(["noodles", "salad", "soup", "Soup 2"])
    {'noodles': 'N', 'salad': 'Sa', 'soup': 'S3', 'Soup 2': 'S4'}
    """
    many = [Counter(arm[:size].casefold() for arm in arms) for size in (1, 2)]
    found = {}
    for number, arm in enumerate(arms, 1):
        alone = [arm[:size].capitalize() for size in (1, 2) if many[size - 1][arm[:size].casefold()] == 1]
        found[arm] = alone[0] if alone else f"{arm[:1].upper()}{number}"
    return found


def format_percentages(shares: Sequence[float]) -> list[str]:
    """Format shares of a whole as percentages that add up to 100; a positive one is never shown as 0.

    >>> format_percentages([0.584, 0.292, 0.124]), format_percentages([0.998, 0.002, 0.0])
    (['59', '29', '12'], ['100', '<1', '0'])
    """
    whole = [int(100 * share + 1e-9) for share in shares]
    largest = sorted(range(len(shares)), key=lambda k: round(whole[k] - 100 * shares[k], 9))
    for k in largest[: round(100 * sum(shares)) - sum(whole)]:
        whole[k] += 1
    return ["<1" if not one and share > 0 else str(one) for one, share in zip(whole, shares, strict=True)]


def format_percentage(share: float) -> str:
    """Format one share as a percentage; a positive one is never shown as 0."""
    return "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"


class RejectedForm(NamedTuple):
    """A rejected form: its name, the error message, the submitted values, and the status of the response."""

    step: str
    sentence: str
    given: Mapping[str, Sequence[str]]
    status: int = 400


def capitalise(sentence: str) -> str:
    """Capitalise the first letter of a sentence."""
    return sentence[:1].upper() + sentence[1:]


def make_form_helpers(failed: RejectedForm | None, language: str) -> dict[str, Callable[..., Any]]:
    """Return the template functions for a rejected form.

    `wrong(step, …)` renders the error message beside its field; `kept(step, field, usual)` returns the submitted value.
    """

    def wrong(*steps: str) -> Markup:
        if failed is None or failed.step not in steps:
            return Markup("")
        return Markup('<p role="alert" class="refused" id="wrong">{}</p>').format(
            capitalise(translate_error_for_page(failed.sentence, language))
        )

    def kept(step: str, name: str, usual: Any = "") -> Any:
        return failed.given.get(name, [usual])[0] if failed is not None and failed.step == step else usual

    return {"wrong": wrong, "kept": kept}


def render_page(
    request: Request,
    template: str,
    status: int = 200,
    headers: dict[str, Any] | None = None,
    failed: RejectedForm | None = None,
    **values: Any,
) -> Reply:
    """Render a template in the visitor's language; `failed` is a rejected form on that page."""
    language = choose_language(request.query, request.cookies, request.headers)
    say = make_translator(language)
    view = values.get("view") or {}
    zone, today = parse_time_zone(view.get("zone", "UTC")), view.get("date", "")
    shared: dict[str, Any] = {
        "said": None,
        "refused": None,
        "say": say,
        "language": language,
        "languages": list_languages(),
        "view": None,
        "path": request.path if request.method == "GET" else None,
        "tab": None,
        "roles": frozenset(),
        "title": None,
        "day": lambda text: format_day(say, date.fromisoformat(text)),
        "moment": lambda at: format_time(say, at, zone),
        "day_short": lambda text: format_short_day(say, date.fromisoformat(text)),
        "number": make_number_formatter(say),
        "percentages": format_percentages,
        "percentage": format_percentage,
        "marks": make_option_marks(view.get("arms") or values.get("arms") or ()),
        "failed": failed,
        "soon": lambda at: format_short_time(say, at, zone, today),
        **make_form_helpers(failed, language),
    }
    if values.get("refused"):
        values["refused"] = capitalise(translate_error_for_page(values["refused"], language))
    text = template_environment.get_template(template).render(shared | values)
    headers = dict(headers or {})
    if request.query.get("lang") == language:
        headers.setdefault("set-cookie", f"{LANGUAGE_COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax")
    return Reply(text.encode(), status if failed is None else failed.status, "text/html", headers)


def make_hidden_fields(actor: Actor | None) -> Callable[[], Markup]:
    """Return a function that renders a form's hidden fields: an idempotency key and the CSRF token."""

    def fields() -> Markup:
        csrf = make_csrf_token(actor.token) if actor else ""
        return Markup(
            f'<input type="hidden" name="key" value="{secrets.token_urlsafe(16)}">'
            f'<input type="hidden" name="csrf" value="{csrf}">'
        )

    return fields

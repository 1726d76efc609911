"""A page from its template, in the language of whoever asks."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from isegoria.service.http.request import Reply, Request
from isegoria.service.http.tokens import Actor, csrf_token
from isegoria.service.timetable import time_zone
from isegoria.service.web import TEMPLATES
from isegoria.service.web.words import (
    COOKIE,
    day_short,
    day_text,
    for_people,
    language_of,
    languages,
    moment_text,
    number_text,
    short_moment,
    speaker,
)

environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def marks(arms: Sequence[str]) -> dict[str, str]:
    """A short mark of letters for each option, no two alike, so that its colour never stands alone.

    >>> marks(["noodles", "salad", "soup", "Soup 2"])
    {'noodles': 'N', 'salad': 'Sa', 'soup': 'S3', 'Soup 2': 'S4'}
    """
    many = [Counter(arm[:size].casefold() for arm in arms) for size in (1, 2)]
    found = {}
    for number, arm in enumerate(arms, 1):
        alone = [arm[:size].capitalize() for size in (1, 2) if many[size - 1][arm[:size].casefold()] == 1]
        found[arm] = alone[0] if alone else f"{arm[:1].upper()}{number}"
    return found


class Failed(NamedTuple):
    """A form that was refused: its name, the sentence, what was typed, and the status of the answer."""

    step: str
    sentence: str
    given: Mapping[str, Sequence[str]]
    status: int = 400


def begun(sentence: str) -> str:
    """A sentence with a capital letter, as a page begins one."""
    return sentence[:1].upper() + sentence[1:]


def beside(failed: Failed | None, language: str) -> dict[str, Callable[..., Any]]:
    """What a template says of a form that was refused: `wrong(step, …)` the sentence, beside the field it is about;
    `kept(step, field, usual)` what was typed there.
    """

    def wrong(*steps: str) -> Markup:
        if failed is None or failed.step not in steps:
            return Markup("")
        return Markup('<p role="alert" class="refused" id="wrong">{}</p>').format(
            begun(for_people(failed.sentence, language))
        )

    def kept(step: str, name: str, usual: Any = "") -> Any:
        return failed.given.get(name, [usual])[0] if failed is not None and failed.step == step else usual

    return {"wrong": wrong, "kept": kept}


def html(
    request: Request,
    template: str,
    status: int = 200,
    headers: dict[str, Any] | None = None,
    failed: Failed | None = None,
    **values: Any,
) -> Reply:
    """A page made from a template, in the language of whoever asks; `failed` is a form on it that was refused."""
    language = language_of(request.query, request.cookies, request.headers)
    say = speaker(language)
    view = values.get("view") or {}
    zone, today = time_zone(view.get("zone", "UTC")), view.get("date", "")
    shared: dict[str, Any] = {
        "said": None, "refused": None, "say": say, "language": language, "languages": languages(), "view": None,
        "path": request.path if request.method == "GET" else None, "tab": None, "roles": frozenset(), "title": None,
        "day": lambda text: day_text(say, date.fromisoformat(text)), "moment": lambda at: moment_text(say, at, zone),
        "day_short": lambda text: day_short(say, date.fromisoformat(text)), "number": number_text(say),
        "marks": marks(view.get("arms") or values.get("arms") or ()), "failed": failed,
        "soon": lambda at: short_moment(say, at, zone, today),
        **beside(failed, language),
    }  # fmt: skip
    if values.get("refused"):
        values["refused"] = begun(for_people(values["refused"], language))
    text = environment.get_template(template).render(shared | values)
    headers = dict(headers or {})
    if request.query.get("lang") == language:
        headers.setdefault("set-cookie", f"{COOKIE}={language}; Path=/; Max-Age=31536000; SameSite=Lax")
    return Reply(text.encode(), status if failed is None else failed.status, "text/html", headers)


def hidden(actor: Actor | None) -> Callable[[], Markup]:
    """The hidden fields of a form: a key of its own, and the token that shows it to be ours."""

    def fields() -> Markup:
        csrf = csrf_token(actor.token) if actor else ""
        return Markup(
            f'<input type="hidden" name="key" value="{secrets.token_urlsafe(12)}">'
            f'<input type="hidden" name="csrf" value="{csrf}">'
        )

    return fields

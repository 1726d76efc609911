"""The page that needs no installation, as one file: a table, one phone, a link in the chat, turns, and the verifier."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from isegoria.service.web import STATIC_FOLDER
from isegoria.service.web.translations import (
    list_languages,
    load_explorer_messages,
    load_page_messages,
    load_verifier_messages,
)
from isegoria.verifier import PAGE_MODULE, VERIFIER_MODULES, WEB_DIR, bundle_modules, inline_page

MODULE_FOLDERS = {**VERIFIER_MODULES, "/static/": STATIC_FOLDER}
ENTRY_MODULES = ("/static/page/keep.js", PAGE_MODULE, "/static/page/main.js")
"""`keep.js` first: it keeps the page as it came, to save it again with a table inside."""
VERIFIER_BODY_PATTERN = re.compile(r"<main>.*(?=<footer>)", re.DOTALL)


def build_one_page(table: Mapping[str, Any] | None = None) -> str:
    """Return the page as one self-contained file, with a table inside if one is given.

    Parameters
    ----------
    table : mapping, optional
        What the page should open with: `arms`, `agents`, `weights` and `means` from 0 to 1.

    Returns
    -------
    str
        The file's text. It asks no network for anything, which its content security policy also forbids.

    Examples
    --------
    >>> page = build_one_page()
    >>> "default-src 'none'" in page, len(page) < 450_000
    (True, True)
    """
    folder = STATIC_FOLDER / "page"
    verifier = VERIFIER_BODY_PATTERN.search((WEB_DIR / "index.html").read_text(encoding="utf-8"))
    assert verifier is not None  # its page and this pattern are changed together
    text = (folder / "index.html").read_text(encoding="utf-8").replace("VERIFIER", verifier[0] + "</main>", 1)
    styles = (WEB_DIR / "style.css", STATIC_FOLDER / "story.css", folder / "page.css")
    messages = {code: {**load_explorer_messages(code), **load_page_messages(code)} for code in list_languages()}
    data = {
        "brought": load_verifier_messages(),
        "messages": messages,
        "kept": None if table is None else {"table": dict(table)},
    }
    return inline_page(
        text,
        bundle_modules(ENTRY_MODULES, MODULE_FOLDERS),
        "".join(path.read_text(encoding="utf-8") for path in styles),
        {id: json.dumps(value, ensure_ascii=False, separators=(",", ":")) for id, value in data.items()},
    )

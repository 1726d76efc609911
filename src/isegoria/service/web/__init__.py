"""Pages of the service: templates, stylesheet and scripts, served as they are without a build step."""

from __future__ import annotations

from pathlib import Path

WEB_FOLDER = Path(__file__).parent
TEMPLATES_FOLDER = WEB_FOLDER / "templates"
STATIC_FOLDER = WEB_FOLDER / "static"

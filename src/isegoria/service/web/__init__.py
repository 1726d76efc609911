"""The pages of the service: templates, stylesheet and scripts. Nothing here is built; it is served as it stands."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
STATIC = HERE / "static"

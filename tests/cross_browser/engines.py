"""The engines: how each is started with a look (light or dark), and how its page is made as narrow as a phone.

with engine("firefox", scheme="dark") as session: …
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cross_browser.webdriver import BrowserSession, HttpDriver, MarionetteDriver

NEEDED = {"firefox": ["firefox-esr"], "webkit": ["WebKitWebDriver", "Xvfb"]}
PACKAGES = {"firefox-esr": "firefox-esr", "WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
WIDEST = 1400
MINI = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
NO_SCRIPTS = {"webkitgtk:browserOptions": {"binary": MINI, "args": ["--automation", "--enable-javascript=false"]}}
"""WebKit's own small browser, without the scripts of pages; the driver has its own."""
NARROW_WINDOW_CSS = "* { min-width: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; }"
"""A window of WebKit is as narrow as its own buttons let it be."""


def list_missing_packages() -> list[str]:
    """The packages of Debian that are wanted and not there."""
    programs = [program for wanted in NEEDED.values() for program in wanted]
    return [PACKAGES[program] for program in programs if not shutil.which(program)]


@contextmanager
def start_engine(name: str, scheme: str = "light", scripts: bool = True) -> Iterator[BrowserSession]:
    """A session in an engine of its own, with nothing kept from before."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        start = {"firefox": _firefox, "webkit": _webkit}[name]
        with start(Path(folder), scheme, scripts) as session:
            yield session


@contextmanager
def _firefox(folder: Path, scheme: str, scripts: bool) -> Iterator[BrowserSession]:
    port = _find_free_port()
    settings = {
        "marionette.port": port,
        "javascript.enabled": scripts,
        "layout.css.prefers-color-scheme.content-override": 0 if scheme == "dark" else 1,
        "network.dns.localDomains": "lunch.group.test",  # a name that leads here and is no secure context
        "ui.prefersReducedMotion": 1,
        "browser.shell.checkDefaultBrowser": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "app.update.auto": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        "services.settings.server": "data:,",  # asks nobody for lists
    }
    lines = [f"user_pref({_quoted(key)}, {_quoted(value)});" for key, value in settings.items()]
    (folder / "user.js").write_text("\n".join(lines))
    words = [
        "firefox-esr",
        "--headless",
        "--marionette",
        "-remote-allow-system-access",
        "--no-remote",
        "--profile",
        str(folder),
    ]
    size = {"MOZ_HEADLESS_WIDTH": str(WIDEST), "MOZ_HEADLESS_HEIGHT": "1000", "HOME": str(folder)}
    with _run_program(words, size):
        yield BrowserSession(MarionetteDriver(port), _narrow_firefox)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _narrow_firefox(session: BrowserSession, pixels: int) -> None:
    """Its window cannot be narrower than its own buttons; the part of it that shows the page can."""
    session.call("Marionette:SetContext", {"value": "chrome"})
    script = "const s = gBrowser.selectedBrowser.style; s.minWidth = s.maxWidth = arguments[0] + 'px';"
    session.call("ExecuteScript", {"script": script, "args": [pixels]})
    session.call("Marionette:SetContext", {"value": "content"})


@contextmanager
def _webkit(folder: Path, scheme: str, scripts: bool) -> Iterator[BrowserSession]:
    port, screen = _find_free_port(), f":{_find_free_port() % 900 + 100}"
    look = folder / "gtk-3.0"
    look.mkdir()
    look.joinpath("settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
    look.joinpath("gtk.css").write_text(NARROW_WINDOW_CSS)
    theme = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "DISPLAY": screen}
    theme |= {"GTK_THEME": "Adwaita:dark" if scheme == "dark" else "Adwaita"}
    theme |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}  # there is none for root
    with (
        _run_program(["Xvfb", screen, "-screen", "0", f"{WIDEST}x1000x24", "-nolisten", "tcp"], {}),
        _run_program(["WebKitWebDriver", f"--port={port}"], theme),
    ):
        yield BrowserSession(HttpDriver(port, {} if scripts else NO_SCRIPTS), _narrow_webkit)


def _narrow_webkit(session: BrowserSession, pixels: int) -> None:
    session.call("SetWindowRect", {"x": 0, "y": 0, "width": pixels, "height": 900})
    inner = session.script("return innerWidth")
    if inner != pixels:  # frames of the window
        session.call("SetWindowRect", {"x": 0, "y": 0, "width": 2 * pixels - inner, "height": 900})


def _find_free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def _run_program(words: list[str], environment: dict[str, str]) -> Iterator[None]:
    program = subprocess.Popen(
        words,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(program.pid, 15)
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, 9)

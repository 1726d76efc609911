"""`BrowserSession`: one browser window, driven by the commands of the W3C's WebDriver, whichever engine is behind it.

Debian's WebKitWebDriver speaks them over HTTP. Firefox has no driver in the registries, but it understands the same
commands itself, by name, over a socket (Marionette), so these few lines take the place
of a package: none drives both.
"""

from __future__ import annotations

import base64
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATHS = {
    "Navigate": ("POST", "/url"),
    "Back": ("POST", "/back"),
    "Forward": ("POST", "/forward"),
    "Refresh": ("POST", "/refresh"),
    "ExecuteScript": ("POST", "/execute/sync"),
    "ExecuteAsyncScript": ("POST", "/execute/async"),
    "FindElement": ("POST", "/element"),
    "ElementClick": ("POST", "/element/{id}/click"),
    "ElementClear": ("POST", "/element/{id}/clear"),
    "ElementSendKeys": ("POST", "/element/{id}/value"),
    "PerformActions": ("POST", "/actions"),
    "SetTimeouts": ("POST", "/timeouts"),
    "SetWindowRect": ("POST", "/window/rect"),
    "NewWindow": ("POST", "/window/new"),
    "SwitchToWindow": ("POST", "/window"),
    "CloseWindow": ("DELETE", "/window"),
    "GetWindowHandle": ("GET", "/window"),
    "TakeScreenshot": ("GET", "/screenshot"),
}
"""Where WebDriver has over HTTP what Marionette has by name."""
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Space": " ", "ArrowRight": "\ue014"}
WAIT_TIMEOUT_SECONDS = 45.0
TRIES = 4


class WebDriverError(Exception):
    """What the browser said instead of an answer."""


class MarionetteDriver:
    """Commands to a Firefox that was started with --marionette and listens on `port`."""

    def __init__(self, port: int):
        self._line = _connect(port)
        self._number = 0
        self._answer()
        self("NewSession", {})

    def __call__(self, name: str, given: dict[str, Any]) -> Any:
        self._number += 1
        where = name if ":" in name else f"WebDriver:{name}"
        text = json.dumps([0, self._number, where, given]).encode()
        self._line.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, found = self._answer()
        if error:
            raise WebDriverError(f"{name}: {error['message']}")
        return found["value"] if isinstance(found, dict) and set(found) == {"value"} else found

    def _answer(self) -> Any:
        size = b""
        while (one := self._line.recv(1)) != b":":
            size += one
        text = b""
        while len(text) < int(size):
            text += self._line.recv(int(size) - len(text))
        return json.loads(text)


class HttpDriver:
    """Commands to a driver that listens on `port`, in one session with these `capabilities`."""

    def __init__(self, port: int, capabilities: dict[str, Any]):
        self._site = f"http://127.0.0.1:{port}"
        _connect(port).close()
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = f"/session/{made['sessionId']}"

    def __call__(self, name: str, given: dict[str, Any]) -> Any:
        method, path = PATHS[name]
        return self._ask(method, self._session + path.format(**given), given if method == "POST" else None)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self._site + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise WebDriverError(f"{path}: {json.load(error)['value']['message']}") from None


def _connect(port: int) -> socket.socket:
    """A connection to a program that may still be starting."""
    until = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=120)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


class BrowserSession:
    """A window: `call(name, given)` sends a command; `narrow(width)` makes its page so wide."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any], narrow: Callable[[BrowserSession, int], None]):
        self.call, self._narrow = call, narrow
        self.call("SetTimeouts", {"script": 60_000, "pageLoad": 60_000})

    def open(self, address: str) -> None:
        self.call("Navigate", {"url": address})

    def back(self) -> None:
        self.call("Back", {})

    def forward(self) -> None:
        self.call("Forward", {})

    def reload(self) -> None:
        self.call("Refresh", {})

    def width(self, pixels: int) -> None:
        self._narrow(self, pixels)
        self.until(f"return Math.abs(innerWidth - {pixels}) < 2", f"a page {pixels} px wide")

    def script(self, text: str) -> Any:
        """What a function with this body returns; a promise is waited for."""
        body = f"(async () => {{ {text} }})().then(arguments[0], e => arguments[0]({{broken: String(e)}}))"
        found = self.call("ExecuteAsyncScript", {"script": body, "args": []})
        if isinstance(found, dict) and "broken" in found:
            raise WebDriverError(found["broken"])
        return found

    def until(self, condition: str, what: str) -> Any:
        """Look until a script returns something true; say `what` was waited for if it never does."""
        until, found = time.monotonic() + WAIT_TIMEOUT_SECONDS, None
        while not found:
            try:
                found = self.script(condition)
            except WebDriverError:  # the page was on its way elsewhere
                found = None
            if not found and time.monotonic() > until:
                raise WebDriverError(f"{what} never came; the page says: {self._says()}")
            if not found:
                time.sleep(0.1)
        return found

    def see(self, selector: str, text: str = "") -> str:
        """Wait until an element that fits the selector, and has the text in it, is shown; its id, for a tap."""
        key = f"seen-{time.monotonic_ns()}"
        marks = (
            f"const one = {_find_element_script(selector, text)}; one?.setAttribute('data-seen', '{key}'); return !!one"
        )
        for left in reversed(range(TRIES)):
            self.until(marks, f"{selector} {text}".strip())
            try:
                return self.call("FindElement", {"using": "css selector", "value": f"[data-seen='{key}']"})[ELEMENT]
            except WebDriverError:  # the page has shown itself anew in between
                if not left:
                    raise
        raise AssertionError

    def meets(self, question: str, selector: str, text: str = "") -> bool:
        """Wait for an element as `see` does; True if a question, by its selector, comes instead."""
        condition = (
            f"return document.querySelector({json.dumps(question)}) ? 'asked' : "
            f"({_find_element_script(selector, text)}) && 'seen'"
        )
        return self.until(condition, f"{selector} {text}".strip()) == "asked"

    def tap(self, selector: str, text: str = "") -> None:
        self.call("ElementClick", {"id": self.see(selector, text)})

    def write(self, selector: str, text: str) -> None:
        element = self.see(selector)
        self.call("ElementClear", {"id": element})
        self.call("ElementSendKeys", {"id": element, "text": text})

    def press(self, *names: str) -> None:
        steps = [{"type": kind, "value": KEYS[name]} for name in names for kind in ("keyDown", "keyUp")]
        self.call("PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def text(self, selector: str) -> str:
        """The text of the first element shown that fits; a page on its way elsewhere is looked at when it has come."""
        return self.until(f"return {_find_element_script(selector, '')}?.innerText", selector)

    def tab(self) -> str:
        """A second tab, in front now; the name of the first, for `front`."""
        first = self.call("GetWindowHandle", {})
        self.front(self.call("NewWindow", {"type": "tab"})["handle"])
        return first

    def front(self, name: str) -> None:
        self.call("SwitchToWindow", {"handle": name})

    def close_tab(self) -> None:
        self.call("CloseWindow", {})

    def picture(self, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(base64.b64decode(self.call("TakeScreenshot", {})))

    def _says(self) -> str:
        return str(self.script("return location.pathname + ' ' + document.body.innerText.slice(0, 300)"))


def _find_element_script(selector: str, text: str) -> str:
    """The script of the first element shown that fits."""
    return (
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        ".find(one => one.getClientRects().length && getComputedStyle(one).visibility === 'visible'"
        f" && one.innerText.includes({json.dumps(text)}))"
    )

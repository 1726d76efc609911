"""The page's own modules under Node, asked in JSON."""

import json
import subprocess
import tempfile
import threading
from pathlib import Path

from browser import downloads
from isegoria.service.web.one_page import MODULE_FOLDERS
from isegoria.verifier import bundle_modules

DRIVER = Path(__file__).parent / "driver.mjs"
MODULES = ("rules", "voices", "table", "record", "turns", "chat")


def ask_page(requests: list[dict]) -> list[dict]:
    """The answers of the modules to requests, from one Node process."""
    entries = [f"/static/page/{name}.js" for name in MODULES] + ["/verify/verify.js"]
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle.js"
        bundle.write_text(bundle_modules(entries, MODULE_FOLDERS, run=False), encoding="utf-8")
        command = [downloads.find_node(), str(DRIVER), str(bundle)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as node:
            text = "".join(json.dumps(one) + "\n" for one in requests)
            threading.Thread(target=_feed, args=(node.stdin, text), daemon=True).start()
            answers = [json.loads(line) for line in node.stdout]
    assert len(answers) == len(requests), "Node gave up on the way"
    crashes = [one["crash"] for one in answers if isinstance(one, dict) and "crash" in one]
    assert not crashes, crashes[0]
    return answers


def _feed(pipe, text: str) -> None:
    pipe.write(text)
    pipe.close()

"""The verifiers behind one face: Python here, JavaScript under Node and in Chromium; and the tests' third reader."""

import base64
import json
import subprocess
import threading
from pathlib import Path

from browser import downloads
from isegoria import verifier
from isegoria.verifier.isegoria_verify import verify

WEB = Path(verifier.__file__).parent / "web"
SCRIPT = Path(__file__).parent / "node_verifier.mjs"


def verify_with_python(cases: list[dict]) -> list[dict]:
    return [verify(case["record"], **{key: value for key, value in case.items() if key != "record"}) for case in cases]


def verify_with_reference(cases: list[dict]) -> list[dict]:
    """The verdicts of the reader that was written from the page on the record alone."""
    import reference_verifier

    return [
        reference_verifier.read(case["record"], **{key: value for key, value in case.items() if key != "record"})
        for case in cases
    ]


def encode_case(case: dict) -> dict:
    """A case as JSON can carry it."""
    given = {key: _carried(one) for key, one in case.items() if key != "against"}
    return given | {"against": [[name, _carried(data)] for name, data in case.get("against", ())]}


def _carried(one):
    return base64.b64encode(one).decode() if isinstance(one, bytes) else one


def verify_with_node(cases: list[dict]) -> list[dict]:
    """All verdicts from one Node process, so that its start is paid once."""
    text = "".join(json.dumps(encode_case(case)) + "\n" for case in cases)
    with subprocess.Popen(
        [downloads.find_node(), str(SCRIPT), str(WEB)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as node:
        threading.Thread(target=_feed, args=(node.stdin, text), daemon=True).start()
        answers = [json.loads(line) for line in node.stdout]
    assert len(answers) == len(cases), "Node gave up on the way"
    return answers


def _feed(pipe, text: str) -> None:
    pipe.write(text)
    pipe.close()


IN_BROWSER = """async ({ cases, module }) => {
  const { verify } = await import(module);
  const bytes = (text) => (text == null ? null : Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  const answers = [];
  for (const { record, receipt, names, trust, head, quorum, against = [], beacon = null, now,
  } of cases) {
    const beside = against.map(([name, data]) => ({ name, data: bytes(data) }));
    const files = { receipt: bytes(receipt), names: bytes(names), against: beside };
    const given = { ...files, trust, head, quorum, beacon: bytes(beacon), now };
    answers.push(await verify(bytes(record), given).catch((error) => ({ crash: String(error.stack) })));
  }
  return answers;
}"""


def verify_with_chromium(page, cases: list[dict]) -> list[dict]:
    """The verdicts of the page's own modules, loaded from a server that is not there."""
    page.route("http://verifier.group.test/**", _serve)
    page.goto("http://verifier.group.test/blank.html")
    given = {"cases": [encode_case(case) for case in cases], "module": "/verify.js"}
    return page.evaluate(IN_BROWSER, given)


def _serve(route) -> None:
    path = route.request.url.split("/", 3)[3]
    if path == "blank.html":
        route.fulfill(body="<!doctype html><title>t</title>", content_type="text/html")
    else:
        route.fulfill(body=(WEB / path).read_text(encoding="utf-8"), content_type="text/javascript")

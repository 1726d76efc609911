"""Two verifiers of a record, written from its description and not from its writer: a Python file and a web page."""

import posixpath
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

PACKAGE_DIR = Path(__file__).parent
WEB_DIR = PACKAGE_DIR / "web"
VERIFIER_MODULES = {"/verify/": WEB_DIR}
"""Where the modules are whose address begins with a prefix, as a server has them."""
PAGE_MODULE = "/verify/page.js"
IMPORT_PATTERN = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
DYNAMIC_IMPORT_PATTERN = re.compile(r'await import\("([^"]+)"\)')
EXPORT_PATTERN = re.compile(r"^export (?:async )?(?:function|class|const) ([\w$]+)", re.MULTILINE)
VENDOR_EXPORT_PATTERN = re.compile(r"export\s*\{([^}]*)\};?\s*$")


def read_script() -> str:
    """Return the text of the one-file verifier, for `python3 -I -S isegoria_verify.py RECORD`."""
    return (PACKAGE_DIR / "isegoria_verify.py").read_text(encoding="utf-8")


def build_page(words: str = "") -> str:
    """Return the verifier's page as one self-contained file, which works when saved and without a network.

    `words` is the text of a `words.json` with languages other than English, if the page should offer them.
    """
    text = (WEB_DIR / "index.html").read_text(encoding="utf-8")
    text = text.replace('<link rel="stylesheet" href="style.css">', "<style></style>", 1)
    text = text.replace('<script type="module" src="page.js"></script>\n', "", 1)
    style = (WEB_DIR / "style.css").read_text(encoding="utf-8")
    data = {"brought": words} if words else {}
    return inline_page(text, bundle_modules([PAGE_MODULE], VERIFIER_MODULES), style, data)


def inline_page(text: str, code: str, style: str, data: Mapping[str, str]) -> str:
    """Return a page with its script, its style and JSON `data` by id inside.

    The page's content security policy allows exactly this script and this style, by their hashes, and no connection.
    """
    policy = (
        f"default-src 'none'; script-src '{_hash_for_csp(code)}'; style-src '{_hash_for_csp(style)}'; "
        "img-src data:; form-action 'none'"
    )
    text = text.replace("<title>", f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>', 1)
    text = text.replace("<style></style>", f"<style>{style}</style>", 1)
    blocks = [
        f'<script type="application/json" id="{id}">' + json.replace("<", "\\u003c") + "</script>\n"
        for id, json in data.items()
    ]
    return text.replace("</body>", "".join(blocks) + f"<script>{code}</script>\n</body>", 1)


def bundle_modules(entries: Sequence[str], folders: Mapping[str, Path], run: bool = True) -> str:
    """Return modules and all that they import as one script, which runs the `entries` in their order.

    Browsers load no modules from files, so each module becomes a function that returns its exports. A module goes by
    its address on a server; `folders` says where addresses with a prefix are.
    """
    found: dict[str, str] = {}
    for entry in entries:
        _collect_modules(entry, folders, found)
    code = "const modules = {}, made = {};\nconst load = (name) => (made[name] ??= modules[name]());\n"
    code += "".join(_wrap_module(name, text) for name, text in found.items())
    calls = " ".join(f'await load("{entry}");' for entry in entries)
    return code + (f"(async () => {{ {calls} }})();\n" if run else "")


def _collect_modules(name: str, folders: Mapping[str, Path], found: dict[str, str]) -> None:
    """Add a module's text to `found`, after everything that it imports."""
    if name in found:
        return
    prefix = next(prefix for prefix in folders if name.startswith(prefix))
    text = (folders[prefix] / name.removeprefix(prefix)).read_text(encoding="utf-8")
    for other in [match[1] for match in IMPORT_PATTERN.findall(text)] + DYNAMIC_IMPORT_PATTERN.findall(text):
        _collect_modules(_resolve_module(name, other), folders, found)
    found[name] = text


def _resolve_module(name: str, other: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), other))


def _wrap_module(name: str, text: str) -> str:
    """Return a module as a function that returns its exports."""
    if "/vendor/" in name:
        listed = "".join(VENDOR_EXPORT_PATTERN.findall(text))
        pairs = [part.split(" as ") for part in listed.split(",")]
        body = (
            VENDOR_EXPORT_PATTERN.sub("", text)
            + f"\nreturn {{{', '.join(f'{pair[-1]}: {pair[0]}' for pair in pairs)}}};"
        )
    else:
        names = EXPORT_PATTERN.findall(text)

        def refer(path: str) -> str:
            return f'load("{_resolve_module(name, path)}")'

        body = IMPORT_PATTERN.sub(lambda m: f"const {{{m[1].replace(' as ', ': ')}}} = {refer(m[2])};", text)
        body = DYNAMIC_IMPORT_PATTERN.sub(lambda m: refer(m[1]), body)
        body = re.sub(r"^export ", "", body, flags=re.MULTILINE) + f"\nreturn {{{', '.join(names)}}};"
    asynchronous = "async " if name == PAGE_MODULE else ""
    return f'modules["{name}"] = {asynchronous}() => {{\n{body}\n}};\n'.replace("</script", "<\\/script")


def _hash_for_csp(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

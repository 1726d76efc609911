"""Two verifiers of a record, written from its description and not from its writer: one file of Python, one page."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
WEB = HERE / "web"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([^"]+)";$', re.MULTILINE)
LATER = re.compile(r'await import\("\./([^"]+)"\)')
EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
VENDOR_EXPORT = re.compile(r"export\s*\{([^}]*)\};?\s*$")


def script() -> str:
    """The text of the one-file verifier, for `python3 -I -S isegoria_verify.py RECORD`."""
    return (HERE / "isegoria_verify.py").read_text(encoding="utf-8")


def page(words: str = "") -> str:
    """The verifier's page as one file with everything in it: it works from a saved file, without a network.

    `words` is the text of a `words.json` with further languages than English, if it is to speak them.

    Browsers load no modules from files, so each module becomes a function that returns what it exports. The page
    allows itself exactly this script and this style, by their hashes, and no connection at all.
    """
    code = "const modules = {}, made = {};\nconst load = (name) => (made[name] ??= modules[name]());\n"
    code += "".join(_module(name) for name in _needed("page.js"))
    code += '(async () => { await load("page.js"); })();\n'
    style = (WEB / "style.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; img-src data:; form-action 'none'"
    )
    text = (WEB / "index.html").read_text(encoding="utf-8")
    text = text.replace("<title>", f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>', 1)
    text = text.replace('<link rel="stylesheet" href="style.css">', f"<style>{style}</style>", 1)
    text = text.replace('<script type="module" src="page.js"></script>\n', "", 1)
    brought = words.replace("<", "\\u003c")
    data = f'<script type="application/json" id="brought">{brought}</script>\n' if words else ""
    return text.replace("</body>", f"{data}<script>{code}</script>\n</body>", 1)


def _needed(name: str) -> list[str]:
    """A module and everything that it imports, itself last."""
    found: list[str] = []
    text = (WEB / name).read_text(encoding="utf-8")
    for other in [match[1] for match in IMPORT.findall(text)] + LATER.findall(text):
        found += [one for one in _needed(_beside(name, other)) if one not in found]
    return [*found, name]


def _beside(name: str, other: str) -> str:
    folder = name.rpartition("/")[0]
    return f"{folder}/{other}" if folder else other


def _module(name: str) -> str:
    """A module as a function that returns its exports."""
    text = (WEB / name).read_text(encoding="utf-8")
    if "/" in name:
        listed = "".join(VENDOR_EXPORT.findall(text))
        pairs = [part.split(" as ") for part in listed.split(",")]
        body = VENDOR_EXPORT.sub("", text) + f"\nreturn {{{', '.join(f'{pair[-1]}: {pair[0]}' for pair in pairs)}}};"
    else:
        names = EXPORTED.findall(text)
        body = IMPORT.sub(lambda m: f'const {{{m[1].replace(" as ", ": ")}}} = load("{m[2]}");', text)
        body = LATER.sub(lambda m: f'load("{m[1]}")', body)
        body = re.sub(r"^export ", "", body, flags=re.MULTILINE) + f"\nreturn {{{', '.join(names)}}};"
    asynchronous = "async " if name == "page.js" else ""
    return f'modules["{name}"] = {asynchronous}() => {{\n{body}\n}};\n'.replace("</script", "<\\/script")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

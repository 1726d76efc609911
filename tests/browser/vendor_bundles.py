"""The two vendored JavaScript files, made from noble's packages as npm has them.

    python tests/browser/vendor_bundles.py            writes them
    python tests/browser/vendor_bundles.py --check    exits 1 unless the stored files are exactly these

Whoever distrusts a minified file can so make it again: packages and bundler are pinned by version and SHA-256.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from browser import downloads

VENDOR = Path(__file__).parents[2] / "src" / "isegoria" / "verifier" / "web" / "vendor"
ENTRIES = {
    "noble-ed25519.js": """
        import * as ed from "@noble/ed25519/index.js";
        import { sha256, sha512 } from "@noble/hashes/sha2.js";
        import { hmac } from "@noble/hashes/hmac.js";
        ed.hashes.sha512 = sha512;
        const { Point, getPublicKey, sign } = ed;
        export { Point, getPublicKey, hmac, sha256, sha512, sign };
    """,
    "noble-bls12-381.js": 'export { bls12_381 } from "@noble/curves/bls12-381.js";',
}
PARTS = ("@noble/ed25519", "@noble/curves", "@noble/hashes")
BANNER = "/*! noble cryptography, MIT licence, Paul Miller (paulmillr.com): {versions}; see LICENSE-noble.txt */"


def build_bundles() -> dict[str, bytes]:
    """The files as they must be, by name; the licence among them."""
    folders = {part: downloads.install_package(part) for part in PARTS}
    bundler = downloads.install_package("@esbuild/linux-x64") / "bin" / "esbuild"
    bundler.chmod(0o755)
    versions = ", ".join(full for full in downloads.PACKAGES if full.rpartition("@")[0] in PARTS)
    made = {"LICENSE-noble.txt": (folders["@noble/hashes"] / "LICENSE").read_bytes()}
    with tempfile.TemporaryDirectory() as desk:
        for name, entry in ENTRIES.items():
            done = subprocess.run(
                [bundler, "--bundle", "--format=esm", "--minify", "--legal-comments=none", "--target=es2022"]
                + [f"--alias:{part}={folder}" for part, folder in folders.items()]
                + [f"--banner:js={BANNER.format(versions=versions)}"],
                input=entry.encode(),
                stdout=subprocess.PIPE,
                cwd=desk,
                check=True,
            )
            made[name] = done.stdout
    return made


def main() -> int:
    wrong = []
    for name, content in build_bundles().items():
        target = VENDOR / name
        if "--check" not in sys.argv:
            target.write_bytes(content)
        elif not target.exists() or target.read_bytes() != content:
            wrong.append(name)
    print(f"not as noble's packages make them: {', '.join(wrong)}" if wrong else "The vendored files are noble's.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

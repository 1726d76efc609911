"""Server key: encrypts what a store must show again, and authenticates snapshots and backups.

The key is in a file of its own, outside the database, so that a copy of the database alone shows no link, no address
and no ballot secret. All processes of a service share the file.
"""

from __future__ import annotations

import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from isegoria.errors import FileError, InputError
from isegoria.io.storage.atomic_write import write_private
from isegoria.service.store.table_rows import StoreError

KEY_BYTES, NONCE_BYTES = 32, 12
SEALED_PREFIX = "sealed:"
MIN_REQUEST_KEY_LENGTH = 22
"""Characters from which a request key counts as one of 128 random bits: so many does base64 take for 16 bytes."""


class ServerKey:
    """A key of 32 bytes that seals text (AES-256-GCM), each for one place in the store.

    A sealed text that was changed, or moved to another place, is refused.

    >>> key = ServerKey(bytes(32))
    >>> sealed = key.seal("hidden", "people:lunch:1")
    >>> sealed.startswith("sealed:"), key.unseal(sealed, "people:lunch:1")
    (True, 'hidden')
    """

    def __init__(self, secret: bytes) -> None:
        self._cipher = AESGCM(_derive(secret, b"seal"))
        self._authentication_key = _derive(secret, b"authenticate")
        self.id = _derive(secret, b"name").hex()[:32]

    def seal(self, text: str, place: str) -> str:
        """Encrypt a text for one place in the store."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        data = nonce + self._cipher.encrypt(nonce, text.encode(), place.encode())
        return SEALED_PREFIX + urlsafe_b64encode(data).decode()

    def unseal(self, sealed: str, place: str) -> str:
        """Return the text that was sealed for a place; raise `StoreError` if it was not sealed there by this key."""
        try:
            if not sealed.startswith(SEALED_PREFIX):
                raise ValueError
            data = urlsafe_b64decode(sealed[len(SEALED_PREFIX) :])
            return self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], place.encode()).decode()
        except (ValueError, InvalidTag):
            table = place.partition(":")[0]
            raise StoreError(f"a secret in {table} was changed outside this program; restore a backup.") from None

    def authenticate(self, digest: bytes) -> str:
        """Return the message authentication code of a digest (HMAC-SHA256)."""
        return hmac.new(self._authentication_key, digest, sha256).hexdigest()


def _derive(secret: bytes, purpose: bytes) -> bytes:
    return hmac.digest(secret, b"isegoria server key 1\0" + purpose, "sha256")


def load_server_key(path: Path, create: bool) -> ServerKey | None:
    """Return the key in a file; with `create`, write a new one if there is no file, otherwise return None.

    Raise `FileError` if the file cannot be read, and `InputError` if it is no key or if others may read it.
    """
    try:
        if not path.exists():
            if not create:
                return None
            path.parent.mkdir(parents=True, exist_ok=True)
            write_private(path, secrets.token_hex(KEY_BYTES).encode() + b"\n", fresh=True)
        text = path.read_bytes().strip()
        shared = os.name == "posix" and path.stat().st_mode & 0o077
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    if shared:
        raise InputError(f"others can read the server key in {path}; run chmod 600 {path}.")
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != KEY_BYTES:
        raise InputError(f"{path} holds no server key; expected {2 * KEY_BYTES} hexadecimal digits.")
    return ServerKey(secret)


# -- stored responses, under the key of their request ------------------------------------------------------------------


def hash_request_key(actor: str, key: str) -> str:
    """Return the hash under which the response to an actor's request key is stored."""
    return sha256(f"isegoria request 1\0{actor}\0{key}".encode()).hexdigest()


def is_strong_request_key(key: str) -> bool:
    """Return whether a request key can be as long as 128 random bits, so that a response may be stored under it."""
    return len(key) >= MIN_REQUEST_KEY_LENGTH


def make_response_key(key: str) -> ServerKey:
    """Return the key that seals the response to a request; only who knows the request key can make it again."""
    return ServerKey(sha256(b"isegoria response 1\0" + key.encode()).digest())

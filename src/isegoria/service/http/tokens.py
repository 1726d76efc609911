"""Private links, tokens and cookies: who sends a request."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

from isegoria.service.store import TokenRow, Transaction

ROLE_ORGANISER, ROLE_COORGANISER, ROLE_MEMBER, ROLE_STARTER, ROLE_JOIN = (
    "organiser",
    "co-organiser",
    "member",
    "starter",
    "join",
)
ROLE_SCHEDULER = "timetable"  # the scheduler itself: nobody has a token for it
TOKEN_PATTERN = re.compile(r"[A-Za-z0-9_-]{22,64}")
INVALID_COOKIE_CHARACTERS = re.compile(r"[^a-z0-9-]")


PROVENANCE_JOIN, PROVENANCE_LINK = "join_link", "organiser_link"
PROVENANCE_LETTERS = {"member": "letter_typed_by_member", "organiser": "letter_typed_by_organiser"}
"""How the device of a member was let in: by the join link, by a private link that an organiser asked for, or by a
letter to an address, by who typed it."""


class Actor(NamedTuple):
    """Somebody with a valid token: their group, their role and, for a member, their number.

    `how` says how the device was let in: by which kind of link.
    """

    group: str
    role: str
    number: int
    token: str
    how: str = PROVENANCE_LINK

    @property
    def id(self) -> str:
        """Name under which the actor's idempotency keys are stored; it stays the same when a link is reissued."""
        return f"{self.group}:{self.role}:{self.number}"


def generate_token() -> str:
    """Return a new secret of 144 bits, in characters that are safe in any messenger."""
    return secrets.token_urlsafe(18)


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(b"isegoria token 1\0" + token.encode()).hexdigest()


def hash_link_use(link: str) -> str:
    """Return the hash under which the use of a link itself is listed, from the hash of its token; no cookie has it."""
    return hashlib.sha256(b"isegoria link use 1\0" + link.encode()).hexdigest()


def make_token_row(token: str, group: str, role: str, number: int, at: int) -> TokenRow:
    """Return the row that makes a token valid; it contains the token itself until the link is first opened."""
    return TokenRow(hash_token(token), group, role, number, at, None, token)


def make_taken_row(group: str, number: int, at: int) -> TokenRow:
    """Return the row that marks a name as taken by the join link; nobody has its token."""
    unknown = hash_token(generate_token())
    return TokenRow(unknown, group, ROLE_MEMBER, number, at, at, None, PROVENANCE_JOIN)


def find_actor(session: Transaction, token: str | None) -> Actor | None:
    """Return the actor of a token, or None if the token is not valid or belongs to a join link."""
    if token is None or not TOKEN_PATTERN.fullmatch(token):
        return None
    row = session.token(hash_token(token))
    return None if row is None or row.role == ROLE_JOIN else Actor(row.group, row.role, row.number, token, row.how)


def parse_bearer_token(header: str | None) -> str | None:
    """Return the token of an `Authorization: Bearer …` header; None without the header, "" for another scheme."""
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def make_cookie_name(group: str, https: bool, role: str = ROLE_MEMBER) -> str:
    """Return the name of a group's cookie.

    Each group has its own, so that one browser may be in several groups. There are two for one group, so that one
    device may be signed in as organiser and as member.
    """
    part = "" if role == ROLE_MEMBER else ".objection" if role == "objection" else ".organise"
    return f"{'__Host-' if https else ''}isegoria{part}-{INVALID_COOKIE_CHARACTERS.sub('-', group)}"


def make_cookie(group: str, token: str, https: bool, role: str = ROLE_MEMBER, days: int = 400) -> str:
    """Return the Set-Cookie value that stores a token: hidden from scripts, and never sent by other sites."""
    secure, age = "; Secure" if https else "", days * 86400
    return f"{make_cookie_name(group, https, role)}={token}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"


def make_deletion_cookie(group: str, https: bool, role: str = ROLE_MEMBER) -> str:
    """Return the Set-Cookie value that deletes the cookie of one role in a group."""
    return make_cookie(group, "", https, role, days=0)


def make_deletion_cookies(group: str, https: bool) -> tuple[str, ...]:
    """Return the Set-Cookie values that delete all cookies of a group."""
    return tuple(make_deletion_cookie(group, https, role) for role in (ROLE_MEMBER, ROLE_ORGANISER))


def make_csrf_token(token: str) -> str:
    """Return the CSRF token of our own forms; it is bound to the cookie and does not reveal it."""
    return hmac.new(token.encode(), b"isegoria form 1", hashlib.sha256).hexdigest()[:32]


def is_csrf_token_valid(token: str, csrf: str) -> bool:
    """Return whether a form's CSRF token was made for this cookie."""
    return hmac.compare_digest(make_csrf_token(token).encode(), csrf.encode("utf-8", "surrogateescape"))

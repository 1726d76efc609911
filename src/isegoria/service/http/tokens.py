"""Private links and the cookies they are changed into: who is asking."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

from isegoria.service.store import Session, TokenRow

ORGANISER, COORGANISER, MEMBER, STARTER, JOIN = "organiser", "co-organiser", "member", "starter", "join"
TIMETABLE = "timetable"  # the scheduler itself: nobody has a token for it
TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")
NOT_IN_A_COOKIE_NAME = re.compile(r"[^a-z0-9-]")


class Actor(NamedTuple):
    """Somebody whose token is good: her group, her role and, for a member, her number."""

    group: str
    role: str
    number: int
    token: str

    @property
    def id(self) -> str:
        """The name under which her idempotency keys are kept; the same after a link was issued again."""
        return f"{self.group}:{self.role}:{self.number}"


def new_token() -> str:
    """A secret of 144 bits, in letters that survive any messenger."""
    return secrets.token_urlsafe(18)


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(b"isegoria token 1\0" + token.encode()).hexdigest()


def token_row(token: str, group: str, role: str, number: int, at: int) -> TokenRow:
    """The row that makes a token good; the token itself stays with it until it is first opened."""
    return TokenRow(token_hash(token), group, role, number, at, None, token)


def actor_of(session: Session, token: str | None) -> Actor | None:
    """Whose token this is, if it is anybody's."""
    if token is None or not TOKEN.fullmatch(token):
        return None
    row = session.token(token_hash(token))
    return None if row is None or row.role == JOIN else Actor(row.group, row.role, row.number, token)


def bearer(header: str | None) -> str | None:
    """The token of an `Authorization: Bearer …` header; an empty text when the header says something else."""
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def cookie_name(group: str, https: bool, role: str = MEMBER) -> str:
    """The name of a group's cookie: its own, so that one browser may sit in several groups, and two for one group, so
    that one device may hold an organiser's link and a member's.
    """
    part = "" if role == MEMBER else ".organise"
    return f"{'__Host-' if https else ''}isegoria{part}-{NOT_IN_A_COOKIE_NAME.sub('-', group)}"


def cookie(group: str, token: str, https: bool, role: str = MEMBER, days: int = 400) -> str:
    """The Set-Cookie value that keeps a token: no script reads it, and no other site sends it."""
    secure, age = "; Secure" if https else "", days * 86400
    return f"{cookie_name(group, https, role)}={token}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"


def no_cookie(group: str, https: bool, role: str = MEMBER) -> str:
    """The Set-Cookie value that forgets one of the things a device holds of a group."""
    return cookie(group, "", https, role, days=0)


def no_cookies(group: str, https: bool) -> tuple[str, ...]:
    """The Set-Cookie values that forget whatever a device holds of a group."""
    return tuple(no_cookie(group, https, role) for role in (MEMBER, ORGANISER))


def csrf_token(token: str) -> str:
    """What a form of our own page carries to show that it is ours: bound to the cookie, and telling nothing of it."""
    return hmac.new(token.encode(), b"isegoria form 1", hashlib.sha256).hexdigest()[:32]


def csrf_token_fits(token: str, csrf: str) -> bool:
    """Whether a form's own token was made for this cookie."""
    return hmac.compare_digest(csrf_token(token).encode(), csrf.encode("utf-8", "surrogateescape"))

"""Authentication: who sends a request, by a bearer token or by the session of a device."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import NoReturn

from isegoria.errors import IsegoriaError
from isegoria.service.http.device_labels import describe_device
from isegoria.service.http.http_errors import Forbidden, NotFound, TooManyRequests, Unauthorized
from isegoria.service.http.limits import RateLimiter
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Request
from isegoria.service.http.tokens import (
    ROLE_MEMBER,
    ROLE_ORGANISER,
    ROLE_STARTER,
    TOKEN_PATTERN,
    Actor,
    find_actor,
    hash_link_use,
    hash_token,
    make_cookie_name,
    make_deletion_cookie,
    parse_bearer_token,
)
from isegoria.service.store import SessionRow, Store, Transaction
from isegoria.utils.messages import Message

SESSION_IDLE_SECONDS = 90 * 86400
"""A session ends if it is not used for this many seconds."""
SESSION_TOUCH_SECONDS = 86400
"""The last use of a session is stored at most once in this many seconds."""
GROUP_ID_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
ANY_ROLE = frozenset({"anyone"})


class Authenticator:
    """Finds out who sends a request, from tokens and sessions in the store.

    Parameters
    ----------
    store : Store
        Where tokens and sessions are kept.
    clock : callable
        Returns the time in Unix seconds.
    failed_token_limiter : RateLimiter
        Limits the wrong tokens from one client network.
    closed : bool
        Whether creating a group needs the start link.
    run_in_background : callable
        Runs a function later, without waiting for it.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        failed_token_limiter: RateLimiter,
        closed: bool,
        run_in_background: Callable[..., object],
    ) -> None:
        self.store, self.clock, self.closed = store, clock, closed
        self.failed_token_limiter, self.run_in_background = failed_token_limiter, run_in_background

    def authenticate(self, request: Request, roles: frozenset[str]) -> Actor | None:
        """Return who sends the request; None if `roles` is `ANY_ROLE` and the sender has no role in the group.

        A device may have a session as a member and one as an organiser. The result is the one that `roles` allows,
        the member's if both do.

        Raises
        ------
        NotFound
            The group does not exist.
        Unauthorized
            There is no token or session of this group.
        Forbidden
            The sender is known, but none of their roles is in `roles`.
        TooManyRequests
            Too many wrong tokens came from this client network.
        """
        token = parse_bearer_token(request.headers.get("authorization"))
        actors = self.find_session_actors(request) if token is None else self._find_token_actors(request, token, roles)
        here = [actor for actor in actors if actor.group == request.group]
        if roles == ANY_ROLE:
            return here[0] if here else None
        if not here and actors:  # a valid link of another group does not count as a guess
            raise Unauthorized(Message("link_another_group"))
        if not here:
            if request.clears:
                raise Unauthorized(Message("device_no_longer_signed"), cookies=tuple(request.clears))
            if token is not None:
                raise Unauthorized(Message("token_not_valid"))
            raise_no_token()
        fitting = [actor for actor in here if actor.role in roles]
        if not fitting:
            raise Forbidden(Message("role_not_allowed", role=here[0].role, names=", ".join(sorted(roles))))
        return fitting[0]

    def require_actor(self, request: Request, roles: frozenset[str]) -> Actor:
        """Return who sends the request; raise `Unauthorized` if they have no role in the group."""
        actor = self.authenticate(request, roles)
        if actor is None:
            raise_no_token()
        return actor

    def find_session_actors(self, request: Request) -> list[Actor]:
        """Return the actors of this device's sessions in the group: member, organiser, or both, in this order.

        The cookie of a session that has ended is cleared, and does not count as a wrong guess. A session that is only
        too old keeps its cookie: the clock may be wrong.
        """
        if not request.group:
            return []
        found, now = [], int(self.clock())
        with self.store.reading() as session:
            _require_group(session, request.group)
            for role in (ROLE_MEMBER, ROLE_ORGANISER):
                token = request.cookies.get(make_cookie_name(request.group, request.https, role))
                known = find_session_actor(session, token, now) if token else None
                if known is not None and known[0].group == request.group:
                    found.append(known)
                elif token and session.session_of(hash_token(token)) is None:
                    cleared = make_deletion_cookie(request.group, request.https, role)
                    request.clears.extend([cleared] if cleared not in request.clears else [])
        for _, row in found:
            if now - row.seen > SESSION_TOUCH_SECONDS:
                self.run_in_background(self._touch_session, row.hash, now)
        return [actor for actor, _ in found]

    def find_roles(self, request: Request) -> set[str]:
        """Return the roles that the sender of a request has in the group; they decide which pages are shown."""
        token = parse_bearer_token(request.headers.get("authorization"))
        found = self.find_session_actors(request) if token is None else [self._find_by_token(request, token)]
        return {actor.role for actor in found if actor is not None and actor.group == request.group}

    def authenticate_start_token(self, token: str | None) -> Actor | None:
        """Return the actor of a closed server's start link; None if the token is not that of the link."""
        if not self.closed or token is None or not TOKEN_PATTERN.fullmatch(token):
            return None
        with self.store.reading() as session:
            return Actor("", ROLE_STARTER, 0, token) if session.is_start(hash_token(token)) else None

    def count_failed_token(self, request: Request) -> None:
        """Count a wrong token; raise `TooManyRequests` if too many came from the client network."""
        wait = self.failed_token_limiter.take(to_client_network(request.address))
        if wait > 0:
            raise TooManyRequests(Message("too_many_wrong_links_address"), {"retry-after": str(int(wait) + 1)})

    def _find_token_actors(self, request: Request, token: str, roles: frozenset[str]) -> list[Actor]:
        """Return the actor of a bearer token as a list of at most one; count a wrong token as a guess."""
        known = self._find_by_token(request, token) if request.group else self.authenticate_start_token(token)
        if known is None and (roles != ANY_ROLE or request.group):
            self.count_failed_token(request)
        return [] if known is None else [known]

    def _find_by_token(self, request: Request, token: str) -> Actor | None:
        """Return the actor of a link's token that was sent itself, and record that use if it is new or a day ago."""
        now = int(self.clock())
        with self.store.reading() as session:
            _require_group(session, request.group)
            actor = find_actor(session, token)
            row = None if actor is None else session.session_of(hash_link_use(hash_token(token)))
        if actor is not None and (row is None or now - row.seen > SESSION_TOUCH_SECONDS):
            self._note_link_use(request, actor, now)
        return actor

    def _note_link_use(self, request: Request, actor: Actor, now: int) -> None:
        """Record that a link's token was sent itself, without a session: as an opening, listed among the devices.

        The link counts as opened from then on, so that nobody can use it unseen before its owner does.
        """
        link = hash_token(actor.token)
        place = hash_link_use(link)
        with self.store.writing() as session:
            session.group(actor.group, lock=True)
            if session.session_of(place) is not None:
                session.note_session(place, now)
            elif session.token(link) is not None:
                session.used(link, now)
                if actor.role == ROLE_MEMBER:
                    session.drop_unopened(actor.group, actor.number)
                rows = session.sessions(actor.group, actor.role, actor.number)
                label = f"{describe_device(request.headers.get('user-agent', ''))} (link)"
                number = 1 + max((one.place for one in rows), default=0)
                session.add_session(SessionRow(place, *actor[:3], number, label, now, now, actor.how))

    def _touch_session(self, hash: str, now: int) -> None:
        """Record when a session was used; if the store fails, skip it without a retry."""
        with contextlib.suppress(IsegoriaError), self.store.writing() as session:
            session.note_session(hash, now)


def find_session_actor(session: Transaction, token: str, now: int) -> tuple[Actor, SessionRow] | None:
    """Return the actor and the row of a session token; None if there is no such session or it has expired."""
    row = session.session_of(hash_token(token))
    if row is None or now - row.seen > SESSION_IDLE_SECONDS:
        return None
    return Actor(row.group, row.role, row.number, token, row.how), row


def raise_no_token() -> NoReturn:
    """Raise `Unauthorized`, because the request has neither a token nor a session."""
    raise Unauthorized(Message("token_missing"))


def _require_group(session: Transaction, group: str) -> None:
    """Raise `NotFound` if the group does not exist; an invalid id is not looked up."""
    if not GROUP_ID_PATTERN.fullmatch(group) or session.group(group) is None:
        raise NotFound(Message("no_such_group"))

"""The refusals of the service: each is one sentence and a status."""

from __future__ import annotations

from isegoria.errors import IsegoriaError


class Refusal(IsegoriaError):
    """A request that is answered by one sentence; `status` says which kind of no it is."""

    status = 400

    def __init__(self, sentence: str, headers: dict[str, str] | None = None, cookies: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.headers = headers or {}
        self.cookies = cookies


class Unauthorized(Refusal):
    """401: the request carries no token, or one that is not good here."""

    status = 401


class Forbidden(Refusal):
    """403: the token is good, but this is not for its role; or the request comes from another site."""

    status = 403


class NotFound(Refusal):
    """404: there is no such page or group."""

    status = 404


class BadRequest(Refusal):
    """400: the body cannot be used."""

    status = 400


class TooLarge(Refusal):
    """413: the body is larger than this route takes."""

    status = 413


class Conflict(Refusal):
    """409: the group is not in the state for this, or the idempotency key was used for something else."""

    status = 409


class TooManyRequests(Refusal):
    """429: too many wrong guesses, or too many new groups, from one place."""

    status = 429


class Unavailable(Refusal):
    """503: the database is down or full; nothing was changed, and the same request may be sent again."""

    status = 503

"""HTTP errors of the service: each is one sentence and a status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from isegoria.errors import CertificationError, InputError, IsegoriaError
from isegoria.record.actions.action import InvalidActionError


class HttpError(IsegoriaError):
    """A request that is rejected with one sentence; `status` is the HTTP status."""

    status = 400

    def __init__(self, sentence: str, headers: dict[str, str] | None = None, cookies: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.headers = headers or {}
        self.cookies = cookies


class Unauthorized(HttpError):
    """401: the request has no token, or one that is not valid here."""

    status = 401


class Forbidden(HttpError):
    """403: the token is valid, but its role may not do this; or the request comes from another site."""

    status = 403


class NotFound(HttpError):
    """404: there is no such page or group."""

    status = 404


class BadRequest(HttpError):
    """400: the body cannot be used."""

    status = 400


class PayloadTooLarge(HttpError):
    """413: the body is larger than this route accepts."""

    status = 413


class Conflict(HttpError):
    """409: the group's state does not allow this, or the idempotency key was used for something else."""

    status = 409


class TooManyRequests(HttpError):
    """429: a rate limit or a limit on connections, streams or queued work was exceeded."""

    status = 429


class ServiceUnavailable(HttpError):
    """503: the database is down or full; nothing was changed, and the same request may be sent again."""

    status = 503


@contextmanager
def translate_record_errors() -> Iterator[None]:
    """Turn errors of the record into HTTP errors: 400 if the request is never valid, 409 if it is not valid now."""
    try:
        yield
    except InvalidActionError as error:
        raise BadRequest(error.message) from error
    except (InputError, CertificationError) as error:
        raise Conflict(error.message) from error

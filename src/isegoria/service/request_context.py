"""What a handler gets: a request with its sender and body, and the parts of the service that it may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isegoria.io.sandbox.sandbox import Sandbox
from isegoria.service.delivery.outbox import Outbox
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.groups.voice_tallies import VoiceTallies
from isegoria.service.http.authentication import Authenticator, raise_no_token
from isegoria.service.http.limits import RateLimits
from isegoria.service.http.network_addresses import is_loopback
from isegoria.service.http.origin import parse_host_name
from isegoria.service.http.request import Request
from isegoria.service.http.tokens import Actor
from isegoria.service.settings import Settings
from isegoria.service.store import Store


@dataclass
class Resources:
    """The parts of a running service that handlers share.

    - `check_health()`: whether the store responds, and whether timetables are on time.
    - `demo_group_id`: the id of the demo group, if this server has one.
    """

    settings: Settings
    store: Store
    groups: GroupRepository
    authenticator: Authenticator
    limits: RateLimits
    outbox: Outbox
    voices: VoiceTallies
    freeze_gate: FreezeGate
    sandbox: Sandbox
    check_health: Callable[[], dict[str, Any]]
    demo_group_id: str | None = None

    def open_context(self, request: Request) -> RequestContext:
        """Return the context of a request whose sender is not known yet."""
        return RequestContext(**vars(self), request=request)


@dataclass(kw_only=True)
class RequestContext(Resources):
    """One request: its sender, its validated body, and its idempotency key with the digest that it is bound to."""

    request: Request
    actor: Actor | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    body_digest: str = ""

    @property
    def now(self) -> int:
        """The time in Unix seconds."""
        return int(self.groups.clock())

    @property
    def base_url(self) -> str:
        """Base URL of this server that others can open.

        This is the configured one if there is one, otherwise that of the request. If the request came by a loopback
        host and the server has other addresses, it is the first of these.
        """
        if self.settings.site is not None:
            return self.settings.site
        alone = self.settings.addresses and is_loopback(parse_host_name(self.request.host))
        return self.settings.addresses[0] if alone else self.request.site

    def require_actor(self) -> Actor:
        """Return the sender; raise `Unauthorized` if the request has neither a token nor a session."""
        if self.actor is None:
            raise_no_token()
        return self.actor

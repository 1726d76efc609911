"""Settings of a running server."""

from __future__ import annotations

from dataclasses import dataclass, field

from isegoria.service.delivery.mail import SmtpServer
from isegoria.service.http.limits import ConnectionLimits


@dataclass(frozen=True)
class Settings:
    """Settings of the service, filled in by `isegoria serve` or by a program that embeds it.

    - `store`: `sqlite:///FILE` or `postgresql://…`; `secret_file`: the file of the server key, if not beside the store.
    - `hosts`: allowed host names of this server, besides localhost and IP addresses.
    - `site`: the fixed base URL by which others open this server, if any; `addresses`: the base URLs in its networks.
    - `closed`: whether creating groups needs the start link.
    - `proxies`: addresses of reverse proxies whose `X-Forwarded-*` headers are trusted.
    - `keeps_time`: whether this process runs the groups' timetables.
    - `relay`: where a beacon's rounds are fetched from, if anywhere.
    - `retention`: days after which an unused group is erased; None keeps it.
    - `smtp`: the mail server, if any.
    - `webhooks`: the hosts to which groups may send webhooks; `heads`: a file to which every new head is appended.
    - `guesses`, `new_groups`: rate limits per address as (burst, refill per second), for wrong tokens and for new
      groups. A group of a hundred people counts for two, of two hundred for three.
    - `ratings`: the same for one member's ratings; a rating of fifty options counts twice, of a hundred three times.
    - `deeds`: the same for all other actions of one person in a group.
    - `connections`: limits on connections; `streams_from_one`, `streams_of_group`: how many event streams may be open
      from one address and of one group.
    - `log_format`: "text" or "json"; `access_log`: whether each request gets a line in the log.
    - `metrics`: HOST:PORT of the server for Prometheus, if any.
    - `threads`: the number of worker threads for reading requests, and for writing ones.
    """

    store: str = "sqlite:///isegoria.db"
    secret_file: str | None = None
    hosts: frozenset[str] = field(default_factory=frozenset)
    site: str | None = None
    addresses: tuple[str, ...] = ()
    closed: bool = False
    proxies: tuple[str, ...] = ()
    keeps_time: bool = True
    relay: str | None = None
    retention: int | None = None
    webhooks: frozenset[str] = field(default_factory=frozenset)
    heads: str | None = None
    smtp: SmtpServer | None = None
    guesses: tuple[float, float] = (50, 1 / 2)
    new_groups: tuple[float, float] = (200, 1 / 10)
    ratings: tuple[float, float] = (600, 1 / 6)
    deeds: tuple[float, float] = (2000, 1)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    streams_from_one: int = 100
    streams_of_group: int = 500
    log_format: str = "text"
    access_log: bool = False
    metrics: str | None = None
    threads: int = 8

    @property
    def public(self) -> str:
        """Base URL used in mails: the fixed one, or the first that others can open."""
        return self.site or next(iter(self.addresses), "http://127.0.0.1:8000")

"""How this server was started."""

from __future__ import annotations

from dataclasses import dataclass, field

from isegoria.service.limits import ConnectionLimits
from isegoria.service.mail import Smtp


@dataclass(frozen=True)
class Settings:
    """What `isegoria serve` was told; a program that embeds the service fills it in itself.

    - `store`: `sqlite:///FILE` or `postgresql://…`.
    - `hosts`: the names that this server goes by, besides localhost and addresses.
    - `site`: the address by which others open this server, if it is fixed; `addresses`: those of its networks.
    - `closed`: only who has the start link makes groups.
    - `proxies`: addresses of reverse proxies whose `X-Forwarded-*` headers are believed.
    - `keeps_time`: whether this process runs the groups' timetables.
    - `relay`: where a beacon's rounds are fetched from, if anywhere.
    - `retention`: days after which a group that nobody uses is erased; None keeps it.
    - `smtp`: the server that takes mail, if any does.
    - `webhooks`: the hosts that groups may have told of new lines; `heads`: a file that every new head is added to.
    - `guesses`, `new_groups`: how many wrong tokens, and how many new groups, one address may send at once; and how
      many a second after that.
      A group of a hundred people counts for two, of two hundred for three.
    - `ratings`: the same for the ratings of one member; one of fifty options counts twice, of a hundred three times.
    - `deeds`: the same for whatever else one person does in a group.
    - `connections`: how many connections there may be; `streams_from_one`, `streams_of_group`: how many of them may
      listen for changes, from one address and of one group.
    - `threads`: how many requests read at the same time, and how many write.
    """

    store: str = "sqlite:///isegoria.db"
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
    smtp: Smtp | None = None
    guesses: tuple[float, float] = (50, 1 / 2)
    new_groups: tuple[float, float] = (200, 1 / 10)
    ratings: tuple[float, float] = (600, 1 / 6)
    deeds: tuple[float, float] = (2000, 1)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    streams_from_one: int = 100
    streams_of_group: int = 500
    threads: int = 8

    @property
    def public(self) -> str:
        """The address that letters lead to: the fixed one, or the first that others can open."""
        return self.site or next(iter(self.addresses), "http://127.0.0.1:8000")

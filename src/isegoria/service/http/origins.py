"""Where a request comes from: the Host it asks for, the page that sent it, and the address behind a proxy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping

from isegoria.service.http.refusals import BadRequest, Forbidden

HERE = {"localhost", "127.0.0.1", "::1"}
HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
"""A name or an address, and perhaps a port: nothing that would make a link of ours lead elsewhere."""


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


def check_host(header: str, allowed: frozenset[str]) -> None:
    """Refuse a name that this server does not go by, which is how a foreign page would reach a private network.

    Numbers pass: an address cannot be made to point elsewhere.

    >>> check_host("lunch.example", frozenset({"lunch.example"})), check_host("192.168.1.7:8000", frozenset())
    (None, None)
    """
    name = host_name(header)
    if not HOST.fullmatch(header):
        raise BadRequest("this is no name of a server; open the address as it was given to you.")
    if name in allowed or name in HERE or _is_address(name):
        return
    raise BadRequest("this server does not go by that name; start it with --allow-host NAME.")


def check_origin(headers: Mapping[str, str], host: str, https: bool, form: bool) -> None:
    """Refuse a POST that another site's page sent. Programs send neither header, and carry their token themselves.

    A form of a page under `no-referrer` sends `Origin: null`; it carries a token of its own, which is checked later.
    """
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise Forbidden("this request was sent by the page of another site; open the page of the group itself.")
    origin = headers.get("origin")
    if origin is None or (origin == "null" and form):
        return
    if origin.lower() != f"{'https' if https else 'http'}://{host.lower()}":
        raise Forbidden("this request was sent by the page of another site; open the page of the group itself.")


def place_of(address: str) -> str:
    """What counts as one place: an address, or the network of 2^64 that one holder of IPv6 has.

    >>> place_of("192.0.2.7"), place_of("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False).network_address)


def is_among(address: str, networks: Iterable[str]) -> bool:
    """Whether an address is one of these, or in one of these networks; `*` is any.

    >>> is_among("10.0.0.7", ["127.0.0.1", "10.0.0.0/8"])
    True
    """
    return any(one in ("*", address) or _holds(one, address) for one in networks)


def _holds(network: str, address: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

"""Where a request comes from: its Host, the site of the page that sent it, and the client network behind a proxy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping

from isegoria.service.http.http_errors import BadRequest, Forbidden
from isegoria.utils.messages import Message

LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}
HOST_PATTERN = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
"""A host name or an IP address with an optional port. Other text could make a generated link lead to another site."""


def parse_host_name(header: str) -> str:
    """Return the name in a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


def validate_host(header: str, allowed: frozenset[str]) -> None:
    """Raise `BadRequest` for a host name that this server does not use, which prevents DNS rebinding.

    IP addresses pass, since they cannot be made to point elsewhere.

    >>> validate_host("lunch.example", frozenset({"lunch.example"})), validate_host("192.168.1.7:8000", frozenset())
    (None, None)
    """
    name = parse_host_name(header)
    if not HOST_PATTERN.fullmatch(header):
        raise BadRequest(Message("no_name_server"))
    if name in allowed or name in LOOPBACK_NAMES or _is_ip_address(name):
        return
    raise BadRequest(Message("server_not_go_name"))


def validate_origin(headers: Mapping[str, str], host: str, https: bool, form: bool) -> None:
    """Raise `Forbidden` for a POST sent by a page of another site; programs send neither header, only their token.

    A form on a page with `no-referrer` sends `Origin: null`; it has its own CSRF token, which is checked later.
    """
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        raise Forbidden(Message("request_sent_page_another_site"))
    origin = headers.get("origin")
    if origin is None or (origin == "null" and form):
        return
    if origin.lower() != f"{'https' if https else 'http'}://{host.lower()}":
        raise Forbidden(Message("request_sent_page_another_site"))


def to_client_network(address: str) -> str:
    """Return the client network of an address: the IPv4 address itself, or the /64 network of an IPv6 address.

    >>> to_client_network("192.0.2.7"), to_client_network("2001:db8:1:2:3:4:5:6")
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


def is_in_networks(address: str, networks: Iterable[str]) -> bool:
    """Return whether an address is one of these addresses or in one of these networks; `*` matches any.

    >>> is_in_networks("10.0.0.7", ["127.0.0.1", "10.0.0.0/8"])
    True
    """
    return any(one in ("*", address) or _network_contains(one, address) for one in networks)


def _network_contains(network: str, address: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

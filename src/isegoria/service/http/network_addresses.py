"""Base URLs under which other devices can open this server, as text and as a QR code."""

from __future__ import annotations

import array
import ipaddress
import re
import socket
import struct
import sys
from urllib.parse import urlsplit

from isegoria.errors import InputError
from isegoria.service.http.origin import HOST_PATTERN, parse_host_name

WILDCARD_HOSTS = {"0.0.0.0", "::", ""}
VIRTUAL_INTERFACE_PATTERN = re.compile(r"docker|br-|veth|virbr|lxc|cni")
"""Network interfaces of containers and virtual machines on this host, which lead to no other device."""
SIOCGIFCONF = 0x8912
IFREQ_BYTES = 40  # bytes per entry of the result: 16 for the name, then an address


def list_reachable_urls(host: str, port: int) -> list[str]:
    """Return the URLs that other devices can open when a server listens on `host`; empty for a loopback host.

    >>> list_reachable_urls("127.0.0.1", 8000), list_reachable_urls("192.168.1.7", 8000)
    ([], ['http://192.168.1.7:8000'])
    """
    if host in WILDCARD_HOSTS:
        return [format_url(one, port) for one in list_network_addresses()]
    return [] if is_loopback(host) else [format_url(host, port)]


def format_url(host: str, port: int) -> str:
    """Format a host and a port as an HTTP URL."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(name: str) -> bool:
    """Return whether a host name or IP address is loopback, so that no other device can use it."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost" or name.lower().endswith(".localhost")


def list_network_addresses() -> list[str]:
    """Return the IPv4 addresses of this computer that other devices can reach, that of the default route first."""
    found = [
        _find_source_address(far) for far in ("203.0.113.1", "10.255.255.255", "172.31.255.255", "192.168.255.255")
    ]
    found += _list_interface_addresses() if sys.platform == "linux" else _list_host_name_addresses()
    return [one for one in dict.fromkeys(filter(None, found)) if _is_routable(one)]


def _is_routable(address: str) -> bool:
    one = ipaddress.ip_address(address)
    return not (one.is_loopback or one.is_link_local or one.is_unspecified or one.is_multicast)


def _find_source_address(far: str) -> str | None:
    """Return the local address that this computer would use to reach `far`, or None. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _list_interface_addresses() -> list[str]:
    """Return the addresses of all network interfaces (Linux only), except those that match
    `VIRTUAL_INTERFACE_PATTERN`."""
    import fcntl

    room = array.array("B", bytes(64 * IFREQ_BYTES))
    asked = bytearray(struct.pack("iP", len(room), room.buffer_info()[0]))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, SIOCGIFCONF, asked)
    told = room.tobytes()[: struct.unpack("iP", asked)[0]]
    entries = [told[start : start + IFREQ_BYTES] for start in range(0, len(told), IFREQ_BYTES)]
    named = [(entry[:16].rstrip(b"\0").decode(), socket.inet_ntoa(entry[20:24])) for entry in entries]
    return [address for name, address in named if not VIRTUAL_INTERFACE_PATTERN.match(name)]


def _list_host_name_addresses() -> list[str]:
    """Return the addresses to which this computer's host name resolves."""
    try:
        return [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return []


def validate_site_url(text: str) -> str:
    """Return the base URL of a server without a trailing slash; raise `InputError` if it is not one.

    >>> validate_site_url("https://lunch.example/")
    'https://lunch.example'
    """
    try:
        parts = urlsplit(text.strip())
        good = parts.scheme in ("http", "https") and HOST_PATTERN.fullmatch(parts.netloc) and parts.path in ("", "/")
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise InputError(f"--site is {text!r}; expected http:// or https://, a name, and nothing behind it.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def parse_site_host(site: str) -> str:
    """Return the host name in the base URL of a server.

    >>> parse_site_host("https://lunch.example:8443")
    'lunch.example'
    """
    return parse_host_name(urlsplit(site).netloc)


def render_terminal_qr(address: str) -> str:
    """Return a URL as a QR code for a terminal, dark or light; each line of text holds two rows of the code."""
    import segno

    rows = [[bool(cell) for cell in row] for row in segno.make(address, error="l").matrix_iter(border=2)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    blocks = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(blocks[upper, lower] for upper, lower in zip(*pair, strict=True)) for pair in pairs)

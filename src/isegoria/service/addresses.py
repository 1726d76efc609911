"""The addresses under which other devices open this server, as text and as a code to scan."""

from __future__ import annotations

import array
import ipaddress
import re
import socket
import struct
import sys
from urllib.parse import urlsplit

from isegoria.errors import InputError
from isegoria.service.http.request import HOST, host_name

ANYWHERE = {"0.0.0.0", "::", ""}
INSIDE = re.compile(r"docker|br-|veth|virbr|lxc|cni")
"""Interfaces that lead to no other device: those of containers and machines inside this one."""
SIOCGIFCONF = 0x8912
IFREQ = 40  # bytes of one entry of its answer: 16 of the name, then an address


def reachable(host: str, port: int) -> list[str]:
    """The addresses that a phone can open when a server listens on `host`; none for this computer alone.

    >>> reachable("127.0.0.1", 8000), reachable("192.168.1.7", 8000)
    ([], ['http://192.168.1.7:8000'])
    """
    if host in ANYWHERE:
        return [written(one, port) for one in network_addresses()]
    return [] if is_loopback(host) else [written(host, port)]


def written(host: str, port: int) -> str:
    """A host and a port as an address."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(name: str) -> bool:
    """Whether a name leads to this very computer, so that no other device can use it."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost" or name.lower().endswith(".localhost")


def network_addresses() -> list[str]:
    """The addresses of this computer in its networks, the one that leads out first."""
    found = [_towards(far) for far in ("203.0.113.1", "10.255.255.255", "172.31.255.255", "192.168.255.255")]
    found += _of_interfaces() if sys.platform == "linux" else _of_name()
    return [one for one in dict.fromkeys(filter(None, found)) if _leads_out(one)]


def _leads_out(address: str) -> bool:
    one = ipaddress.ip_address(address)
    return not (one.is_loopback or one.is_link_local or one.is_unspecified or one.is_multicast)


def _towards(far: str) -> str | None:
    """The address from which this computer would write to another; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _of_interfaces() -> list[str]:
    """The addresses of all interfaces, several of one included."""
    import fcntl

    room = array.array("B", bytes(64 * IFREQ))
    asked = bytearray(struct.pack("iP", len(room), room.buffer_info()[0]))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, SIOCGIFCONF, asked)
    told = room.tobytes()[: struct.unpack("iP", asked)[0]]
    entries = [told[start : start + IFREQ] for start in range(0, len(told), IFREQ)]
    named = [(entry[:16].rstrip(b"\0").decode(), socket.inet_ntoa(entry[20:24])) for entry in entries]
    return [address for name, address in named if not INSIDE.match(name)]


def _of_name() -> list[str]:
    """The addresses of this computer's own name."""
    try:
        return [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    except OSError:
        return []


def checked_site(text: str) -> str:
    """The address of a server as it was given, without an end; or a sentence why it is none.

    >>> checked_site("https://lunch.example/")
    'https://lunch.example'
    """
    try:
        parts = urlsplit(text.strip())
        good = parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc) and parts.path in ("", "/")
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise InputError(f"--site is {text!r}; expected http:// or https://, a name, and nothing behind it.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def site_name(site: str) -> str:
    """The name in the address of a server.

    >>> site_name("https://lunch.example:8443")
    'lunch.example'
    """
    return host_name(urlsplit(site).netloc)


def scannable(address: str) -> str:
    """An address as a QR code for a dark or a light terminal: two rows of it in each line of text."""
    import segno

    rows = [[bool(cell) for cell in row] for row in segno.make(address, error="l").matrix_iter(border=2)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    blocks = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(blocks[upper, lower] for upper, lower in zip(*pair, strict=True)) for pair in pairs)

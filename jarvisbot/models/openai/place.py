"""Where words go: on this machine, in its network, or outside."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

__all__ = ["Place", "place"]

import msgspec

_NEAR_DOMAINS = (".local", ".lan", ".home", ".internal", ".home.arpa", ".localdomain", ".fritz.box")
"""Names that only a network of one's own hands out (RFC 6762, RFC 8375 and what routers use)."""
_SHARED = ipaddress.ip_network("100.64.0.0/10")
"""Addresses between a customer and a carrier (RFC 6598), which private overlay networks use as well."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """`origin` is the server's scheme, host and port; `here`: on this machine; `outside`: not in its network."""

    origin: str
    here: bool
    outside: bool


def place(url: str) -> Place:
    """Read off the address alone: nothing is looked up. A name that says nothing else counts as outside."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").lower()
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    here = host == "localhost" or host.endswith(".localhost") or host == socket.gethostname().lower()
    outside = not here and "." in host and not host.endswith(_NEAR_DOMAINS)
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return Place(origin=origin, here=here, outside=outside)
    mapped = getattr(address, "ipv4_mapped", None) or address
    here = mapped.is_loopback or mapped.is_unspecified
    near = mapped.is_private or mapped.is_link_local or (mapped.version == 4 and mapped in _SHARED)
    return Place(origin=origin, here=here, outside=not here and not near)

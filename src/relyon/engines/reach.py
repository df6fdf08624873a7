"""Which addresses may be connected to: a name is looked up once, and what was checked is used.

What decides the host of a request may come from people who must not see the network of this
machine. A name could lead into it, even at the second look only: the addresses of a name are
looked up once, all of them are checked, and the connection goes to one of these.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

__all__ = ["PrivateAddressError", "Reach", "is_public"]

#: How many addresses of a host are tried.
MOST_ADDRESSES = 4
#: Public addresses of IPv6, and those that contain an address of IPv4.
GLOBAL = ipaddress.ip_network("2000::/3")
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
#: Addresses of IPv4 that look public and lead to a cloud's own services, or to a relay.
SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))


class PrivateAddressError(OSError):
    """The host is at an address of this machine or its network, which is not allowed."""


def is_public(address: str) -> bool:
    """Returns whether an IP address is one of the internet, also one written within IPv6.

    Args:
        address: Of IPv4 or IPv6, in its usual form.

    Examples:
        >>> [is_public(one) for one in ("1.1.1.1", "10.0.0.1", "169.254.169.254", "::1")]
        [True, False, False, False]
        >>> is_public("::ffff:127.0.0.1"), is_public("fd00::1"), is_public("2606:4700::1111")
        (False, False, True)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is None and found not in GLOBAL:
            return False
        found = inner or found
    if any(found in one for one in SPECIAL):
        return False
    return found.is_global and not found.is_multicast


@dataclass(frozen=True)
class Reach:
    """Which addresses may be connected to.

    Attributes:
        private: Whether an address of this machine or its network may be, too.

    Examples:
        >>> Reach().addresses("127.0.0.1", 80)
        Traceback (most recent call last):
        relyon.engines.reach.PrivateAddressError: [Errno 1] a private address: '127.0.0.1'
        >>> Reach(private=True).addresses("127.0.0.1", 80)
        ['127.0.0.1']
    """

    private: bool = False

    def addresses(self, host: str, port: int) -> list[str]:
        """Returns the addresses of a host, which are looked up once; connect to one of these only.

        Args:
            host: A name or an address.
            port: The port.

        Raises:
            PrivateAddressError: If one of them may not be connected to.
            OSError: If the name is unknown.
        """
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError:  # a part of the name is empty or too long
            raise OSError(f"not the name of a host: {host[:100]}") from None
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not self.private and not all(map(is_public, addresses)):
            raise PrivateAddressError(1, "a private address", host)
        return addresses[:MOST_ADDRESSES]

    def connect(
        self,
        host: str,
        port: int,
        timeout: float | None,
    ) -> socket.socket:
        """Returns a connection to one of a host's addresses.

        Args:
            host: A name or an address.
            port: The port.
            timeout: Seconds for each address that is tried; None waits as the system does.

        Raises:
            PrivateAddressError: If it may not be connected to.
            OSError: If none can be reached.
        """
        problem = OSError("no address")
        for address in self.addresses(host, port):
            try:
                return socket.create_connection((address, port), timeout=timeout)
            except OSError as error:
                problem = error
        raise problem

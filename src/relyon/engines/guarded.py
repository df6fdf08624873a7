"""Requests over HTTP that reach allowed addresses only.

Use it as `httpx2.Client(transport=GuardedTransport(reach, …), trust_env=False)`: there is no proxy,
which could connect to anything, and redirects are not followed unless the client is asked to.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable

import httpcore2
import httpx2

from relyon.engines.reach import PrivateAddressError, Reach

__all__ = ["GuardedTransport"]

SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)


class _Backend(httpcore2.SyncBackend):
    """Connections to the addresses of a host that may be connected to."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            addresses = self._reach.addresses(host, port)
        except PrivateAddressError:
            raise
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        problem: Exception = httpcore2.ConnectError("no address")
        for address in addresses:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
        raise problem

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        raise httpcore2.ConnectError("no address")


class GuardedTransport(httpx2.HTTPTransport):
    """A transport that connects to allowed addresses only; certificates belong to the name.

    Args:
        reach: Which addresses may be connected to: a request to another raises
            `PrivateAddressError`.
        context: Whom to believe.
        limits: Connections at the same time.
    """

    def __init__(self, reach: Reach, context: ssl.SSLContext, limits: httpx2.Limits) -> None:
        super().__init__(verify=context, trust_env=False, limits=limits)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_Backend(reach),
        )

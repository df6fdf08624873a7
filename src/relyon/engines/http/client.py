"""The HTTP client of engines: kept connections, one time limit per request, no redirects."""

from __future__ import annotations

import ssl
import threading
import time
import urllib.request
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from urllib.parse import unquote, urlsplit

import httpcore2

from relyon.core.texts import message
from relyon.engines.http.replies import Reply
from relyon.engines.problems import FatalError, PassingError
from relyon.engines.reach import PrivateAddressError, Reach

__all__ = ["Client", "environment_proxy", "open_client"]

#: The largest answer.
MOST_BYTES = 64 << 20
#: Seconds that an idle connection is kept.
KEPT = 30.0


class Client:
    """Sends requests from several threads.

    Args:
        pool: The connections.
        clock: The time limits of the connections.
        timeout: Seconds from a request to the last byte of its answer.
    """

    def __init__(self, pool: httpcore2.ConnectionPool, clock: _Clock, timeout: float) -> None:
        self._pool = pool
        self._clock = clock
        self._timeout = timeout
        limits = dict.fromkeys(("connect", "read", "write", "pool"), timeout)
        self._extensions = {"timeout": limits}

    def send(
        self, method: str, url: str, headers: Sequence[tuple[str, str]], body: bytes | None
    ) -> Reply:
        """Sends a request, and returns the reply once it is there as a whole.

        Args:
            method: `GET`, `POST` and so on.
            url: The address, with everything percent-encoded.
            headers: The headers.
            body: The body.

        Raises:
            PassingError: If it did not come in time, or the connection failed.
            FatalError: If it is too large, or its address may not be used.
        """
        self._clock.start(self._timeout)
        try:
            with self._pool.stream(
                method, url, headers=list(headers), content=body, extensions=self._extensions
            ) as response:
                parts, size = [], 0
                for part in response.iter_stream():
                    parts.append(part)
                    size += len(part)
                    if size > MOST_BYTES:
                        raise _too_large()
                found = {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers
                }
                content = _unpacked(b"".join(parts), found.get("content-encoding", ""))
                return Reply(response.status, found, content)
        except httpcore2.TimeoutException:
            said = message("engines.no-answer-within", seconds=self._timeout)
            raise PassingError("timeout", said) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise _lost(error) from None

    def close(self) -> None:
        """Ends all connections."""
        self._pool.close()


def open_client(
    timeout: float, connections: int, reach: Reach | None = None, *, ca: str = "", proxy: str = ""
) -> Client:
    """Returns a client; nothing is sent yet.

    Args:
        timeout: Seconds from a request to the last byte of its answer.
        connections: How many requests are sent at the same time.
        reach: Which addresses may be connected to; None sets no limit.
        ca: A file of certificates that are trusted besides those of the system.
        proxy: The address of a proxy.

    Raises:
        FatalError: If the certificates cannot be read.
    """
    try:
        trusted = _trusted(ca)
    except OSError as error:
        reason = error.strerror or error
        raise FatalError(
            message("core.cannot-be-read-strerror", strerror=reason), path=ca
        ) from None
    if proxy and reach is not None:
        raise FatalError(message("engines.no-proxy-here"))
    clock = _Clock()
    pool = httpcore2.ConnectionPool(
        ssl_context=trusted,
        proxy=_proxy(proxy) if proxy else None,
        max_connections=connections,
        keepalive_expiry=KEPT,
        network_backend=_Network(clock, reach),
    )
    return Client(pool, clock, timeout)


@cache
def _trusted(ca: str) -> ssl.SSLContext:
    """Returns the certificates of the system, which take long to read, and those of a file."""
    found = ssl.create_default_context()
    if ca:
        found.load_verify_locations(ca)
    return found


def environment_proxy(scheme: str, host: str) -> str:
    """Returns the proxy that the variables of the environment name for a host, or nothing."""
    if urllib.request.proxy_bypass(host):
        return ""
    return urllib.request.getproxies().get(scheme, "")


def _proxy(address: str) -> httpcore2.Proxy:
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    user = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore2.Proxy(f"{parts.scheme or 'http'}://{host}{port}", auth=user)


def _too_large() -> FatalError:
    return FatalError(
        message("engines.answer-is-too-large", most=MOST_BYTES >> 20),
        hint=message("engines.ask-for-less"),
    )


def _unpacked(content: bytes, encoding: str) -> bytes:
    """Returns a body as it was before it was packed, which only a header of the file asks for.

    Raises:
        PassingError: If it is damaged.
        FatalError: If it is too large.
    """
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return content
    unpacker = zlib.decompressobj(wbits=47)
    try:
        found = unpacker.decompress(content, MOST_BYTES)
    except zlib.error as error:
        said = message("engines.answer-is-cut-off", problem=error)
        raise PassingError("truncated", said) from None
    if unpacker.unconsumed_tail:
        raise _too_large()
    if not unpacker.eof:
        raise PassingError("truncated", message("engines.answer-is-cut-off", problem=encoding))
    return found


def _lost(error: Exception) -> Exception:
    """Returns what a failed connection means."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, PrivateAddressError):
            return FatalError(
                message("engines.address-is-private", address=cause.filename),
                hint=message("engines.allow-private"),
            )
        if isinstance(cause, ssl.SSLCertVerificationError):
            return FatalError(
                message("engines.certificate-is-not-trusted", problem=cause.verify_message),
                hint=message("engines.trust-certificate"),
            )
        cause = cause.__cause__ or cause.__context__
    cut = isinstance(error, httpcore2.RemoteProtocolError) and "body" in str(error)
    problem = str(error) or type(error).__name__
    if cut:
        return PassingError("truncated", message("engines.answer-is-cut-off", problem=problem))
    return PassingError("connection", message("engines.no-connection", problem=problem))


class _Clock(threading.local):
    """When the request of this thread must be done: an answer cannot trickle in forever."""

    end = float("inf")

    def start(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        """Returns the seconds that are left.

        Raises:
            httpcore2.ReadTimeout: If none are.
        """
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout
        return left


class _Network(httpcore2.NetworkBackend):
    """Opens connections, to allowed addresses only."""

    def __init__(self, clock: _Clock, reach: Reach | None) -> None:
        self._clock = clock
        self._reach = reach
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        problem: Exception = httpcore2.ConnectError("no address")
        for address in self._addresses(host, port):
            try:
                found = self._inner.connect_tcp(
                    address, port, self._clock.left(), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
            else:
                return _Stream(found, self._clock)
        raise problem

    def _addresses(self, host: str, port: int) -> list[str]:
        """Returns where to connect to: the one place that decides it."""
        if self._reach is None:
            return [host]
        try:
            return self._reach.addresses(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error


class _Stream(httpcore2.NetworkStream):
    """A connection whose waits end with the time of the request."""

    def __init__(self, inner: httpcore2.NetworkStream, clock: _Clock) -> None:
        self._inner = inner
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._clock.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._clock.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._clock.left()
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)

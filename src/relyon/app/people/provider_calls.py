"""Calls of an identity provider: bounded in size and time, and never redirected."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import httpx2

from relyon.app.people.provider_settings import ProviderSettings

if TYPE_CHECKING:
    from authlib.integrations.httpx_client import OAuth2Client

__all__ = ["LARGEST", "PATIENCE", "TooLargeError", "open_session"]

#: Bytes and seconds of one answer.
LARGEST = 2**18
PATIENCE = 10.0
#: Seconds until the provider accepts a connection.
CONNECTING = 5.0


class TooLargeError(httpx2.TransportError):
    """An answer was larger, or took longer, than a provider may."""


class _Bounded(httpx2.SyncByteStream):
    """An answer, cut off where it gets too long."""

    def __init__(self, stream: httpx2.SyncByteStream, end: float) -> None:
        self._stream = stream
        self._end = end

    def __iter__(self) -> Iterator[bytes]:
        seen = 0
        for part in self._stream:
            seen += len(part)
            if seen > LARGEST or time.monotonic() > self._end:
                raise TooLargeError("the answer is too long")
            yield part

    def close(self) -> None:
        self._stream.close()


@cache
def _authorities() -> ssl.SSLContext:
    """Returns the authorities to believe; one of the operator's own is in SSL_CERT_FILE."""
    return ssl.create_default_context()


class _Transport(httpx2.BaseTransport):
    """A transport whose answers are bounded, as they are sent: nothing is unpacked."""

    def __init__(self) -> None:
        self._transport = httpx2.HTTPTransport(verify=_authorities())

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        answer = self._transport.handle_request(request)
        if "content-encoding" in answer.headers:
            answer.close()
            raise TooLargeError("the answer is compressed, which was not asked for")
        stream = answer.stream
        if not isinstance(stream, httpx2.SyncByteStream):
            raise TooLargeError("the answer is not a stream")
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Bounded(stream, time.monotonic() + PATIENCE),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._transport.close()


def open_session(settings: ProviderSettings, method: str, redirect_uri: str) -> OAuth2Client:
    """Returns a client of the provider, which the caller closes.

    Args:
        settings: The provider.
        method: How this app names itself there: `client_secret_basic`, `client_secret_post` or
            `none`.
        redirect_uri: The address to which the provider sends people back.
    """
    from authlib.integrations.httpx_client import OAuth2Client

    return OAuth2Client(
        client_id=settings.client_id,
        client_secret=settings.secret or None,
        token_endpoint_auth_method=method,
        scope="openid profile email",
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        transport=_Transport(),
        timeout=httpx2.Timeout(PATIENCE, connect=CONNECTING),
        follow_redirects=False,
        trust_env=False,
    )

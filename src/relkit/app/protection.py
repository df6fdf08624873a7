"""What stands between the app and those who wish it ill."""

from __future__ import annotations

import hashlib
import hmac

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "BodyLimit", "SecurityHeaders", "csrf_token", "is_csrf_token"]

#: Scripts and styles come from files of the app alone; pictures of results from anywhere.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " worker-src 'self';"
        " img-src 'self' http: https: data:; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def csrf_token(secret: str) -> str:
    """Returns the token that forms carry: made of the cookie, which other sites cannot read."""
    return hmac.new(secret.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, token: str) -> bool:
    """Says whether a form came from one of our own pages."""
    expected = csrf_token(secret).encode()
    return bool(secret) and hmac.compare_digest(expected, token.encode("utf-8", "replace"))


class SecurityHeaders:
    """Adds the headers to every answer; what is no file of the app is not kept by caches."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


class BodyLimit:
    """Refuses requests with a larger body, whether they say so or not."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        told = dict(scope["headers"]).get(b"content-length", b"0")
        seen = int(told) if told.isdigit() else 0

        async def receive_some() -> Message:
            nonlocal seen
            if seen > self.largest:
                raise HTTPException(413)
            message = await receive()
            if message["type"] == "http.request" and not told.strip(b"0"):
                seen += len(message.get("body", b""))
                if seen > self.largest:
                    raise HTTPException(413)
            return message

        await self.app(scope, receive_some, send)

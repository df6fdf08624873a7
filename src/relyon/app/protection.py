"""Protection of the app against attacks."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import re
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "HEADERS",
    "AllowedHosts",
    "HeadAsGet",
    "SecurityHeaders",
    "UnknownProxy",
    "csrf_token",
    "is_csrf_token",
]

log = logging.getLogger("relyon.judging")

#: Scripts and styles only from the app's own files; images of results from anywhere.
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
    """Returns the CSRF token of forms: derived from the cookie, which other sites cannot read."""
    return hmac.new(secret.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_token(secret: str, token: str) -> bool:
    """Returns whether a form came from one of our own pages."""
    expected = csrf_token(secret).encode()
    return bool(secret) and hmac.compare_digest(expected, token.encode("utf-8", "replace"))


class SecurityHeaders:
    """Adds the headers to every response; caches may keep only static files."""

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


class AllowedHosts:
    """Answers only requests for its own host names.

    A foreign page could point its own name to our address (DNS rebinding); the browser would then
    let its scripts read our responses.

    Args:
        app: The app.
        names: The names; `*.example.org` means all subdomains, `*` any name.
        refuse: Creates the response to a request under another name.
    """

    def __init__(
        self, app: ASGIApp, names: Iterable[str], refuse: Callable[[Request, str], Response]
    ) -> None:
        self.app = app
        self.names = {name.lower().rstrip(".") for name in names}
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = host_name(Headers(scope=scope).get("host", "")) if scope["type"] == "http" else ""
        # Static files and health checks contain no personal data.
        if self._allows(name) or scope["path"].startswith(("/static/", "/healthz")):
            await self.app(scope, receive, send)
        else:
            await self.refuse(Request(scope, receive), name)(scope, receive, send)

    def _allows(self, name: str) -> bool:
        # Every browser sends a host name; only the user can point an IP address or localhost
        # elsewhere.
        if not name or name == "localhost" or name.endswith(".localhost") or is_address(name):
            return True
        above = (f"*.{name.split('.', cut)[-1]}" for cut in range(1, name.count(".") + 1))
        return "*" in self.names or name in self.names or any(one in self.names for one in above)


def host_name(host: str) -> str:
    """Returns the name in a header `Host`, without the port; anything else unchanged.

    Examples:
        >>> host_name("Judging.Example:8080"), host_name("[::1]:8080"), host_name("localhost/?")
        ('judging.example', '::1', 'localhost/?')
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::\d*)?", host, re.ASCII)
    return (found[1] or found[2]).lower().rstrip(".") if found else host


def is_address(name: str) -> bool:
    """Returns whether a host is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class HeadAsGet:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, send_without_body)


class UnknownProxy:
    """Logs once that there seems to be an unconfigured proxy.

    Unless it is trusted, all clients behind it count as one address.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self.told and scope["type"] == "http" and "x-forwarded-for" in Headers(scope=scope):
            self.told = True
            address = (scope.get("client") or ("an unknown address",))[0]
            log.warning(
                "%s sends X-Forwarded-For, which is not trusted: if this is your proxy,"
                " start with --proxy %s",
                address,
                address,
            )
        await self.app(scope, receive, send)

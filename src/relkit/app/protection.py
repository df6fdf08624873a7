"""What stands between the app and those who wish it ill."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import deque
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "BodyLimit", "RateLimit", "SecurityHeaders", "csrf_token", "is_csrf_token"]

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


class RateLimit:
    """Counts events by key in a moving window.

    Args:
        most: Events before a key has to wait.
        window: Seconds in which they are counted.
        clock: Tells the time.
    """

    def __init__(
        self, most: int, window: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self.window = window
        self.clock = clock
        self._events: dict[str, deque[float]] = {}
        self._turn = threading.Lock()

    def wait(self, key: str) -> float:
        """Returns for how many seconds a key has to wait, 0 if it need not."""
        with self._turn:
            events = self._current(key)
            return events[0] + self.window - self.clock() if len(events) >= self.most else 0.0

    def add(self, key: str) -> None:
        """Counts an event."""
        with self._turn:
            if len(self._events) > 10_000:
                for other in list(self._events):
                    self._current(other)
            self._events.setdefault(key, deque(maxlen=self.most)).append(self.clock())

    def forget(self, key: str) -> None:
        """Begins anew for a key."""
        with self._turn:
            self._events.pop(key, None)

    def _current(self, key: str) -> deque[float]:
        events = self._events.get(key)
        if events is None:
            return deque()
        oldest = self.clock() - self.window
        while events and events[0] <= oldest:
            events.popleft()
        if not events:
            del self._events[key]
        return events

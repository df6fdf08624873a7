"""How much a request may send: little, unless its route takes files and its sender is known.

Bytes are counted as they arrive; what a header declares does not matter. More than `SMALL` bytes
are kept or parsed for known senders only: frameworks read a body before they ask who sends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SMALL", "TEXT", "BodyGate", "Sender", "takes_files", "takes_text"]

#: Bytes that any request may have.
SMALL = 2**16
#: Bytes of a route that takes long texts: a note of 10,000 characters in JSON, a guideline.
TEXT = 2**18

Sender = Literal["anybody", "signed in", "leads"]
#: Finds out who sends a request.
Find = Callable[[Request], Sender]
Endpoint = TypeVar("Endpoint", bound=Callable[..., object])


#: What the routes that take more than `SMALL` bytes take.
_takes: WeakKeyDictionary[Callable[..., object], Literal["files", "text"]] = WeakKeyDictionary()


def takes_files(endpoint: Endpoint) -> Endpoint:
    """Declares that a route takes files, from leads."""
    _takes[endpoint] = "files"
    return endpoint


def takes_text(endpoint: Endpoint) -> Endpoint:
    """Declares that a route takes long texts, from those who are signed in."""
    _takes[endpoint] = "text"
    return endpoint


class BodyGate:
    """Refuses bodies that are larger than their route and their sender may send.

    Args:
        app: The app.
        largest: Bytes of a file.
        find: Finds out who sends a request, in a thread.
    """

    def __init__(self, app: ASGIApp, largest: int, find: Find) -> None:
        self.app = app
        self.largest = largest
        self.find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        told = headers.get(b"content-length", b"")
        if told and b"transfer-encoding" in headers:
            # Proxies and servers disagree about where such a request ends.
            answer = PlainTextResponse("Content-Length and Transfer-Encoding", 400)
            await answer(scope, receive, send)
            return
        declared = int(told[-20:]) if told.isdigit() else 0
        seen, most = 0, min(SMALL, self.largest)

        async def receive_some() -> Message:
            nonlocal seen, most
            if declared > most:
                most = await self._allowed(scope, declared)
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > most:
                    most = await self._allowed(scope, seen)
            return message

        await self.app(scope, receive_some, send)

    async def _allowed(self, scope: Scope, size: int) -> int:
        """Returns how much a request may send, if that is at least `size`."""
        # Set by the router, which comes before the first read.
        endpoint = scope.get("endpoint")
        taken = None if endpoint is None else _takes.get(endpoint)
        most = {None: 0, "files": self.largest, "text": TEXT}[taken]
        if size > most:
            raise HTTPException(413)
        request = Request(scope)
        sender = await run_in_threadpool(self.find, request)
        if sender == "anybody":
            raise _not_signed_in(request)
        if taken == "files" and sender != "leads":
            raise HTTPException(403)
        return most


def _not_signed_in(request: Request) -> HTTPException:
    if request.url.path.startswith("/api/"):
        return HTTPException(401)
    return HTTPException(303, headers={"Location": "/sign-in"})

"""A server that answers as OpenAI-compatible endpoints do, well or badly, as a test asks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server does with one request.

    Attributes:
        content: What the model is to have written.
        status: Of HTTP.
        body: The whole answer in place of a completion.
        headers: Further ones.
        seconds: To wait before.
        drop: Close the connection without an answer.
        drip: Send one byte after the other, so many seconds apart.
    """

    content: str | None = '{"grade": 2, "reason": "fits"}'
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    drop: bool = False
    drip: float = 0.0


@dataclass
class Received:
    """A request as it came.

    Attributes:
        path: Of the URL.
        headers: Of HTTP.
        body: The JSON that was sent.
        at: When.
    """

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def data(self) -> dict[str, Any]:
        """The result that was shown, as it stands between the boundaries."""
        lines = self.body["messages"][1]["content"].split("\n")
        found = json.loads("\n".join(lines[1:-1]))
        assert isinstance(found, dict)
        return found


class Completions:
    """The server: `script` makes the reply of each request; `received` keeps them all."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.script: Callable[[Received], Reply] = lambda _: Reply()
        self.closing = threading.Event()
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.answer(self)

            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 100

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that was killed or gave up is what some tests are about

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def replies(self, *replies: Reply) -> None:
        """Gives these replies one after the other, then good ones."""
        left = list(replies)
        lock = threading.Lock()

        def script(_: Received) -> Reply:
            with lock:
                return left.pop(0) if left else Reply()

        self.script = script

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Received(handler.path, headers, json.loads(raw) if raw else {}, time.monotonic())
        with self._lock:
            self.received.append(request)
        reply = self.script(request)
        if reply.seconds:
            self.closing.wait(reply.seconds)
        if reply.drop or self.closing.is_set():
            handler.close_connection = True
            return
        body = reply.body
        if body is None:
            message = {"role": "assistant", "content": reply.content}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body = json.dumps({"choices": [choice], "usage": usage}).encode()
        handler.send_response(reply.status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.drip:
            for place in range(len(body)):
                handler.wfile.write(body[place : place + 1])
                handler.wfile.flush()
                if self.closing.wait(reply.drip):
                    return
        else:
            handler.wfile.write(body)


@contextmanager
def serve_completions() -> Iterator[Completions]:
    """Runs the server on a free port."""
    found = Completions()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.closing.set()
        found.server.shutdown()
        found.server.server_close()
        thread.join(10)

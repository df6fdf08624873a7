"""A chat and a mail server on this machine, which answer as a test asks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the chat answers.

    Attributes:
        status: Of HTTP.
        body: Of the answer.
        headers: Further ones.
        seconds: To wait before.
        drop: Close the connection without an answer.
        endless: Never stop sending.
    """

    status: int = 200
    body: bytes = b"ok"
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    drop: bool = False
    endless: bool = False


class Chat:
    """A server for webhooks: `script` makes the answer to each request, `received` keeps them."""

    def __init__(self) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.script: Callable[[str], Answer] = lambda _: Answer()
        self.closing = threading.Event()
        self.sent = 0
        chat = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                chat.answer(self)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def replies(self, *answers: Answer) -> None:
        """Gives these answers one after the other, then good ones."""
        left = list(answers)
        self.script = lambda _: left.pop(0) if left else Answer()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.received.append((handler.path, json.loads(raw)))
        answer = self.script(handler.path)
        if answer.seconds:
            self.closing.wait(answer.seconds)
        if answer.drop:
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        if not answer.endless:
            handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body)
        while answer.endless and not self.closing.is_set():
            self.sent += handler.wfile.write(b"x" * 65536)


@contextmanager
def serve_chat() -> Iterator[Chat]:
    """Runs a chat on a free port."""
    found = Chat()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.closing.set()
        found.server.shutdown()
        found.server.server_close()
        thread.join(10)

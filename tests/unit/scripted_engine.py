"""A search engine whose replies a test scripts, over real HTTP on this machine."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["Asked", "Script", "serve_script"]


@dataclass
class Asked:
    """A request that came.

    Attributes:
        method: Its method.
        target: The path and parameters as sent.
        headers: Its headers, whose names are in lower case.
        body: Its body.
    """

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The path, decoded."""
        return unquote(urlsplit(self.target).path)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The parameters, decoded."""
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def json(self) -> object:
        """The body, as JSON."""
        return json.loads(self.body)


@dataclass
class Script:
    """A reply.

    Attributes:
        body: What is sent: JSON, or bytes as they are.
        status: The status.
        headers: Further headers.
        length: The length that is promised, if it is not the true one.
        wait: Seconds before the reply.
        trickle: Seconds between single bytes of the reply's head and body.
        cut: Whether the connection ends without a reply.
    """

    body: object = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    wait: float = 0.0
    trickle: float = 0.0
    cut: bool = False


@contextmanager
def serve_script(
    reply: Callable[[Asked], Script], certificate: tuple[Path, Path] | None = None
) -> Iterator[tuple[str, list[Asked]]]:
    """Serves replies, and yields the address and the requests that came so far.

    Args:
        reply: Returns the reply to a request; called from several threads.
        certificate: The files of a certificate and its key, for HTTPS.
    """
    came: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, self.rfile.read(length))
            came.append(asked)
            script = reply(asked)
            time.sleep(script.wait)
            if script.cut:
                self.close_connection = True
                return
            given = script.body
            body = given if isinstance(given, bytes) else json.dumps(given).encode()
            promised = len(body) if script.length is None else script.length
            lines = [f"HTTP/1.1 {script.status} Scripted", f"Content-Length: {promised}"]
            lines += [f"{name}: {value}" for name, value in script.headers.items()]
            whole = "\r\n".join([*lines, "", ""]).encode() + body
            try:
                if script.trickle:
                    for place in range(len(whole)):
                        self.wfile.write(whole[place : place + 1])
                        self.wfile.flush()
                        time.sleep(script.trickle)
                else:
                    self.wfile.write(whole)
            except OSError:
                self.close_connection = True
            if promised != len(body):
                self.close_connection = True

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, format: str, *values: object) -> None:
            """Keeps the terminal free."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 64

        def handle_error(self, request: object, address: object) -> None:
            """A client that went away is no fault of the server."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        worker = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        worker.start()
        try:
            yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}", came
        finally:
            server.shutdown()
            worker.join()

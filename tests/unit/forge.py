"""A stand-in for the comments of GitHub and GitLab, with their pages, limits and failures."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROBOT = "github-actions[bot]"
TOKEN = "ghs_a-token-that-nobody-may-see"

#: An answer in place of the usual one: status, headers, body.
Reply = tuple[int, dict[str, str], dict[str, Any]]


@dataclass
class Forge:
    """The state of the server.

    Attributes:
        comments: Comments of all requests, the oldest first.
        requests: Method and path of every request.
        tokens: The token of every request.
        page: Comments per page.
        login: Whose token it is; empty if the server does not say, as for a job's own.
        answers: Called before every request; its answer replaces the usual one.
        longest: The longest text, in characters.
        url: The address of the server.
        kind: GitHub or GitLab.
    """

    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    page: int = 30
    login: str = ""
    answers: Callable[[str, str], Reply | None] = lambda method, path: None
    longest: int = 65_536
    url: str = ""
    kind: str = "GitHub"

    def add(self, text: str, author: str = ROBOT) -> int:
        """Adds a comment and returns its number."""
        number = 1000 + len(self.comments)
        kind = "Bot" if author.endswith("[bot]") else "User"
        user = {"login": author, "username": author, "type": kind}
        self.comments.append({"id": number, "body": text, "user": user, "author": user})
        return number

    @property
    def texts(self) -> list[str]:
        """The texts of all comments."""
        return [one["body"] for one in self.comments]

    def count(self, method: str) -> int:
        """Returns how many requests had a method."""
        return sum(one.startswith(f"{method} ") for one in self.requests)


class _Handler(BaseHTTPRequestHandler):
    forge: Forge

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, one in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, one)
        self.end_headers()
        self.wfile.write(data)

    def _handle(self) -> None:
        forge, method = self.forge, self.command
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
        forge.requests.append(f"{method} {self.path}")
        forge.tokens.append(token)
        special = forge.answers(method, self.path)
        if special is not None:
            self._answer(special[0], special[2], special[1])
            return
        if token.removeprefix("Bearer ") != TOKEN:
            self._answer(401, {"message": "Bad credentials"})
            return
        path = urlsplit(self.path).path
        if path.endswith("/user"):
            if forge.login:
                self._answer(200, {"login": forge.login, "username": forge.login})
            else:
                self._answer(403, {"message": "Resource not accessible by integration"})
        elif method == "GET":
            self._list(path)
        elif len(body["body"]) > forge.longest:
            self._answer(422, {"message": "Body is too long (maximum is 65536 characters)"})
        elif method == "POST":
            number = forge.add(body["body"], forge.login or ROBOT)
            self._answer(201, {"id": number, "html_url": f"{forge.url}/comment/{number}"})
        else:
            number = int(path.rsplit("/", 1)[1])
            found = [one for one in forge.comments if one["id"] == number]
            if not found:
                self._answer(404, {"message": "Not Found"})
                return
            found[0]["body"] = body["body"]
            self._answer(200, {"id": number, "html_url": f"{forge.url}/comment/{number}"})

    def _list(self, path: str) -> None:
        forge = self.forge
        page = int(parse_qs(urlsplit(self.path).query).get("page", ["1"])[0])
        start = (page - 1) * forge.page
        headers = {}
        if start + forge.page < len(forge.comments):
            link = f"<{forge.url}{path}?per_page=100&page={page + 1}>"
            headers["Link"] = f'{link}; rel="next", <{forge.url}{path}?page=9>; rel="last"'
        self._answer(200, forge.comments[start : start + forge.page], headers)

    do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815


@contextmanager
def serving(forge: Forge) -> Iterator[Forge]:
    """Serves the comments at a free port of this machine."""
    handler = type("Handler", (_Handler,), {"forge": forge})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    forge.url = f"http://127.0.0.1:{server.server_address[1]}/api/v3"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

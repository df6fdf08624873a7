"""A lead who makes a month in the app, for tests of several files."""

from __future__ import annotations

import re
import time

from fastapi.testclient import TestClient
from httpx2 import Response

from relyon.app import Settings, create_app
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.store import Store


def make_log(month: str = "2026-11", queries: int = 9) -> str:
    """Returns a log in which frequent queries have more sessions."""
    rows = ["session,query,timestamp,position,doc,title,clicked"]
    for query in range(queries):
        for n in range(2 * (queries - query)):
            for place in (1, 2, 3):
                rows.append(
                    f"{month}-{query}-{n},query {query},{month}-{n % 27 + 1:02}T08:00:00Z,{place},"
                    f"d{query}-{place},Title {query} {place},{int(n == place)}"
                )
    return "\n".join(rows) + "\n"


class Lead:
    """Somebody signed in, with an app of their own or another's."""

    def __init__(
        self, store: Store, name: str = "lea", *, app: object = None, **settings: object
    ) -> None:
        self.app = app or create_app(store, Settings(**settings))  # type: ignore[arg-type]
        self.client = TestClient(self.app, follow_redirects=False)  # type: ignore[arg-type]
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def send(self, path: str, **values: object) -> Response:
        data = {"csrf": csrf_token(self.secret), **values}
        return self.client.post(path, data=data)

    def upload(self, content: bytes, name: str = "log.csv", month: str = "2026-11") -> Response:
        data = {"csrf": csrf_token(self.secret), "month": month}
        return self.client.post("/monitor/months/new", data=data, files={"file": (name, content)})

    def wait(self, address: str) -> Response:
        """Returns the page of a draft when no step runs."""
        for _ in range(600):
            page = self.client.get(address)
            if 'role="status"' not in page.text or page.status_code != 200:
                return page
            time.sleep(0.05)
        raise AssertionError("the step does not end")

    def to_plan(self, content: bytes, name: str = "log.csv", month: str = "2026-11") -> str:
        """Uploads a log, accepts all repairs, and returns the address of the plan."""
        answer = self.upload(content, name, month)
        assert answer.status_code == 303, answer.text
        address = answer.headers["location"]
        page = self.wait(address)
        chosen = re.findall(r'name="repairs" value="([\w-]+)"', page.text)
        assert self.send(f"{address}/checks", repairs=chosen).status_code == 303
        assert "Draw again" in self.wait(address).text
        return address

    def create(self, address: str, **values: object) -> int:
        """Creates the project of a plan, and returns it."""
        self.send(f"{address}/create", **values)
        page = self.wait(address)
        assert page.status_code == 303, page.text
        return int(page.headers["location"].rpartition("/")[2])

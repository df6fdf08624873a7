"""How a test's browser goes to an identity provider and comes back."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import urlsplit

import httpx2
from fastapi.testclient import TestClient
from tests.unit.identity_provider import CLIENT, SECRET, Provider

from relyon.app import Settings, create_app
from relyon.app.people.provider_settings import ProviderSettings
from relyon.judging.store import Store


def start_app(
    store: Store,
    provider: Provider,
    *,
    creates: bool = True,
    domains: tuple[str, ...] = (),
    **more: Any,
) -> TestClient:
    """Starts the app with the provider, whose people get accounts unless a test says otherwise."""
    found = ProviderSettings(provider.issuer, CLIENT, SECRET, "Example ID", creates, domains)
    settings = Settings(provider=found, **more)
    return TestClient(create_app(store, settings), follow_redirects=False)


def leave(client: TestClient, next: str = "/") -> str:
    """Begins to sign in, and returns the address of the provider that the browser is sent to."""
    client.get("/sign-in")
    answer = client.get("/sign-in/provider", params={"next": next})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def visit(address: str) -> str:
    """Visits the provider as a browser does, and returns where it sends back to."""
    answer = httpx2.get(address, follow_redirects=False)
    assert answer.status_code == 302
    back = urlsplit(answer.headers["location"])
    assert (back.scheme, back.netloc) == ("http", "testserver")
    return f"{back.path}?{back.query}"


def come(client: TestClient, next: str = "/") -> Any:
    """Signs in with the provider."""
    return client.get(visit(leave(client, next)))


def name_of(client: TestClient) -> str | None:
    found = re.search(r'href="/account">([^<]+)</a>', client.get("/").text)
    return None if found is None else found[1]


def refused(client: TestClient, answer: Any, said: str, status: int = 403) -> None:
    """Checks that somebody was not signed in, and learned why."""
    assert answer.status_code == status, answer.text
    assert said in html.unescape(answer.text)
    assert name_of(client) is None

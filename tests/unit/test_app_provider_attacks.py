"""Attacks on signing in with an identity provider, and a provider that fails."""

from __future__ import annotations

import hashlib
import hmac
import html
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytest.importorskip("authlib")
pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.unit.identity_provider import (
    CLIENT,
    SECRET,
    Provider,
    key_number,
    segment,
)
from tests.unit.provider_visits import come, leave, name_of, refused, start_app, visit
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.judging.access import start_sign_in
from relyon.judging.identities import list_identities
from relyon.judging.store import Store

pytestmark = pytest.mark.usefixtures("cheap_passwords")

Start = Callable[..., TestClient]


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("root", role="admin", password=PASSWORD)
    store.accounts.create("ana", password=PASSWORD)
    return store


@pytest.fixture
def start(store: Store, provider: Provider) -> Start:
    """Starts the app with the provider."""
    return partial(start_app, store, provider)


def test_the_cookie_of_an_attempt_is_bound_and_short(start: Start) -> None:
    client = start()
    client.get("/sign-in")
    cookie = client.get("/sign-in/provider").headers["set-cookie"]
    assert "relyon_provider=" in cookie
    assert "HttpOnly" in cookie
    assert "Path=/sign-in/provider/back" in cookie
    assert "samesite=lax" in cookie.lower()
    assert "Max-Age=600" in cookie


def test_a_code_is_used_once(start: Start, provider: Provider) -> None:
    client = start()
    back = visit(leave(client))
    kept = dict(client.cookies)
    assert client.get(back).status_code == 303
    # In the same browser the attempt is over.
    replay = client.get(back)
    assert replay.status_code == 400
    # Whoever got hold of the link and of all cookies still lacks a code that is new.
    thief = start()
    for name, value in kept.items():
        thief.cookies.set(name, value)
    refused(thief, thief.get(back), "did not confirm who you are")
    assert provider.calls.count("/token") == 2


def test_an_answer_of_another_browser_signs_in_nobody(start: Start, provider: Provider) -> None:
    mallory, victim = start(), start()
    back = visit(leave(mallory))
    # Neither without an attempt of one's own, nor with one.
    refused(victim, victim.get(back), "was begun in another browser", 400)
    leave(victim)
    refused(victim, victim.get(back), "was begun in another browser", 400)
    assert "/token" not in provider.calls
    assert name_of(victim) is None


@pytest.mark.parametrize("state", ["", "x", "é" * 20, "0" * 43])
def test_a_wrong_state_is_refused_before_the_provider_is_asked(
    start: Start, provider: Provider, state: str
) -> None:
    client = start()
    code = parse_qs(urlsplit(visit(leave(client))).query)["code"][0]
    answer = client.get(f"/sign-in/provider/back?{urlencode({'code': code, 'state': state})}")
    refused(client, answer, "expired", 400)
    assert "/token" not in provider.calls


def test_an_attempt_expires(start: Start, store: Store) -> None:
    client = start()
    back = visit(leave(client))
    store.clock = lambda: time.time() + 601
    refused(client, client.get(back), "expired", 400)


def test_an_attempt_ends_with_the_sign_in_that_began_it(start: Start, store: Store) -> None:
    client = start()
    back = visit(leave(client))
    client.cookies.delete("relyon_session")
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get("ana")))
    assert client.get(back).status_code == 400
    assert not list_identities(store, store.accounts.get("ana"))


FORGERIES: dict[str, dict[str, Any]] = {
    "nonce": {"nonce": "another one"},
    "no nonce": {"nonce": None},
    "audience": {"aud": "another-app"},
    "audiences": {"aud": ["another-app", "a-third-one"]},
    "audience of several, for another": {"aud": [CLIENT, "another-app"], "azp": "another-app"},
    "issuer": {"iss": "https://evil.example"},
    "issuer with a slash": {"iss": "slash"},
    "no issuer": {"iss": None},
    "expired": {"exp": 1_700_000_000, "iat": 1_699_999_000},
    "no end": {"exp": None},
    "of the future": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "no subject": {"sub": None},
    "subject is a list": {"sub": ["248289761001"]},
    "empty subject": {"sub": ""},
    "long subject": {"sub": "x" * 256},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_token_that_is_not_for_this_attempt_is_refused(
    start: Start, provider: Provider, store: Store, forgery: str
) -> None:
    provider.changes = dict(FORGERIES[forgery])
    if provider.changes.get("iss") == "slash":
        provider.changes["iss"] = f"{provider.issuer}/"
    client = start()
    answer = come(client)
    assert answer.status_code in {400, 403}, answer.text
    assert name_of(client) is None
    assert len(store.accounts.all()) == 2


def sign_with_another_key(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "key 0"}, claims, key_number(1))


def sign_with_an_unknown_key(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "key 1"}, claims, key_number(1))


def sign_with_nothing(claims: dict[str, Any]) -> str:
    return f"{segment({'alg': 'none'})}.{segment(claims)}."


def sign_with_the_published_key_as_a_secret(claims: dict[str, Any]) -> str:
    text = f"{segment({'alg': 'HS256', 'kid': 'key 0'})}.{segment(claims)}"
    public = key_number(0).as_pem(private=False)
    made = hmac.digest(public, text.encode(), hashlib.sha256)
    from base64 import urlsafe_b64encode

    return f"{text}.{urlsafe_b64encode(made).decode().rstrip('=')}"


def sign_with_the_secret_of_the_app(claims: dict[str, Any]) -> str:
    key = OctKey.import_key(SECRET.ljust(32, "."))
    return jwt.encode({"alg": "HS256"}, claims, key, algorithms=["HS256"])


def bring_a_key_along(claims: dict[str, Any]) -> str:
    own = key_number(1)
    header = {"alg": "RS256", "kid": "key 1", "jwk": own.as_dict(private=False)}
    return jwt.encode(header, claims, own)


def cut_the_signature(claims: dict[str, Any]) -> str:
    own = key_number(0)
    made = jwt.encode({"alg": "RS256", "kid": "key 0"}, claims, own)
    return made.rpartition(".")[0] + "."


def change_after_signing(claims: dict[str, Any]) -> str:
    own = key_number(0)
    head, _, sign = jwt.encode({"alg": "RS256", "kid": "key 0"}, claims, own).split(".")
    return f"{head}.{segment({**claims, 'sub': 'somebody else'})}.{sign}"


@pytest.mark.parametrize(
    "sign",
    [
        sign_with_another_key,
        sign_with_an_unknown_key,
        sign_with_nothing,
        sign_with_the_published_key_as_a_secret,
        sign_with_the_secret_of_the_app,
        bring_a_key_along,
        cut_the_signature,
        change_after_signing,
        lambda claims: "not a token",
        lambda claims: "",
    ],
)
def test_a_token_that_the_provider_did_not_sign_is_refused(
    start: Start, provider: Provider, store: Store, sign: Callable[[dict[str, Any]], str]
) -> None:
    provider.sign = sign
    client = start()
    refused(client, come(client), "cannot be trusted")
    assert len(store.accounts.all()) == 2


@pytest.mark.parametrize("iss", ["https://evil.example", ""])
def test_an_answer_names_the_provider_that_sent_it(
    start: Start, provider: Provider, iss: str
) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    if iss:
        provider.answer = {"iss": iss}
    client = start()
    refused(client, come(client), "cannot be trusted")
    assert "/token" not in provider.calls
    provider.answer = {"iss": provider.issuer}
    assert come(client).status_code == 303


def test_a_provider_that_calls_itself_another_is_refused(start: Start, provider: Provider) -> None:
    provider.metadata = {"issuer": "https://evil.example"}
    client = start()
    client.get("/sign-in")
    refused(client, client.get("/sign-in/provider"), "cannot be trusted")


@pytest.mark.parametrize("address", ["ftp://evil.example/", "javascript:alert(1)", "/x", 5, None])
def test_only_addresses_of_the_web_are_used(
    start: Start, provider: Provider, address: object
) -> None:
    provider.metadata = {"authorization_endpoint": address}
    client = start()
    client.get("/sign-in")
    refused(client, client.get("/sign-in/provider"), "cannot be trusted")


def test_new_keys_of_the_provider_are_found(
    start: Start, provider: Provider, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = start()
    assert come(client).status_code == 303
    provider.key = 1
    assert come(TestClient(client.app, follow_redirects=False)).status_code == 303
    assert provider.calls.count("/keys") == 2
    # Tokens with keys that nobody knows do not make the app ask again and again.
    provider.sign = lambda claims: jwt.encode(
        {"alg": "RS256", "kid": "key 9"}, claims, key_number(2)
    )
    for _ in range(4):
        third = TestClient(client.app, follow_redirects=False)
        refused(third, come(third), "cannot be trusted")
    assert provider.calls.count("/keys") == 2


def test_a_provider_that_is_down_is_named_and_not_asked_again_at_once(
    start: Start, provider: Provider
) -> None:
    provider.down = True
    client = start()
    for _ in range(5):
        client.get("/sign-in")
        answer = client.get("/sign-in/provider")
        refused(client, answer, "Example ID does not answer", 503)
        assert answer.headers["retry-after"] == "10"
    assert len(provider.calls) == 1
    # Passwords work meanwhile.
    assert sign_in(client).status_code == 303


def test_a_provider_that_goes_down_in_between_is_named(start: Start, provider: Provider) -> None:
    client = start()
    back = visit(leave(client))
    provider.down = True
    refused(client, client.get(back), "does not answer", 503)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_answer_without_end_is_cut_off(start: Start, provider: Provider, lang: str) -> None:
    provider.metadata = {"jwks_uri": f"{provider.issuer}/endless"}
    client = start()
    client.cookies.set("relyon_language", lang)
    said = {"en": "does not answer", "zh": "没有响应"}[lang]
    refused(client, come(client), said, 503)


@pytest.mark.parametrize(
    "next", ["https://evil.example", "//evil.example", "/\\evil.example", "/%2F/evil.example", "x"]
)
def test_nobody_is_sent_to_another_site(start: Start, next: str) -> None:
    assert come(start(), next).headers["location"] == "/"


@pytest.mark.parametrize("path", ["/account/provider", "/account/provider/unlink"])
def test_only_the_own_page_links(start: Start, store: Store, path: str) -> None:
    client = start()
    sign_in(client)
    for csrf in ("", "0" * 64):
        assert client.post(path, data={"csrf": csrf}).status_code == 403
    assert not list_identities(store, store.accounts.get("ana"))
    assert start().post(path).status_code == 403


def test_an_attempt_to_sign_in_links_nothing_and_one_to_link_signs_nobody_in(
    start: Start, provider: Provider, store: Store
) -> None:
    client = start()
    sign_in(client)
    answer = client.post("/account/provider", data={"csrf": token_of(client.get("/account").text)})
    address = html.unescape(re.findall(r'url=([^"]+)"', answer.text)[0])
    back = visit(address)
    client.post("/sign-out", data={"csrf": token_of(client.get("/account").text)})
    refused(client, client.get(back), "expired", 400)
    assert not list_identities(store, store.accounts.get("ana"))
    assert "/token" not in provider.calls

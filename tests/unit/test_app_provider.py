"""Signing in with an identity provider: the whole flow, and attacks on it."""

from __future__ import annotations

import hashlib
import hmac
import html
import re
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytest.importorskip("authlib")
pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

import httpx2
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.unit.identity_provider import (
    CLIENT,
    SECRET,
    Provider,
    key_number,
    segment,
    serve_provider,
)
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.app.people.provider_settings import ProviderSettings, check_issuer
from relyon.core.errors import ParameterError
from relyon.judging.access import start_sign_in
from relyon.judging.events import list_events
from relyon.judging.identities import Identity, find_identified, link_identity, list_identities
from relyon.judging.invitations import create_invitation, list_invitations
from relyon.judging.store import Store

pytestmark = pytest.mark.usefixtures("cheap_passwords")

#: A test's people of the provider get accounts, unless it says otherwise.
Start = Callable[..., TestClient]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serve_provider() as found:
        yield found


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("root", role="admin", password=PASSWORD)
    store.accounts.create("ana", password=PASSWORD)
    return store


@pytest.fixture
def start(store: Store, provider: Provider) -> Start:
    """Starts the app with the provider."""

    def open_app(*, creates: bool = True, domains: tuple[str, ...] = (), **more: Any) -> TestClient:
        found = ProviderSettings(provider.issuer, CLIENT, SECRET, "Example ID", creates, domains)
        settings = Settings(provider=found, **more)
        return TestClient(create_app(store, settings), follow_redirects=False)

    return open_app


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


def test_somebody_signs_in_and_comes_back(start: Start, provider: Provider, store: Store) -> None:
    client = start()
    page = client.get("/sign-in?next=/account").text
    assert "Sign in with Example ID" in page
    answer = come(client, "/account")
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert name_of(client) == "jana"
    user = store.accounts.get("jana")
    assert (user.role, user.must_change) == ("judge", False)
    identity = Identity(provider.issuer, "248289761001")
    assert list_identities(store, user) == [identity]
    # Whatever the provider calls them later, they are the same person.
    provider.person |= {"preferred_username": "root", "email": "root@example.org"}
    other = start()
    come(other)
    assert name_of(other) == "jana"
    assert len(store.accounts.all()) == 3
    # Signing out ends the sign-in here.
    client.post("/sign-out", data={"csrf": token_of(client.get("/account").text)})
    assert name_of(client) is None
    kinds = [one.kind for one in list_events(store)]
    assert {"account_made", "signed_in", "signed_out"} <= set(kinds)


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


def test_people_of_the_provider_get_no_account_unless_the_operator_says_so(
    start: Start, provider: Provider, store: Store
) -> None:
    client = start(creates=False)
    refused(client, come(client), "No account here belongs to you")
    # An address or a name of an account here is no proof of anything.
    provider.person |= {"preferred_username": "root", "email": "root", "email_verified": True}
    refused(client, come(client), "No account here belongs to you")
    assert len(store.accounts.all()) == 2


@pytest.mark.parametrize(
    ("email", "verified", "lets_in"),
    [
        ("jana@example.org", True, True),
        ("jana@Example.ORG", True, True),
        ("jana@example.org", False, False),
        ("jana@example.org", "true", False),
        ("jana@example.org.evil.example", True, False),
        ("jana@evil.example", True, False),
        ("jana@sub.example.org", True, False),
        ("jana@evil.example@example.net", True, False),
        (None, True, False),
        (["jana@example.org"], True, False),
    ],
)
def test_only_verified_addresses_of_the_domain_get_an_account(
    start: Start, provider: Provider, email: object, verified: object, lets_in: bool
) -> None:
    provider.person |= {"email": email, "email_verified": verified}
    client = start(domains=("example.org",))
    answer = come(client)
    if lets_in:
        assert answer.status_code == 303
    else:
        refused(client, answer, "verified e-mail addresses of example.org")


@pytest.mark.parametrize("name", ["root", "ROOT", "r00t", "rооt", " root ", "root@evil.example"])
def test_nobody_gets_a_name_that_looks_like_another(
    start: Start, provider: Provider, store: Store, name: str
) -> None:
    provider.person["preferred_username"] = name
    client = start()
    answer = come(client)
    made = {one.name for one in store.accounts.all()} - {"root", "ana"}
    if answer.status_code == 303:
        assert made <= {f"{name.partition('@')[0].strip()} 2"}
    else:
        refused(client, answer, "No account could be made under this name")
        assert not made


@pytest.mark.parametrize("name", [None, "", "llm:gpt", "\u0000", "x" * 300, ["jana"], "ab\nc"])
def test_a_name_that_no_account_can_have_makes_none(
    start: Start, provider: Provider, store: Store, name: object
) -> None:
    provider.person["preferred_username"] = name
    client = start()
    refused(client, come(client), "No account could be made under this name")
    assert len(store.accounts.all()) == 2


def test_the_provider_is_asked_for_the_name_if_the_token_has_none(
    start: Start, provider: Provider, store: Store
) -> None:
    del provider.person["preferred_username"]
    provider.told = {"name": "Jana Nováková"}
    client = start()
    assert come(client).status_code == 303
    assert name_of(client) == "Jana Nováková"
    provider.person["sub"] = "another one"
    provider.told = {"name": "Ben", "sub": "somebody else"}
    other = start()
    refused(other, come(other), "cannot be trusted")


def test_an_account_is_linked_while_it_is_signed_in(
    start: Start, provider: Provider, store: Store
) -> None:
    client = start(creates=False)
    sign_in(client)
    page = client.get("/account").text
    assert "Link Example ID" in page
    answer = client.post("/account/provider", data={"csrf": token_of(page)})
    # A page, not a redirect: browsers do not follow a form to another site by our policy.
    assert answer.status_code == 200
    address = html.unescape(re.findall(r'url=([^"]+)"', answer.text)[0])
    assert address.startswith(f"{provider.issuer}/authorize?")
    back = client.get(visit(address))
    assert back.headers["location"] == "/account?told=linked"
    identity = Identity(provider.issuer, "248289761001")
    assert find_identified(store, identity) == store.accounts.get("ana")
    fresh = start(creates=False)
    assert come(fresh).status_code == 303
    assert name_of(fresh) == "ana"
    # It cannot be linked to a second account.
    root = start(creates=False)
    sign_in(root, "root")
    answer = root.post("/account/provider", data={"csrf": token_of(root.get("/account").text)})
    address = html.unescape(re.findall(r'url=([^"]+)"', answer.text)[0])
    answer = root.get(visit(address))
    assert answer.status_code == 403
    assert "another account here already" in answer.text
    assert not list_identities(store, store.accounts.get("root"))
    # And it is unlinked again.
    csrf = token_of(client.get("/account").text)
    client.post("/account/provider/unlink", data={"csrf": csrf})
    assert find_identified(store, identity) is None


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


def test_the_only_way_to_sign_in_is_kept(start: Start, store: Store) -> None:
    client = start()
    come(client)
    page = client.get("/account").text
    answer = client.post("/account/provider/unlink", data={"csrf": token_of(page)})
    assert answer.status_code == 400
    assert list_identities(store, store.accounts.get("jana"))


def test_a_closed_account_stays_closed(start: Start, store: Store) -> None:
    come(start())
    store.accounts.change("jana", active=False)
    client = start()
    refused(client, come(client), "has been closed")
    assert len(store.accounts.all()) == 3


def test_an_invitation_is_accepted_with_the_provider(
    start: Start, provider: Provider, store: Store
) -> None:
    project = store.projects.create("June")
    secret = create_invitation(store, store.accounts.get("root"), project=project)
    client = start(creates=False)
    page = client.get(f"/invitation/{secret}").text
    assert "Create account with Example ID" in page
    form = {"csrf": token_of(page), "secret": secret, "name": "Jana N"}
    answer = client.post("/invitation/provider", data=form)
    address = html.unescape(re.findall(r'url=([^"]+)"', answer.text)[0])
    assert client.get(visit(address)).status_code == 303
    assert name_of(client) == "Jana N"
    assert list_invitations(store)[0].used_by == "Jana N"
    # Once.
    provider.person["sub"] = "another one"
    other = start(creates=False)
    form["csrf"] = token_of(other.get("/sign-in").text)
    assert other.post("/invitation/provider", data=form).status_code == 400


def test_without_passwords_only_administrators_use_one(
    start: Start, provider: Provider, store: Store
) -> None:
    client = start(passwords="admins")
    assert "Administrators: sign in with a password" in client.get("/sign-in").text
    assert sign_in(client, "ana").status_code == 401
    assert sign_in(client, "nobody").status_code == 401
    assert sign_in(client, "root").status_code == 303
    csrf = token_of(client.get("/accounts").text)
    answer = client.post("/accounts", data={"csrf": csrf, "name": "x", "role": "judge"})
    assert answer.status_code == 400
    secret = create_invitation(store, store.accounts.get("root"))
    other = start(passwords="admins")
    page = other.get(f"/invitation/{secret}").text
    assert 'type="password"' not in page
    values = {"csrf": token_of(page), "secret": secret, "name": "bo", "password": PASSWORD}
    answer = other.post("/invitation", data=values)
    assert answer.status_code == 400
    assert store.accounts.find("bo") is None


def test_strangers_wait_after_many_attempts(start: Start, provider: Provider) -> None:
    client = start(creates=False, sign_in_attempts=1)
    answers = [come(client).status_code for _ in range(6)]
    assert answers == [403] * 5 + [429]


def test_without_a_provider_there_is_nothing(store: Store) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    for path in ("/sign-in/provider", "/sign-in/provider/back?code=x&state=y"):
        assert client.get(path).status_code == 404
    assert "provider" not in client.get("/sign-in").text


@pytest.mark.parametrize(
    "issuer",
    ["http://id.example.org", "id.example.org", "https://", "https://a@id.example.org",
     "https://id.example.org/?x=1", "https://id.example.org/#x", "https://id.example.org:0",
     "https://ïd.example.org", "https://id.example.org/ x"],
)  # fmt: skip
def test_an_issuer_is_an_address_of_the_web(issuer: str) -> None:
    with pytest.raises(ParameterError, match="is not the address of an identity provider"):
        check_issuer(issuer)


def test_the_secret_is_shown_nowhere(provider: Provider) -> None:
    assert SECRET not in repr(Settings(provider=ProviderSettings("https://x.example", "c", SECRET)))


def test_an_identity_belongs_to_one_account(store: Store) -> None:
    identity = Identity("https://id.example.org", "1")
    link_identity(store, store.accounts.get("ana"), identity)
    link_identity(store, store.accounts.get("ana"), identity)
    with pytest.raises(Exception, match="belongs to another account"):
        link_identity(store, store.accounts.get("root"), identity)
    assert find_identified(store, identity) == store.accounts.get("ana")
    assert find_identified(store, Identity("https://id.example.com", "1")) is None

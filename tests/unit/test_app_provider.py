"""Signing in with an identity provider: people, invitations, and accounts that are linked."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

pytest.importorskip("authlib")
pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.identity_provider import (
    SECRET,
    Provider,
)
from tests.unit.provider_visits import come, leave, name_of, refused, start_app, visit
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.app.people.provider_settings import ProviderSettings, check_issuer
from relyon.core.errors import ParameterError
from relyon.judging.events import list_events
from relyon.judging.identities import Identity, find_identified, link_identity, list_identities
from relyon.judging.invitations import create_invitation, list_invitations
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


def test_the_only_way_to_sign_in_is_kept(start: Start, store: Store) -> None:
    client = start()
    come(client)
    page = client.get("/account").text
    # Neither is offered: there is no password to change.
    assert "/account/password" not in page
    assert "/account/provider/unlink" not in page
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


@pytest.mark.long
def test_somebody_who_comes_in_two_browsers_at_once_gets_one_account(
    start: Start, store: Store
) -> None:
    app = start().app
    clients = [TestClient(app, follow_redirects=False) for _ in range(4)]
    backs = [visit(leave(one)) for one in clients]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda one, back: one.get(back), clients, backs))
    assert [one.status_code for one in answers] == [303] * 4
    assert {one.name for one in store.accounts.all()} == {"root", "ana", "jana"}

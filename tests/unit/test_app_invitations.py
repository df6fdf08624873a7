"""Invitations: who sends them, who accepts them, once; and what strangers can do with them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.clock import Clock
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.core.errors import InputError, ParameterError
from relyon.judging import passwords
from relyon.judging.access import hash_secret, start_sign_in
from relyon.judging.events import list_events
from relyon.judging.invitations import (
    MOST_OPEN,
    accept_invitation,
    create_invitation,
    find_invitation,
    list_invitations,
    withdraw_invitation,
)
from relyon.judging.members import list_members, restrict_to_members, set_member
from relyon.judging.schema import invitations, sa
from relyon.judging.store import Store

pytestmark = pytest.mark.usefixtures("cheap_passwords")

NEW = "correct horse battery"


@pytest.fixture
def store_clock(clock: Clock) -> Clock:
    return clock


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("root", role="admin", password=PASSWORD)
    store.accounts.create("lea", role="lead", password=PASSWORD)
    store.accounts.create("ana", password=PASSWORD)
    store.projects.create("June")
    return store


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store), follow_redirects=False) as opened:
        yield opened


def somebody(store: Store, name: str) -> TestClient:
    client = TestClient(create_app(store), follow_redirects=False)
    client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get(name)))
    return client


def post(client: TestClient, path: str, **values: str) -> Any:
    csrf = token_of(client.get("/account").text)
    return client.post(path, data={"csrf": csrf, **values})


def link_in(page: str) -> str:
    (link,) = re.findall(r"<code>(http[^<]+)</code>", page)
    return html.unescape(link)


def accept(client: TestClient, secret: str, name: str = "bo", password: str = NEW) -> Any:
    """Fills in the form of an invitation."""
    csrf = token_of(client.get("/sign-in").text)
    values = {"csrf": csrf, "secret": secret, "name": name, "password": password}
    return client.post("/invitation", data=values)


def invite(store: Store, **more: Any) -> str:
    return create_invitation(store, store.accounts.get("root"), **more)


def test_an_administrator_invites_somebody_who_then_judges(
    client: TestClient, store: Store
) -> None:
    sign_in(client, "root")
    values = {"role": "judge", "project": "1", "note": "Bo <b>", "days": "30"}
    page = post(client, "/accounts/invitations", **values).text
    link = link_in(page)
    assert link.startswith("http://testserver/invitation/")
    assert "Bo &lt;b&gt;" in page
    # The link is shown once, and only its hash is stored.
    assert link not in client.get("/accounts").text
    secret = link.rpartition("/")[2]
    with store.database.read() as connection:
        (row,) = connection.execute(sa.select(invitations)).all()
    assert row.secret_hash == hash_secret(secret)
    assert secret not in str(tuple(row))
    guest = TestClient(create_app(store), follow_redirects=False)
    shown = guest.get(link).text
    assert "June" in shown
    assert "root" not in shown
    answer = accept(guest, secret)
    assert (answer.status_code, answer.headers["location"]) == (303, "/projects/1/judge")
    assert guest.get("/projects/1/judge").status_code == 200
    assert not store.accounts.get("bo").must_change
    assert "Accepted by bo." in client.get("/accounts").text
    kinds = {one.kind: one.actor for one in list_events(store)}
    assert (kinds["invitation_made"], kinds["invitation_used"]) == ("root", "bo")
    # Used up.
    other = TestClient(create_app(store), follow_redirects=False)
    assert accept(other, secret, "cy").status_code == 404
    assert other.get(link).status_code == 404


@pytest.mark.parametrize("state", ["withdrawn", "expired", "unknown", "of a closed account",
                                   "of nobody who may", "of a removed project"])  # fmt: skip
def test_an_invitation_that_is_over_answers_as_one_that_never_was(
    client: TestClient, store: Store, clock: Clock, state: str
) -> None:
    secret = create_invitation(store, store.accounts.get("lea"), project=store.projects.get(1))
    assert find_invitation(store, secret) is not None
    if state == "withdrawn":
        withdraw_invitation(store, 1)
    elif state == "expired":
        clock.now += 7 * 86400 + 1
    elif state == "unknown":
        secret = "x" * 43
    elif state == "of a closed account":
        store.accounts.change("lea", active=False)
    elif state == "of nobody who may":
        store.accounts.change("lea", role="judge")
    else:
        from relyon.judging.removal import remove_project

        remove_project(store, store.projects.get(1))
    answers = [client.get(f"/invitation/{secret}"), accept(client, secret)]
    for answer in answers:
        assert answer.status_code == 404
        assert "This invitation can’t be used" in html.unescape(answer.text)
    assert store.accounts.find("bo") is None
    with pytest.raises(InputError, match="cannot be used"):
        accept_invitation(store, secret, "bo", password=NEW)


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("ana", NEW, "already an account of this name"),
        ("Ana", NEW, "looks the same"),
        ("bоb", NEW, "must not mix letters"),
        ("llm:gpt", NEW, "A name has 1 to 200 characters"),
        (" ", NEW, "A name has 1 to 200 characters"),
        ("b\0o", NEW, "A name has 1 to 200 characters"),
        ("bo", "short", "12 to 128 characters"),
        ("bo", "x" * 129, "12 to 128 characters"),
        ("bo", "password1234", "easily guessed"),
    ],
)
def test_the_form_says_what_is_wrong_and_the_link_stays(
    client: TestClient, store: Store, name: str, password: str, said: str
) -> None:
    secret = invite(store)
    answer = accept(client, secret, name, password)
    assert answer.status_code == 400
    assert said in html.unescape(answer.text)
    assert 'role="alert"' in answer.text
    assert accept(client, secret).status_code == 303


def test_nothing_is_hashed_without_a_valid_link_name_and_password(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    before = passwords.hash_password

    def count(password: str) -> str:
        hashed.append(password)
        return before(password)

    monkeypatch.setattr("relyon.judging.invitations.hash_password", count)
    accept(client, "x" * 43)
    secret = invite(store)
    accept(client, secret, "ana")
    accept(client, secret, "bo", "short")
    assert not hashed
    accept(client, secret)
    assert hashed == [NEW]


def test_a_name_can_be_given(client: TestClient, store: Store) -> None:
    secret = invite(store, name="Bo Chen")
    page = client.get(f"/invitation/{secret}").text
    assert 'value="Bo Chen"' in page
    assert "readonly" in page
    accept(client, secret, "root")
    assert store.accounts.get("Bo Chen").role == "judge"
    assert find_invitation(store, secret) is None


def test_guesses_of_links_wait(store: Store) -> None:
    client = TestClient(create_app(store, Settings(sign_in_attempts=1)), follow_redirects=False)
    answers = [accept(client, f"{number}" * 43) for number in range(6)]
    assert [one.status_code for one in answers] == [404] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    # Whether or not the link is valid.
    answer = accept(client, invite(store))
    assert answer.status_code == 429
    assert answer.text == accept(client, "y" * 43).text
    # Those who have an account share that limit with strangers only, not with returning browsers.
    assert sign_in(client, "ana").status_code == 429


@pytest.mark.long
def test_two_browsers_at_once_create_one_account(store: Store) -> None:
    app, secret = create_app(store), invite(store)
    clients = [TestClient(app, follow_redirects=False) for _ in range(4)]
    tokens = [token_of(one.get("/sign-in").text) for one in clients]

    def send(number: int) -> int:
        values = {"csrf": tokens[number], "secret": secret, "password": NEW}
        values["name"] = ("bo", "cy", "di", "bo")[number]
        return int(clients[number].post("/invitation", data=values).status_code)

    with ThreadPoolExecutor(4) as threads:
        codes = sorted(threads.map(send, range(4)))
    assert codes[0] == 303
    assert all(code in {400, 404} for code in codes[1:])
    assert len(store.accounts.all()) == 4


def test_a_form_from_elsewhere_accepts_nothing(client: TestClient, store: Store) -> None:
    secret = invite(store)
    client.get("/sign-in")
    for csrf in ("", "0" * 64):
        values = {"csrf": csrf, "secret": secret, "name": "bo", "password": NEW}
        assert client.post("/invitation", data=values).status_code == 403
    assert find_invitation(store, secret) is not None


def test_who_is_signed_in_keeps_their_account(client: TestClient, store: Store) -> None:
    secret = invite(store)
    sign_in(client, "ana")
    assert "signed in as ana" in client.get(f"/invitation/{secret}").text
    values = {"secret": secret, "name": "bo", "password": NEW}
    assert "signed in as ana" in post(client, "/invitation", **values).text
    assert store.accounts.find("bo") is None


def test_the_session_of_the_form_is_replaced(client: TestClient, store: Store) -> None:
    client.cookies.set("relyon_session", "planted-by-somebody-else")
    accept(client, invite(store))
    secrets = {one.value for one in client.cookies.jar if one.name == "relyon_session"}
    assert len(secrets - {"planted-by-somebody-else"}) == 1


def test_leads_invite_judges_to_what_they_lead(store: Store) -> None:
    lea = somebody(store, "lea")
    link = link_in(post(lea, "/projects/1/invitations", note="Bo").text)
    found = find_invitation(store, link.rpartition("/")[2])
    assert found is not None
    assert (found.role, found.project) == ("judge", "June")
    # A role in the form changes nothing, and other pages are not theirs.
    link = link_in(post(lea, "/projects/1/invitations", role="admin", project="9").text)
    found = find_invitation(store, link.rpartition("/")[2])
    assert found is not None
    assert (found.role, found.project_id) == ("judge", 1)
    assert post(lea, "/accounts/invitations", role="judge").status_code == 403
    assert post(lea, "/accounts/invitations/1/withdraw").status_code == 403
    ana = somebody(store, "ana")
    assert post(ana, "/projects/1/invitations").status_code == 403
    assert post(ana, "/projects/1/invitations/1/withdraw").status_code == 403
    for role, project in (("judge", None), ("lead", 1), ("admin", 1)):
        with pytest.raises(ParameterError, match="may not send this invitation"):
            create_invitation(
                store,
                store.accounts.get("lea"),
                role=role,  # type: ignore[arg-type]
                project=None if project is None else store.projects.get(project),
            )


def test_an_invitation_of_another_project_is_not_withdrawn(store: Store) -> None:
    other = store.projects.create("July")
    invite(store, project=other)
    lea = somebody(store, "lea")
    restrict_to_members(store, other, by=store.accounts.get("root"))
    assert post(lea, "/projects/1/invitations/1/withdraw").status_code == 400
    assert post(lea, f"/projects/{other.id}/invitations/1/withdraw").status_code == 404
    assert list_invitations(store)[0].state == "open"
    assert "July" not in lea.get("/projects/1/people").text


def test_who_accepts_becomes_a_member(client: TestClient, store: Store) -> None:
    project = store.projects.get(1)
    restrict_to_members(store, project, by=store.accounts.get("root"))
    set_member(store, project, store.accounts.get("ana"), "lead")
    # A judge who leads this project invites another one.
    link = link_in(post(somebody(store, "ana"), "/projects/1/invitations").text)
    assert accept(client, link.rpartition("/")[2]).status_code == 303
    assert client.get("/projects/1/judge").status_code == 200
    assert ("bo", "judge") in [(one.name, one.role) for one in list_members(store, 1)]
    # A lead of no project whose membership ends takes the invitation along.
    secret = create_invitation(store, store.accounts.get("ana"), project=project)
    set_member(store, project, store.accounts.get("ana"), "judge")
    assert find_invitation(store, secret) is None


def test_bad_invitations(store: Store) -> None:
    for more, said in (
        ({"days": 0}, "expires after up to 90 days"),
        ({"days": 91}, "expires after up to 90 days"),
        ({"note": "x" * 201}, "at most 200 characters"),
        ({"name": "ana"}, "already exists"),
        ({"name": "llm:x"}, "llm:"),
        ({"role": "boss"}, "role"),
    ):
        with pytest.raises(ParameterError, match=said):
            invite(store, **more)
    assert not list_invitations(store)


def test_open_invitations_are_bounded_and_old_ones_forgotten(store: Store, clock: Clock) -> None:
    for _ in range(MOST_OPEN):
        invite(store, days=1)
    with pytest.raises(ParameterError, match="are open already"):
        invite(store)
    clock.now += 2 * 86400
    invite(store)
    clock.now += 400 * 86400
    invite(store)
    assert len(list_invitations(store)) == 1


@pytest.mark.parametrize("path", ["x", "x" * 5000, "%00", "%F0%28%8C%28", "..%2F..%2Fetc"])
def test_odd_links(client: TestClient, path: str) -> None:
    assert client.get(f"/invitation/{path}").status_code == 404

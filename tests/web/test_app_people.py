"""People in the browser, in both languages: invited, members of a project, with a provider."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("authlib")
pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Browser, Page
from tests.databases import create_file
from tests.unit.identity_provider import CLIENT, SECRET, Provider, serve_provider
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.server import PASSWORD, Server
from tests.web.sign_in import fill_in

from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.records import Item
from relyon.judging.store import open_store

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
LOADED = "document.readyState === 'complete'"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serve_provider() as found:
        yield found


@pytest.fixture
def server(tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        store.accounts.create("lead", role="admin", password=PASSWORD)
        store.accounts.create("王小明", password=PASSWORD)
        store.projects.create("六月 June")
        store.items.add(1, [Item("red shoes", f"d{number}") for number in range(5)])
    monkeypatch.setenv("RELYON_OIDC_SECRET", SECRET)
    options = ["--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT]
    options += ["--oidc-name", "Example ID", "--oidc-create", "judge"]
    with Server(tmp_path / "judging.db", *options) as running:
        yield running


@pytest.fixture
def guest(browser: Browser) -> Iterator[Page]:
    """A page of somebody else."""
    with browser.new_context(no_viewport=True) as context:
        yield context.new_page()


def text(tab: Page, selector: str = "main") -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def go(tab: Page, selector: str, path: str) -> None:
    """Clicks and waits for the page that comes."""
    tab.evaluate("window.before = true")
    tab.click(selector)
    wait_until(tab, f"!window.before && location.pathname === '{path}' && {LOADED}")


def check_page(tab: Page, name: str) -> None:
    """Checks that a page fits a phone and a desk in both schemes, and that all can read it."""
    address = tab.url
    for width, scheme in ((390, "dark"), (1280, "light")):
        tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        tab.set_viewport_size({"width": width, "height": 900})
        assert overflow(tab) <= 0, (name, width)
        assert not violations(tab), name
        if folder := os.environ.get("RELYON_SCREENSHOTS"):
            tab.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)
    assert tab.url == address
    # A browser says, too, that an answer had the status of an error.
    assert not [one for one in complaints(tab) if "Failed to load" not in one], name


@LANGUAGES
def test_somebody_is_invited_to_a_project_that_only_members_see(
    tab: Page, guest: Page, server: Server, language: Language
) -> None:
    open_page(tab, f"{server.address}/sign-in?next=/accounts&lang={language}")
    check_page(tab, f"sign-in-{language}")
    fill_in(tab, "lead")
    wait_until(tab, f"location.pathname === '/accounts' && {LOADED}")
    tab.select_option("[name=project]", "1")
    tab.fill("[name=note]", "Bo, 周二开始")
    go(tab, "form[action='/accounts/invitations'] button", "/accounts/invitations")
    link = text(tab, ".secret code")
    check_page(tab, f"accounts-{language}")

    # The guest, in a browser of their own.
    open_page(guest, f"{link}?lang={language}")
    assert "六月 June" in text(guest)
    check_page(guest, f"invitation-{language}")
    guest.fill("[name=name]", "lead")
    guest.fill("[name=password]", "correct horse battery")
    go(guest, "form[action='/invitation'] button", "/invitation")
    assert say(language, "error.user_taken") in text(guest)
    guest.fill("[name=name]", "Bo Chen")
    guest.fill("[name=password]", "correct horse battery")
    go(guest, "form[action='/invitation'] button", "/projects/1/judge")
    open_page(guest, link)
    check_page(guest, f"invitation-used-{language}")

    # Who sees the project.
    open_page(tab, f"{server.address}/projects/1/people")
    assert text(tab, ".tabs [aria-current]") == say(language, "tabs.people")
    check_page(tab, f"people-everybody-{language}")
    go(tab, "form[action$='/people/restrict'] button", "/projects/1/people")
    assert say(language, "people.told_restricted") in text(tab)
    # Who accepted the invitation is a member, and who has nothing to do with it is not.
    assert "Bo Chen" in text(tab, ".accounts")
    assert "王小明" not in text(tab, ".accounts")
    tab.fill("form[action$='/people'] [name=name]", "王小明")
    go(tab, "form[action$='/people'] button", "/projects/1/people")
    assert say(language, "people.told_added") in text(tab)
    tab.fill("[name=note]", "第二位")
    go(tab, "form[action$='/invitations'] button", "/projects/1/invitations")
    check_page(tab, f"people-{language}")
    tab.click("button[value=remove] >> nth=0")
    wait_until(tab, f"location.search === '?told=removed' && {LOADED}")
    open_page(guest, f"{server.address}/projects/1/judge")
    assert say(language, "error.404") in text(guest)


@LANGUAGES
def test_somebody_signs_in_with_the_provider_and_links_another_account(
    tab: Page, server: Server, provider: Provider, language: Language
) -> None:
    open_page(tab, f"{server.address}/account?lang={language}")
    open_page(tab, f"{server.address}/sign-in?next=/account&lang={language}")
    assert text(tab, "main a.primary") == say(language, "provider.sign_in", title="Example ID")
    go(tab, "main a.primary", "/account")
    assert text(tab, "h1") == "jana"
    check_page(tab, f"account-{language}")
    go(tab, "form[action='/sign-out'] button", "/sign-in")

    # Whom the provider knows by another id: an account with a password links it.
    provider.person = {"sub": "another one"}
    fill_in(tab, "王小明")
    wait_until(tab, f"location.pathname === '/' && {LOADED}")
    open_page(tab, f"{server.address}/account")
    tab.click("form[action='/account/provider'] button")
    wait_until(tab, f"location.search === '?told=linked' && {LOADED}")
    assert say(language, "provider.linked", title="Example ID") in text(tab)
    go(tab, "form[action='/sign-out'] button", "/sign-in")
    go(tab, "main a.primary", "/")
    assert text(tab, ".tools a") == "王小明"
    go(tab, "form[action='/sign-out'] button", "/sign-in")

    # What the provider sends cannot be trusted.
    provider.changes = {"nonce": "another one"}
    tab.click("main a.primary")
    wait_until(tab, f"location.pathname === '/sign-in/provider/back' && {LOADED}")
    assert say(language, "provider.invalid", title="Example ID") in text(tab)
    shown = [one for one in complaints(tab) if "403" not in one]
    assert not shown

"""The options of `relyon judge serve` that say how people sign in."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("authlib")
pytest.importorskip("fastapi")

from relyon.app.people.provider_settings import ProviderSettings
from relyon.cli.serve_sign_in import SignIn
from relyon.core.errors import ParameterError

ISSUER = "https://id.example.org"


def chosen(**options: Any) -> SignIn:
    values: dict[str, Any] = {
        "issuer": ISSUER, "client_id": "relyon", "name": "", "create": "none", "domains": (),
        "no_passwords": False,
    }  # fmt: skip
    return SignIn(**{**values, **options})


def test_a_provider_and_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELYON_OIDC_SECRET", "the secret")
    found = chosen(create="judge", domains=("Example.org",), no_passwords=True)
    assert found.provider() == ProviderSettings(
        ISSUER, "relyon", "the secret", "", True, ("example.org",)
    )
    assert found.passwords() == "admins"
    assert "the secret" not in repr(found.provider())
    provider = chosen().provider()
    assert provider is not None
    assert (provider.title, provider.creates) == ("id.example.org", False)


def test_without_a_provider() -> None:
    found = chosen(issuer=None, client_id=None)
    assert found.provider() is None
    assert found.passwords() == "all"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"issuer": None}, "need --oidc-issuer"),
        ({"issuer": None, "client_id": None, "create": "judge"}, "need --oidc-issuer"),
        ({"client_id": None}, "needs --oidc-client-id"),
        ({"domains": ("example.org",)}, "needs `--oidc-create judge`"),
        ({"domains": ("ex ample",), "create": "judge"}, "is not a domain"),
        ({"domains": ("@example.org",), "create": "judge"}, "is not a domain"),
        ({"issuer": "http://id.example.org"}, "is not the address of an identity provider"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        chosen(**options).provider()


def test_passwords_are_not_turned_off_without_a_provider() -> None:
    with pytest.raises(ParameterError, match="nobody else could sign in"):
        chosen(issuer=None, client_id=None, no_passwords=True).passwords()

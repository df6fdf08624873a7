"""How people sign in to the app: with an identity provider, and whether with passwords."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.request import flag, option, request
from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.app.people.provider_settings import ProviderSettings

__all__ = ["SignIn"]

SECRET = "RELYON_OIDC_SECRET"
DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)+", re.ASCII)


@request
class SignIn:
    """How people sign in."""

    issuer: str | None = option(
        "--oidc-issuer",
        metavar="URL",
        help="An identity provider (OpenID Connect) with which people can sign in.",
    )
    client_id: str | None = option(
        "--oidc-client-id",
        metavar="ID",
        help=f"The id of this app there; its secret is in {SECRET}. The app's address for answers"
        " ends in /sign-in/provider/back.",
    )
    name: str = option(
        "--oidc-name",
        metavar="NAME",
        default="",
        help="The provider's name on the sign-in page; its host if it is not given.",
    )
    create: Literal["none", "judge"] = option(
        "--oidc-create",
        type=click.Choice(["none", "judge"]),
        default="none",
        show_default=True,
        help="What people of the provider get who have no account and no invitation: nothing, or"
        " an account as a judge.",
    )
    domains: tuple[str, ...] = option(
        "--oidc-domain",
        multiple=True,
        metavar="DOMAIN",
        help="Give one only to people with a verified e-mail address of this domain. Can be"
        " repeated.",
    )
    no_passwords: bool = flag("--no-passwords", help="Only administrators sign in with a password.")

    def passwords(self) -> Literal["all", "admins"]:
        """Returns who signs in with a password.

        Raises:
            ParameterError: If others could not sign in at all.
        """
        if self.no_passwords and self.issuer is None:
            raise ParameterError(
                message("cli.no-passwords-needs-provider"), hint=message("cli.name-provider")
            )
        return "admins" if self.no_passwords else "all"

    def provider(self) -> ProviderSettings | None:
        """Returns the provider; None if there is none.

        Raises:
            ParameterError: If its options do not fit together.
        """
        if self.issuer is None:
            if self.client_id or self.name or self.domains or self.create != "none":
                raise ParameterError(
                    message("cli.oidc-needs-issuer"), hint=message("cli.name-provider")
                )
            return None
        if not self.client_id:
            raise ParameterError(message("cli.oidc-needs-client-id"))
        if self.domains and self.create == "none":
            raise ParameterError(message("cli.oidc-domain-needs-create"))
        for domain in self.domains:
            if not DOMAIN.fullmatch(domain):
                raise ParameterError(message("cli.is-not-domain", domain=domain))
        optional_package(
            "authlib", purpose=message("cli.identity-provider"), install="relyon[judge]"
        )
        from relyon.app.people.provider_settings import ProviderSettings, check_issuer

        return ProviderSettings(
            check_issuer(self.issuer),
            self.client_id,
            os.environ.get(SECRET, ""),
            self.name.strip(),
            self.create == "judge",
            tuple(one.lower() for one in self.domains),
        )

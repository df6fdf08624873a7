"""The operator's settings of an identity provider."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["ProviderSettings", "check_issuer"]

#: Hosts whose traffic leaves no machine.
LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ProviderSettings:
    """An identity provider (OpenID Connect), and which of its accounts may sign in here.

    Attributes:
        issuer: Its address, from which it is discovered.
        client_id: The id of this app there.
        secret: The secret of this app there; empty for a public client.
        name: The name on the button of the sign-in page; empty shows the issuer's host.
        creates: Whether people of the provider without an account here get one, as judges.
        domains: The domains of verified e-mail addresses for which they do; empty for all.
    """

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    name: str = ""
    creates: bool = False
    domains: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the provider for people."""
        return self.name or urlsplit(self.issuer).netloc


def check_issuer(issuer: str) -> str:
    """Returns the address of an issuer.

    Raises:
        ParameterError: If it is not an HTTPS URL, or an HTTP URL of this machine.

    Examples:
        >>> check_issuer("https://id.example.org/realms/search")
        'https://id.example.org/realms/search'
    """
    try:
        parts = urlsplit(issuer)
        host = parts.hostname or ""
        good = parts.scheme == "https" or (parts.scheme == "http" and host in LOCAL)
        good = good and bool(host) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        good = False
    plain = issuer.isascii() and issuer.isprintable() and " " not in issuer
    if not good or not plain or "?" in issuer or "#" in issuer:
        raise ParameterError(
            message("app.issuer-is-not-url", issuer=issuer[:200]),
            hint=message("app.copy-issuer"),
        )
    return issuer

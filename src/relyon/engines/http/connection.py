"""Where an engine is reached over HTTP: its address and headers, with secrets from outside only."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import VARIABLE, Secrets

__all__ = ["SECRET", "Connection"]

#: Names of headers and parameters whose values are secrets.
SECRET = re.compile(r"authori[sz]ation|cookie|api-?_?key|token|secret|passw|credential", re.I)
#: An address up to its host, the host with its port, and the rest.
ADDRESS = re.compile(r"(\w+://(?:[^/@]*@)?)([^/@]*)((?:/.*)?)", re.S)
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


@dataclass(frozen=True)
class Connection:
    """Where an engine is reached.

    Attributes:
        url: The address, without user, password, query or a slash at its end.
        headers: Headers of every request.
        ca: A file of certificates that are trusted, too.
        proxy: Whether the proxy that the environment names is used.
        keys: Parameters of every request's address that are secrets.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    ca: str = ""
    proxy: bool = False
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets, example: str) -> Connection:
        """Reads the keys `address`, `ca`, `proxy` and the table `[headers]`.

        Args:
            options: The engine's file.
            secrets: Fills in variables of the environment.
            example: An address, for the hint if there is none.

        Raises:
            ParameterError: If an address is not one, or a secret is written in the file.
        """
        given = options.required("address", f'"{example}"')
        url, user = _address(given, options.path, secrets)
        headers = {"Accept": "application/json", "User-Agent": "relyon"}
        if user:
            headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
            secrets.add(headers["Authorization"][6:])
        for name, value in options.table("headers").texts().items():
            headers = {key: one for key, one in headers.items() if key.lower() != name.lower()}
            headers[name] = _header(name, value, options.path, secrets)
        proxy = options.choice("proxy", ("", "environment"), "") == "environment"
        return cls(url, tuple(headers.items()), options.file("ca"), proxy)


def _address(given: str, path: str, secrets: Secrets) -> tuple[str, str]:
    """Returns an address without its user and password, and these."""
    text = _filled(given, path, secrets)
    try:
        parts = urlsplit(text)
        host = _host(parts.hostname or "")
        good = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:
        good = False
    if not good or not text.isprintable() or " " in text or parts.query or parts.fragment:
        raise ParameterError(
            message("engines.is-no-address", path=path, address=_without_user(given)),
            hint=message("engines.write-address"),
        )
    user = ""
    if "@" in parts.netloc:
        named = given.rpartition("@")[0].rpartition("//")[2] if "@" in given else "${}"
        password = named.partition(":")[2]
        if "@" in given and ":" in named and not VARIABLE.fullmatch(password):
            raise ParameterError(
                message("engines.address-has-a-password", path=path),
                hint=message("engines.password-from-environment"),
            )
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        if parts.password:
            secrets.add(parts.password, path=path)
            secrets.add(unquote(parts.password), path=path)
    port = f":{parts.port}" if parts.port else ""
    base = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=-._~")
    return f"{parts.scheme}://{host}{port}{base}", user


def _filled(given: str, path: str, secrets: Secrets) -> str:
    """Returns an address with its variables.

    The name of a host is no secret: it is part of the ids and addresses of many documents. Of an
    address that is a variable as a whole, the password is one.
    """
    found = ADDRESS.fullmatch(given)
    if found is None:
        return secrets.fill(given, path=path, secret=False)
    before, host, after = found.groups()
    middle = secrets.fill(host, path=path, secret=False)
    return f"{secrets.fill(before, path=path)}{middle}{secrets.fill(after, path=path)}"


def _host(name: str) -> str:
    """Returns the name of a host as an address has it.

    Raises:
        ValueError: If it cannot be one.
    """
    if ":" in name:
        return f"[{name}]"
    return name if name.isascii() else name.encode("idna").decode()


def _without_user(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//", address)


def _header(name: str, value: str, path: str, secrets: Secrets) -> str:
    if not NAME.fullmatch(name):
        raise ParameterError(message("engines.is-no-header", path=path, name=name))
    if SECRET.search(name) and not VARIABLE.search(value):
        raise ParameterError(
            message("engines.secret-in-the-file", path=path, key=f"headers.{name}"),
            hint=message("engines.secret-from-environment", line=f'{name} = "${{SEARCH_KEY}}"'),
        )
    found = secrets.fill(value, path=path)
    if not found.isprintable() or not found.isascii():
        raise ParameterError(message("engines.is-no-header", path=path, name=name))
    return found
